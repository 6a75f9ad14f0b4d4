package query_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/query"
)

func papers(t *testing.T) []doc.Document {
	t.Helper()
	date := func(text string) doc.Date {
		parsed, err := doc.ParseDate(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	return []doc.Document{
		{Number: 1, Title: "Annual report", Kind: "report", Author: "Ada Ek", Date: date("1999-05-03"), Tags: []string{"money"}},
		{Number: 2, Title: "Letter from Øresund", Kind: "letter", Date: date("1999-05"), Body: "The ferry is late."},
		{Number: 3, Title: "Minutes", Kind: "minutes", Date: date("2001"), Draft: true},
		{Number: 4, Title: "A photo", Kind: "photo"},
	}
}

func numbers(found []doc.Document) string {
	var all []string
	for _, each := range found {
		all = append(all, fmt.Sprint(each.Number))
	}
	return strings.Join(all, " ")
}

func TestQueries(t *testing.T) {
	for source, want := range map[string]string{
		"":                              "1 2 3 4",
		"ann":                           "1",
		"oeresund":                      "2",
		`"ferry is"`:                    "2",
		`"is ferry"`:                    "",
		"kind:letter or kind:photo":     "2 4",
		"-kind:letter":                  "1 3 4",
		"date:1999":                     "1 2",
		"date>1999-05":                  "3",
		"date<=1999-05":                 "1 2",
		"date>=1999-05-03":              "1 3",
		"(is:draft or tag:money) by:ek": "1",
		"is:undated":                    "4",
		"number>=3 -photo":              "3",
	} {
		parsed, err := query.Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := numbers(parsed.Filter(papers(t))); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

func TestWrongQueries(t *testing.T) {
	for _, source := range []string{"(a", "a)", `"a`, "colour:red", "kind>letter", "date:soon", "is:odd", "or", "- a", "number:x"} {
		if _, err := query.Parse(source); err == nil {
			t.Errorf("%s was taken", source)
		}
	}
}
