package archive

import (
	"time"

	"example.org/weirline/internal/level"
)

// Gap is a time in which readings are missing: from the last one before it to the first one after it.
type Gap struct {
	From, To time.Time
	// Missing is how many readings should have been between them.
	Missing int
}

// Length is the time between the two readings.
func (g Gap) Length() time.Duration { return g.To.Sub(g.From) }

// Gaps finds where two readings, one after the other in time, are more than the interval apart.
func Gaps(readings []level.Reading, interval time.Duration) []Gap {
	var gaps []Gap
	for index := 1; index < len(readings); index++ {
		gap := Gap{From: readings[index-1].Time, To: readings[index].Time}
		if gap.Length() > interval {
			gap.Missing = int((gap.Length() - 1) / interval)
			gaps = append(gaps, gap)
		}
	}
	return gaps
}
