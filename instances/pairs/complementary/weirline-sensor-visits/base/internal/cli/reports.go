package cli

import (
	"time"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/report"
)

var spanOptions = []string{"from", "to"}

func init() {
	register("stations", command{
		words: "FOLDER [--csv]", about: "list the stations", least: 1, most: 1, switches: []string{"csv"},
		run: func(around Surroundings, given arguments) error {
			kept, err := archive.Load(given.word(0))
			if err != nil {
				return err
			}
			return print(around, given, report.Stations(kept))
		},
	})
	about("days", "what the readings of each day come to", func(_ *archive.Archive, post *archive.Post, span report.Span) *report.Table {
		return report.Days(post, span)
	})
	about("gaps", "where readings are missing", report.Gaps)
	about("alarms", "the alarms that readings have raised", func(_ *archive.Archive, post *archive.Post, span report.Span) *report.Table {
		return report.Alarms(post, span)
	})
	about("journal", "what a station has said besides", func(_ *archive.Archive, post *archive.Post, span report.Span) *report.Table {
		return report.Journal(post, span)
	})
}

// about registers a report about one station.
func about(name, what string, make func(*archive.Archive, *archive.Post, report.Span) *report.Table) {
	register(name, command{
		words: "FOLDER STATION [--from DAY] [--to DAY] [--csv]", about: what, least: 2, most: 2,
		options: spanOptions, switches: []string{"csv"},
		run: func(around Surroundings, given arguments) error {
			kept, err := archive.Load(given.word(0))
			if err != nil {
				return err
			}
			post, err := kept.Post(given.word(1))
			if err != nil {
				return err
			}
			span, err := spanOf(given)
			if err != nil {
				return err
			}
			return print(around, given, make(kept, post, span))
		},
	})
}

// spanOf reads --from and --to, whose days are both in the span.
func spanOf(given arguments) (report.Span, error) {
	from, err := given.day("from")
	if err != nil {
		return report.Span{}, err
	}
	last, err := given.day("to")
	if err != nil || last.IsZero() {
		return report.Span{From: from}, err
	}
	if last.Before(from) {
		return report.Span{}, usage("--to is before --from")
	}
	return report.Span{From: from, Before: last.Add(24 * time.Hour)}, nil
}

func print(around Surroundings, given arguments, table *report.Table) error {
	if given.on("csv") {
		return table.CSV(around.Out)
	}
	return table.Text(around.Out)
}
