// Package importer reads papers from a table.
package importer

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/store"
)

// LineError says which line of a table is wrong.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Read reads papers from CSV whose first line names the columns: title, and any of kind, author, date, tags, extension, body, draft.
func Read(source io.Reader) ([]doc.Document, error) {
	reader := csv.NewReader(source)
	reader.TrimLeadingSpace = true
	heading, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, &LineError{1, errors.New("the table is empty")}
	}
	if err != nil {
		return nil, &LineError{1, err}
	}
	columns, err := columnsOf(heading)
	if err != nil {
		return nil, &LineError{1, err}
	}
	var papers []doc.Document
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return papers, nil
		}
		line, _ := reader.FieldPos(0)
		if err != nil {
			return nil, &LineError{line, err}
		}
		paper, err := paperOf(row, columns)
		if err != nil {
			return nil, &LineError{line, err}
		}
		papers = append(papers, paper)
	}
}

// Into adds all papers or none.
func Into(archive *store.Archive, papers []doc.Document) ([]int, error) {
	for i, each := range papers {
		if err := each.Clean().Check(); err != nil {
			return nil, fmt.Errorf("paper %d of the table: %w", i+1, err)
		}
	}
	var numbers []int
	for _, each := range papers {
		added, err := archive.Add(each)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, added.Number)
	}
	return numbers, nil
}

var fields = map[string]func(*doc.Document, string) error{
	"title":     func(d *doc.Document, value string) error { d.Title = value; return nil },
	"kind":      func(d *doc.Document, value string) error { d.Kind = value; return nil },
	"author":    func(d *doc.Document, value string) error { d.Author = value; return nil },
	"extension": func(d *doc.Document, value string) error { d.Extension = value; return nil },
	"body":      func(d *doc.Document, value string) error { d.Body = value; return nil },
	"tags":      func(d *doc.Document, value string) error { d.Tags = strings.Split(value, ","); return nil },
	"date":      func(d *doc.Document, value string) (err error) { d.Date, err = doc.ParseDate(value); return err },
	"draft": func(d *doc.Document, value string) error {
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "", "no", "false":
			d.Draft = false
		case "yes", "true":
			d.Draft = true
		default:
			return &doc.FieldError{Field: "draft", Reason: fmt.Sprintf("yes or no is expected, not %q", value)}
		}
		return nil
	},
}

func columnsOf(heading []string) ([]string, error) {
	var columns []string
	seen := map[string]bool{}
	for _, each := range heading {
		name := strings.ToLower(strings.TrimSpace(each))
		if fields[name] == nil {
			return nil, fmt.Errorf("there is no column %q", each)
		}
		if seen[name] {
			return nil, fmt.Errorf("the column %q is there twice", each)
		}
		seen[name] = true
		columns = append(columns, name)
	}
	if !seen["title"] {
		return nil, errors.New("the column title is missing")
	}
	return columns, nil
}

func paperOf(row, columns []string) (doc.Document, error) {
	var paper doc.Document
	for i, name := range columns {
		if err := fields[name](&paper, row[i]); err != nil {
			return doc.Document{}, err
		}
	}
	return paper.Clean(), nil
}
