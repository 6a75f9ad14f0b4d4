package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func itoa(number int) string { return strconv.Itoa(number) }

// Table renders rows under headings, each column as wide as its widest cell.
type Table struct {
	headings []string
	right    map[int]bool
	rows     [][]string
}

// NewTable makes a table with such headings.
func NewTable(headings ...string) *Table {
	return &Table{headings: headings, right: map[int]bool{}}
}

// AlignRight makes a column, counted from 0, flush right.
func (t *Table) AlignRight(column int) *Table {
	t.right[column] = true
	return t
}

// Row adds a row; cells that are left out are empty.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(t.headings))
	copy(row, cells)
	t.rows = append(t.rows, row)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// String is the table with a line end after each line.
func (t *Table) String() string {
	widths := make([]int, len(t.headings))
	for _, row := range append([][]string{t.headings}, t.rows...) {
		for i, cell := range row {
			if width := utf8.RuneCountInString(cell); width > widths[i] {
				widths[i] = width
			}
		}
	}
	var out strings.Builder
	t.line(&out, t.headings, widths)
	for _, row := range t.rows {
		t.line(&out, row, widths)
	}
	return out.String()
}

func (t *Table) line(out *strings.Builder, row []string, widths []int) {
	var line strings.Builder
	for i, cell := range row {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i > 0 {
			line.WriteString("  ")
		}
		if t.right[i] {
			line.WriteString(space + cell)
		} else {
			line.WriteString(cell + space)
		}
	}
	out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
