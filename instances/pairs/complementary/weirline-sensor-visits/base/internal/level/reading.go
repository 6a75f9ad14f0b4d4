package level

import (
	"fmt"
	"time"
)

// Reading is a level at a time. Times are whole seconds in UTC.
type Reading struct {
	Time  time.Time `json:"time"`
	Level Level     `json:"mm"`
}

// String writes a reading as `2026-03-01T10:15:00Z 1.234`.
func (r Reading) String() string {
	return ShownTime(r.Time) + " " + r.Level.String()
}

// Moment is a time as the whole of weirline keeps it: a whole second in UTC.
func Moment(at time.Time) time.Time {
	return at.UTC().Truncate(time.Second)
}

// ShownTime writes a time as `2026-03-01T10:15:00Z`.
func ShownTime(at time.Time) string {
	return Moment(at).Format(time.RFC3339)
}

// ParseTime reads what ShownTime writes, and the same with another offset.
func ParseTime(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time like 2026-03-01T10:15:00Z", text)
	}
	return Moment(at), nil
}

// ParseDay reads a day as `2026-03-01`; it begins at midnight UTC.
func ParseDay(text string) (time.Time, error) {
	day, err := time.Parse("2006-01-02", text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no day like 2026-03-01", text)
	}
	return day, nil
}
