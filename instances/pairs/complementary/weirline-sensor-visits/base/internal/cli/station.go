package cli

import (
	"fmt"
	"net"
	"time"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/collector"
	"example.org/weirline/internal/level"
	"example.org/weirline/internal/station"
)

const patience = 30 * time.Second

func init() {
	register("station", command{
		words: "FOLDER NAME", about: "make a station in a folder", least: 2, most: 2,
		run: func(_ Surroundings, given arguments) error {
			_, err := station.Create(given.word(0), given.word(1))
			return err
		},
	})
	register("record", command{
		words: "FOLDER METRES [--at TIME]", about: "keep a reading of the station in the folder", least: 2, most: 2,
		options: []string{"at"}, run: record,
	})
	register("spool", command{
		words: "FOLDER", about: "show the readings that the collector may not have yet", least: 1, most: 1, run: spool,
	})
	register("call", command{
		words: "FOLDER HOST:PORT", about: "send a collector what it does not know yet", least: 2, most: 2, run: call,
	})
	register("exchange", command{
		words: "FOLDER COLLECTOR", about: "the same, with a collector's folder on this machine", least: 2, most: 2, run: exchange,
	})
}

// change loads a station, lets somebody change it, and saves it where that went well.
func change(folder string, how func(*station.Station) error) error {
	one, err := station.Load(folder)
	if err != nil {
		return err
	}
	if err := how(one); err != nil {
		return err
	}
	return one.Save(folder)
}

func record(around Surroundings, given arguments) error {
	height, err := level.Parse(given.word(1))
	if err != nil {
		return usage("%v", err)
	}
	at, err := given.time("at", around.Now)
	if err != nil {
		return err
	}
	return change(given.word(0), func(one *station.Station) error { return one.Record(at, height) })
}

func spool(around Surroundings, given arguments) error {
	one, err := station.Load(given.word(0))
	if err != nil {
		return err
	}
	for _, each := range one.Spool {
		fmt.Fprintln(around.Out, each)
	}
	return nil
}

func call(around Surroundings, given arguments) error {
	connection, err := net.DialTimeout("tcp", given.word(1), patience)
	if err != nil {
		return err
	}
	defer connection.Close()
	return converse(around, given.word(0), connection)
}

func exchange(around Surroundings, given arguments) error {
	kept, err := archive.Load(given.word(1))
	if err != nil {
		return err
	}
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		defer far.Close()
		done <- collector.New(kept, around.Now).Serve(far)
	}()
	broken := converse(around, given.word(0), near)
	near.Close()
	served := <-done
	// What was answered is kept, whatever became of the call.
	for _, err := range []error{kept.Save(given.word(1)), served, broken} {
		if err != nil {
			return err
		}
	}
	return nil
}

// converse calls, and saves the station also where the call broke off: what was answered is done.
func converse(around Surroundings, folder string, connection net.Conn) error {
	one, err := station.Load(folder)
	if err != nil {
		return err
	}
	if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	result, broken := one.Call(connection)
	if err := one.Save(folder); err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	fmt.Fprintf(around.Out, "%d sent", result.Sent)
	if len(result.Refused) > 0 {
		fmt.Fprintf(around.Out, ", %d refused", len(result.Refused))
	}
	fmt.Fprintln(around.Out)
	return nil
}
