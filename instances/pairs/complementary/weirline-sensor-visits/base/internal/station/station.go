// Package station is the gauging station's end: it keeps readings until the collector has them.
package station

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/level"
)

// FileName is the station's file in its folder.
const FileName = "station.json"

// Station is one station. Readings that the collector has are forgotten at the next call.
type Station struct {
	Name  string          `json:"name"`
	Spool []level.Reading `json:"spool"`
}

// Create makes a station in a folder that has none.
func Create(folder, name string) (*Station, error) {
	if _, err := os.Lstat(filepath.Join(folder, FileName)); err == nil {
		return nil, fmt.Errorf("there is a station in %s already", folder)
	}
	station := &Station{Name: name}
	return station, station.Save(folder)
}

// Load reads the station in a folder.
func Load(folder string) (*Station, error) {
	path := filepath.Join(folder, FileName)
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no station in %s", folder)
	}
	if err != nil {
		return nil, err
	}
	station := &Station{}
	if err := json.Unmarshal(content, station); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return station, nil
}

// Save writes the station into its folder.
func (s *Station) Save(folder string) error {
	content, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return archive.Replace(filepath.Join(folder, FileName), append(content, '\n'))
}

// Record keeps what the sensor says. Readings come in the order of time.
func (s *Station) Record(at time.Time, height level.Level) error {
	reading := level.Reading{Time: level.Moment(at), Level: height}
	if count := len(s.Spool); count > 0 && !s.Spool[count-1].Time.Before(reading.Time) {
		return fmt.Errorf("there is a reading of %s already", level.ShownTime(s.Spool[count-1].Time))
	}
	s.Spool = append(s.Spool, reading)
	return nil
}
