package collector

import (
	"fmt"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/level"
)

// judge raises the alarms that a new reading is a reason for.
func judge(settings archive.Settings, post *archive.Post, previous *level.Reading, reading level.Reading) {
	if post.High != 0 && reading.Level >= post.High {
		post.Raise(archive.Alarm{Kind: archive.High, Reading: reading, Text: fmt.Sprintf("at or above %s m", post.High)})
	}
	if previous == nil || reading.Time.Sub(previous.Time) > settings.Remembered() {
		return
	}
	if apart := level.Apart(reading.Level, previous.Level); apart > settings.Jump {
		word := "up"
		if reading.Level < previous.Level {
			word = "down"
		}
		text := fmt.Sprintf("%s m %s since %s", apart, word, level.ShownTime(previous.Time))
		post.Raise(archive.Alarm{Kind: archive.Jump, Reading: reading, Text: text})
	}
}
