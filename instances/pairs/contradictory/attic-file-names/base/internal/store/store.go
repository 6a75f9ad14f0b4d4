// Package store keeps the papers in one JSON file.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/attic/internal/doc"
)

const format = 1

// ErrNoSuchPaper is what a number gives that no paper has.
var ErrNoSuchPaper = errors.New("there is no such paper")

// Archive is all papers and the settings. A zero Archive is empty.
type Archive struct {
	documents []doc.Document
	settings  Settings
	last      int
}

type file struct {
	Format    int            `json:"format"`
	Last      int            `json:"last"`
	Settings  Settings       `json:"settings"`
	Documents []doc.Document `json:"documents"`
}

// New gives an empty archive with the usual settings.
func New() *Archive { return &Archive{settings: DefaultSettings()} }

// Load reads an archive; a file that is not there is an empty one.
func Load(path string) (*Archive, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return New(), nil
	}
	if err != nil {
		return nil, err
	}
	read := file{Settings: DefaultSettings()}
	if err := json.Unmarshal(content, &read); err != nil {
		return nil, fmt.Errorf("%s: not readable: %w", path, err)
	}
	if read.Format != format {
		return nil, fmt.Errorf("%s: format %d is not known", path, read.Format)
	}
	if err := read.Settings.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	archive := &Archive{settings: read.Settings, last: read.Last}
	seen := map[int]bool{}
	for _, each := range read.Documents {
		if err := each.Check(); err != nil {
			return nil, fmt.Errorf("%s: paper %d: %w", path, each.Number, err)
		}
		if each.Number < 1 || seen[each.Number] {
			return nil, fmt.Errorf("%s: the number %d is wrong or there twice", path, each.Number)
		}
		seen[each.Number] = true
		archive.documents = append(archive.documents, each)
		if each.Number > archive.last {
			archive.last = each.Number
		}
	}
	doc.Sort(archive.documents, doc.ByNumber)
	return archive, nil
}

// Save writes the archive beside and renames, so that the file is always whole.
func (a *Archive) Save(path string) error {
	content, err := json.MarshalIndent(file{format, a.last, a.settings, a.documents}, "", " ")
	if err != nil {
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(path), ".attic-*")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name())
	if _, err := beside.Write(append(content, '\n')); err != nil {
		beside.Close()
		return err
	}
	if err := beside.Close(); err != nil {
		return err
	}
	return os.Rename(beside.Name(), path)
}

// Len is the number of papers.
func (a *Archive) Len() int { return len(a.documents) }

// All gives copies of the papers by number.
func (a *Archive) All() []doc.Document {
	all := make([]doc.Document, len(a.documents))
	for i, each := range a.documents {
		all[i] = each.Copy()
	}
	return all
}

// Settings gives the settings.
func (a *Archive) Settings() Settings { return a.settings }

// SetSettings replaces the settings.
func (a *Archive) SetSettings(settings Settings) error {
	if err := settings.Check(); err != nil {
		return err
	}
	a.settings = settings
	return nil
}

// Add gives a paper the next number and keeps it. Numbers are never used twice.
func (a *Archive) Add(document doc.Document) (doc.Document, error) {
	document = document.Clean()
	if err := document.Check(); err != nil {
		return doc.Document{}, err
	}
	a.last++
	document.Number = a.last
	a.documents = append(a.documents, document.Copy())
	return document, nil
}

func (a *Archive) find(number int) (int, error) {
	for i, each := range a.documents {
		if each.Number == number {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%d: %w", number, ErrNoSuchPaper)
}

// Get gives the paper with a number.
func (a *Archive) Get(number int) (doc.Document, error) {
	at, err := a.find(number)
	if err != nil {
		return doc.Document{}, err
	}
	return a.documents[at].Copy(), nil
}

// Update changes the paper with a number; its number stays.
func (a *Archive) Update(number int, change func(*doc.Document)) (doc.Document, error) {
	at, err := a.find(number)
	if err != nil {
		return doc.Document{}, err
	}
	changed := a.documents[at].Copy()
	change(&changed)
	changed = changed.Clean()
	changed.Number = number
	if err := changed.Check(); err != nil {
		return doc.Document{}, err
	}
	a.documents[at] = changed
	return changed.Copy(), nil
}

// Remove takes a paper out.
func (a *Archive) Remove(number int) error {
	at, err := a.find(number)
	if err != nil {
		return err
	}
	a.documents = append(a.documents[:at], a.documents[at+1:]...)
	return nil
}
