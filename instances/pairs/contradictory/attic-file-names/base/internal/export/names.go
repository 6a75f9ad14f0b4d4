package export

import (
	"fmt"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/text"
)

// FileName is the name of a paper's file in a folder: its number, its title in plain letters, its extension.
func FileName(document doc.Document) string {
	return fmt.Sprintf("%04d-%s.%s", document.Number, titlePart(document), document.Extension)
}

// titlePart is never empty: a title without a plain letter gives way to the kind of paper.
func titlePart(document doc.Document) string {
	if slug := text.Slug(document.Title); slug != "" {
		return slug
	}
	return document.Kind
}
