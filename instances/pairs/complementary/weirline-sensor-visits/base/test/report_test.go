package test

import (
	"strings"
	"testing"

	"example.org/weirline/internal/report"
)

func TestText(t *testing.T) {
	table := &report.Table{
		Columns: []string{"day", "level", "text"},
		Rows:    [][]string{{"2026-03-01", "1.5", "höher"}, {"2026-03-02", "-10.25", ""}},
	}
	var out strings.Builder
	if err := table.Text(&out); err != nil {
		t.Fatal(err)
	}
	// A date looks like a number, too; all dates are of one length.
	want := "       day   level  text\n2026-03-01     1.5  höher\n2026-03-02  -10.25\n"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}

func TestCSV(t *testing.T) {
	table := &report.Table{Columns: []string{"a", "b"}, Rows: [][]string{{`x,"y"`, ""}}}
	var out strings.Builder
	if err := table.CSV(&out); err != nil || out.String() != "a,b\n\"x,\"\"y\"\"\",\n" {
		t.Errorf("%q %v", out.String(), err)
	}
}
