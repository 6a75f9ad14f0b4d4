// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/collector"
	"example.org/weirline/internal/station"
	"example.org/weirline/internal/wire"
)

// entries counts the lines of a journal that have somebody in them.
func entries(journal []archive.Entry, who string) int {
	count := 0
	for _, each := range journal {
		if strings.Contains(each.Text, who) {
			count++
		}
	}
	return count
}

func (b bank) told(who string) int {
	b.Helper()
	count := 0
	for _, each := range b.rows("journal", "text") {
		if strings.Contains(each, who) {
			count++
		}
	}
	return count
}

func TestStateIsShown(t *testing.T) {
	b := open(t)
	b.equal("before", b.run("service", "S"), "not in service\n")
	b.run("service", "S", "begin", "M. Ode", "--at", "2026-03-01T11:00:00+01:00")
	b.equal("during", b.run("service", "S"), "in service since 2026-03-01T10:00:00Z: M. Ode\n")
	b.run("service", "S", "end", "--at", "2026-03-01T10:30:00Z")
	b.equal("after", b.run("service", "S"), "not in service\n")
	b.run("service", "S", "begin", "Ines")
	b.equal("now", b.run("service", "S"), "in service since 2026-03-01T12:00:00Z: Ines\n")
}

func TestNoReadingIsKeptInService(t *testing.T) {
	b := open(t)
	b.reads("10:00 1.5", "10:15 1.51")
	b.run("service", "S", "begin", "Ines", "--at", "2026-03-01T10:20:00Z")
	for _, clock := range []string{"10:30", "10:45"} {
		if said, code := b.try("record", "S", "0.1", "--at", "2026-03-01T"+clock+":00Z"); code != 1 {
			t.Errorf("exit status %d: %s", code, said)
		}
	}
	b.equal("spool", b.run("spool", "S"), "2026-03-01T10:00:00Z 1.500\n2026-03-01T10:15:00Z 1.510\n")
	b.equal("sent in service", b.run("exchange", "S", "C"), "2 sent\n")
	b.run("service", "S", "end", "--at", "2026-03-01T10:50:00Z")
	b.reads("11:00 1.52")
	b.equal("sent later", b.run("exchange", "S", "C"), "1 sent\n")
	b.equal("levels", b.rows("days", "readings", "lowest"), []string{"3|1.500"})
}

func TestRecordSaysWhy(t *testing.T) {
	one := &station.Station{Name: "weir-3"}
	if err := one.BeginService("Ines", at("10:00")); err != nil {
		t.Fatal(err)
	}
	if err := one.Record(at("10:15"), 1500); !errors.Is(err, station.ErrInService) {
		t.Error(err)
	}
	if err := one.EndService(at("10:20")); err != nil {
		t.Fatal(err)
	}
	if err := one.Record(at("10:30"), 1500); err != nil || len(one.Spool) != 1 {
		t.Error(err, one.Spool)
	}
	if err := one.Record(at("10:30"), 1500); err == nil || errors.Is(err, station.ErrInService) {
		t.Error(err)
	}
}

func TestRefusedBeginAndEnd(t *testing.T) {
	b := open(t)
	refused := func(args ...string) {
		t.Helper()
		before := b.run("service", "S")
		if said, code := b.try(append([]string{"service", "S"}, args...)...); code != 1 {
			t.Errorf("%v: exit status %d: %s", args, code, said)
		}
		b.equal("state", b.run("service", "S"), before)
	}
	refused("end")
	refused("begin", "")
	refused("begin", " \t ")
	b.run("service", "S", "begin", "Ines", "--at", "2026-03-01T10:00:00Z")
	refused("begin", "M. Ode", "--at", "2026-03-01T10:10:00Z")
	refused("end", "--at", "2026-03-01T10:00:00Z")
	refused("end", "--at", "2026-03-01T09:00:00Z")
	one := &station.Station{Name: "weir-3"}
	if err := one.BeginService("Ines", at("10:00").Add(200)); err != nil {
		t.Fatal(err)
	}
	if err := one.EndService(at("10:00").Add(900_000_000)); err == nil {
		t.Error("ended in the second in which it began")
	}
	if err := one.EndService(at("10:00:01")); err != nil {
		t.Error(err)
	}
	if err := one.EndService(at("10:30")); err == nil {
		t.Error("ended twice")
	}
}

func TestTheCollectorIsToldOnce(t *testing.T) {
	b := open(t)
	b.reads("09:00 1.5")
	b.run("service", "S", "begin", "M. Ode from Søby", "--at", "2026-03-01T10:00:00Z")
	b.run("exchange", "S", "C")
	b.equal("under way", b.told("M. Ode"), 0)
	b.run("service", "S", "end", "--at", "2026-03-01T10:30:00Z")
	b.reads("10:45 1.5")
	b.equal("sent", b.run("exchange", "S", "C"), "1 sent\n")
	b.equal("over", b.told("M. Ode from Søby"), 1)
	b.equal("nothing to send", b.run("exchange", "S", "C"), "0 sent\n")
	b.equal("once", b.told("M. Ode"), 1)
	b.equal("all entries", len(b.rows("journal", "text")), 1)
}

func TestSeveralServicesAndNoReadings(t *testing.T) {
	b := open(t)
	for _, each := range []string{"Ines 08:00 08:10", "Ada 08:20 08:30", "Ines 09:00 09:40"} {
		part := strings.Fields(each)
		b.run("service", "S", "begin", part[0], "--at", "2026-03-01T"+part[1]+":00Z")
		b.run("service", "S", "end", "--at", "2026-03-01T"+part[2]+":00Z")
	}
	b.equal("call", b.run("exchange", "S", "C"), "0 sent\n")
	b.equal("Ines", b.told("Ines"), 2)
	b.equal("Ada", b.told("Ada"), 1)
}

func TestFilesOfToday(t *testing.T) {
	b := open(t)
	file := filepath.Join(b.folder, "S", "station.json")
	content := `{"name": "weir-3", "spool": [{"time": "2026-03-01T10:00:00Z", "mm": 1500}]}`
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	b.equal("state", b.run("service", "S"), "not in service\n")
	b.equal("call", b.run("exchange", "S", "C"), "1 sent\n")
	b.equal("journal", len(b.rows("journal", "text")), 0)
}

// serviced is a station with a reading and a service that is over.
func serviced(t *testing.T) *station.Station {
	t.Helper()
	one := &station.Station{Name: "weir-3"}
	for _, err := range []error{one.Record(at("10:00"), 1500), one.BeginService("Ines", at("10:05")), one.EndService(at("10:20"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return one
}

// peer answers a call by the verbs; where it has no answer it hangs up. Verbs of a station's own are under "".
func peer(one *station.Station, answers map[string]string) (station.Result, error) {
	near, far := net.Pipe()
	done := make(chan bool)
	go func() {
		defer close(done)
		defer far.Close()
		lines := wire.On(far)
		for {
			line, err := lines.Read()
			if err != nil {
				return
			}
			verb, _, _ := strings.Cut(line, " ")
			if verb != "HELLO" && verb != "READ" && verb != "BYE" {
				verb = ""
			}
			if answers[verb] == "" || lines.Write(answers[verb]) != nil {
				return
			}
		}
	}()
	result, err := one.Call(near)
	near.Close()
	<-done
	return result, err
}

// calls calls a true collector with an archive.
func calls(t *testing.T, one *station.Station, kept *archive.Archive) {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- collector.New(kept, noon).Serve(far)
		far.Close()
	}()
	if _, err := one.Call(near); err != nil {
		t.Fatal(err)
	}
	near.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func collecting(t *testing.T) (*archive.Archive, *archive.Post) {
	t.Helper()
	kept := archive.New()
	post, err := kept.Open("weir-3", "Mill weir", 0)
	if err != nil {
		t.Fatal(err)
	}
	return kept, post
}

func TestToldAgainWhereTheCallBreaksOff(t *testing.T) {
	one := serviced(t)
	if _, err := peer(one, map[string]string{"HELLO": "+ none", "READ": "+ new"}); err == nil {
		t.Fatal("a call that broke off went well")
	}
	kept, post := collecting(t)
	calls(t, one, kept)
	calls(t, one, kept)
	if entries(post.Journal(), "Ines") != 1 || post.Count() > 1 {
		t.Error(post.Journal(), post.Count())
	}
}

func TestNotToldAgainOnceAccepted(t *testing.T) {
	one := serviced(t)
	if _, err := peer(one, map[string]string{"HELLO": "+ none", "READ": "+ new", "": "+ noted"}); err == nil {
		t.Fatal("a call that broke off went well")
	}
	kept, post := collecting(t)
	calls(t, one, kept)
	if len(post.Journal()) != 0 {
		t.Error(post.Journal())
	}
}

func TestARefusalHindersNothing(t *testing.T) {
	one := serviced(t)
	result, err := peer(one, map[string]string{"HELLO": "+ none", "READ": "+ new", "": "- 500 come again", "BYE": "+ 1"})
	if err != nil || result.Sent != 1 || len(one.Spool) != 0 {
		t.Error(result, err, one.Spool)
	}
	folder := t.TempDir()
	if err := one.Save(folder); err != nil {
		t.Fatal(err)
	}
	if one, err = station.Load(folder); err != nil {
		t.Fatal(err)
	}
	kept, post := collecting(t)
	calls(t, one, kept)
	calls(t, one, kept)
	if entries(post.Journal(), "Ines") != 1 || post.Count() != 0 {
		t.Error(post.Journal(), post.Count())
	}
}
