package cli

import (
	"fmt"
	"net"
	"strings"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/collector"
	"example.org/weirline/internal/level"
)

func init() {
	register("open", command{
		words: "FOLDER STATION [PLACE] [--high METRES]", about: "let a station call the collector in the folder", least: 2, most: 3,
		options: []string{"high"}, run: open,
	})
	register("settings", command{
		words: "FOLDER [NAME [VALUE]]", about: "show or change a collector's settings", least: 1, most: 3, run: settings,
	})
	register("collect", command{
		words: "FOLDER HOST:PORT", about: "take calls until interrupted", least: 2, most: 2, run: collect,
	})
}

func open(_ Surroundings, given arguments) error {
	high := level.Level(0)
	if given.on("high") {
		var err error
		if high, err = level.Parse(given.options["high"]); err != nil {
			return usage("--high: %v", err)
		}
	}
	kept, err := archive.Load(given.word(0))
	if err != nil {
		return err
	}
	if _, err := kept.Open(given.word(1), given.word(2), high); err != nil {
		return err
	}
	return kept.Save(given.word(0))
}

func settings(around Surroundings, given arguments) error {
	kept, err := archive.Load(given.word(0))
	if err != nil {
		return err
	}
	if len(given.words) == 3 {
		if err := kept.Set(given.word(1), given.word(2)); err != nil {
			return err
		}
		return kept.Save(given.word(0))
	}
	for _, name := range archive.SettingNames() {
		if given.word(1) != "" && given.word(1) != name {
			continue
		}
		value, err := kept.Setting(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(around.Out, "%s %s\n", name, value)
	}
	if name := given.word(1); name != "" && !has(archive.SettingNames(), name) {
		return fmt.Errorf("there is no setting %q; there are %s", name, strings.Join(archive.SettingNames(), ", "))
	}
	return nil
}

func collect(around Surroundings, given arguments) error {
	kept, err := archive.Load(given.word(0))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", given.word(1))
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Fprintf(around.Out, "taking calls at %s\n", listener.Addr())
	taking := collector.New(kept, around.Now)
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer connection.Close()
			if err := taking.Serve(connection); err != nil {
				fmt.Fprintf(around.Err, "weirline: %s: %v\n", connection.RemoteAddr(), err)
			}
			if err := taking.With(func(kept *archive.Archive) error { return kept.Save(given.word(0)) }); err != nil {
				fmt.Fprintf(around.Err, "weirline: %v\n", err)
			}
		}()
	}
}
