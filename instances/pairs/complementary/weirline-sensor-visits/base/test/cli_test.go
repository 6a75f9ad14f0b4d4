package test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"example.org/weirline/internal/cli"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

type place struct {
	*testing.T
	folder string
}

func (p place) try(args ...string) (string, int) {
	var out, wrong bytes.Buffer
	for index, each := range args {
		if each == "S" || each == "C" {
			args[index] = filepath.Join(p.folder, each)
		}
	}
	code := cli.Run(args, cli.Surroundings{Out: &out, Err: &wrong, Now: noon})
	return out.String() + wrong.String(), code
}

func (p place) says(want string, args ...string) {
	p.Helper()
	if got, code := p.try(args...); got != want || code != 0 {
		p.Errorf("%v: %d %q, not %q", args, code, got, want)
	}
}

func (p place) fails(code int, want string, args ...string) {
	p.Helper()
	if got, status := p.try(args...); got != "weirline: "+want+"\n" || status != code {
		p.Errorf("%v: %d %q", args, status, got)
	}
}

func set(t *testing.T) place {
	p := place{t, t.TempDir()}
	p.says("", "station", "S", "weir-3")
	p.says("", "open", "C", "weir-3", "Mill weir", "--high", "2")
	return p
}

func TestFromTheSensorToTheReport(t *testing.T) {
	p := set(t)
	p.says("", "record", "S", "1.5", "--at", "2026-03-01T10:00:00Z")
	p.says("", "record", "S", "1.9", "--at", "2026-03-01T10:45:00Z")
	p.says("", "record", "S", "-0.1", "--at", "2026-03-02T10:45:00Z")
	p.says("2026-03-01T10:00:00Z 1.500\n2026-03-01T10:45:00Z 1.900\n2026-03-02T10:45:00Z -0.100\n", "spool", "S")
	p.says("3 sent\n", "exchange", "S", "C")
	p.says("0 sent\n", "exchange", "S", "C")
	p.says("", "spool", "S")
	p.says("station,place,readings,last,level\nweir-3,Mill weir,3,2026-03-02T10:45:00Z,-0.100\n", "stations", "C", "--csv")
	p.says(
		"time,level,kind,text\n2026-03-01T10:45:00Z,1.900,jump,0.400 m up since 2026-03-01T10:00:00Z\n",
		"alarms", "C", "weir-3", "--csv",
	)
	p.says(
		"day,readings,lowest,mean,highest,at\n2026-03-02,1,-0.100,-0.100,-0.100,10:45:00\n",
		"days", "C", "weir-3", "--csv", "--from=2026-03-02",
	)
	p.says("time  text\n", "journal", "C", "weir-3")
}

func TestSettings(t *testing.T) {
	p := set(t)
	p.says("", "settings", "C", "jump", "0.5")
	p.says("interval 15\njump 0.500\nmemory 6\n", "settings", "C")
	p.fails(1, `there is no setting "colour"; there are interval, jump, memory`, "settings", "C", "colour")
}

func TestWrongUse(t *testing.T) {
	p := set(t)
	p.fails(2, `there is no command "fly"; see weirline help`, "fly")
	p.fails(2, "weirline spool FOLDER", "spool")
	p.fails(2, "there is no option --when here", "record", "S", "1", "--when", "x")
	p.fails(2, `"1,5" is no level in metres, with up to three decimals`, "record", "S", "1,5")
	p.fails(2, "--to is before --from", "gaps", "C", "weir-3", "--from", "2026-03-02", "--to", "2026-03-01")
	p.fails(1, `there is no station "weir-4"`, "gaps", "C", "weir-4")
	p.fails(1, "there is a station weir-3 already", "open", "C", "weir-3")
}
