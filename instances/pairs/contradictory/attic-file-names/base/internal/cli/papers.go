package cli

import (
	"fmt"
	"strings"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/export"
	"example.org/attic/internal/text"
)

var paperOptions = []string{"kind", "by", "date", "tags", "extension", "body", "title"}

// fill puts what the options say into a paper.
func fill(paper *doc.Document, given arguments) error {
	for name, value := range given.options {
		switch name {
		case "title":
			paper.Title = value
		case "kind":
			paper.Kind = value
		case "by":
			paper.Author = value
		case "tags":
			paper.Tags = strings.Split(value, ",")
		case "extension":
			paper.Extension = value
		case "body":
			paper.Body = value
		case "date":
			date, err := doc.ParseDate(value)
			if err != nil {
				return err
			}
			paper.Date = date
		}
	}
	if given.switches["draft"] {
		paper.Draft = true
	}
	if given.switches["final"] {
		paper.Draft = false
	}
	return nil
}

func add(s *session, args []string) error {
	given, err := split(args, paperOptions[:len(paperOptions)-1], []string{"draft"})
	if err != nil {
		return err
	}
	if len(given.rest) != 1 {
		return &UsageError{"add takes one title"}
	}
	paper := doc.Document{Title: given.rest[0]}
	if err := fill(&paper, given); err != nil {
		return err
	}
	added, err := s.archive.Add(paper)
	if err != nil {
		return err
	}
	s.say("#%d %s", added.Number, added.Title)
	return nil
}

func edit(s *session, args []string) error {
	given, err := split(args, paperOptions, []string{"draft", "final"})
	if err != nil {
		return err
	}
	if len(given.rest) != 1 {
		return &UsageError{"edit takes one number"}
	}
	number, err := numberOf(given.rest[0])
	if err != nil {
		return err
	}
	var wrong error
	changed, err := s.archive.Update(number, func(paper *doc.Document) { wrong = fill(paper, given) })
	if err == nil {
		err = wrong
	}
	if err != nil {
		return err
	}
	s.say("#%d %s", changed.Number, changed.Title)
	return nil
}

func note(s *session, args []string) error {
	given, err := split(args, []string{"by"}, nil)
	if err != nil {
		return err
	}
	by, signed := given.option("by")
	if len(given.rest) != 2 || !signed {
		return &UsageError{"note takes a number, a text and --by"}
	}
	number, err := numberOf(given.rest[0])
	if err != nil {
		return err
	}
	_, err = s.archive.Update(number, func(paper *doc.Document) {
		paper.Notes = append(paper.Notes, doc.Note{By: by, Text: given.rest[1]})
	})
	return err
}

func remove(s *session, args []string) error {
	if len(args) != 1 {
		return &UsageError{"remove takes one number"}
	}
	number, err := numberOf(args[0])
	if err != nil {
		return err
	}
	return s.archive.Remove(number)
}

func show(s *session, args []string) error {
	if len(args) != 1 {
		return &UsageError{"show takes one number"}
	}
	number, err := numberOf(args[0])
	if err != nil {
		return err
	}
	paper, err := s.archive.Get(number)
	if err != nil {
		return err
	}
	s.say("File: %s", export.FileName(paper))
	fmt.Fprintf(s.Out, "%s", export.Content(paper))
	return nil
}

func list(s *session, args []string) error {
	given, err := split(args, []string{"order"}, nil)
	if err != nil {
		return err
	}
	order := s.archive.Settings().Order
	if named, there := given.option("order"); there {
		if order, err = doc.ParseOrder(named); err != nil {
			return &UsageError{err.Error()}
		}
	}
	papers, err := s.selected(given.rest)
	if err != nil {
		return err
	}
	doc.Sort(papers, order)
	s.table(papers)
	return nil
}

func (s *session) table(papers []doc.Document) {
	if len(papers) == 0 {
		s.say("No papers.")
		return
	}
	table := text.NewTable("NO", "DATE", "KIND", "TITLE", "TAGS").AlignRight(0)
	for _, each := range papers {
		title := text.Shorten(each.Title, s.archive.Settings().TitleWidth)
		if each.Draft {
			title += " (draft)"
		}
		table.Row(fmt.Sprint(each.Number), each.Date.String(), each.Kind, title, strings.Join(each.Tags, ","))
	}
	fmt.Fprint(s.Out, table)
}

func find(s *session, args []string) error {
	if len(args) == 0 {
		return &UsageError{"find takes a query"}
	}
	papers, err := s.selected(args)
	if err != nil {
		return err
	}
	s.table(papers)
	s.say("%s found", text.Plural(len(papers), "paper"))
	return nil
}
