package tabula

import (
	"fmt"
	"strings"
)

type tokenKind int

const (
	endToken tokenKind = iota
	numberToken
	textToken
	nameToken
	refToken
	signToken
	errorToken
)

// token is a piece of a formula; text is how it is written there, from byte `at` on.
type token struct {
	kind tokenKind
	text string
	at   int
}

// signs are tried in this order, so the longer ones come first.
var signs = []string{"<=", ">=", "<>", "+", "-", "*", "/", "^", "&", "=", "<", ">", "(", ")", ",", ":", "%"}

var errorCodes = []string{ErrDivide, ErrValue, ErrNumber, ErrRef, ErrName, ErrFound, ErrCycle}

// lex takes a formula, without the `=` in front, apart. The last token is the end.
func lex(source string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(source); {
		if source[at] == ' ' || source[at] == '\t' {
			at++
			continue
		}
		kind, length := next(source[at:])
		if length == 0 {
			return nil, fmt.Errorf("what is %q at place %d?", source[at:at+1], at+1)
		}
		tokens = append(tokens, token{kind, source[at : at+length], at})
		at += length
	}
	return append(tokens, token{endToken, "", len(source)}), nil
}

// next finds the token that a text begins with; its length is 0 where there is none.
func next(text string) (tokenKind, int) {
	switch char := text[0]; {
	case char == '"':
		return textToken, quotedLength(text)
	case char == '#':
		for _, code := range errorCodes {
			if strings.HasPrefix(text, code) {
				return errorToken, len(code)
			}
		}
		return errorToken, 0
	case isDigit(char), char == '.' && len(text) > 1 && isDigit(text[1]):
		return numberToken, numberLength(text)
	case isLetter(char), char == '$', char == '_':
		length := 1
		for length < len(text) && isWordChar(text[length]) {
			length++
		}
		// A name with a bracket behind it is a function's, also where it could be a cell: LOG10(100).
		if _, ok := parseRef(text[:length]); ok && !strings.HasPrefix(strings.TrimLeft(text[length:], " \t"), "(") {
			return refToken, length
		}
		if char == '$' {
			return nameToken, 0
		}
		return nameToken, length
	}
	for _, each := range signs {
		if strings.HasPrefix(text, each) {
			return signToken, len(each)
		}
	}
	return signToken, 0
}

func isWordChar(char byte) bool {
	return isLetter(char) || isDigit(char) || char == '$' || char == '_' || char == '.'
}

// quotedLength is the length of a text in quotes, where two quotes stand for one; 0 where it does not end.
func quotedLength(text string) int {
	for at := 1; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		if at+1 == len(text) || text[at+1] != '"' {
			return at + 1
		}
		at++
	}
	return 0
}

func unquoted(text string) string {
	return strings.ReplaceAll(text[1:len(text)-1], `""`, `"`)
}

func numberLength(text string) int {
	length := digits(text, 0)
	if length < len(text) && text[length] == '.' {
		length = digits(text, length+1)
	}
	if length < len(text) && (text[length] == 'e' || text[length] == 'E') {
		exponent := length + 1
		if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
			exponent++
		}
		if end := digits(text, exponent); end > exponent {
			length = end
		}
	}
	return length
}

func digits(text string, from int) int {
	for from < len(text) && isDigit(text[from]) {
		from++
	}
	return from
}
