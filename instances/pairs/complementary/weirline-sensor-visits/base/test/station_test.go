package test

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.org/weirline/internal/level"
	"example.org/weirline/internal/station"
)

var ten = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// scripted answers with lines that were written beforehand.
type scripted struct {
	io.Reader
	bytes.Buffer
}

func (s *scripted) Read(into []byte) (int, error) { return s.Reader.Read(into) }

func call(t *testing.T, one *station.Station, answers ...string) (string, station.Result, error) {
	t.Helper()
	peer := &scripted{Reader: strings.NewReader(strings.Join(answers, "\n") + "\n")}
	result, err := one.Call(peer)
	return peer.String(), result, err
}

func recorded(t *testing.T, levels ...level.Level) *station.Station {
	t.Helper()
	one := &station.Station{Name: "weir-3"}
	for index, each := range levels {
		if err := one.Record(ten.Add(time.Duration(index)*15*time.Minute), each); err != nil {
			t.Fatal(err)
		}
	}
	return one
}

func TestACallSendsWhatIsNew(t *testing.T) {
	one := recorded(t, 100, 110, 120)
	said, result, err := call(t, one, "+ 2026-03-01T10:00:00Z", "+ new", "+ new", "+ 2")
	want := "HELLO weir-3 1\nREAD 2026-03-01T10:15:00Z 110\nREAD 2026-03-01T10:30:00Z 120\nBYE\n"
	if err != nil || said != want || result.Sent != 2 || len(one.Spool) != 0 {
		t.Error(said, result, err, one.Spool)
	}
}

func TestABrokenCallKeepsTheRest(t *testing.T) {
	one := recorded(t, 100, 110, 120)
	if _, result, err := call(t, one, "+ none", "+ new"); err == nil || result.Sent != 1 || len(one.Spool) != 2 {
		t.Error(result, err, one.Spool)
	}
	if _, _, err := call(t, one, "- 404 who is that"); err == nil || len(one.Spool) != 2 {
		t.Error(err, one.Spool)
	}
}

func TestOrderAndFile(t *testing.T) {
	one := recorded(t, 100, 110)
	if one.Record(ten, 90) == nil {
		t.Error("an earlier reading was taken")
	}
	folder := t.TempDir()
	if err := one.Save(folder); err != nil {
		t.Fatal(err)
	}
	if loaded, err := station.Load(folder); err != nil || !reflect.DeepEqual(loaded, one) {
		t.Error(loaded, err)
	}
	if _, err := station.Create(folder, "other"); err == nil {
		t.Error("two stations in one folder")
	}
}
