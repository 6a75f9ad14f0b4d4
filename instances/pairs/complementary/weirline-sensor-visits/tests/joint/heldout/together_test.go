// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"fmt"
	"testing"

	"example.org/weirline/internal/level"
)

func (b bank) serviced(who, from, to string) {
	b.Helper()
	b.run("service", "S", "begin", who, "--at", level.ShownTime(at(from)))
	b.run("service", "S", "end", "--at", level.ShownTime(at(to)))
}

func TestCleaningASensorRaisesNoAlarm(t *testing.T) {
	b := open(t)
	b.reads("09:45 1.5", "10:00 1.5")
	b.serviced("M. Ode", "10:05", "10:40")
	b.reads("10:45 1.1", "11:00 1.5")
	b.equal("sent", b.run("exchange", "S", "C"), "4 sent\n")
	b.equal("alarms", b.rows("alarms", "time", "kind"), []string{"2026-03-01T11:00:00Z|jump"})
	b.equal("gaps", b.rows("gaps", "from", "minutes", "missing", "visit", "open"), []string{"2026-03-01T10:00:00Z|45|2|M. Ode|10"})
	b.equal("open", b.rows("gaps --open", "from"), []string{})
}

func TestServiceOverSeveralCalls(t *testing.T) {
	b := open(t)
	b.reads("10:00 1.5")
	b.run("service", "S", "begin", "Ines \"Ada\" Ode", "--at", level.ShownTime(at("10:05")))
	b.equal("sent", b.run("exchange", "S", "C"), "1 sent\n")
	b.run("service", "S", "end", "--at", level.ShownTime(at("10:55")))
	b.run("exchange", "S", "C")
	b.reads("11:00 1.1")
	b.run("exchange", "S", "C")
	b.equal("alarms", b.rows("alarms", "time"), []string{})
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"Ines \"Ada\" Ode|10"})
	b.equal("journal", len(b.rows("journal", "text")), 1)
}

func TestSeveralServicesInOneCall(t *testing.T) {
	b := open(t)
	b.reads("10:00 1.5")
	b.serviced("Ines", "10:01", "10:10")
	b.reads("10:15 1.9")
	b.serviced("Bo", "10:20", "10:30:30")
	b.serviced("Ines", "10:40", "10:50")
	b.serviced("Bo", "10:55", "10:56")
	b.reads("11:00 1.5", "11:15 1.9")
	b.run("exchange", "S", "C")
	b.equal("alarms", b.rows("alarms", "time"), []string{"2026-03-01T11:15:00Z"})
	b.equal("gaps", b.rows("gaps", "from", "visit", "open"), []string{"2026-03-01T10:15:00Z|Bo, Ines|23"})
	b.equal("journal", len(b.rows("journal", "text")), 4)
}

func TestAStationThatReadsInBetween(t *testing.T) {
	b := open(t)
	b.reads("10:00 1.5")
	b.run("service", "S", "begin", "Ines", "--at", level.ShownTime(at("10:05")))
	if said, code := b.try("record", "S", "0.2", "--at", level.ShownTime(at("10:15"))); code != 1 {
		t.Error(code, said)
	}
	b.run("exchange", "S", "C")
	b.run("service", "S", "end", "--at", level.ShownTime(at("10:25")))
	b.reads("10:30 1.9", "10:45 1.5")
	b.run("exchange", "S", "C")
	b.equal("levels", b.rows("days", "readings", "lowest"), []string{"3|1.500"})
	b.equal("alarms", b.rows("alarms", "time"), []string{"2026-03-01T10:45:00Z"})
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"Ines|10"})
}

func TestBesideTheNeighboursStations(t *testing.T) {
	b := open(t)
	b.reads("10:00 1.5")
	b.serviced("Ines", "10:05", "10:20")
	line := fmt.Sprintf("VISIT %d %d", at("10:30").Unix(), at("10:40").Unix())
	b.talk("HELLO weir-3 1", "+ none", line+" Ada", "+ new", "BYE", "+ 0")
	b.reads("10:45 1.9")
	b.run("exchange", "S", "C")
	// Whether this is known depends on how our own stations say it; it changes nothing in either case.
	same := fmt.Sprintf("VISIT %d %d Ines", at("10:05").Unix(), at("10:20").Unix())
	b.talk("HELLO weir-3 1", "+ 2026-03-01T10:45:00Z", same, "+", "BYE", "+ 0")
	b.equal("alarms", b.rows("alarms", "time"), []string{})
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"Ines, Ada|20"})
}

func TestACallThatFailedFirst(t *testing.T) {
	b := open(t)
	b.run("station", "T", "weir-9")
	b.run("record", "T", "1.5", "--at", level.ShownTime(at("10:00")))
	b.run("service", "T", "begin", "M. Ode", "--at", level.ShownTime(at("10:05")))
	b.run("service", "T", "end", "--at", level.ShownTime(at("10:50")))
	b.run("record", "T", "0.9", "--at", level.ShownTime(at("11:00")))
	if said, code := b.try("exchange", "T", "C"); code != 1 {
		t.Error(code, said)
	}
	b.run("open", "C", "weir-9")
	b.equal("sent", b.run("exchange", "T", "C"), "2 sent\n")
	b.equal("sent again", b.run("exchange", "T", "C"), "0 sent\n")
	b.equal("alarms", b.run("alarms", "C", "weir-9", "--csv"), "time,level,kind,text\n")
	row := "2026-03-01T10:00:00Z,2026-03-01T11:00:00Z,60,3,M. Ode,15\n"
	b.equal("gaps", b.run("gaps", "C", "weir-9", "--csv"), "from,to,minutes,missing,visit,open\n"+row)
	b.equal("open", b.run("gaps", "C", "weir-9", "--csv", "--open"), "from,to,minutes,missing,visit,open\n")
	b.equal("the other station", b.rows("journal", "text"), []string{})
}

func TestJustBesideAService(t *testing.T) {
	b := open(t)
	b.reads("10:00 1.5")
	b.serviced("Ines", "10:00", "10:15")
	b.reads("10:15 1.9", "10:30 1.5")
	b.serviced("Ines", "10:30", "10:30:01")
	b.reads("10:45 1.9", "11:30 1.5", "11:45 2.1")
	b.serviced("Ada", "11:45", "11:46")
	b.reads("12:00 2.5")
	b.run("exchange", "S", "C")
	b.equal("alarms", b.rows("alarms", "time", "kind"), []string{
		"2026-03-01T10:30:00Z|jump", "2026-03-01T11:30:00Z|jump", "2026-03-01T11:45:00Z|high", "2026-03-01T11:45:00Z|jump",
		"2026-03-01T12:00:00Z|high",
	})
	b.equal("gaps", b.rows("gaps", "from", "visit", "open"), []string{"2026-03-01T10:45:00Z||45"})
	b.equal("open", b.rows("gaps --open", "from"), []string{"2026-03-01T10:45:00Z"})
}
