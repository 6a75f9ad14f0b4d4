// Package level has water levels, and readings of them at a time.
package level

import (
	"fmt"
	"strconv"
	"strings"
)

// Level is a water level in millimetres above the zero of its gauge; it may be below.
type Level int

// Most is the highest level, and the lowest below zero, that any gauge of ours can show.
const Most Level = 30_000

// Parse reads a level that is written in metres, with up to three decimals: `1.234`, `-0.05`, `2`.
func Parse(text string) (Level, error) {
	digits, sign := text, 1
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], -1
	}
	whole, part, dotted := strings.Cut(digits, ".")
	if !isDigits(whole) || dotted && (!isDigits(part) || len(part) > 3) {
		return 0, fmt.Errorf("%q is no level in metres, with up to three decimals", text)
	}
	value, err := strconv.Atoi(whole + (part + "000")[:3])
	if err != nil || Level(value) > Most {
		return 0, fmt.Errorf("%s m is beyond any gauge", text)
	}
	return Level(sign * value), nil
}

// FromMillimetres reads a level as stations send it: a whole number of millimetres.
func FromMillimetres(text string) (Level, error) {
	value, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number of millimetres", text)
	}
	if Level(value) > Most || Level(value) < -Most {
		return 0, fmt.Errorf("%d mm is beyond any gauge", value)
	}
	return Level(value), nil
}

// String writes a level in metres, with three decimals.
func (l Level) String() string {
	sign := ""
	if l < 0 {
		sign, l = "-", -l
	}
	return fmt.Sprintf("%s%d.%03d", sign, int(l)/1000, int(l)%1000)
}

// Apart is how far two levels are from each other.
func Apart(one, other Level) Level {
	if one > other {
		return one - other
	}
	return other - one
}

func isDigits(text string) bool {
	for _, each := range text {
		if each < '0' || each > '9' {
			return false
		}
	}
	return text != ""
}
