// Package text has what the others need of letters and words.
package text

import (
	"strings"
	"unicode"
)

var folded = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'æ': "ae", 'ø': "oe", 'å': "a",
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'è': "e", 'é': "e", 'ê': "e", 'ë': "e",
	'ì': "i", 'í': "i", 'î': "i", 'ï': "i", 'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o",
	'ù': "u", 'ú': "u", 'û': "u", 'ñ': "n", 'ç': "c", 'ý': "y", 'ÿ': "y", 'š': "s", 'ž': "z", 'č': "c",
}

// Fold gives a text in lower case, with plain letters for those with accents.
func Fold(text string) string {
	var out strings.Builder
	for _, each := range strings.ToLower(text) {
		if plain, known := folded[each]; known {
			out.WriteString(plain)
		} else {
			out.WriteRune(each)
		}
	}
	return out.String()
}

// Words gives the folded words of a text: runs of letters and digits. An apostrophe within a word is passed over.
func Words(text string) []string {
	text = strings.NewReplacer("'", "", "’", "").Replace(text)
	return strings.FieldsFunc(Fold(text), func(each rune) bool { return !unicode.IsLetter(each) && !unicode.IsDigit(each) })
}

// Slug gives the words of a text in plain letters and digits, with hyphens between them. It may be empty.
func Slug(text string) string {
	var words []string
	for _, word := range Words(text) {
		plain := strings.Map(func(each rune) rune {
			if each > unicode.MaxASCII {
				return -1
			}
			return each
		}, word)
		if plain != "" {
			words = append(words, plain)
		}
	}
	return strings.Join(words, "-")
}

// Shorten cuts a text for display to so many characters, the last of which is then an ellipsis.
func Shorten(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	if most < 1 {
		return ""
	}
	return strings.TrimRight(string(letters[:most-1]), " ") + "…"
}

// Plural gives a number with its noun: 1 paper, 2 papers.
func Plural(number int, noun string) string {
	if number == 1 {
		return "1 " + noun
	}
	return Group(number) + " " + noun + "s"
}

// Group gives a number with a thin separator every three digits.
func Group(number int) string {
	digits := []byte(strings.TrimPrefix(itoa(number), "-"))
	var out []byte
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, '\'')
		}
		out = append(out, digit)
	}
	if number < 0 {
		return "-" + string(out)
	}
	return string(out)
}
