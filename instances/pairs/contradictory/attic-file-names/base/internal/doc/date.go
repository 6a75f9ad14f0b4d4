package doc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Date is a day, a month or a year, as far as it is known. The zero Date is not known at all.
type Date struct {
	year, month, day int
}

// ParseDate reads 1999-05-03, 1999-05 or 1999; an empty text is the zero Date.
func ParseDate(text string) (Date, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Date{}, nil
	}
	parts := strings.Split(text, "-")
	if len(parts) > 3 {
		return Date{}, dateError(text)
	}
	widths := []int{4, 2, 2}
	var numbers [3]int
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil || len(part) != widths[i] || number < 1 {
			return Date{}, dateError(text)
		}
		numbers[i] = number
	}
	date := Date{numbers[0], numbers[1], numbers[2]}
	if !date.exists() {
		return Date{}, dateError(text)
	}
	return date, nil
}

func dateError(text string) error {
	return &FieldError{Field: "date", Reason: fmt.Sprintf("%q is no date such as 1999-05-03, 1999-05 or 1999", text)}
}

func (d Date) exists() bool {
	if d.month > 12 {
		return false
	}
	if d.day == 0 {
		return true
	}
	made := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
	return made.Day() == d.day && int(made.Month()) == d.month
}

// Known tells whether anything is known of the date.
func (d Date) Known() bool { return d.year != 0 }

// Year is 0 where it is not known.
func (d Date) Year() int { return d.year }

// Month is 0 where it is not known.
func (d Date) Month() int { return d.month }

// String gives as much as is known, and nothing for the zero Date.
func (d Date) String() string {
	switch {
	case d.year == 0:
		return ""
	case d.month == 0:
		return fmt.Sprintf("%04d", d.year)
	case d.day == 0:
		return fmt.Sprintf("%04d-%02d", d.year, d.month)
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day)
}

// Compare is negative, zero or positive. What is not known comes before what is.
func (d Date) Compare(other Date) int {
	for _, pair := range [][2]int{{d.year, other.year}, {d.month, other.month}, {d.day, other.day}} {
		if pair[0] != pair[1] {
			return pair[0] - pair[1]
		}
	}
	return 0
}

// Within tells whether the date lies in another that is known less exactly, or is the same.
func (d Date) Within(span Date) bool {
	if !span.Known() || d.year != span.year {
		return false
	}
	if span.month == 0 {
		return true
	}
	return d.month == span.month && (span.day == 0 || d.day == span.day)
}

// MarshalJSON writes the text form.
func (d Date) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the text form.
func (d *Date) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	read, err := ParseDate(text)
	if err == nil {
		*d = read
	}
	return err
}
