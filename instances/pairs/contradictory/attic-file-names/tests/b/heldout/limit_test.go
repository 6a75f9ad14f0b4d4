// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/attic/internal/store"
)

var front = regexp.MustCompile(`^(undated-|[0-9-]+)`)

// fitting says what a name must be whose title is in these plain words.
func fitting(name, title, extension string, limit int) string {
	head := front.FindString(name)
	room := limit - len(head) - len(extension) - 1
	words := strings.Split(title, "-")
	for count := len(words); count > 0; count-- {
		if kept := strings.Join(words[:count], "-"); len(kept) <= room {
			return head + kept + "." + extension
		}
	}
	return head + words[0][:room] + "." + extension
}

var long = map[string]string{
	"Annual report of the treasurer and of the board": "annual-report-of-the-treasurer-and-of-the-board",
	"Vereinssatzungsänderungsantragsformular, neu":    "vereinssatzungsaenderungsantragsformular-neu",
	"On the state of the boathouse's roof":            "on-the-state-of-the-boathouses-roof",
	"Tea":                                             "tea",
	"A b c d e f g h i j k l m n o p q r s t":         "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t",
}

func TestNoNameIsLongerThanTheLimit(t *testing.T) {
	for _, limit := range []string{"32", "24", "40", "27", "200"} {
		for title, plain := range long {
			for _, extension := range []string{"txt", "jpeg", "md"} {
				d := open(t)
				d.run("settings", "nameLimit", limit)
				d.add(title + "|1999-05-03|" + extension)
				name := d.plan()[0]
				d.equal(title+" "+limit, name, fitting(name, plain, extension, number(limit)))
				if len(name) > number(limit) || !strings.HasSuffix(name, "."+extension) || strings.Contains(name, "-.") {
					t.Error(name)
				}
			}
		}
	}
}

func number(text string) int {
	value := 0
	for _, digit := range text {
		value = 10*value + int(digit-'0')
	}
	return value
}

func TestTheUsualLimitIs32(t *testing.T) {
	d := open(t)
	d.add("Annual report of the treasurer and of the board|1999-05-03", "Tea|")
	for i, plain := range []string{"annual-report-of-the-treasurer-and-of-the-board", "tea"} {
		name := d.plan()[i]
		d.equal("name", name, fitting(name, plain, "txt", 32))
	}
	d.equal("setting", d.run("settings", "nameLimit"), "32\n")
}

func TestWordsThatJustFitStay(t *testing.T) {
	d := open(t)
	d.add("Tea tea tea tea tea tea tea tea tea tea tea tea tea|1999-05-03")
	title := strings.TrimSuffix(strings.Repeat("tea-", 13), "-")
	for limit := 24; limit <= 60; limit++ {
		if _, code := d.try("settings", "nameLimit", itoa(limit)); code != 0 {
			t.Fatal(limit)
		}
		name := d.plan()[0]
		d.equal(itoa(limit), name, fitting(name, title, "txt", limit))
	}
}

func itoa(number int) string { return string([]byte{byte('0' + number/10), byte('0' + number%10)}) }

func TestTheShortNameIsUsedEverywhere(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "26")
	d.add("Annual report of the treasurer and of the board|1999-05-03")
	folder := filepath.Join(t.TempDir(), "out")
	d.run("export", folder)
	files, rows, links := d.exported(folder)
	name := fitting(files[0], "annual-report-of-the-treasurer-and-of-the-board", "txt", 26)
	d.equal("files", files, []string{name})
	d.equal("list", rows[0]["file"], name)
	d.equal("links", links, []string{name})
	d.equal("plan", d.plan(), []string{name})
	d.equal("show", d.shown("1"), name)
	d.equal("verify", d.run("verify", folder), "as it was exported\n")
	d.run("settings", "nameLimit", "60")
	d.run("export", folder)
	files, _, _ = d.exported(folder)
	d.equal("files", files, []string{fitting(name, "annual-report-of-the-treasurer-and-of-the-board", "txt", 60)})
}

func TestTheListTellsWhichWereShortened(t *testing.T) {
	d := open(t)
	d.add("Tea|1999-05-03", "Annual report of the treasurer and of the board|1999-05-03", "???|1999-05-03")
	folder := filepath.Join(t.TempDir(), "out")
	d.run("export", folder)
	_, rows, _ := d.exported(folder)
	d.equal("shortened", []string{rows[0]["shortened"], rows[1]["shortened"], rows[2]["shortened"]}, []string{"no", "yes", "no"})
	content, _ := os.ReadFile(filepath.Join(folder, "index.csv"))
	heading, _, _ := strings.Cut(string(content), "\n")
	d.equal("heading", heading, "number,date,title,kind,file,sha256,shortened")
	d.run("settings", "nameLimit", "100")
	d.run("export", folder)
	_, rows, _ = d.exported(folder)
	d.equal("then", rows[1]["shortened"], "no")
}

func TestTheLimitIsASetting(t *testing.T) {
	d := open(t)
	for _, value := range []string{"23", "201", "x", "-30", "30.5", ""} {
		if said, code := d.try("settings", "nameLimit", value); code != 1 || !strings.Contains(said, "setting nameLimit") {
			t.Errorf("%q: %d %s", value, code, said)
		}
	}
	d.run("settings", "nameLimit", "24")
	d.run("settings", "nameLimit", "200")
	if said := d.run("settings"); !strings.Contains(said, "nameLimit = 200\n") {
		t.Error(said)
	}
	_, err := store.DefaultSettings().With("nameLimit", "7")
	if _, is := err.(*store.SettingError); !is {
		t.Error(err)
	}
}

func TestAnArchiveFromBeforeHasTheUsualLimit(t *testing.T) {
	d := open(t)
	before := `{"format": 1, "last": 1, "settings": {"name": "Old", "order": "number", "withDrafts": false, "titleWidth": 40},
		"documents": [{"number": 1, "title": "Minutes of the meeting about the boathouse", "kind": "minutes", "date": "1999", "extension": "txt", "body": ""}]}`
	if err := os.WriteFile(d.file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	name := d.plan()[0]
	d.equal("name", name, fitting(name, "minutes-of-the-meeting-about-the-boathouse", "txt", 32))
	d.equal("setting", d.run("settings", "nameLimit"), "32\n")
}
