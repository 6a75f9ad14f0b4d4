// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/attic/internal/cli"
)

// desk is one archive, worked on by the command line.
type desk struct {
	*testing.T
	file string
}

func open(t *testing.T) desk { return desk{t, filepath.Join(t.TempDir(), "club.json")} }

func (d desk) try(args ...string) (string, int) {
	var out, wrong bytes.Buffer
	code := cli.Run(append([]string{d.file}, args...), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &wrong})
	return out.String() + wrong.String(), code
}

func (d desk) run(args ...string) string {
	d.Helper()
	said, code := d.try(args...)
	if code != 0 {
		d.Fatalf("%v: exit code %d: %s", args, code, said)
	}
	return said
}

// add adds papers: a title and a date each, with an extension or `draft` behind where there is a third part.
func (d desk) add(papers ...string) {
	d.Helper()
	for _, each := range papers {
		parts := strings.Split(each, "|")
		args := []string{"add", parts[0], "--date", parts[1]}
		if len(parts) > 2 && parts[2] == "draft" {
			args = append(args, "--draft")
		} else if len(parts) > 2 {
			args = append(args, "--extension", parts[2])
		}
		d.run(args...)
	}
}

// plan gives the names of papers' files as the plan of an export has them.
func (d desk) plan(query ...string) []string {
	d.Helper()
	lines := strings.Fields(d.run(append([]string{"export", "--plan", "nowhere"}, query...)...))
	if len(lines) < 2 || lines[len(lines)-2] != "index.csv" || lines[len(lines)-1] != "index.html" {
		d.Fatalf("the plan ends with %v", lines)
	}
	return lines[:len(lines)-2]
}

// shown gives the name that `show` tells.
func (d desk) shown(number string) string {
	d.Helper()
	first, _, _ := strings.Cut(d.run("show", number), "\n")
	if !strings.HasPrefix(first, "File: ") {
		d.Fatalf("show begins with %q", first)
	}
	return strings.TrimPrefix(first, "File: ")
}

// exported gives the files of a folder, its list's rows by column, and the page's links.
func (d desk) exported(folder string) (files []string, rows []map[string]string, links []string) {
	d.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		d.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "index.") {
			files = append(files, entry.Name())
		}
	}
	content, err := os.ReadFile(filepath.Join(folder, "index.csv"))
	if err != nil {
		d.Fatal(err)
	}
	table, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		d.Fatal(err)
	}
	for _, row := range table[1:] {
		named := map[string]string{}
		for i, column := range table[0] {
			named[column] = row[i]
		}
		rows = append(rows, named)
	}
	page, _ := os.ReadFile(filepath.Join(folder, "index.html"))
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(string(page), -1) {
		links = append(links, link[1])
	}
	return files, rows, links
}

func (d desk) equal(what string, got, want any) {
	d.Helper()
	if one, other := text(got), text(want); one != other {
		d.Errorf("%s: got %s, want %s", what, one, other)
	}
}

func text(value any) string {
	if lines, ok := value.([]string); ok {
		return strings.Join(lines, " ")
	}
	return value.(string)
}
