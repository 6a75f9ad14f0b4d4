// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"
)

const report = "Annual report of the treasurer"

func TestPapersThatShareAShortNameAreToldApart(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "24")
	d.add(report+"|1999-05-03", "Annual fees|1999-05-03", "Annual rowing trip|1999-05-03", "Annual|1999-05-03")
	d.equal("plan", d.plan(), []string{
		"1999-05-03-annual.txt", "1999-05-03-annual-2.txt", "1999-05-03-annual-3.txt", "1999-05-03-annual-4.txt",
	})
}

func TestTheNumberBehindATitleCountsToo(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "24")
	d.add("Harvest a|1999-05-03", "Harvest a|1999-05-03", "Oppositional|1999-05-03", "Oppositional|1999-05-03")
	d.equal("plan", d.plan(), []string{
		"1999-05-03-harvest-a.txt", "1999-05-03-harvest-2.txt", "1999-05-03-oppositio.txt", "1999-05-03-opposit-2.txt",
	})
}

func TestAShortNameOfOnesOwnIsGivenToNoOther(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "24")
	d.add("Harvest a|1999-05-03", "Harvest a|1999-05-03", "Harvest 2 and more|1999-05-03", "Harvest a|1999-05-03")
	d.equal("plan", d.plan(), []string{
		"1999-05-03-harvest-a.txt", "1999-05-03-harvest-3.txt", "1999-05-03-harvest-2.txt", "1999-05-03-harvest-4.txt",
	})
}

func TestLongNumbersShortenTheTitleFurther(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "24")
	for count := 0; count < 101; count++ {
		d.add("Budgets|1999-05-03")
	}
	names := d.plan()
	for at, want := range map[int]string{0: "budgets", 1: "budgets-2", 8: "budgets-9", 9: "budget-10", 98: "budget-99", 99: "budge-100"} {
		d.equal(fmt.Sprint(at), names[at], "1999-05-03-"+want+".txt")
	}
}

func TestAShorterDateLeavesMoreOfTheTitle(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "28")
	d.add(report+"|1999-05-03", report+"|1999-05", report+"|1999", report+"|", report+"|1999|jpeg")
	d.equal("plan", d.plan(), []string{
		"1999-05-03-annual-report.txt", "1999-05-annual-report-of.txt", "1999-annual-report-of.txt",
		"undated-annual-report-of.txt", "1999-annual-report-of.jpeg",
	})
}

func TestShortNamesAreTheSameInEverySelection(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "24")
	d.add(report+"|1999-05-03|draft", "Annual fees|1999-05-03", "Annual trip|1999-05-03")
	d.equal("all", d.plan(), []string{"1999-05-03-annual-2.txt", "1999-05-03-annual-3.txt"})
	d.equal("one", d.plan("number:3"), []string{"1999-05-03-annual-3.txt"})
	d.equal("show", d.shown("3"), "1999-05-03-annual-3.txt")
	d.equal("show", d.shown("1"), "1999-05-03-annual.txt")
}

func TestTheListTellsOfTitlesThatGaveWayToANumber(t *testing.T) {
	d := open(t)
	d.run("settings", "nameLimit", "24")
	d.add("Harvest a|1999-05-03", "Harvest a|1999-05-03", "Tea|1999-05-03", "Tea|1999-05-03")
	folder := filepath.Join(t.TempDir(), "out")
	d.run("export", folder)
	files, rows, links := d.exported(folder)
	var told []string
	for i, row := range rows {
		told = append(told, row["shortened"])
		d.equal("link", links[i], row["file"])
	}
	d.equal("shortened", told, []string{"no", "yes", "no", "no"})
	d.equal("files", files, []string{"1999-05-03-harvest-2.txt", "1999-05-03-harvest-a.txt", "1999-05-03-tea-2.txt", "1999-05-03-tea.txt"})
	d.run("settings", "nameLimit", "40")
	d.run("export", folder)
	files, _, _ = d.exported(folder)
	d.equal("then", files, []string{"1999-05-03-harvest-a-2.txt", "1999-05-03-harvest-a.txt", "1999-05-03-tea-2.txt", "1999-05-03-tea.txt"})
	d.equal("verify", d.run("verify", folder), "as it was exported\n")
}

func TestBothHoldForManyPapers(t *testing.T) {
	words := strings.Fields("boat boathouse roof oar 2 3 oppositional the of tea report annual")
	for seed := int64(1); seed <= 4; seed++ {
		roll := rand.New(rand.NewSource(seed))
		d := open(t)
		for count := 0; count < 40; count++ {
			var title []string
			for length := 1 + roll.Intn(6); length > 0; length-- {
				title = append(title, words[roll.Intn(len(words))])
			}
			d.add(strings.Join(title, " ") + "|" + []string{"1999-05-03", "1999-05", "1999", ""}[roll.Intn(4)])
		}
		for _, limit := range []int{24, 29, 32, 60} {
			d.run("settings", "nameLimit", fmt.Sprint(limit))
			names := d.plan()
			seen := map[string]bool{}
			for i, name := range names {
				if len(name) > limit || seen[name] || strings.Contains(name, "--") || strings.Contains(name, "-.") {
					t.Errorf("seed %d, limit %d: %s", seed, limit, name)
				}
				seen[name] = true
				if i%10 == 0 {
					d.equal("alone", d.plan(fmt.Sprintf("number:%d", i+1)), []string{name})
				}
			}
		}
	}
}
