package store

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"example.org/attic/internal/doc"
)

// Settings are kept with the papers.
type Settings struct {
	Name       string    `json:"name"`
	Order      doc.Order `json:"order"`
	WithDrafts bool      `json:"withDrafts"`
	TitleWidth int       `json:"titleWidth"`
}

// DefaultSettings are those of a new archive, and of whatever an older file does not say.
func DefaultSettings() Settings {
	return Settings{Name: "Archive", Order: doc.ByNumber, TitleWidth: 40}
}

// SettingError says what is wrong with a setting.
type SettingError struct {
	Key, Reason string
}

func (e *SettingError) Error() string { return "setting " + e.Key + ": " + e.Reason }

type setting struct {
	get func(Settings) string
	set func(*Settings, string) error
}

var known = map[string]setting{
	"name": {
		func(s Settings) string { return s.Name },
		func(s *Settings, value string) error { s.Name = value; return nil },
	},
	"order": {
		func(s Settings) string { return string(s.Order) },
		func(s *Settings, value string) (err error) { s.Order, err = doc.ParseOrder(value); return err },
	},
	"withDrafts": {
		func(s Settings) string { return onOff(s.WithDrafts) },
		func(s *Settings, value string) (err error) { s.WithDrafts, err = parseSwitch(value); return err },
	},
	"titleWidth": {
		func(s Settings) string { return strconv.Itoa(s.TitleWidth) },
		func(s *Settings, value string) (err error) { s.TitleWidth, err = parseNumber(value); return err },
	},
}

// Check tells what is wrong with the settings.
func (s Settings) Check() error {
	if strings.TrimSpace(s.Name) == "" {
		return &SettingError{"name", "it is missing"}
	}
	if _, err := doc.ParseOrder(string(s.Order)); err != nil {
		return &SettingError{"order", err.Error()}
	}
	if s.TitleWidth < 10 || s.TitleWidth > 200 {
		return &SettingError{"titleWidth", "a number from 10 to 200 is expected"}
	}
	return nil
}

// Keys are the names of the settings, sorted.
func Keys() []string {
	var keys []string
	for key := range known {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// Get gives one setting as text.
func (s Settings) Get(key string) (string, error) {
	one, ok := known[key]
	if !ok {
		return "", &SettingError{key, "there is no such setting"}
	}
	return one.get(s), nil
}

// With gives the settings with one of them changed.
func (s Settings) With(key, value string) (Settings, error) {
	one, ok := known[key]
	if !ok {
		return s, &SettingError{key, "there is no such setting"}
	}
	changed := s
	if err := one.set(&changed, value); err != nil {
		return s, &SettingError{key, err.Error()}
	}
	if err := changed.Check(); err != nil {
		return s, err
	}
	return changed, nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func parseSwitch(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "on", "true", "yes":
		return true, nil
	case "off", "false", "no":
		return false, nil
	}
	return false, fmt.Errorf("on or off is expected, not %q", text)
}

func parseNumber(text string) (int, error) {
	number, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("a whole number is expected, not %q", text)
	}
	return number, nil
}
