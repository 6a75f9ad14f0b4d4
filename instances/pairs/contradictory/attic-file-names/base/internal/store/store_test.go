package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.org/attic/internal/doc"
)

func TestNumbersAreNeverUsedTwice(t *testing.T) {
	archive := New()
	for _, title := range []string{"a", "b"} {
		if _, err := archive.Add(doc.Document{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Remove(2); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.json")
	if err := archive.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	added, err := loaded.Add(doc.Document{Title: "c"})
	if err != nil || added.Number != 3 {
		t.Fatal(added, err)
	}
}

func TestWhatComesOutIsACopy(t *testing.T) {
	archive := New()
	archive.Add(doc.Document{Title: "a", Tags: []string{"x"}})
	archive.All()[0].Tags[0] = "changed"
	if got, _ := archive.Get(1); got.Tags[0] != "x" {
		t.Fatal(got)
	}
}

func TestErrors(t *testing.T) {
	archive := New()
	if _, err := archive.Get(7); !errors.Is(err, ErrNoSuchPaper) {
		t.Error(err)
	}
	var wrong *doc.FieldError
	if _, err := archive.Add(doc.Document{Title: " "}); !errors.As(err, &wrong) || wrong.Field != "title" {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "a.json")
	os.WriteFile(path, []byte(`{"format": 9}`), 0o644)
	if _, err := Load(path); err == nil {
		t.Error("an unknown format was read")
	}
}

func TestSettings(t *testing.T) {
	settings := DefaultSettings()
	changed, err := settings.With("order", "date")
	if err != nil || changed.Order != doc.ByDate {
		t.Fatal(changed, err)
	}
	for key, value := range map[string]string{"order": "size", "titleWidth": "3", "withDrafts": "maybe", "odd": "1", "name": " "} {
		if _, err := settings.With(key, value); err == nil {
			t.Errorf("%s = %s was taken", key, value)
		}
	}
}
