// Package report makes tables of what an archive has.
package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a report: columns by name, rows of as many cells.
type Table struct {
	Columns []string
	Rows    [][]string
}

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// CSV writes a table as comma-separated values, with a line of headings.
func (t *Table) CSV(out io.Writer) error {
	writer := csv.NewWriter(out)
	if err := writer.Write(t.Columns); err != nil {
		return err
	}
	return writer.WriteAll(t.Rows)
}

// Text writes a table for people: columns below one another, numbers to the right.
func (t *Table) Text(out io.Writer) error {
	widths := make([]int, len(t.Columns))
	for _, row := range t.all() {
		for column, cell := range row {
			if width := utf8.RuneCountInString(cell); width > widths[column] {
				widths[column] = width
			}
		}
	}
	for _, row := range t.all() {
		cells := make([]string, len(row))
		for column, cell := range row {
			space := strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell))
			if t.numeric(column) {
				cells[column] = space + cell
			} else {
				cells[column] = cell + space
			}
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(strings.Join(cells, "  "), " ")); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) all() [][]string { return append([][]string{t.Columns}, t.Rows...) }

func (t *Table) numeric(column int) bool {
	for _, row := range t.Rows {
		if row[column] == "" || strings.Trim(row[column], "-.0123456789") != "" {
			return false
		}
	}
	return len(t.Rows) > 0
}
