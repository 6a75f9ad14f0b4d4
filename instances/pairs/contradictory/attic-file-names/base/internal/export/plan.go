// Package export writes papers into a folder, one file each, with a list and a page that lead to them.
package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"html"
	"strings"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/store"
	"example.org/attic/internal/text"
)

// Names of the files that stand beside the papers.
const (
	ListFile = "index.csv"
	PageFile = "index.html"
)

// File is one file of an export.
type File struct {
	Name    string
	Content []byte
	// Document is the paper in it; a zero Document for the list and the page.
	Document doc.Document
}

// Plan gives the files of an export of some papers of an archive, in the archive's order, list and page last.
func Plan(archive *store.Archive, selected []doc.Document) ([]File, error) {
	papers := append([]doc.Document(nil), selected...)
	doc.Sort(papers, archive.Settings().Order)
	var files []File
	for _, each := range papers {
		if each.Draft && !archive.Settings().WithDrafts {
			continue
		}
		files = append(files, File{FileName(each), Content(each), each})
	}
	list, err := listOf(files)
	if err != nil {
		return nil, err
	}
	page := pageOf(archive.Settings().Name, files)
	return append(files, File{Name: ListFile, Content: list}, File{Name: PageFile, Content: page}), nil
}

func listOf(files []File) ([]byte, error) {
	var out bytes.Buffer
	writer := csv.NewWriter(&out)
	rows := [][]string{{"number", "date", "title", "kind", "file", "sha256"}}
	for _, each := range files {
		d := each.Document
		rows = append(rows, []string{fmt.Sprint(d.Number), d.Date.String(), d.Title, d.Kind, each.Name, digest(each.Content)})
	}
	if err := writer.WriteAll(rows); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func pageOf(name string, files []File) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>%s</title>\n", html.EscapeString(name))
	fmt.Fprintf(&out, "<h1>%s</h1>\n<p>%s</p>\n", html.EscapeString(name), text.Plural(len(files), "paper"))
	for _, kind := range doc.Kinds {
		section(&out, kind, files)
	}
	return []byte(out.String())
}

func section(out *strings.Builder, kind string, files []File) {
	begun := false
	for _, each := range files {
		if each.Document.Kind != kind {
			continue
		}
		if !begun {
			fmt.Fprintf(out, "<h2>%s</h2>\n<ul>\n", html.EscapeString(kind))
			begun = true
		}
		date := each.Document.Date.String()
		if date != "" {
			date += " "
		}
		fmt.Fprintf(out, "<li>%s<a href=\"%s\">%s</a></li>\n", date, html.EscapeString(each.Name), html.EscapeString(each.Document.Title))
	}
	if begun {
		out.WriteString("</ul>\n")
	}
}
