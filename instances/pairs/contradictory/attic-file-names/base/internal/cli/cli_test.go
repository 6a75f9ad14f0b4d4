package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/attic/internal/cli"
)

type desk struct {
	*testing.T
	file string
}

func open(t *testing.T) desk { return desk{t, filepath.Join(t.TempDir(), "club.json")} }

func (d desk) run(want int, input string, args ...string) string {
	d.Helper()
	var out, wrong bytes.Buffer
	got := cli.Run(append([]string{d.file}, args...), cli.Streams{In: strings.NewReader(input), Out: &out, Err: &wrong})
	if got != want {
		d.Fatalf("%v: exit code %d, want %d: %s", args, got, want, wrong.String())
	}
	return out.String() + wrong.String()
}

func TestAPaperFromAddToRemove(t *testing.T) {
	d := open(t)
	if said := d.run(0, "", "add", "Annual  report", "--kind", "report", "--date=1999-05-03", "--tags", "Money,1999"); said != "#1 Annual report\n" {
		t.Error(said)
	}
	d.run(0, "", "edit", "1", "--by", "Ada Ek", "--draft")
	d.run(0, "", "note", "1", "to be signed", "--by", "Bo")
	shown := d.run(0, "", "show", "1")
	for _, part := range []string{"Title: Annual report\n", "Author: Ada Ek\n", "Tags: 1999, money\n", "State: draft\n", "Note: to be signed (Bo)\n"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in %q", part, shown)
		}
	}
	if said := d.run(0, "", "find", "money"); !strings.HasSuffix(said, "0 papers found\n") {
		t.Error(said)
	}
	d.run(0, "", "remove", "1")
	if said := d.run(0, "", "list"); said != "No papers.\n" {
		t.Error(said)
	}
}

func TestRefusalsAndWrongUsage(t *testing.T) {
	d := open(t)
	d.run(cli.ExitUsage, "", "burn", "1")
	d.run(cli.ExitUsage, "", "add")
	d.run(cli.ExitUsage, "", "show", "x")
	d.run(cli.ExitUsage, "", "add", "a", "--colour", "red")
	d.run(cli.ExitRefused, "", "show", "1")
	d.run(cli.ExitRefused, "", "add", "a", "--kind", "song")
	d.run(cli.ExitRefused, "", "find", "(")
	d.run(cli.ExitRefused, "", "verify", t.TempDir())
}

func TestATableIsImportedWholeOrNotAtAll(t *testing.T) {
	d := open(t)
	if said := d.run(0, "title,date,tags\nOne,1999,\"a,b\"\nTwo,,\n", "import"); said != "2 papers imported\n" {
		t.Error(said)
	}
	if said := d.run(1, "title,date\nThree,1999\nFour,soon\n", "import"); !strings.Contains(said, "line 3") {
		t.Error(said)
	}
	if said := d.run(0, "", "stats"); said != "Archive: 2 papers from 1 year\n  2 other\n" {
		t.Error(said)
	}
}

func TestAnExportIsVerifiedAndKeptUpToDate(t *testing.T) {
	d := open(t)
	folder := filepath.Join(t.TempDir(), "papers")
	d.run(0, "", "add", "Budget", "--date", "1999", "--body", "Ten crowns")
	d.run(0, "", "add", "Secret", "--draft")
	if said := d.run(0, "", "export", folder); said != "3 files written, 0 removed\n" {
		t.Error(said)
	}
	if said := d.run(0, "", "verify", folder); said != "as it was exported\n" {
		t.Error(said)
	}
	d.run(0, "", "add", "Letter")
	d.run(0, "", "remove", "1")
	if said := d.run(0, "", "export", folder); said != "3 files written, 1 removed\n" {
		t.Error(said)
	}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), "-letter.txt") {
			os.WriteFile(filepath.Join(folder, entry.Name()), []byte("x"), 0o644)
		}
	}
	if said := d.run(1, "", "verify", folder); !strings.HasPrefix(said, "changed: ") {
		t.Error(said)
	}
}

func TestSettingsAreKept(t *testing.T) {
	d := open(t)
	d.run(0, "", "settings", "name", "Rowing", "club")
	if said := d.run(0, "", "settings", "name"); said != "Rowing club\n" {
		t.Error(said)
	}
	d.run(1, "", "settings", "order", "size")
}
