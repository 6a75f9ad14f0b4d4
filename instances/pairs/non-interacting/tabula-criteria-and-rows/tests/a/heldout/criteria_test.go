// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"testing"

	"example.org/tabula"
)

// books are names, what each has paid, and a note.
func books(t *testing.T) *tabula.Sheet {
	t.Helper()
	return typed(
		t, "A1 Ode", "B1 12", "C1 open", "A2 Bo", "B2 8", "C2 paid", "A3 ode", "B3 -3", "C3 TRUE", "A4 Odette", "B4 12.5", "A5 Ode", "B5 twelve", "C5 '12",
	)
}

func TestCountNumbers(t *testing.T) {
	comes(
		t, books(t), "COUNTIF(B1:B5, 12) -> 1", "COUNTIF(B1:B5, \"12\") -> 1", "COUNTIF(B1:B5, \"=12\") -> 1", "COUNTIF(B1:B5, \">=12\") -> 2",
		"COUNTIF(B1:B5, \">12\") -> 1", "COUNTIF(B1:B5, \"<12\") -> 2", "COUNTIF(B1:B5, \"<=12\") -> 3", "COUNTIF(B1:B5, \"<>12\") -> 4",
		"COUNTIF(B1:B9, \"<12\") -> 2", "COUNTIF(B1:B9, 0) -> 0", "COUNTIF(B1:B9, \"<>12\") -> 8", "COUNTIF(A1:C5, 12) -> 1",
		"COUNTIF(B1:B5, \">=   12  \") -> 2", "COUNTIF(B1:B5, \"<1200%\") -> 2", "COUNTIF(B1:B5, \">\"&B2) -> 2",
		"COUNTIF(B1:B5, B1) -> 1", "COUNTIF(B1, 12) -> 1", "COUNTIF(B1, 13) -> 0", "COUNTIF(B5:B1, \">0\") -> 3", "countif(B1:B5, \"<-2.9\") -> 1",
	)
}

func TestCountTexts(t *testing.T) {
	comes(
		t, books(t), "COUNTIF(A1:A5, \"Ode\") -> 3", "COUNTIF(A1:A5, \"=ODE\") -> 3", "COUNTIF(A1:A5, \"<>ode\") -> 2", "COUNTIF(A1:A9, \"<>ode\") -> 6",
		"COUNTIF(A1:A5, \"ode*\") -> 4", "COUNTIF(A1:A5, \"*\") -> 5", "COUNTIF(A1:A9, \"*\") -> 5", "COUNTIF(B1:B5, \"*\") -> 1", "COUNTIF(A1:A5, \"?o\") -> 1",
		"COUNTIF(A1:A5, \"o?e\") -> 3", "COUNTIF(A1:A5, \"*e*t*\") -> 1", "COUNTIF(A1:A5, \"*e\") -> 4", "COUNTIF(A1:A5, \"<>*e\") -> 1", "COUNTIF(A1:A5, \"??\") -> 1",
		"COUNTIF(A1:A5, \"<f\") -> 1", "COUNTIF(A1:A5, \">=ODE\") -> 4", "COUNTIF(B1:B5, \">a\") -> 1", "COUNTIF(A1:A5, A2) -> 1", "COUNTIF(A1:A5, \"de\") -> 0",
		"COUNTIF(A1:A5, \"= bo \") -> 1",
	)
	other := typed(t, "A1 a.c", "A2 abc", "A3 a(c", "A4 a*c", "A5 höher", "A6 a\\c", "A7 [ab]c", "A8 aXbXc")
	comes(
		t, other, "COUNTIF(A1:A8, \"a.c\") -> 1", "COUNTIF(A1:A8, \"a(c\") -> 1", "COUNTIF(A1:A8, \"h?her\") -> 1", "COUNTIF(A1:A8, \"HÖHER\") -> 1",
		"COUNTIF(A1:A8, \"a\\c\") -> 1", "COUNTIF(A1:A8, \"[ab]c\") -> 1", "COUNTIF(A1:A8, \"a?c\") -> 5", "COUNTIF(A1:A8, \"a*x*c\") -> 1", "COUNTIF(A1:A8, \"a+\") -> 0",
	)
}

func TestTruthAndKinds(t *testing.T) {
	comes(
		t, books(t), "COUNTIF(C1:C5, TRUE) -> 1", "COUNTIF(C1:C5, \"true\") -> 1", "COUNTIF(C1:C5, \"<>TRUE\") -> 4", "COUNTIF(C1:C5, 1) -> 0",
		"COUNTIF(C1:C5, FALSE) -> 0", "COUNTIF(C1:C5, \">FALSE\") -> 1", "COUNTIF(C1:C5, 12) -> 0", "COUNTIF(C1:C5, \"<z\") -> 3",
	)
}

func TestEmptyCells(t *testing.T) {
	sheet := typed(t, "A1 0", "A3 x", "A4 FALSE", "A5 =\"\"")
	comes(
		t, sheet, "COUNTIF(A1:A6, \"=\") -> 2", "COUNTIF(A1:A6, \"<>\") -> 4", "COUNTIF(A1:A6, \"\") -> 2", "COUNTIF(A1:A6, B9) -> 2", "COUNTIF(A1:A6, \"  \") -> 2",
		"COUNTIF(A1:A6, \"<\") -> 0", "COUNTIF(A1:A6, \">=\") -> 0", "COUNTIF(A1:A6, \"<=\") -> 0", "COUNTIF(A1:A6, 0) -> 1", "COUNTIF(A1:A6, \"<>0\") -> 5",
		"COUNTIF(A1:A6, \"<1\") -> 1", "COUNTIF(A1:A6, \"<>x\") -> 5", "COUNTIF(A1:A6, \"*\") -> 2",
	)
}

func TestSumAndAverage(t *testing.T) {
	comes(
		t, books(t), "SUMIF(B1:B5, \">0\") -> 32.5", "SUMIF(A1:A5, \"ode\", B1:B5) -> 9", "SUMIF(A1:A5, \"ode*\", B1:B5) -> 21.5", "SUMIF(A1:A5, \"none\", B1:B5) -> 0",
		"AVERAGEIF(B1:B5, \">0\") -> 10.8333333333", "AVERAGEIF(A1:A5, \"ODE\", B1:B5) -> 4.5", "AVERAGEIF(A1:A5, \"none\", B1:B5) -> #DIV/0!",
		"AVERAGEIF(B1:B5, \"twelve\") -> #DIV/0!", "SUMIF(B1:B5, \"<>12\") -> 17.5", "SUMIF(A2, \"bo\", B2) -> 8", "SUMIF(B1:B5, 12) -> 12",
		"SUMIF(A1:B2, \"*\", B1:C2) -> 20", "SUMIF(C1:C5, \"<>\", B1:B5) -> 17", "AVERAGEIF(C1:C5, \"\", B1:B5) -> 12.5", "SUMIF(A1:A3, \"ode\", B3:B5) -> -3",
		"SUM(SUMIF(A1:A5, \"bo\", B1:B5), 1)*2 -> 18",
	)
}

func TestErrors(t *testing.T) {
	sheet := typed(t, "A1 1", "A2 =1/0", "A3 2", "B1 5", "B2 6", "B3 =SQRT(-1)")
	comes(
		t, sheet, "COUNTIF(A1:A3, \"<>7\") -> 2", "COUNTIF(A1:A3, \"<>\") -> 2", "COUNTIF(A1:A3, \"#DIV/0!\") -> 0", "COUNTIF(A1:A3, A2) -> #DIV/0!",
		"SUMIF(A1:A3, \">0\") -> 3", "SUMIF(A1:A3, 1, B1:B3) -> 5", "SUMIF(A1:A3, 2, B1:B3) -> #NUM!", "AVERAGEIF(A1:A3, \">0\", B1:B3) -> #NUM!",
		"COUNTIF(3, 3) -> #VALUE!", "COUNTIF(\"A1:A3\", 1) -> #VALUE!", "SUMIF(A1:A3, 1, B1:B2) -> #VALUE!", "SUMIF(A1:A3, 1, B1:C3) -> #VALUE!",
		"SUMIF(A1:A3, 1, 5) -> #VALUE!", "SUMIF(A1:A2, 1, B1:C1) -> #VALUE!", "COUNTIF(A1:A3) -> #VALUE!", "COUNTIF(A1:A3, 1, B1:B3) -> #VALUE!",
		"AVERAGEIF(A1+1, 1) -> #VALUE!", "IFERROR(AVERAGEIF(A1:A3, 9), \"none\") -> none",
	)
}

func TestTheyAreWorkedOutAnew(t *testing.T) {
	sheet := typed(t, "A1 1", "A2 2", "B1 =COUNTIF(A1:A9, \">\"&C1)", "C1 1")
	value := func(place, want string) {
		t.Helper()
		if got := sheet.Value(at(t, place)).String(); got != want {
			t.Errorf("%s is %s, not %s", place, got, want)
		}
	}
	value("B1", "1")
	for place, input := range map[string]string{"A5": "7", "C1": "0"} {
		if err := sheet.Set(at(t, place), input); err != nil {
			t.Fatal(err)
		}
	}
	value("B1", "3")
	dependents := sheet.Dependents(at(t, "A7"))
	if len(dependents) != 1 || dependents[0] != at(t, "B1") {
		t.Error(dependents)
	}
}

func TestWhere(t *testing.T) {
	d := desked(t, "A1 Ode", "B1 12", "A2 Bo", "B2 =B1*2", "A3 ode", "B4 =1/0", "A4 TRUE")
	d.says("A1 Ode\nA3 ode\n", "where", "A1:B4", "ode")
	d.says("B1 12\nB2 24\n", "where", "A1:B4", ">= 12")
	d.says("B1 12\n", "where", "B1", "12")
	d.says("A4 TRUE\n", "where", "A1:A4", "TRUE")
	d.says("B3\n", "where", "B1:B3", "=")
	d.says("A1 Ode\nB1 12\nA2 Bo\nB2 24\nA3 ode\nA4 TRUE\n", "where", "B4:A1", "<>")
	d.says("", "where", "A1:B4", "nobody")
	d.fails(2, "where", "A1:B4")
	d.fails(2, "where", "A", "1")
}
