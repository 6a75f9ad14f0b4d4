package export

import (
	"fmt"
	"strings"

	"example.org/attic/internal/doc"
)

// Content is what a paper's file holds: a head of its facts, an empty line, its body.
func Content(document doc.Document) []byte {
	var out strings.Builder
	fact := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, value)
		}
	}
	fact("Number", fmt.Sprint(document.Number))
	fact("Title", document.Title)
	fact("Kind", document.Kind)
	fact("Author", document.Author)
	fact("Date", document.Date.String())
	fact("Tags", strings.Join(document.Tags, ", "))
	if document.Draft {
		fact("State", "draft")
	}
	for _, note := range document.Notes {
		fact("Note", fmt.Sprintf("%s (%s)", note.Text, note.By))
	}
	out.WriteString("\n")
	out.WriteString(document.Body)
	if document.Body != "" && !strings.HasSuffix(document.Body, "\n") {
		out.WriteString("\n")
	}
	return []byte(out.String())
}
