// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"example.org/tabula"
	"example.org/tabula/internal/command"
)

func at(t *testing.T, text string) tabula.Address {
	t.Helper()
	address, err := tabula.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// typed is a sheet with inputs, each as `A1 input`. A formula may be one that cannot be read.
func typed(t *testing.T, inputs ...string) *tabula.Sheet {
	t.Helper()
	sheet := tabula.New()
	for _, each := range inputs {
		place, input, _ := strings.Cut(each, " ")
		if err := sheet.Set(at(t, place), input); err != nil && !strings.HasPrefix(input, "=") {
			t.Fatal(err)
		}
	}
	return sheet
}

// has checks that a sheet has these inputs, each as `A1 input`, and no others.
func has(t *testing.T, sheet *tabula.Sheet, inputs ...string) {
	t.Helper()
	var got []string
	for _, each := range sheet.Filled() {
		got = append(got, each.String()+" "+sheet.Input(each))
	}
	if strings.Join(got, "\n") != strings.Join(inputs, "\n") {
		t.Errorf("the sheet has\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(inputs, "\n"))
	}
}

// comes checks what formulas come to, each as `formula -> value`, on a sheet that has other cells.
func comes(t *testing.T, sheet *tabula.Sheet, formulas ...string) {
	t.Helper()
	free := at(t, "ZZ1")
	for _, each := range formulas {
		formula, want, _ := strings.Cut(each, " -> ")
		if err := sheet.Set(free, "="+formula); err != nil {
			t.Errorf("%s: %v", formula, err)
		}
		if got := sheet.Value(free).String(); got != want {
			t.Errorf("%s is %s, not %s", formula, got, want)
		}
	}
	if err := sheet.Set(free, ""); err != nil {
		t.Error(err)
	}
}

// desk is a file that commands work on.
type desk struct {
	*testing.T
	file string
}

func desked(t *testing.T, inputs ...string) desk {
	t.Helper()
	d := desk{t, filepath.Join(t.TempDir(), "club.tab")}
	d.says("", "new")
	for _, each := range inputs {
		place, input, _ := strings.Cut(each, " ")
		d.says("", "set", place, input)
	}
	return d
}

func (d desk) try(args ...string) (string, int) {
	var out, wrong bytes.Buffer
	code := command.Run(append([]string{d.file}, args...), strings.NewReader(""), &out, &wrong)
	return out.String() + wrong.String(), code
}

func (d desk) says(want string, args ...string) {
	d.Helper()
	if got, code := d.try(args...); got != want || code != 0 {
		d.Errorf("%v: %d %q, not %q", args, code, got, want)
	}
}

func (d desk) fails(code int, args ...string) {
	d.Helper()
	if said, status := d.try(args...); status != code {
		d.Errorf("%v: exit status %d, not %d: %q", args, status, code, said)
	}
}
