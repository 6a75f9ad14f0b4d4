package test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"example.org/weirline/internal/wire"
)

func TestWordsThereAndBack(t *testing.T) {
	for _, words := range [][]string{{"BYE"}, {"A", "b c", ""}, {`a"b`, `\`, `\" "`}, {"ä ö", "x"}} {
		line := wire.Join(words...)
		got, err := wire.Split(line)
		if err != nil || !reflect.DeepEqual(got, words) {
			t.Errorf("%q is %q: %q, %v", words, line, got, err)
		}
	}
	if got := wire.Join("A", "b\nc\r\nd"); got != `A "b c d"` {
		t.Error(got)
	}
}

func TestNoWords(t *testing.T) {
	for _, line := range []string{`a"b`, `"a`, `"a"b`, `"a\`} {
		if words, err := wire.Split(line); err == nil {
			t.Errorf("Split(%q) = %q", line, words)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, line := range []string{"+", "+ new", "- 400 no such thing", "- 500"} {
		answer, err := wire.ParseAnswer(line)
		if err != nil || answer.String() != line {
			t.Errorf("%q: %v, %v", line, answer, err)
		}
	}
	for _, line := range []string{"", "ok", "-", "- x", "- 0 x", "400"} {
		if answer, err := wire.ParseAnswer(line); err == nil {
			t.Errorf("%q: %v", line, answer)
		}
	}
}

func TestLines(t *testing.T) {
	lines := wire.On(&pipe{strings.NewReader("one\r\ntwo\nthr"), io.Discard})
	for _, want := range []string{"one", "two"} {
		if got, err := lines.Read(); got != want || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := lines.Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	long := wire.On(&pipe{strings.NewReader(strings.Repeat("x", 3000) + "\n"), io.Discard})
	if _, err := long.Read(); !errors.Is(err, wire.ErrLongLine) {
		t.Error(err)
	}
}

type pipe struct {
	io.Reader
	io.Writer
}
