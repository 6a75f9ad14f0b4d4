// Package cli is the command line.
package cli

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"example.org/attic/internal/doc"
	"example.org/attic/internal/query"
	"example.org/attic/internal/store"
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Exit codes.
const (
	ExitDone    = 0
	ExitRefused = 1
	ExitUsage   = 2
)

const usage = `usage: attic FILE COMMAND ...

  add TITLE [--kind K] [--by NAME] [--date D] [--tags a,b] [--extension E] [--body TEXT] [--draft]
  edit NUMBER [the same options] [--title TITLE] [--final]
  note NUMBER TEXT --by NAME
  remove NUMBER
  show NUMBER
  list [QUERY ...] [--order number|date|title]
  find QUERY ...
  stats
  import            reads a table from the standard input
  export FOLDER [QUERY ...] [--plan]
  verify FOLDER
  settings [KEY [VALUE]]
`

type command struct {
	changes bool
	run     func(*session, []string) error
}

var commands map[string]command

func init() {
	commands = map[string]command{
		"add":      {true, add},
		"edit":     {true, edit},
		"note":     {true, note},
		"remove":   {true, remove},
		"show":     {false, show},
		"list":     {false, list},
		"find":     {false, find},
		"stats":    {false, stats},
		"import":   {true, importTable},
		"export":   {false, exportFolder},
		"verify":   {false, verify},
		"settings": {true, settings},
	}
}

// session is one command on one archive.
type session struct {
	Streams
	archive *store.Archive
}

func (s *session) say(format string, values ...any) { fmt.Fprintf(s.Out, format+"\n", values...) }

// Run carries a command line out and gives the exit code.
func Run(args []string, streams Streams) int {
	if len(args) < 2 {
		fmt.Fprint(streams.Err, usage)
		return ExitUsage
	}
	chosen, known := commands[args[1]]
	if !known {
		fmt.Fprintf(streams.Err, "attic: there is no command %q; it is one of %s\n", args[1], strings.Join(names(), ", "))
		return ExitUsage
	}
	if err := carryOut(chosen, args, streams); err != nil {
		fmt.Fprintf(streams.Err, "attic: %v\n", err)
		var wrong *UsageError
		if errors.As(err, &wrong) {
			return ExitUsage
		}
		return ExitRefused
	}
	return ExitDone
}

func carryOut(chosen command, args []string, streams Streams) error {
	archive, err := store.Load(args[0])
	if err != nil {
		return err
	}
	if err := chosen.run(&session{streams, archive}, args[2:]); err != nil {
		return err
	}
	if chosen.changes {
		return archive.Save(args[0])
	}
	return nil
}

func names() []string {
	var all []string
	for name := range commands {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

func numberOf(text string) (int, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(text, "#"))
	if err != nil || number < 1 {
		return 0, &UsageError{fmt.Sprintf("%q is no paper's number", text)}
	}
	return number, nil
}

// selected gives the papers that a query's words ask for.
func (s *session) selected(words []string) ([]doc.Document, error) {
	asked, err := query.Parse(strings.Join(words, " "))
	if err != nil {
		return nil, err
	}
	return asked.Filter(s.archive.All()), nil
}
