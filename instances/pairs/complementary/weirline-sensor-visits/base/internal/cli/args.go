package cli

import (
	"strings"
	"time"

	"example.org/weirline/internal/level"
)

// arguments are the words of a command, apart from its options.
type arguments struct {
	words   []string
	options map[string]string
}

// parse tells options from words. What stands after `--` is words; a negative number is none of the options.
func parse(args []string, one command) (arguments, error) {
	given := arguments{options: map[string]string{}}
	for index := 0; index < len(args); index++ {
		arg := args[index]
		if arg == "--" {
			given.words = append(given.words, args[index+1:]...)
			break
		}
		if !strings.HasPrefix(arg, "--") {
			given.words = append(given.words, arg)
			continue
		}
		name, value, joined := strings.Cut(arg[2:], "=")
		if has(one.switches, name) && !joined {
			given.options[name] = ""
			continue
		}
		if !has(one.options, name) {
			return given, usage("there is no option --%s here", name)
		}
		if !joined {
			index++
			if index == len(args) {
				return given, usage("--%s needs a value", name)
			}
			value = args[index]
		}
		given.options[name] = value
	}
	return given, nil
}

func (a arguments) word(index int) string {
	if index < len(a.words) {
		return a.words[index]
	}
	return ""
}

func (a arguments) on(name string) bool {
	_, given := a.options[name]
	return given
}

// time is the value of an option that is a time, or the present one.
func (a arguments) time(name string, now func() time.Time) (time.Time, error) {
	if !a.on(name) {
		return level.Moment(now()), nil
	}
	at, err := level.ParseTime(a.options[name])
	if err != nil {
		return at, usage("--%s: %v", name, err)
	}
	return at, nil
}

// day is the value of an option that is a day, or no time.
func (a arguments) day(name string) (time.Time, error) {
	if !a.on(name) {
		return time.Time{}, nil
	}
	day, err := level.ParseDay(a.options[name])
	if err != nil {
		return day, usage("--%s: %v", name, err)
	}
	return day, nil
}

func has(names []string, name string) bool {
	for _, each := range names {
		if each == name {
			return true
		}
	}
	return false
}
