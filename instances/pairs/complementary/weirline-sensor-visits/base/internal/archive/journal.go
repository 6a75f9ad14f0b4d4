package archive

import (
	"time"

	"example.org/weirline/internal/level"
)

// Entry is a line of a station's journal: what it, or the collector about it, had to say.
type Entry struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// Note writes a line into the journal.
func (p *Post) Note(at time.Time, text string) {
	p.journal = append(p.journal, Entry{level.Moment(at), text})
}

// Journal gives all lines, as they were written.
func (p *Post) Journal() []Entry { return append([]Entry(nil), p.journal...) }

// Kind is the kind of an alarm.
type Kind string

// The kinds of alarm.
const (
	High Kind = "high"
	Jump Kind = "jump"
)

// Alarm is something about a reading that a person should look at.
type Alarm struct {
	Kind    Kind          `json:"kind"`
	Reading level.Reading `json:"reading"`
	Text    string        `json:"text"`
}

// Raise keeps an alarm.
func (p *Post) Raise(alarm Alarm) { p.alarms = append(p.alarms, alarm) }

// Alarms gives all alarms, as they were raised.
func (p *Post) Alarms() []Alarm { return append([]Alarm(nil), p.alarms...) }
