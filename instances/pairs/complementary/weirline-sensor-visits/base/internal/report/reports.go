package report

import (
	"strconv"
	"time"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/level"
)

// Span is a time that a report is about; a zero end stands for no limit. Before is not in it any more.
type Span struct{ From, Before time.Time }

// Stations lists all stations with their last reading.
func Stations(kept *archive.Archive) *Table {
	table := &Table{Columns: []string{"station", "place", "readings", "last", "level"}}
	for _, each := range kept.Posts() {
		at, height := "", ""
		if last := each.Last(); last != nil {
			at, height = level.ShownTime(last.Time), last.Level.String()
		}
		table.add(each.Name, each.Place, strconv.Itoa(each.Count()), at, height)
	}
	return table
}

// Days lists what the readings of each day come to.
func Days(post *archive.Post, span Span) *Table {
	table := &Table{Columns: []string{"day", "readings", "lowest", "mean", "highest", "at"}}
	for _, each := range archive.Days(post.Between(span.From, span.Before)) {
		table.add(
			each.Day.Format("2006-01-02"), strconv.Itoa(each.Count), each.Lowest.String(), each.Mean().String(),
			each.Highest.String(), each.HighestAt.Format("15:04:05"),
		)
	}
	return table
}

// Gaps lists where readings are missing.
func Gaps(kept *archive.Archive, post *archive.Post, span Span) *Table {
	table := &Table{Columns: []string{"from", "to", "minutes", "missing"}}
	for _, each := range archive.Gaps(post.Between(span.From, span.Before), kept.Settings().Every()) {
		minutes := strconv.Itoa(int(each.Length() / time.Minute))
		table.add(level.ShownTime(each.From), level.ShownTime(each.To), minutes, strconv.Itoa(each.Missing))
	}
	return table
}

// Alarms lists the alarms that readings have raised.
func Alarms(post *archive.Post, span Span) *Table {
	table := &Table{Columns: []string{"time", "level", "kind", "text"}}
	for _, each := range post.Alarms() {
		if at := each.Reading.Time; span.has(at) {
			table.add(level.ShownTime(at), each.Reading.Level.String(), string(each.Kind), each.Text)
		}
	}
	return table
}

// Journal lists what a station has said besides its readings.
func Journal(post *archive.Post, span Span) *Table {
	table := &Table{Columns: []string{"time", "text"}}
	for _, each := range post.Journal() {
		if span.has(each.Time) {
			table.add(level.ShownTime(each.Time), each.Text)
		}
	}
	return table
}

func (s Span) has(at time.Time) bool {
	return !at.Before(s.From) && (s.Before.IsZero() || at.Before(s.Before))
}
