package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// What is wrong with a line that is refused.
const (
	Malformed  = 400
	NoHello    = 401
	NoStation  = 404
	WrongOrder = 409
	Broken     = 500
)

// Answer is what the collector says to a line. Code is 0 where it was accepted.
type Answer struct {
	Code int
	Text string
}

// Accepted is a good answer, with or without a text.
func Accepted(text string) Answer { return Answer{0, text} }

// Refused is a bad answer.
func Refused(code int, format string, values ...any) Answer {
	return Answer{code, fmt.Sprintf(format, values...)}
}

// OK tells whether the line was accepted.
func (a Answer) OK() bool { return a.Code == 0 }

// String writes an answer as a line: `+ text` or `- 400 text`.
func (a Answer) String() string {
	front := "+"
	if !a.OK() {
		front = "- " + strconv.Itoa(a.Code)
	}
	return strings.TrimRight(front+" "+breaks.Replace(a.Text), " ")
}

// Err is nil for a good answer, else an error that says what the collector said.
func (a Answer) Err() error {
	if a.OK() {
		return nil
	}
	return fmt.Errorf("the collector refuses: %s (%d)", a.Text, a.Code)
}

// ParseAnswer reads what String writes.
func ParseAnswer(line string) (Answer, error) {
	mark, text, _ := strings.Cut(line, " ")
	if mark == "+" {
		return Accepted(text), nil
	}
	number, text, _ := strings.Cut(text, " ")
	code, err := strconv.Atoi(number)
	if mark != "-" || err != nil || code <= 0 {
		return Answer{}, fmt.Errorf("%q is no answer of a collector", line)
	}
	return Answer{code, text}, nil
}
