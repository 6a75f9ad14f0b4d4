package tabula

import (
	"math"
	"strings"
)

const longestText = 10_000

func lower(text string) string { return strings.ToLower(text) }

func upper(text string) string { return strings.ToUpper(text) }

func trim(text string) string { return strings.Join(strings.Fields(text), " ") }

// concat joins all that it is given, with nothing between.
func concat(e evaluator, arguments []node) Value {
	values, _ := e.all(arguments)
	var built strings.Builder
	for _, each := range values {
		if each.Failed() {
			return each
		}
		built.WriteString(each.AsText())
	}
	return limited(built.String())
}

func limited(text string) Value {
	if len(text) > longestText {
		return ErrorValue(ErrValue)
	}
	return TextValue(text)
}

func length(e evaluator, arguments []node) Value {
	text, failed := e.text(arguments[0])
	if failed != nil {
		return *failed
	}
	return NumberValue(float64(len([]rune(text))))
}

func exact(e evaluator, arguments []node) Value {
	one, failed := e.text(arguments[0])
	if failed != nil {
		return *failed
	}
	other, failed := e.text(arguments[1])
	if failed != nil {
		return *failed
	}
	return BoolValue(one == other)
}

func left(e evaluator, arguments []node) Value {
	return cut(e, arguments, func(text []rune, size int) []rune { return text[:size] })
}

func right(e evaluator, arguments []node) Value {
	return cut(e, arguments, func(text []rune, size int) []rune { return text[len(text)-size:] })
}

// cut takes so many characters of a text, 1 where it is not said, all where there are not so many.
func cut(e evaluator, arguments []node, take func([]rune, int) []rune) Value {
	text, failed := e.text(arguments[0])
	if failed != nil {
		return *failed
	}
	size := 1.0
	if len(arguments) == 2 {
		if size, failed = e.number(arguments[1]); failed != nil {
			return *failed
		}
	}
	if size < 0 {
		return ErrorValue(ErrValue)
	}
	characters := []rune(text)
	return TextValue(string(take(characters, int(math.Min(size, float64(len(characters)))))))
}

// middle takes characters from a place on, which counts from 1.
func middle(e evaluator, arguments []node) Value {
	text, failed := e.text(arguments[0])
	if failed != nil {
		return *failed
	}
	start, failed := e.number(arguments[1])
	if failed != nil {
		return *failed
	}
	size, failed := e.number(arguments[2])
	if failed != nil {
		return *failed
	}
	if start < 1 || size < 0 {
		return ErrorValue(ErrValue)
	}
	characters := []rune(text)
	from := int(math.Min(start-1, float64(len(characters))))
	end := from + int(math.Min(size, float64(len(characters)-from)))
	return TextValue(string(characters[from:end]))
}

// find looks for a text within another and gives its place, from 1; case counts.
func find(e evaluator, arguments []node) Value {
	wanted, failed := e.text(arguments[0])
	if failed != nil {
		return *failed
	}
	text, failed := e.text(arguments[1])
	if failed != nil {
		return *failed
	}
	start := 1.0
	if len(arguments) == 3 {
		if start, failed = e.number(arguments[2]); failed != nil {
			return *failed
		}
	}
	characters := []rune(text)
	if start < 1 || start > float64(len(characters)+1) {
		return ErrorValue(ErrValue)
	}
	skipped := int(start) - 1
	rest := string(characters[skipped:])
	at := strings.Index(rest, wanted)
	if at < 0 {
		return ErrorValue(ErrValue)
	}
	return NumberValue(float64(skipped + len([]rune(rest[:at])) + 1))
}

func repeat(e evaluator, arguments []node) Value {
	text, failed := e.text(arguments[0])
	if failed != nil {
		return *failed
	}
	times, failed := e.number(arguments[1])
	if failed != nil {
		return *failed
	}
	if times < 0 || times*float64(len(text)) > longestText {
		return ErrorValue(ErrValue)
	}
	return TextValue(strings.Repeat(text, int(times)))
}

func substitute(e evaluator, arguments []node) Value {
	var texts [3]string
	for place := range texts {
		text, failed := e.text(arguments[place])
		if failed != nil {
			return *failed
		}
		texts[place] = text
	}
	if texts[1] == "" {
		return TextValue(texts[0])
	}
	return limited(strings.ReplaceAll(texts[0], texts[1], texts[2]))
}

// toNumber reads a number out of a text.
func toNumber(e evaluator, arguments []node) Value {
	number, failed := e.number(arguments[0])
	if failed != nil {
		return *failed
	}
	return NumberValue(number)
}
