package tabula

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// widest is how many characters a column has at most when a sheet is shown; longer texts are cut.
const widest = 24

// Show writes a range as a table with the columns' letters above and the rows' numbers before. Numbers stand to the
// right, truth values and errors in the middle, texts to the left.
func (s *Sheet) Show(out io.Writer, area Range) error {
	front := len(strconv.Itoa(area.To.Row))
	widths := map[int]int{}
	for column := area.From.Column; column <= area.To.Column; column++ {
		widths[column] = len(ColumnName(column))
	}
	area.Each(func(at Address) bool {
		if size := utf8.RuneCountInString(shortened(s.at(at).String())); size > widths[at.Column] {
			widths[at.Column] = size
		}
		return true
	})
	line := strings.Repeat(" ", front)
	for column := area.From.Column; column <= area.To.Column; column++ {
		line += "  " + centred(ColumnName(column), widths[column])
	}
	if _, err := fmt.Fprintln(out, strings.TrimRight(line, " ")); err != nil {
		return err
	}
	for row := area.From.Row; row <= area.To.Row; row++ {
		line := fmt.Sprintf("%*d", front, row)
		for column := area.From.Column; column <= area.To.Column; column++ {
			line += "  " + s.shown(Address{column, row}, widths[column])
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sheet) shown(at Address, width int) string {
	value := s.at(at)
	text := shortened(value.String())
	space := strings.Repeat(" ", width-utf8.RuneCountInString(text))
	switch value.Kind {
	case Number:
		return space + text
	case Bool, Error:
		return centred(text, width)
	}
	return text + space
}

func shortened(text string) string {
	if characters := []rune(text); len(characters) > widest {
		return string(characters[:widest-1]) + "…"
	}
	return text
}

func centred(text string, width int) string {
	space := width - utf8.RuneCountInString(text)
	return strings.Repeat(" ", space/2) + text + strings.Repeat(" ", space-space/2)
}
