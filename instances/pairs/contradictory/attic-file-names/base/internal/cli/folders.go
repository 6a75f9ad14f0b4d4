package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/export"
	"example.org/attic/internal/importer"
	"example.org/attic/internal/store"
	"example.org/attic/internal/text"
)

func stats(s *session, args []string) error {
	if len(args) > 0 {
		return &UsageError{"stats takes nothing"}
	}
	counts, years, drafts := map[string]int{}, map[int]bool{}, 0
	for _, each := range s.archive.All() {
		counts[each.Kind]++
		if each.Date.Known() {
			years[each.Date.Year()] = true
		}
		if each.Draft {
			drafts++
		}
	}
	s.say("%s: %s from %s", s.archive.Settings().Name, text.Plural(s.archive.Len(), "paper"), text.Plural(len(years), "year"))
	for _, kind := range doc.Kinds {
		if counts[kind] > 0 {
			s.say("  %s %s", text.Group(counts[kind]), kind)
		}
	}
	if drafts > 0 {
		s.say("  of these %s", text.Plural(drafts, "draft"))
	}
	return nil
}

func importTable(s *session, args []string) error {
	if len(args) > 0 {
		return &UsageError{"import reads the standard input and takes nothing"}
	}
	papers, err := importer.Read(s.In)
	if err != nil {
		return err
	}
	numbers, err := importer.Into(s.archive, papers)
	if err != nil {
		return err
	}
	s.say("%s imported", text.Plural(len(numbers), "paper"))
	return nil
}

func exportFolder(s *session, args []string) error {
	given, err := split(args, nil, []string{"plan"})
	if err != nil {
		return err
	}
	if len(given.rest) == 0 {
		return &UsageError{"export takes a folder"}
	}
	papers, err := s.selected(given.rest[1:])
	if err != nil {
		return err
	}
	files, err := export.Plan(s.archive, papers)
	if err != nil {
		return err
	}
	if given.switches["plan"] {
		for _, each := range files {
			s.say("%s", each.Name)
		}
		return nil
	}
	written, removed, err := export.Write(given.rest[0], files)
	if err != nil {
		return err
	}
	s.say("%s written, %d removed", text.Plural(written, "file"), removed)
	return nil
}

func verify(s *session, args []string) error {
	if len(args) != 1 {
		return &UsageError{"verify takes a folder"}
	}
	missing, changed, err := export.Verify(args[0])
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: nothing was exported there", args[0])
	}
	if err != nil {
		return err
	}
	for _, name := range missing {
		s.say("missing: %s", name)
	}
	for _, name := range changed {
		s.say("changed: %s", name)
	}
	if len(missing)+len(changed) > 0 {
		return errors.New("the folder is not as it was exported")
	}
	s.say("as it was exported")
	return nil
}

func settings(s *session, args []string) error {
	current := s.archive.Settings()
	switch len(args) {
	case 0:
		for _, key := range store.Keys() {
			value, _ := current.Get(key)
			s.say("%s = %s", key, value)
		}
		return nil
	case 1:
		value, err := current.Get(args[0])
		if err == nil {
			s.say("%s", value)
		}
		return err
	}
	changed, err := current.With(args[0], strings.Join(args[1:], " "))
	if err != nil {
		return err
	}
	return s.archive.SetSettings(changed)
}
