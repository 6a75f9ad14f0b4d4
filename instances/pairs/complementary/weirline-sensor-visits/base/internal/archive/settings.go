package archive

import (
	"fmt"
	"strconv"
	"time"

	"example.org/weirline/internal/level"
)

// Settings are what a collector's people have chosen.
type Settings struct {
	// Interval is how often a station should read, in minutes.
	Interval int `json:"interval_minutes"`
	// Jump is how far a reading may be from the one before it.
	Jump level.Level `json:"jump_mm"`
	// Memory is how many hours the reading before it may be old for that.
	Memory int `json:"memory_hours"`
}

// DefaultSettings are those of a new archive.
func DefaultSettings() Settings { return Settings{Interval: 15, Jump: 300, Memory: 6} }

// Every is the interval as a length of time.
func (s Settings) Every() time.Duration { return time.Duration(s.Interval) * time.Minute }

// Remembered is the memory as a length of time.
func (s Settings) Remembered() time.Duration { return time.Duration(s.Memory) * time.Hour }

type setting struct {
	name string
	show func(Settings) string
	set  func(*Settings, string) error
}

var settings = []setting{
	{
		"interval", func(s Settings) string { return strconv.Itoa(s.Interval) },
		func(s *Settings, text string) error { return positive(&s.Interval, text, 24*60) },
	},
	{
		"jump", func(s Settings) string { return s.Jump.String() },
		func(s *Settings, text string) error {
			jump, err := level.Parse(text)
			if err == nil && jump <= 0 {
				err = fmt.Errorf("%s is no height", text)
			}
			if err == nil {
				s.Jump = jump
			}
			return err
		},
	},
	{
		"memory", func(s Settings) string { return strconv.Itoa(s.Memory) },
		func(s *Settings, text string) error { return positive(&s.Memory, text, 24*7) },
	},
}

func positive(target *int, text string, most int) error {
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > most {
		return fmt.Errorf("%q is no whole number from 1 to %d", text, most)
	}
	*target = value
	return nil
}

// SettingNames gives the names of the settings.
func SettingNames() []string {
	var names []string
	for _, each := range settings {
		names = append(names, each.name)
	}
	return names
}

// Setting shows a setting.
func (a *Archive) Setting(name string) (string, error) {
	for _, each := range settings {
		if each.name == name {
			return each.show(a.settings), nil
		}
	}
	return "", fmt.Errorf("there is no setting %q", name)
}

// Set changes a setting.
func (a *Archive) Set(name, text string) error {
	for _, each := range settings {
		if each.name == name {
			return each.set(&a.settings, text)
		}
	}
	return fmt.Errorf("there is no setting %q", name)
}
