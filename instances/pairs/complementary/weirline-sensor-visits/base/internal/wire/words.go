// Package wire has the lines that stations and the collector exchange: words, answers, and the lines themselves.
package wire

import (
	"errors"
	"fmt"
	"strings"
)

// Split takes a line apart into words. A word with blanks in it stands in double quotes, where a backslash makes the
// character after it plain.
func Split(line string) ([]string, error) {
	var words []string
	for rest := strings.TrimLeft(line, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		word, after, err := nextWord(rest)
		if err != nil {
			return nil, err
		}
		words, rest = append(words, word), after
	}
	return words, nil
}

func nextWord(text string) (word, rest string, err error) {
	if text[0] != '"' {
		end := strings.IndexByte(text, ' ')
		if end < 0 {
			end = len(text)
		}
		if strings.ContainsRune(text[:end], '"') {
			return "", "", fmt.Errorf("a quote within the word %s", text[:end])
		}
		return text[:end], text[end:], nil
	}
	var built strings.Builder
	for index := 1; index < len(text); index++ {
		switch text[index] {
		case '"':
			after := text[index+1:]
			if after != "" && after[0] != ' ' {
				return "", "", errors.New("no blank after a quoted word")
			}
			return built.String(), after, nil
		case '\\':
			index++
			if index == len(text) {
				return "", "", errors.New("a backslash at the end")
			}
		}
		built.WriteByte(text[index])
	}
	return "", "", errors.New("a quote that is not closed")
}

// Join makes a line of words, quoting those that need it. Line breaks in a word become blanks, since a line has none.
func Join(words ...string) string {
	shown := make([]string, len(words))
	for index, each := range words {
		shown[index] = quoted(each)
	}
	return strings.Join(shown, " ")
}

var breaks = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ")

func quoted(word string) string {
	word = breaks.Replace(word)
	if word != "" && !strings.ContainsAny(word, " \"\\") {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

// IsVerb tells whether a word may open a line: capital letters, digits and hyphens after the first letter.
func IsVerb(word string) bool {
	for index, each := range word {
		letter := each >= 'A' && each <= 'Z'
		if !letter && (index == 0 || !(each >= '0' && each <= '9' || each == '-')) {
			return false
		}
	}
	return word != ""
}
