package tabula

import (
	"math"
	"strconv"
	"strings"
)

// Kind is what a value is.
type Kind int

// The kinds, in the order in which values of different kinds are compared.
const (
	Empty Kind = iota
	Number
	Text
	Bool
	Error
)

// The errors that a formula can come to.
const (
	ErrDivide = "#DIV/0!"
	ErrValue  = "#VALUE!"
	ErrNumber = "#NUM!"
	ErrRef    = "#REF!"
	ErrName   = "#NAME?"
	ErrFound  = "#N/A"
	ErrCycle  = "#CYCLE!"
)

// Value is what a cell comes to. The zero value is empty.
type Value struct {
	Kind   Kind
	number float64
	text   string
}

// NumberValue makes a number; one that is none is an error.
func NumberValue(number float64) Value {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return ErrorValue(ErrNumber)
	}
	if number == 0 {
		number = 0 // no negative zero
	}
	return Value{Kind: Number, number: number}
}

// TextValue makes a text.
func TextValue(text string) Value { return Value{Kind: Text, text: text} }

// BoolValue makes a truth value.
func BoolValue(truth bool) Value {
	if truth {
		return Value{Kind: Bool, number: 1}
	}
	return Value{Kind: Bool}
}

// ErrorValue makes an error of its code.
func ErrorValue(code string) Value { return Value{Kind: Error, text: code} }

// Failed tells whether a value is an error.
func (v Value) Failed() bool { return v.Kind == Error }

// AsNumber takes a value for a number: an empty one is 0, TRUE is 1, a text is what it says if it says a number.
func (v Value) AsNumber() (float64, bool) {
	switch v.Kind {
	case Empty, Number, Bool:
		return v.number, true
	case Text:
		return parseNumber(v.text)
	}
	return 0, false
}

// AsText takes a value for a text.
func (v Value) AsText() string {
	switch v.Kind {
	case Number:
		return formatNumber(v.number)
	case Bool:
		return strings.ToUpper(strconv.FormatBool(v.number != 0))
	}
	return v.text
}

// AsBool takes a value for a truth value; a text other than TRUE and FALSE is none.
func (v Value) AsBool() (truth, ok bool) {
	switch v.Kind {
	case Empty, Number, Bool:
		return v.number != 0, true
	case Text:
		if truth, ok := parseBool(v.text); ok {
			return truth, true
		}
	}
	return false, false
}

// String writes a value as people see it.
func (v Value) String() string { return v.AsText() }

// Compare orders two values that are no errors: numbers before texts before truth values, texts whatever their case. An
// empty value is 0 beside a number, a text without letters beside a text.
func (v Value) Compare(other Value) int {
	one, two := v.like(other), other.like(v)
	if one.Kind != two.Kind {
		return sign(float64(one.Kind - two.Kind))
	}
	if one.Kind == Text {
		return strings.Compare(strings.ToLower(one.text), strings.ToLower(two.text))
	}
	return sign(one.number - two.number)
}

// like turns an empty value into one of the other's kind.
func (v Value) like(other Value) Value {
	if v.Kind != Empty {
		return v
	}
	return Value{Kind: other.Kind}
}

func sign(number float64) int {
	switch {
	case number < 0:
		return -1
	case number > 0:
		return 1
	}
	return 0
}

// parseInput is what a cell without a formula comes to.
func parseInput(input string) Value {
	trimmed := strings.TrimSpace(input)
	if trimmed == "" {
		return Value{}
	}
	if number, ok := parseNumber(trimmed); ok {
		return NumberValue(number)
	}
	if truth, ok := parseBool(trimmed); ok {
		return BoolValue(truth)
	}
	return TextValue(strings.TrimPrefix(input, "'"))
}

// parseNumber reads a number as people type it: `12`, `-0.5`, `1e3`, `12%`.
func parseNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	digits, percent := text, false
	if strings.HasSuffix(digits, "%") {
		digits, percent = digits[:len(digits)-1], true
	}
	if digits == "" || strings.Trim(digits, "+-.0123456789eE") != "" || strings.Trim(digits, "+-.eE") == "" {
		return 0, false
	}
	number, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, false
	}
	if percent {
		number /= 100
	}
	return number, true
}

func parseBool(text string) (truth, ok bool) {
	switch strings.ToUpper(text) {
	case "TRUE":
		return true, true
	case "FALSE":
		return false, true
	}
	return false, false
}

// formatNumber writes a number with up to ten digits after the point.
func formatNumber(number float64) string {
	if size := math.Abs(number); size >= 1e15 || size > 0 && size < 1e-9 {
		return strconv.FormatFloat(number, 'g', 10, 64)
	}
	text := strconv.FormatFloat(number, 'f', 10, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
