package query

import (
	"fmt"
	"strings"
	"unicode"
)

type tokenKind int

const (
	tokenWord tokenKind = iota
	tokenText
	tokenField
	tokenNot
	tokenOr
	tokenOpen
	tokenClose
	tokenEnd
)

type token struct {
	kind     tokenKind
	value    string
	field    string
	operator string
	at       int
}

// SyntaxError says where a query is wrong, counted in characters from 1.
type SyntaxError struct {
	At     int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("query, character %d: %s", e.At, e.Reason) }

type lexer struct {
	letters []rune
	at      int
}

func lex(text string) ([]token, error) {
	l := &lexer{letters: []rune(text)}
	var tokens []token
	for {
		next, err := l.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, next)
		if next.kind == tokenEnd {
			return tokens, nil
		}
	}
}

func (l *lexer) peek() rune {
	if l.at >= len(l.letters) {
		return 0
	}
	return l.letters[l.at]
}

func (l *lexer) next() (token, error) {
	for unicode.IsSpace(l.peek()) {
		l.at++
	}
	start := l.at + 1
	switch first := l.peek(); {
	case l.at >= len(l.letters):
		return token{kind: tokenEnd, at: start}, nil
	case first == '(':
		l.at++
		return token{kind: tokenOpen, at: start}, nil
	case first == ')':
		l.at++
		return token{kind: tokenClose, at: start}, nil
	case first == '-':
		l.at++
		if l.at >= len(l.letters) || unicode.IsSpace(l.peek()) {
			return token{}, &SyntaxError{start, "a hyphen must stand before what is left out"}
		}
		return token{kind: tokenNot, at: start}, nil
	case first == '"':
		text, err := l.quoted()
		return token{kind: tokenText, value: text, at: start}, err
	}
	return l.word(start)
}

func (l *lexer) quoted() (string, error) {
	start := l.at + 1
	l.at++
	var out strings.Builder
	for l.at < len(l.letters) {
		each := l.letters[l.at]
		l.at++
		if each == '"' {
			return out.String(), nil
		}
		out.WriteRune(each)
	}
	return "", &SyntaxError{start, "the quotation is not ended"}
}

func (l *lexer) word(start int) (token, error) {
	var out strings.Builder
	for l.at < len(l.letters) {
		each := l.peek()
		if unicode.IsSpace(each) || strings.ContainsRune("()\"", each) {
			break
		}
		if strings.ContainsRune(":<>=", each) && out.Len() > 0 {
			return l.field(out.String(), start)
		}
		out.WriteRune(each)
		l.at++
	}
	if out.String() == "or" || out.String() == "OR" {
		return token{kind: tokenOr, at: start}, nil
	}
	return token{kind: tokenWord, value: out.String(), at: start}, nil
}

func (l *lexer) field(name string, start int) (token, error) {
	var operator strings.Builder
	for strings.ContainsRune(":<>=", l.peek()) && l.peek() != 0 {
		operator.WriteRune(l.peek())
		l.at++
	}
	var value string
	if l.peek() == '"' {
		quoted, err := l.quoted()
		if err != nil {
			return token{}, err
		}
		value = quoted
	} else {
		from := l.at
		for l.at < len(l.letters) && !unicode.IsSpace(l.peek()) && !strings.ContainsRune("()\"", l.peek()) {
			l.at++
		}
		value = string(l.letters[from:l.at])
	}
	if value == "" {
		return token{}, &SyntaxError{start, fmt.Sprintf("%s has no value", name)}
	}
	return token{kind: tokenField, field: strings.ToLower(name), operator: operator.String(), value: value, at: start}, nil
}
