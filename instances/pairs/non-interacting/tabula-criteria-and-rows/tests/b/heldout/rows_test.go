// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import (
	"testing"

	"example.org/tabula"
)

func TestRowsArePutIn(t *testing.T) {
	sheet := typed(t, "A1 one", "B2 2", "A3 three", "C3 =B2", "A9 'nine")
	if err := sheet.InsertRows(3, 2); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A1 one", "B2 2", "A5 three", "C5 =B2", "A11 'nine")
	if err := sheet.InsertRows(1, 1); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A2 one", "B3 2", "A6 three", "C6 =B3", "A12 'nine")
	if got := sheet.Value(at(t, "C6")).String(); got != "2" {
		t.Error(got)
	}
}

func TestRowsAreTakenOut(t *testing.T) {
	sheet := typed(t, "A1 1", "A2 2", "B2 x", "A3 3", "A4 4", "B4 =A1+A4", "A5 5")
	if err := sheet.DeleteRows(2, 2); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A1 1", "A2 4", "B2 =A1+A2", "A3 5")
	if got := sheet.Value(at(t, "B2")).String(); got != "5" {
		t.Error(got)
	}
	if err := sheet.DeleteRows(3, 1); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A1 1", "A2 4", "B2 =A1+A2")
}

func TestReferencesFollow(t *testing.T) {
	sheet := typed(t, "A1 =A4+$A$5*A$6-$A7+B3%", "A2 =A2+a3", "A5 =A1&A5&A6")
	if err := sheet.InsertRows(5, 3); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A1 =A4+$A$8*A$9-$A10+B3%", "A2 =A2+a3", "A8 =A1&A8&A9")
	if err := sheet.DeleteRows(5, 2); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A1 =A4+$A$6*A$7-$A8+B3%", "A2 =A2+a3", "A6 =A1&A6&A7")
}

func TestRangesFollow(t *testing.T) {
	inputs := []string{"E1 =SUM(A3:B6)", "E2 =SUM($A$3:$A$3)", "F1 =SUM(A6:A3)"}
	for _, each := range []struct {
		row, count int
		want       []string
	}{
		{7, 2, inputs},
		{3, 2, []string{"E1 =SUM(A5:B8)", "E2 =SUM($A$5:$A$5)", "F1 =SUM(A8:A5)"}},
		{4, 1, []string{"E1 =SUM(A3:B7)", "E2 =SUM($A$3:$A$3)", "F1 =SUM(A7:A3)"}},
		{6, 1, []string{"E1 =SUM(A3:B7)", "E2 =SUM($A$3:$A$3)", "F1 =SUM(A7:A3)"}},
		{4, -2, []string{"E1 =SUM(A3:B4)", "E2 =SUM($A$3:$A$3)", "F1 =SUM(A4:A3)"}},
		{3, -2, []string{"E1 =SUM(A3:B4)", "E2 =SUM(#REF!)", "F1 =SUM(A4:A3)"}},
		{5, -2, []string{"E1 =SUM(A3:B4)", "E2 =SUM($A$3:$A$3)", "F1 =SUM(A4:A3)"}},
		{5, -9, []string{"E1 =SUM(A3:B4)", "E2 =SUM($A$3:$A$3)", "F1 =SUM(A4:A3)"}},
		{3, -3, []string{"E1 =SUM(A3:B3)", "E2 =SUM(#REF!)", "F1 =SUM(A3:A3)"}},
		{3, -4, []string{"E1 =SUM(#REF!)", "E2 =SUM(#REF!)", "F1 =SUM(#REF!)"}},
		{7, -1, inputs},
	} {
		// The rows are read in the order of the columns, so that E1 and F1 stand before E2.
		sheet := typed(t, inputs...)
		err := error(nil)
		if each.count > 0 {
			err = sheet.InsertRows(each.row, each.count)
		} else {
			err = sheet.DeleteRows(each.row, -each.count)
		}
		if err != nil {
			t.Error(err)
		}
		has(t, sheet, each.want[0], each.want[2], each.want[1])
	}
}

func TestARangeFromAbove(t *testing.T) {
	sheet := typed(t, "E9 =SUM(A3:A6)", "A3 1", "A4 2", "A5 4", "A6 8")
	if err := sheet.DeleteRows(2, 3); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A2 4", "A3 8", "E6 =SUM(A2:A3)")
	if got := sheet.Value(at(t, "E6")).String(); got != "12" {
		t.Error(got)
	}
}

func TestWhatWasTakenOut(t *testing.T) {
	sheet := typed(t, "A1 =A5+1", "B1 =IFERROR($A$5, 7)&A6", "C1 =a5", "D1 =SUM(A4, A5:C5)", "A5 5", "A6 6")
	if err := sheet.DeleteRows(5, 1); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A1 =#REF!+1", "B1 =IFERROR(#REF!, 7)&A5", "C1 =#REF!", "D1 =SUM(A4, #REF!)", "A5 6")
	for place, want := range map[string]string{"A1": tabula.ErrRef, "B1": "76", "C1": tabula.ErrRef, "D1": tabula.ErrRef} {
		if got := sheet.Value(at(t, place)).String(); got != want {
			t.Errorf("%s is %s, not %s", place, got, want)
		}
	}
}

func TestTheRestStaysAsTyped(t *testing.T) {
	sheet := typed(
		t, "A1 = log10( A9 ) + LOG10 (100) +  sum(a1,\tB9 )", "A2 =\"A9 and \"\"A9\"\"\"&A9", "A3 A9", "A4 '=A9", "A5 =A9+", "A6 =If(TRUE,a2, a9)", "A7 =MAX( A8 : A10 )",
		"B1 =1e9+2.5E10&\"x\"", "B2 =AB9-ab8/Z9", "B3 =#REF!+A9", "B4 =fees9+A9", "B5  =A9",
	)
	if err := sheet.InsertRows(9, 1); err != nil {
		t.Fatal(err)
	}
	has(
		t, sheet, "A1 = log10( A10 ) + LOG10 (100) +  sum(a1,\tB10 )", "B1 =1e9+2.5E10&\"x\"", "A2 =\"A9 and \"\"A9\"\"\"&A10", "B2 =AB10-ab8/Z10",
		"A3 A9", "B3 =#REF!+A10", "A4 '=A9", "B4 =fees9+A9", "A5 =A9+", "B5  =A9", "A6 =If(TRUE,a2, A10)", "A7 =MAX( A8 : A11 )",
	)
}

func TestEveryCellIsKept(t *testing.T) {
	sheet := typed(t, "A5 =oops(", "B5 TRUE", "C5 ''x", "D5 12%", "ZZ5 =$ZZ$5")
	if err := sheet.InsertRows(5, 1); err != nil {
		t.Fatal(err)
	}
	has(t, sheet, "A6 =oops(", "B6 TRUE", "C6 ''x", "D6 12%", "ZZ6 =$ZZ$6")
	if got := sheet.Value(at(t, "A6")).String(); got != tabula.ErrName {
		t.Error(got)
	}
}

func TestValuesAreNotOld(t *testing.T) {
	sheet := typed(t, "A1 1", "A2 2", "B5 =A2*10", "B6 =ISBLANK(A3)")
	for _, place := range []string{"B5", "B6"} {
		sheet.Value(at(t, place))
	}
	if err := sheet.DeleteRows(2, 1); err != nil {
		t.Fatal(err)
	}
	if got := sheet.Value(at(t, "B4")).String() + sheet.Value(at(t, "B5")).String(); got != "#REF!TRUE" {
		t.Error(got)
	}
	if got := sheet.Dependents(at(t, "A2")); len(got) != 1 || got[0] != at(t, "B5") {
		t.Error(got)
	}
}

func TestRefused(t *testing.T) {
	inputs := []string{"A1 =C9990", "B1 =SUM(D1:D9995)", "A5 5", "A9000 x"}
	for _, each := range [][2]int{{0, 1}, {-1, 1}, {10000, 1}, {5, 0}, {5, -1}, {5, 5}, {9995, 5}, {9000, 10}, {9990, 9}} {
		sheet := typed(t, inputs...)
		if err := sheet.InsertRows(each[0], each[1]); err == nil {
			t.Errorf("%d rows were put in before %d", each[1], each[0])
		}
		has(t, sheet, inputs...)
	}
	for _, each := range [][2]int{{0, 1}, {-1, 1}, {10000, 1}, {5, 0}, {5, -1}, {5, 9996}, {9999, 2}} {
		sheet := typed(t, inputs...)
		if err := sheet.DeleteRows(each[0], each[1]); err == nil {
			t.Errorf("%d rows were taken out from %d on", each[1], each[0])
		}
		has(t, sheet, inputs...)
	}
	sheet := typed(t, inputs...)
	if err := sheet.InsertRows(2, 4); err != nil {
		t.Error(err)
	}
	has(t, sheet, "A1 =C9994", "B1 =SUM(D1:D9999)", "A9 5", "A9004 x")
	if err := sheet.InsertRows(9999, 1); err == nil {
		t.Error("a range ends in row 9999, and it was moved")
	}
	if err := sheet.DeleteRows(2, 9998); err != nil {
		t.Error(err)
	}
	has(t, sheet, "A1 =#REF!", "B1 =SUM(D1:D1)")
	full := typed(t, "A9999 x")
	if err := full.InsertRows(1, 1); err == nil {
		t.Error("what was typed is gone")
	}
	has(t, full, "A9999 x")
}

func TestCommands(t *testing.T) {
	d := desked(t, "A1 name", "B1 fee", "A2 Ode", "B2 12", "A3 Bo", "B3 8", "B4 =SUM(B2:B3)")
	d.says("", "insert", "3")
	d.says("=SUM(B2:B4)\n", "input", "B5")
	d.says("", "set", "B3", "5")
	d.says("25\n", "value", "B5")
	d.says("looks at B2:B4\n", "traces", "B5")
	d.says("", "insert", "1", "2")
	d.says("=SUM(B4:B6)\n", "input", "B7")
	d.says("", "delete", "1", "2")
	d.says("", "delete", "2")
	d.says("13\n", "value", "B4")
	d.fails(1, "insert", "0")
	d.fails(1, "insert", "9999", "0")
	d.fails(1, "delete", "9999", "2")
	d.fails(2, "insert")
	d.fails(2, "insert", "two")
	d.fails(2, "delete", "2", "1.5")
	d.fails(2, "delete", "2", "1", "1")
	d.says("=SUM(B2:B3)\n", "input", "B4")
}
