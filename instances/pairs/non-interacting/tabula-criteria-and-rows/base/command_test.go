package tabula_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"example.org/tabula/internal/command"
)

// desk is a file that commands work on.
type desk struct {
	*testing.T
	file string
}

func (d desk) try(in string, args ...string) (string, int) {
	var out, wrong bytes.Buffer
	code := command.Run(append([]string{d.file}, args...), strings.NewReader(in), &out, &wrong)
	return out.String() + wrong.String(), code
}

func (d desk) says(want string, args ...string) {
	d.Helper()
	if got, code := d.try("", args...); got != want || code != 0 {
		d.Errorf("%v: %d %q, not %q", args, code, got, want)
	}
}

func (d desk) fails(code int, want string, args ...string) {
	d.Helper()
	if got, status := d.try("", args...); got != "tabula: "+want+"\n" || status != code {
		d.Errorf("%v: %d %q", args, status, got)
	}
}

func desked(t *testing.T) desk {
	t.Helper()
	d := desk{t, filepath.Join(t.TempDir(), "club.tab")}
	d.says("", "new")
	return d
}

func TestCommands(t *testing.T) {
	d := desked(t)
	if said, code := d.try("name,fee\nOde,12\nBo,8\n", "read"); code != 0 {
		t.Error(said)
	}
	d.says("", "set", "B4", "=SUM(B2:B3)")
	d.says("20\n", "value", "b4")
	d.says("=SUM(B2:B3)\n", "input", "B4")
	d.says("    A     B\n1  name  fee\n2  Ode    12\n3  Bo      8\n4         20\n", "show")
	d.says("12\n8\n", "csv", "B2:B3")
	d.says("looks at B2:B3\n", "traces", "B4")
	d.says("is looked at by B4\n", "traces", "B2")
	d.says("", "check")
	d.says("", "clear", "A2:B2")
	d.says("8\n", "value", "B4")
}

func TestFailures(t *testing.T) {
	d := desked(t)
	d.fails(1, "there is a file "+d.file+" already", "new")
	d.fails(2, "wrong use: there is no command \"fly\"; see tabula help", "fly")
	d.fails(2, "wrong use: tabula FILE set CELL INPUT", "set", "A1")
	d.fails(2, "wrong use: \"A\" is no cell: one or two letters and a row from 1 to 9999", "value", "A")
	d.fails(1, "A1: the formula ends too early", "set", "A1", "=1+")
	d.says("\n", "input", "A1")
	d.says("", "set", "A1", "=1/0")
	if said, code := d.try("", "check"); code != 1 || !strings.HasPrefix(said, "A1 #DIV/0!\n") {
		t.Error(code, said)
	}
}
