package tabula_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.org/tabula"
)

func at(t *testing.T, text string) tabula.Address {
	t.Helper()
	address, err := tabula.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// typed is a sheet with inputs, each as `A1 input`.
func typed(t *testing.T, inputs ...string) *tabula.Sheet {
	t.Helper()
	sheet := tabula.New()
	for _, each := range inputs {
		place, input, _ := strings.Cut(each, " ")
		if err := sheet.Set(at(t, place), input); err != nil {
			t.Fatal(err)
		}
	}
	return sheet
}

// comes checks what formulas come to, each as `formula -> value`, on a sheet that has other cells.
func comes(t *testing.T, sheet *tabula.Sheet, formulas ...string) {
	t.Helper()
	for _, each := range formulas {
		formula, want, _ := strings.Cut(each, " -> ")
		if err := sheet.Set(at(t, "ZZ9999"), "="+formula); err != nil {
			t.Errorf("%s: %v", formula, err)
		}
		if got := sheet.Value(at(t, "ZZ9999")).String(); got != want {
			t.Errorf("%s is %s, not %s", formula, got, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]tabula.Address{
		"A1": {Column: 1, Row: 1}, "z20": {Column: 26, Row: 20}, "AA9999": {Column: 27, Row: 9999}, "ZZ1": {Column: 702, Row: 1},
	} {
		got := at(t, text)
		if got != want || got.String() != strings.ToUpper(text) {
			t.Errorf("%s is %v", text, got)
		}
	}
	for _, text := range []string{"", "A", "1", "A0", "A01", "AAA1", "A10000", "$A1", "A1:B2", "A-1", "Ä1"} {
		if got, err := tabula.ParseAddress(text); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
	if area, err := tabula.ParseRange("C3:A1"); err != nil || area.String() != "A1:C3" {
		t.Error(area, err)
	}
}

func TestInputs(t *testing.T) {
	sheet := typed(t, "A1 12", "A2 12%", "A3  true", "A4 12 apples", "A5 '007", "A6 1e3", "A7 -.5", "A8 '=A1", "A9 ''x")
	for place, want := range map[string]string{
		"A1": "12", "A2": "0.12", "A3": "TRUE", "A4": "12 apples", "A5": "007", "A6": "1000", "A7": "-0.5", "A8": "=A1", "A9": "'x", "A10": "",
	} {
		if got := sheet.Value(at(t, place)).String(); got != want {
			t.Errorf("%s is %q, not %q", place, got, want)
		}
	}
	if err := sheet.Set(at(t, "A1"), "two\nlines"); err != tabula.ErrNotPrintable {
		t.Error(err)
	}
}

func TestSigns(t *testing.T) {
	comes(
		t, typed(t, "A1 2", "A2 x", "A3 =1/0"),
		"1+2*3 -> 7", "(1+2)*3 -> 9", "-2^2 -> 4", "2^3^2 -> 64", "10-2-3 -> 5", "50%*4 -> 2", "A1&\"b\"\"c\" -> 2b\"c", "1&2=\"12\" -> TRUE",
		"\"a\"=\"A\" -> TRUE", "1<\"a\" -> TRUE", "\"a\"<TRUE -> TRUE", "B1=0 -> TRUE", "B1=\"\" -> TRUE", "A2+1 -> #VALUE!", "A3+1 -> #DIV/0!",
		"1<>1 -> FALSE", "3>=3 -> TRUE", "$A$1*a1 -> 4", "A1:A1+1 -> 3", "A1:A2+1 -> #VALUE!", "#REF!+1 -> #REF!", "0.1+0.2 -> 0.3", "B1 -> 0",
	)
}

func TestFunctions(t *testing.T) {
	comes(
		t, typed(t, "A1 4", "A2 1", "A3 nine", "A4 TRUE", "A6 -2.5", "B1 =1/0", "C1 apple", "C2 Pear", "C3 fig"),
		"SUM(A1:A6) -> 2.5", "sum(A1, 3, \"4\") -> 11", "AVERAGE(A1:A2) -> 2.5", "AVERAGE(A3) -> #DIV/0!", "COUNT(A1:B6) -> 3", "COUNTA(A1:B6) -> 6",
		"MAX(A1:A6) -> 4", "MIN(A1:A6, -3) -> -3", "MEDIAN(A1:A6) -> 1", "PRODUCT(A1:A2, 3) -> 12", "SUM(A1:B1) -> #DIV/0!", "SUM(\"x\") -> #VALUE!",
		"ROUND(2.5) -> 3", "ROUND(-2.5) -> -3", "ROUND(1.005, 2) -> 1.01", "ROUND(1234, -2) -> 1200", "INT(-1.5) -> -2", "MOD(-1, 3) -> 2", "MOD(1, 0) -> #DIV/0!",
		"LOG10(1000) -> 3", "log10 (100) -> 2", "SQRT(-1) -> #NUM!", "ABS(A6) -> 2.5",
		"LEFT(\"höher\", 2) -> hö", "RIGHT(C1, 9) -> apple", "MID(C1, 2, 3) -> ppl", "FIND(\"p\", C1, 3) -> 3", "FIND(\"P\", C1) -> #VALUE!",
		"LEN(C1) -> 5", "TRIM(\"  a   b \") -> a b", "CONCAT(C1:C3) -> applePearfig", "SUBST(C1, \"p\", \"b\") -> abble", "REPT(\"ab\", 2) -> abab",
		"UPPER(C3)&LOWER(C2) -> FIGpear", "EXACT(\"a\", \"A\") -> FALSE", "VALUE(\" 12% \") -> 0.12", "VALUE(C1) -> #VALUE!",
		"IF(A1>A2, \"more\", B1) -> more", "IF(A2>A1, 1) -> FALSE", "IFERROR(B1, \"none\") -> none", "ISERROR(B1) -> TRUE", "ISBLANK(A5) -> TRUE",
		"AND(A1, A2) -> TRUE", "OR(0, FALSE) -> FALSE", "NOT(A3) -> #VALUE!", "INDEX(A1:C3, 2, 3) -> Pear", "INDEX(A1:C1, 3) -> apple",
		"INDEX(A1:A3, 4) -> #REF!", "MATCH(\"PEAR\", C1:C3) -> 2", "MATCH(7, A1:A6) -> #N/A", "NOSUCH(1) -> #NAME?", "ABS() -> #VALUE!",
	)
	if names := tabula.FunctionNames(); len(names) < 30 || names[0] != "ABS" {
		t.Error(names)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	sheet := tabula.New()
	for _, input := range []string{"=", "=1+", "=(1", "=1 2", "=A1:", "=A1:5", "=SUM(1;2)", "=\"a", "=fees", "=#OOPS", "=$", "=1..2", "=SUM(1,)"} {
		if err := sheet.Set(at(t, "A1"), input); err == nil {
			t.Errorf("%s was read", input)
		}
		if sheet.Value(at(t, "A1")).String() != tabula.ErrName || sheet.Input(at(t, "A1")) != input {
			t.Errorf("%s: %s", input, sheet.Value(at(t, "A1")))
		}
	}
}

func TestWorkedOutAnew(t *testing.T) {
	sheet := typed(t, "A1 1", "A2 =A1+1", "A3 =A2*10")
	if got := sheet.Value(at(t, "A3")).String(); got != "20" {
		t.Error(got)
	}
	if err := sheet.Set(at(t, "A1"), "2"); err != nil {
		t.Fatal(err)
	}
	if got := sheet.Value(at(t, "A3")).String(); got != "30" {
		t.Error(got)
	}
	circle := typed(t, "A1 =B1", "B1 =C1+1", "C1 =A1", "D1 =D1")
	for _, place := range []string{"A1", "B1", "C1", "D1"} {
		if got := circle.Value(at(t, place)).String(); got != tabula.ErrCycle {
			t.Errorf("%s is %s", place, got)
		}
	}
}

func TestTraces(t *testing.T) {
	sheet := typed(t, "A1 1", "B1 =SUM(A1:A9)+C1*(-A2%)", "B2 =IF(A1=0, B1)")
	if got := fmt.Sprint(sheet.Precedents(at(t, "B1"))); got != "[A1:A9 C1 A2]" {
		t.Error(got)
	}
	if got := fmt.Sprint(sheet.Dependents(at(t, "A1"))); got != "[B1 B2]" {
		t.Error(got)
	}
	if used, ok := sheet.Used(); !ok || used.String() != "A1:B2" {
		t.Error(used, ok)
	}
}

func TestSavedAndLoaded(t *testing.T) {
	sheet := typed(t, "B2 = A1 + 1", "A1 'x", "C1 \ta")
	_ = sheet.Set(at(t, "D4"), "=oops")
	var file bytes.Buffer
	if err := sheet.Save(&file); err != nil {
		t.Fatal(err)
	}
	if want := "tabula 1\nA1\t'x\nC1\t\ta\nB2\t= A1 + 1\nD4\t=oops\n"; file.String() != want {
		t.Errorf("%q", file.String())
	}
	loaded, err := tabula.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(loaded.Filled(), sheet.Filled()) || loaded.Input(at(t, "D4")) != "=oops" {
		t.Error(loaded.Filled())
	}
	for _, text := range []string{"", "tabula 2\n", "tabula 1\nA1 x\n", "tabula 1\nA0\tx\n"} {
		if _, err := tabula.Load(strings.NewReader(text)); err == nil {
			t.Errorf("%q was loaded", text)
		}
	}
}

func TestCSV(t *testing.T) {
	sheet := tabula.New()
	if err := sheet.ReadCSV(strings.NewReader("name,fee\n\"Ode, M.\",12\n=A1,'x\n\"two\nlines\",\n"), at(t, "B2")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	used, _ := sheet.Used()
	if err := sheet.WriteCSV(&out, used); err != nil {
		t.Fatal(err)
	}
	if want := ",,\n,name,fee\n,\"Ode, M.\",12\n,=A1,'x\n,two lines,\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}

func TestShown(t *testing.T) {
	sheet := typed(t, "A1 name", "B1 fee", "C1 paid", "A2 Ode", "B2 12.5", "C2 TRUE", "A10 a text that is far too long for a column", "B10 =1/0")
	var out bytes.Buffer
	area, _ := tabula.ParseRange("A1:C2")
	if err := sheet.Show(&out, area); err != nil {
		t.Fatal(err)
	}
	if want := "    A     B     C\n1  name  fee   paid\n2  Ode   12.5  TRUE\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	area, _ = tabula.ParseRange("A10:B10")
	if err := sheet.Show(&out, area); err != nil {
		t.Fatal(err)
	}
	if want := "               A                B\n10  a text that is far too …  #DIV/0!\n"; !strings.HasSuffix(out.String(), strings.SplitN(want, "\n", 2)[1]) {
		t.Errorf("%q", out.String())
	}
}
