// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"path/filepath"
	"sort"
	"testing"
)

func TestNamesBeginWithWhatIsKnownOfTheDate(t *testing.T) {
	d := open(t)
	d.add("Budget|1999-05-03", "Budget|1999-05", "Budget|1999", "Budget|")
	d.equal("plan", d.plan(), []string{"1999-05-03-budget.txt", "1999-05-budget.txt", "1999-budget.txt", "undated-budget.txt"})
}

func TestTitleAndExtensionAreAsBefore(t *testing.T) {
	d := open(t)
	d.add("Smør & brød|2001|md", "Bo's list|2001", "???|2001|jpg")
	d.equal("plan", d.plan(), []string{"2001-smoer-broed.md", "2001-bos-list.txt", "2001-other.jpg"})
}

func TestTheLowestNumberKeepsASharedName(t *testing.T) {
	d := open(t)
	d.add("Budget|1999", "Budget|1999", "BUDGET!|1999", "Budget|1999|md", "Budget|2000")
	want := []string{"1999-budget.txt", "1999-budget-2.txt", "1999-budget-3.txt", "1999-budget.md", "2000-budget.txt"}
	d.equal("plan", d.plan(), want)
	d.run("settings", "order", "title")
	got := d.plan()
	sort.Strings(got)
	sort.Strings(want)
	d.equal("in another order", got, want)
	d.equal("the lowest", d.shown("1"), "1999-budget.txt")
}

func TestANameOfOnesOwnIsGivenToNoOther(t *testing.T) {
	d := open(t)
	d.add("Budget|1999", "Budget|1999", "Budget 2|1999", "Budget|1999", "Budget 4|1999", "Budget 2|1999")
	d.equal("plan", d.plan(), []string{
		"1999-budget.txt", "1999-budget-3.txt", "1999-budget-2.txt", "1999-budget-5.txt", "1999-budget-4.txt", "1999-budget-2-2.txt",
	})
}

func TestTheNameIsTheSameInEverySelection(t *testing.T) {
	d := open(t)
	d.add("Plan|1999|draft", "Plan|1999", "Plan|1999", "Other|1999")
	d.equal("all", d.plan(), []string{"1999-plan-2.txt", "1999-plan-3.txt", "1999-other.txt"})
	d.equal("one", d.plan("number:3"), []string{"1999-plan-3.txt"})
	d.equal("two", d.plan("number>2"), []string{"1999-plan-3.txt", "1999-other.txt"})
	d.run("settings", "withDrafts", "on")
	d.equal("with drafts", d.plan("title:plan"), []string{"1999-plan.txt", "1999-plan-2.txt", "1999-plan-3.txt"})
}

func TestItIsTheSameNameEverywhere(t *testing.T) {
	d := open(t)
	d.add("Plan|1999", "Letter|", "Plan|1999")
	folder := filepath.Join(t.TempDir(), "out")
	d.run("export", folder, "number>1")
	files, rows, links := d.exported(folder)
	want := []string{"1999-plan-2.txt", "undated-letter.txt"}
	d.equal("files", files, want)
	d.equal("list", []string{rows[0]["file"], rows[1]["file"]}, []string{"undated-letter.txt", "1999-plan-2.txt"})
	sort.Strings(links)
	d.equal("links", links, want)
	d.equal("show", d.shown("3"), "1999-plan-2.txt")
	d.equal("show", d.shown("2"), "undated-letter.txt")
	d.equal("verify", d.run("verify", folder), "as it was exported\n")
}

func TestNamesFollowWhatBecomesOfThePapers(t *testing.T) {
	d := open(t)
	folder := filepath.Join(t.TempDir(), "out")
	d.add("Plan|1999", "Plan|1999", "Plan|1999")
	d.run("export", folder)
	d.run("remove", "1")
	d.run("edit", "3", "--date", "2000-02")
	d.run("export", folder)
	files, _, _ := d.exported(folder)
	d.equal("files", files, []string{"1999-plan.txt", "2000-02-plan.txt"})
	d.equal("verify", d.run("verify", folder), "as it was exported\n")
}
