// Package query finds papers: words, "phrases", fields (kind:letter, tag:money, by:ada, date>=1999-05, number<10, is:draft),
// all of which must hold; `or` between two, a hyphen for not, brackets.
package query

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/text"
)

// Query tells which papers are wanted.
type Query struct {
	matches func(doc.Document) bool
}

// All is the query that every paper meets.
var All = Query{func(doc.Document) bool { return true }}

// Matches tells whether a paper is wanted.
func (q Query) Matches(document doc.Document) bool { return q.matches(document) }

// Filter gives the wanted among papers.
func (q Query) Filter(documents []doc.Document) []doc.Document {
	var found []doc.Document
	for _, each := range documents {
		if q.matches(each) {
			found = append(found, each)
		}
	}
	return found
}

// Parse reads a query; an empty one is met by every paper.
func Parse(source string) (Query, error) {
	tokens, err := lex(source)
	if err != nil {
		return Query{}, err
	}
	p := &parser{tokens: tokens}
	if p.peek().kind == tokenEnd {
		return All, nil
	}
	matches, err := p.either()
	if err != nil {
		return Query{}, err
	}
	if p.peek().kind != tokenEnd {
		return Query{}, &SyntaxError{p.peek().at, "a bracket is closed that was not opened"}
	}
	return Query{matches}, nil
}

type predicate = func(doc.Document) bool

type parser struct {
	tokens []token
	at     int
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take() token {
	taken := p.tokens[p.at]
	if taken.kind != tokenEnd {
		p.at++
	}
	return taken
}

func (p *parser) either() (predicate, error) {
	left, err := p.all()
	if err != nil {
		return nil, err
	}
	for p.peek().kind == tokenOr {
		p.take()
		one := left
		other, err := p.all()
		if err != nil {
			return nil, err
		}
		left = func(d doc.Document) bool { return one(d) || other(d) }
	}
	return left, nil
}

func (p *parser) all() (predicate, error) {
	var every []predicate
	for {
		switch p.peek().kind {
		case tokenEnd, tokenClose, tokenOr:
			if len(every) == 0 {
				return nil, &SyntaxError{p.peek().at, "something to look for is missing"}
			}
			return func(d doc.Document) bool {
				for _, each := range every {
					if !each(d) {
						return false
					}
				}
				return true
			}, nil
		}
		one, err := p.one()
		if err != nil {
			return nil, err
		}
		every = append(every, one)
	}
}

func (p *parser) one() (predicate, error) {
	switch taken := p.take(); taken.kind {
	case tokenNot:
		inner, err := p.one()
		if err != nil {
			return nil, err
		}
		return func(d doc.Document) bool { return !inner(d) }, nil
	case tokenOpen:
		inner, err := p.either()
		if err != nil {
			return nil, err
		}
		if p.take().kind != tokenClose {
			return nil, &SyntaxError{taken.at, "the bracket is not closed"}
		}
		return inner, nil
	case tokenWord:
		return words(taken.value), nil
	case tokenText:
		return phrase(taken.value), nil
	case tokenField:
		return field(taken)
	default:
		return nil, &SyntaxError{taken.at, "something to look for is missing"}
	}
}

// words wants every word of a text to begin a word of the paper.
func words(wanted string) predicate {
	parts := text.Words(wanted)
	return func(d doc.Document) bool {
		have := text.Words(d.Title + " " + d.Body + " " + d.Author)
		for _, part := range parts {
			if !anyBegins(have, part) {
				return false
			}
		}
		return true
	}
}

func anyBegins(words []string, start string) bool {
	for _, word := range words {
		if strings.HasPrefix(word, start) {
			return true
		}
	}
	return false
}

// phrase wants the words one after the other, in the title or in the body.
func phrase(wanted string) predicate {
	joined := " " + strings.Join(text.Words(wanted), " ") + " "
	return func(d doc.Document) bool {
		for _, each := range []string{d.Title, d.Body} {
			if strings.Contains(" "+strings.Join(text.Words(each), " ")+" ", joined) {
				return true
			}
		}
		return false
	}
}

func field(t token) (predicate, error) {
	switch t.field {
	case "date":
		return dateField(t)
	case "number":
		return numberField(t)
	}
	if t.operator != ":" && t.operator != "=" {
		return nil, &SyntaxError{t.at, fmt.Sprintf("%s cannot be compared with %s", t.field, t.operator)}
	}
	value := text.Fold(t.value)
	switch t.field {
	case "kind":
		return func(d doc.Document) bool { return d.Kind == value }, nil
	case "tag":
		return func(d doc.Document) bool { return d.HasTag(t.value) }, nil
	case "by":
		return func(d doc.Document) bool { return strings.Contains(text.Fold(d.Author), value) }, nil
	case "title":
		return func(d doc.Document) bool { return strings.Contains(text.Fold(d.Title), value) }, nil
	case "is":
		return stateField(t, value)
	}
	return nil, &SyntaxError{t.at, fmt.Sprintf("there is no field %q", t.field)}
}

func stateField(t token, value string) (predicate, error) {
	switch value {
	case "draft":
		return func(d doc.Document) bool { return d.Draft }, nil
	case "undated":
		return func(d doc.Document) bool { return !d.Date.Known() }, nil
	case "tagged":
		return func(d doc.Document) bool { return len(d.Tags) > 0 }, nil
	}
	return nil, &SyntaxError{t.at, fmt.Sprintf("a paper cannot be %q", t.value)}
}

func dateField(t token) (predicate, error) {
	wanted, err := doc.ParseDate(t.value)
	if err != nil {
		return nil, &SyntaxError{t.at, err.Error()}
	}
	within := func(d doc.Document) bool { return d.Date.Within(wanted) }
	switch t.operator {
	case ":", "=":
		return within, nil
	case "<":
		return func(d doc.Document) bool { return d.Date.Known() && d.Date.Compare(wanted) < 0 && !within(d) }, nil
	case ">":
		return func(d doc.Document) bool { return d.Date.Compare(wanted) > 0 && !within(d) }, nil
	case "<=":
		return func(d doc.Document) bool { return d.Date.Known() && (d.Date.Compare(wanted) < 0 || within(d)) }, nil
	case ">=":
		return func(d doc.Document) bool { return d.Date.Compare(wanted) >= 0 || within(d) }, nil
	}
	return nil, &SyntaxError{t.at, fmt.Sprintf("dates are not compared with %s", t.operator)}
}

func numberField(t token) (predicate, error) {
	wanted, err := strconv.Atoi(t.value)
	if err != nil {
		return nil, &SyntaxError{t.at, fmt.Sprintf("%q is no number", t.value)}
	}
	switch t.operator {
	case ":", "=":
		return func(d doc.Document) bool { return d.Number == wanted }, nil
	case "<":
		return func(d doc.Document) bool { return d.Number < wanted }, nil
	case ">":
		return func(d doc.Document) bool { return d.Number > wanted }, nil
	case "<=":
		return func(d doc.Document) bool { return d.Number <= wanted }, nil
	case ">=":
		return func(d doc.Document) bool { return d.Number >= wanted }, nil
	}
	return nil, &SyntaxError{t.at, fmt.Sprintf("numbers are not compared with %s", t.operator)}
}
