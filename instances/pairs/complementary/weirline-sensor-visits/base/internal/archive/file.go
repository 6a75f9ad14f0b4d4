package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/weirline/internal/level"
)

// FileName is the archive's file in a collector's folder.
const FileName = "collector.json"

type stored struct {
	Settings Settings     `json:"settings"`
	Stations []storedPost `json:"stations"`
}

type storedPost struct {
	Post
	Journal  []Entry         `json:"journal"`
	Alarms   []Alarm         `json:"alarms"`
	Readings []level.Reading `json:"readings"`
}

// Load reads the archive in a folder. One that is not there yet is empty.
func Load(folder string) (*Archive, error) {
	content, err := os.ReadFile(filepath.Join(folder, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return New(), nil
	}
	if err != nil {
		return nil, err
	}
	kept := stored{Settings: DefaultSettings()}
	if err := json.Unmarshal(content, &kept); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, FileName), err)
	}
	archive := New()
	archive.settings = kept.Settings
	for index := range kept.Stations {
		each := &kept.Stations[index]
		post, err := archive.Open(each.Name, each.Place, each.High)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(folder, FileName), err)
		}
		post.journal, post.alarms = each.Journal, each.Alarms
		for _, reading := range each.Readings {
			post.Add(reading)
		}
	}
	return archive, nil
}

// Save writes the archive into a folder, as a whole or not at all.
func (a *Archive) Save(folder string) error {
	kept := stored{Settings: a.settings}
	for _, each := range a.Posts() {
		kept.Stations = append(kept.Stations, storedPost{*each, each.journal, each.alarms, each.series})
	}
	content, err := json.MarshalIndent(kept, "", " ")
	if err != nil {
		return err
	}
	return Replace(filepath.Join(folder, FileName), append(content, '\n'))
}

// Replace writes a file as a whole or not at all, and makes its folder where that is missing.
func Replace(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".draft-*")
	if err != nil {
		return err
	}
	_, err = draft.Write(content)
	if closing := draft.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
	}
	return err
}
