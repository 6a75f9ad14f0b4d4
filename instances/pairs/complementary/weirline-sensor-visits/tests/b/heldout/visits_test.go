// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const hello = "HELLO weir-3 1"

// visit is the line for a visit, by the clock.
func visit(from, to, who string) string {
	return fmt.Sprintf("VISIT %d %d %s", at(from).Unix(), at(to).Unix(), who)
}

// read is the line for a reading, by the clock.
func read(clock string, millimetres int) string {
	return fmt.Sprintf("READ %s %d", at(clock).Format("2006-01-02T15:04:05Z"), millimetres)
}

func TestNewAndKnown(t *testing.T) {
	b := open(t)
	b.talk(hello, "+ none", visit("10:00", "10:20", `"M. Ode"`), "+ new", visit("10:00", "10:20", `"M. Ode"`), "+ known", "BYE", "+ 0")
	b.talk(
		hello, "+ none", visit("10:00", "10:20", `"M. Ode"`), "+ known", visit("10:00", "10:20", "Ines"), "+ new",
		visit("10:00", "10:21", `"M. Ode"`), "+ new", visit("10:01", "10:20", `"M. Ode"`), "+ new", "BYE", "+ 0",
	)
	b.equal("journal", b.rows("journal", "time", "text"), []string{
		"2026-03-01T12:00:00Z|" + visit("10:00", "10:20", `"M. Ode"`), "2026-03-01T12:00:00Z|" + visit("10:00", "10:20", "Ines"),
		"2026-03-01T12:00:00Z|" + visit("10:00", "10:21", `"M. Ode"`), "2026-03-01T12:00:00Z|" + visit("10:01", "10:20", `"M. Ode"`),
	})
}

func TestOtherVerbsAreNotedAsBefore(t *testing.T) {
	b := open(t)
	b.talk(hello, "+ none", "BATTERY low 11.2", "+ noted", read("10:00", 1500), "+ new", "VISITOR 1 2 x", "+ noted", "BYE", "+ 1")
	b.equal("journal", b.rows("journal", "text"), []string{"BATTERY low 11.2", "VISITOR 1 2 x"})
}

func TestRefused(t *testing.T) {
	b := open(t)
	b.talk(visit("10:00", "10:20", "Ines"), "- 401")
	said := []string{hello, "+ none"}
	from, to := at("10:00").Unix(), at("10:20").Unix()
	for _, rest := range []string{
		"", fmt.Sprint(from), fmt.Sprintf("%d %d", from, to), fmt.Sprintf("%d %d Ines Ode", from, to), fmt.Sprintf("x %d Ines", to),
		fmt.Sprintf("%d 10:20 Ines", from), fmt.Sprintf("%d.5 %d Ines", from, to), fmt.Sprintf("%d %d Ines", to, from),
		fmt.Sprintf("%d %d Ines", from, from), fmt.Sprintf(`%d %d ""`, from, to), fmt.Sprintf(`%d %d "  "`, from, to),
		"2026-03-01T10:00:00Z 2026-03-01T10:20:00Z Ines",
	} {
		said = append(said, strings.TrimSpace("VISIT "+rest), "- 400")
	}
	b.talk(append(said, read("09:45", 1500), "+ new", read("10:30", 1000), "+ new", "BYE", "+ 2")...)
	b.equal("journal", b.rows("journal", "text"), []string{})
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"|45"})
	b.equal("alarms", b.rows("alarms", "kind", "level"), []string{"jump|1.000"})
}

func TestNotAfterARead(t *testing.T) {
	b := open(t)
	b.talk(
		hello, "+ none", visit("08:00", "08:10", "Ada"), "+ new", read("09:45", 1500), "+ new", visit("10:00", "10:20", "Ines"), "- 409",
		read("10:30", 1500), "+ new", visit("10:00", "10:20", "Ines"), "- 409", "BYE", "+ 2",
	)
	b.equal("journal", b.rows("journal", "text"), []string{visit("08:00", "08:10", "Ada")})
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"|45"})
	b.talk(hello, "+ 2026-03-01T10:30:00Z", visit("10:00", "10:20", "Ines"), "+ new", "BYE", "+ 0")
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"Ines|25"})
	b.talk(hello, "+", read("10:30", 1500), "+ known", visit("07:00", "07:20", "Ines"), "- 409")
}

func TestNoJumpAcrossAVisit(t *testing.T) {
	b := open(t)
	b.talk(
		hello, "+ none", visit("10:05", "10:10", "Ines"), "+ new", visit("10:40", "11:20", "Ines"), "+ new", visit("12:15", "12:20", "Ada"), "+ new",
		read("10:00", 1000), "+ new", read("10:15", 1500), "+ new", // between them
		read("10:30", 1000), "+ new", read("10:45", 1500), "+ new", // it begins between them
		read("11:00", 1000), "+ new", // within it
		read("11:15", 1500), "+ new", read("11:30", 1000), "+ new", // it ends between them
		read("11:45", 2100), "+ new", // no visit, and high
		read("12:00", 1500), "+ new", read("12:15", 1100), "+ new", // begins at the moment of this one
		read("12:16", 2100), "+ new", // high, in a visit
		read("12:20", 1700), "+ new", read("12:35", 1200), "+ new", // ends at the moment of the one before
	)
	b.equal("alarms", b.rows("alarms", "time", "kind"), []string{
		"2026-03-01T10:30:00Z|jump", "2026-03-01T11:45:00Z|high", "2026-03-01T11:45:00Z|jump", "2026-03-01T12:00:00Z|jump",
		"2026-03-01T12:15:00Z|jump", "2026-03-01T12:16:00Z|high", "2026-03-01T12:35:00Z|jump",
	})
}

func TestVisitsOfEarlierCallsCount(t *testing.T) {
	b := open(t)
	b.talk(hello, "+ none", visit("10:05", "10:10", "Ines"), "+ new", read("10:00", 1000), "+ new", "BYE", "+ 1")
	b.talk(hello, "+", read("10:15", 1500), "+ new", read("10:30", 1000), "+ new", "BYE", "+ 2")
	b.equal("alarms", b.rows("alarms", "time", "kind"), []string{"2026-03-01T10:30:00Z|jump"})
}

func TestVisitsAreOfOneStation(t *testing.T) {
	b := open(t)
	b.run("open", "C", "weir-4")
	b.talk("HELLO weir-4 1", "+ none", visit("10:05", "10:40", "Ines"), "+ new", "BYE", "+ 0")
	b.talk(hello, "+ none", visit("10:50", "10:55", "Ada"), "+ new", read("10:00", 1000), "+ new", read("10:45", 1500), "+ new", "BYE", "+ 2")
	b.equal("alarms", b.rows("alarms", "kind"), []string{"jump"})
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"|45"})
	b.equal("journal", b.rows("journal", "text"), []string{visit("10:50", "10:55", "Ada")})
}

func TestGapsSayWhoAndWhatIsOpen(t *testing.T) {
	b := open(t)
	b.talk(
		hello, "+ none", visit("13:20", "13:30", "Bo"), "+ new", visit("13:05", "13:25", "Ada"), "+ new", visit("13:10", "13:15", `"M. Ode"`), "+ new",
		visit("13:50", "13:55", "Ada"), "+ new", visit("10:20", "10:50", "Ines"), "+ new", visit("09:00", "10:00", "Early"), "+ new",
		visit("11:30:10", "11:35", "Ines"), "+ new", visit("16:00:10", "18:00", "Late"), "+ new", visit("11:55", "12:20", `"Bo, Ada"`), "+ new",
		read("10:00", 1), "+ new", read("11:00", 1), "+ new", read("11:15", 1), "+ new", read("11:45:59", 1), "+ new", read("12:00", 1), "+ new",
		read("13:00", 1), "+ new", read("14:00", 1), "+ new", read("15:00", 1), "+ new", read("16:30", 1), "+ new", read("17:00", 1), "+ new",
	)
	b.equal("gaps", b.rows("gaps", "from", "minutes", "missing", "visit", "open"), []string{
		"2026-03-01T10:00:00Z|60|3|Ines|30",
		"2026-03-01T11:15:00Z|30|2|Ines|26",
		"2026-03-01T12:00:00Z|60|3|Bo, Ada|40",
		"2026-03-01T13:00:00Z|60|3|Ada, M. Ode, Bo|30",
		"2026-03-01T14:00:00Z|60|3||60",
		"2026-03-01T15:00:00Z|90|5|Late|60",
		"2026-03-01T16:30:00Z|30|1|Late|0",
	})
	head := strings.SplitN(b.run("gaps", "C", "weir-3"), "\n", 3)
	b.equal("headings", strings.Fields(head[0]), []string{"from", "to", "minutes", "missing", "visit", "open"})
	b.equal("text", strings.Fields(head[1]), []string{"2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z", "60", "3", "Ines", "30"})
	csv := strings.SplitN(b.run("gaps", "C", "weir-3", "--csv"), "\n", 2)
	b.equal("CSV", csv[0], "from,to,minutes,missing,visit,open")
}

func TestOpenGapsOnly(t *testing.T) {
	b := open(t)
	b.talk(
		hello, "+ none", visit("10:05", "10:35", "Ines"), "+ new", visit("11:00", "11:44:59", "Ada"), "+ new", visit("12:05", "12:10", "Bo"), "+ new",
		read("10:00", 1), "+ new", read("10:50", 1), "+ new", read("11:15", 1), "+ new", read("12:00", 1), "+ new", read("12:30", 1), "+ new",
	)
	b.equal("all", b.rows("gaps", "from", "open"), []string{
		"2026-03-01T10:00:00Z|20", "2026-03-01T10:50:00Z|10", "2026-03-01T11:15:00Z|15", "2026-03-01T12:00:00Z|25",
	})
	open := []string{"2026-03-01T10:00:00Z|20", "2026-03-01T11:15:00Z|15", "2026-03-01T12:00:00Z|25"}
	b.equal("open", b.rows("gaps --open", "from", "open"), open)
	b.equal("that day", b.rows("gaps --open --from 2026-03-01 --to 2026-03-01", "from", "open"), open)
	b.equal("another day", b.rows("gaps --open --from 2026-03-02", "from", "open"), []string{})
	b.run("settings", "C", "interval", "20")
	b.equal("another interval", b.rows("gaps --open", "from", "open"), []string{"2026-03-01T12:00:00Z|25"})
}

func TestFilesOfToday(t *testing.T) {
	b := open(t)
	file := filepath.Join(b.folder, "C", "collector.json")
	content := `{"settings": {"interval_minutes": 15, "jump_mm": 300, "memory_hours": 6}, "stations": [{"name": "weir-3", "place": "", "high_mm": 0,
		"journal": [{"time": "2026-02-01T00:00:00Z", "text": "BATTERY low"}], "alarms": null,
		"readings": [{"time": "2026-03-01T10:00:00Z", "mm": 1500}, {"time": "2026-03-01T11:00:00Z", "mm": 1500}]}]}`
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"|60"})
	b.talk(hello, "+ 2026-03-01T11:00:00Z", visit("10:05", "10:35", "Ines"), "+ new", "BYE", "+ 0")
	b.equal("gaps", b.rows("gaps", "visit", "open"), []string{"Ines|30"})
	b.equal("journal", b.rows("journal", "text"), []string{"BATTERY low", visit("10:05", "10:35", "Ines")})
}
