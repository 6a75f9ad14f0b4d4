// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"bytes"
	"encoding/csv"
	"net"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/cli"
	"example.org/weirline/internal/collector"
	"example.org/weirline/internal/level"
	"example.org/weirline/internal/wire"
)

// bank has folders of stations, S and T, and one of a collector, C, worked on by the command line.
type bank struct {
	*testing.T
	folder string
}

func noon() time.Time { return at("12:00") }

// at is a time of the one day that these tests are about: 10:15, or 10:15:30.
func at(clock string) time.Time {
	if len(clock) == 5 {
		clock += ":00"
	}
	moment, err := level.ParseTime("2026-03-01T" + clock + "Z")
	if err != nil {
		panic(err)
	}
	return moment
}

func open(t *testing.T) bank {
	b := bank{t, t.TempDir()}
	b.run("station", "S", "weir-3")
	b.run("open", "C", "weir-3", "Mill weir", "--high", "2")
	return b
}

func (b bank) try(args ...string) (string, int) {
	var out, wrong bytes.Buffer
	for index, each := range args {
		if each == "S" || each == "T" || each == "C" {
			args[index] = filepath.Join(b.folder, each)
		}
	}
	code := cli.Run(args, cli.Surroundings{Out: &out, Err: &wrong, Now: noon})
	return out.String() + wrong.String(), code
}

func (b bank) run(args ...string) string {
	b.Helper()
	said, code := b.try(args...)
	if code != 0 {
		b.Fatalf("%v: exit status %d: %s", args, code, said)
	}
	return said
}

// reads records readings in metres, each with a time: `10:15 1.2`.
func (b bank) reads(readings ...string) {
	b.Helper()
	for _, each := range readings {
		clock, height, _ := strings.Cut(each, " ")
		b.run("record", "S", height, "--at", level.ShownTime(at(clock)))
	}
}

// rows gives columns of a report, by their names, as CSV.
func (b bank) rows(report string, columns ...string) []string {
	b.Helper()
	name, options, _ := strings.Cut(report, " ")
	args := append([]string{name, "C", "weir-3", "--csv"}, strings.Fields(options)...)
	table, err := csv.NewReader(strings.NewReader(b.run(args...))).ReadAll()
	if err != nil {
		b.Fatal(err)
	}
	places := map[string]int{}
	for index, each := range table[0] {
		places[each] = index
	}
	rows := []string{}
	for _, row := range table[1:] {
		var cells []string
		for _, each := range columns {
			if _, ok := places[each]; !ok {
				b.Fatalf("%s: there is no column %s in %q", report, each, table[0])
			}
			cells = append(cells, row[places[each]])
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	return rows
}

// talk says lines to the collector in C as any station may, and checks how the answers begin.
func (b bank) talk(exchange ...string) {
	b.Helper()
	folder := filepath.Join(b.folder, "C")
	kept, err := archive.Load(folder)
	if err != nil {
		b.Fatal(err)
	}
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- collector.New(kept, noon).Serve(far)
		far.Close()
	}()
	lines := wire.On(near)
	for index := 0; index < len(exchange); index += 2 {
		if err := lines.Write(exchange[index]); err != nil {
			b.Fatal(err)
		}
		got, err := lines.Read()
		if err != nil || got != exchange[index+1] && !strings.HasPrefix(got, exchange[index+1]+" ") {
			b.Errorf("%s: %q (%v), not %q", exchange[index], got, err, exchange[index+1])
		}
	}
	near.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	if err := kept.Save(folder); err != nil {
		b.Fatal(err)
	}
}

func (b bank) equal(what string, got, want any) {
	b.Helper()
	if !reflect.DeepEqual(got, want) {
		b.Errorf("%s: %q, not %q", what, got, want)
	}
}
