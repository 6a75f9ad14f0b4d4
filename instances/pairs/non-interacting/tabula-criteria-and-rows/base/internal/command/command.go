// Package command is the command line of tabula.
package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"

	"example.org/tabula"
)

// errUsage is a call that no command understands; exit status 2.
var errUsage = errors.New("wrong use")

func usage(format string, values ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, values...))
}

// work is one command at work on a sheet.
type work struct {
	sheet *tabula.Sheet
	args  []string
	in    io.Reader
	out   io.Writer
}

type command struct {
	words       string
	about       string
	least, most int
	// changes tells that the sheet is to be saved afterwards.
	changes bool
	run     func(work) error
}

var commands = map[string]command{
	"check":  {"", "list the cells that come to an error", 0, 0, false, check},
	"clear":  {"RANGE", "empty the cells of a range", 1, 1, true, clear},
	"csv":    {"[RANGE]", "write the values as CSV", 0, 1, false, writeCSV},
	"input":  {"CELL", "say what was typed into a cell", 1, 1, false, input},
	"new":    {"", "make an empty sheet", 0, 0, true, nil},
	"read":   {"[CELL]", "put CSV from standard input into the sheet, from a cell on", 0, 1, true, readCSV},
	"set":    {"CELL INPUT", "put a number, a text or a =formula into a cell", 2, 2, true, set},
	"show":   {"[RANGE]", "show the values as a table", 0, 1, false, show},
	"traces": {"CELL", "say what a cell looks at, and who looks at it", 1, 1, false, traces},
	"value":  {"CELL", "say what a cell comes to", 1, 1, false, value},
}

// Run carries out `tabula FILE COMMAND ...` and gives the exit status: 0, 1 for a failure, 2 for wrong use.
func Run(args []string, in io.Reader, out, wrong io.Writer) int {
	err := run(args, in, out)
	if err == nil {
		return 0
	}
	fmt.Fprintf(wrong, "tabula: %v\n", err)
	if errors.Is(err, errUsage) {
		return 2
	}
	return 1
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 || args[0] == "help" {
		help(out)
		return nil
	}
	if len(args) == 1 {
		return usage("tabula FILE COMMAND; see tabula help")
	}
	path, name, rest := args[0], args[1], args[2:]
	one, ok := commands[name]
	if !ok {
		return usage("there is no command %q; see tabula help", name)
	}
	if len(rest) < one.least || len(rest) > one.most {
		return usage("tabula FILE %s %s", name, one.words)
	}
	if name == "new" {
		return create(path)
	}
	sheet, err := load(path)
	if err != nil {
		return err
	}
	if err := one.run(work{sheet, rest, in, out}); err != nil {
		return err
	}
	if one.changes {
		return save(path, sheet)
	}
	return nil
}

func help(out io.Writer) {
	names := make([]string, 0, len(commands))
	for name := range commands {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(out, "tabula FILE %s %s\n    %s\n", name, commands[name].words, commands[name].about)
	}
}

func create(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("there is a file %s already", path)
	}
	return save(path, tabula.New())
}

func load(path string) (*tabula.Sheet, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sheet, err := tabula.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return sheet, nil
}

// save writes the whole sheet beside the file first, so that the file is never half written.
func save(path string, sheet *tabula.Sheet) error {
	var content bytes.Buffer
	if err := sheet.Save(&content); err != nil {
		return err
	}
	draft := path + ".draft"
	if err := os.WriteFile(draft, content.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(draft, path)
}
