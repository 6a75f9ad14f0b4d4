package cli

import (
	"fmt"
	"strings"
)

// UsageError is a command line that cannot be carried out.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

// arguments are a command's: options with a value, switches, and the rest in order.
type arguments struct {
	options  map[string]string
	switches map[string]bool
	rest     []string
}

// split takes a command's arguments apart. After `--` nothing is an option.
func split(args []string, options, switches []string) (arguments, error) {
	found := arguments{options: map[string]string{}, switches: map[string]bool{}}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			found.rest = append(found.rest, args[i+1:]...)
			return found, nil
		case !strings.HasPrefix(args[i], "--"):
			found.rest = append(found.rest, args[i])
		case contains(switches, name[2:]) && !joined:
			found.switches[name[2:]] = true
		case !contains(options, name[2:]):
			return found, &UsageError{fmt.Sprintf("there is no option %s", name)}
		case joined:
			found.options[name[2:]] = value
		case i+1 == len(args):
			return found, &UsageError{fmt.Sprintf("%s has no value", name)}
		default:
			i++
			found.options[name[2:]] = args[i]
		}
	}
	return found, nil
}

func contains(names []string, name string) bool {
	for _, each := range names {
		if each == name {
			return true
		}
	}
	return false
}

// option gives an option's value, and whether it is there.
func (a arguments) option(name string) (string, bool) {
	value, there := a.options[name]
	return value, there
}
