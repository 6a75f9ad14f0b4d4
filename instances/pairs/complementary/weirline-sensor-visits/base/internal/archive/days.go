package archive

import (
	"time"

	"example.org/weirline/internal/level"
)

// Day is what the readings of one day come to.
type Day struct {
	Day                 time.Time
	Count               int
	Lowest, Highest     level.Level
	LowestAt, HighestAt time.Time
	sum                 int
}

// Mean is the mean of the readings, in whole millimetres, halves away from zero.
func (d Day) Mean() level.Level {
	doubled := 2*d.sum + d.Count
	if d.sum < 0 {
		doubled = 2*d.sum - d.Count
	}
	return level.Level(doubled / (2 * d.Count))
}

// Days sums readings up by the day, in UTC. They must be in order; days without a reading are left out.
func Days(readings []level.Reading) []Day {
	var days []Day
	for _, each := range readings {
		begin := each.Time.Truncate(24 * time.Hour)
		if len(days) == 0 || !days[len(days)-1].Day.Equal(begin) {
			days = append(days, Day{Day: begin, Lowest: each.Level, Highest: each.Level, LowestAt: each.Time, HighestAt: each.Time})
		}
		day := &days[len(days)-1]
		day.Count++
		day.sum += int(each.Level)
		if each.Level < day.Lowest {
			day.Lowest, day.LowestAt = each.Level, each.Time
		}
		if each.Level > day.Highest {
			day.Highest, day.HighestAt = each.Level, each.Time
		}
	}
	return days
}
