// Package doc has the papers of an archive.
package doc

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kinds are what a paper can be, in the order in which they are listed.
var Kinds = []string{"minutes", "letter", "report", "invoice", "photo", "other"}

// FieldError says what is wrong with one field of a paper.
type FieldError struct {
	Field, Reason string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// Document is one paper.
type Document struct {
	Number    int      `json:"number"`
	Title     string   `json:"title"`
	Kind      string   `json:"kind"`
	Author    string   `json:"author,omitempty"`
	Date      Date     `json:"date"`
	Tags      []string `json:"tags,omitempty"`
	Extension string   `json:"extension"`
	Body      string   `json:"body"`
	Draft     bool     `json:"draft,omitempty"`
	Notes     []Note   `json:"notes,omitempty"`
}

// Note is a remark that somebody made on a paper.
type Note struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// Clean gives the paper with its fields in their usual form.
func (d Document) Clean() Document {
	d.Title = strings.Join(strings.Fields(d.Title), " ")
	d.Author = strings.Join(strings.Fields(d.Author), " ")
	d.Kind = strings.ToLower(strings.TrimSpace(d.Kind))
	if d.Kind == "" {
		d.Kind = "other"
	}
	d.Extension = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(d.Extension), "."))
	if d.Extension == "" {
		d.Extension = "txt"
	}
	d.Tags = CleanTags(d.Tags)
	return d
}

// Check tells what is wrong with a paper.
func (d Document) Check() error {
	if d.Title == "" {
		return &FieldError{"title", "it is missing"}
	}
	if !utf8.ValidString(d.Title) || strings.ContainsAny(d.Title, "\x00") {
		return &FieldError{"title", "it is no text"}
	}
	if !isKind(d.Kind) {
		return &FieldError{"kind", fmt.Sprintf("%q is none of %s", d.Kind, strings.Join(Kinds, ", "))}
	}
	if len(d.Extension) > 5 {
		return &FieldError{"extension", fmt.Sprintf("%q is longer than 5 letters", d.Extension)}
	}
	for _, each := range d.Extension {
		if !unicode.IsLower(each) && !unicode.IsDigit(each) || each > unicode.MaxASCII {
			return &FieldError{"extension", fmt.Sprintf("%q has other than letters and digits", d.Extension)}
		}
	}
	for _, tag := range d.Tags {
		if err := checkTag(tag); err != nil {
			return err
		}
	}
	return nil
}

func isKind(kind string) bool {
	for _, each := range Kinds {
		if each == kind {
			return true
		}
	}
	return false
}

// Copy gives a paper that shares nothing with this one.
func (d Document) Copy() Document {
	d.Tags = append([]string(nil), d.Tags...)
	d.Notes = append([]Note(nil), d.Notes...)
	return d
}

// HasTag tells whether a tag, in any case, is on the paper.
func (d Document) HasTag(tag string) bool {
	tag = strings.ToLower(strings.TrimSpace(tag))
	for _, each := range d.Tags {
		if each == tag {
			return true
		}
	}
	return false
}

// CleanTags gives tags trimmed, in lower case, sorted, each once.
func CleanTags(tags []string) []string {
	seen := map[string]bool{}
	var clean []string
	for _, tag := range tags {
		tag = strings.ToLower(strings.TrimSpace(tag))
		if tag != "" && !seen[tag] {
			seen[tag] = true
			clean = append(clean, tag)
		}
	}
	sort.Strings(clean)
	return clean
}

func checkTag(tag string) error {
	for _, each := range tag {
		if !unicode.IsLetter(each) && !unicode.IsDigit(each) && each != '-' {
			return &FieldError{"tag", fmt.Sprintf("%q has other than letters, digits and hyphens", tag)}
		}
	}
	return nil
}

// Order is an order that papers can be listed in.
type Order string

// The orders that there are.
const (
	ByNumber Order = "number"
	ByDate   Order = "date"
	ByTitle  Order = "title"
)

// ParseOrder reads the name of an order.
func ParseOrder(text string) (Order, error) {
	switch order := Order(strings.ToLower(text)); order {
	case ByNumber, ByDate, ByTitle:
		return order, nil
	}
	return "", &FieldError{"order", fmt.Sprintf("%q is none of number, date, title", text)}
}

// Sort puts papers in order; those that are equal in it go by number.
func Sort(documents []Document, order Order) {
	sort.SliceStable(documents, func(i, j int) bool {
		one, other := documents[i], documents[j]
		switch order {
		case ByDate:
			if compared := one.Date.Compare(other.Date); compared != 0 {
				return compared < 0
			}
		case ByTitle:
			if left, right := strings.ToLower(one.Title), strings.ToLower(other.Title); left != right {
				return left < right
			}
		}
		return one.Number < other.Number
	})
}
