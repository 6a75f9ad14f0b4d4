// Package cli is the command line.
package cli

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"
)

// Surroundings are what a command works with.
type Surroundings struct {
	Out, Err io.Writer
	Now      func() time.Time
}

// errUsage is a call that no command understands; exit status 2.
var errUsage = errors.New("usage")

func usage(format string, values ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, values...))
}

type command struct {
	// words is how it is called, for the help.
	words string
	about string
	// least and most are how many words it takes, options apart.
	least, most int
	options     []string
	switches    []string
	run         func(Surroundings, arguments) error
}

var commands = map[string]command{}

func register(name string, one command) { commands[name] = one }

// Run carries out a command and gives the exit status: 0, 1 for a failure, 2 for wrong use.
func Run(args []string, around Surroundings) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" {
		help(around.Out)
		return 0
	}
	err := run(args[0], args[1:], around)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintf(around.Err, "weirline: %s\n", strings.TrimPrefix(err.Error(), "usage: "))
		return 2
	}
	fmt.Fprintf(around.Err, "weirline: %v\n", err)
	return 1
}

func run(name string, args []string, around Surroundings) error {
	one, ok := commands[name]
	if !ok {
		return usage("there is no command %q; see weirline help", name)
	}
	given, err := parse(args, one)
	if err != nil {
		return err
	}
	if len(given.words) < one.least || len(given.words) > one.most {
		return usage("weirline %s %s", name, one.words)
	}
	return one.run(around, given)
}

func help(out io.Writer) {
	names := make([]string, 0, len(commands))
	for name := range commands {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(out, "weirline %s %s\n    %s\n", name, commands[name].words, commands[name].about)
	}
}
