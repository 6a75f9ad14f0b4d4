// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
package heldout

import "testing"

func TestLateEntries(t *testing.T) {
	d := desked(
		t, "A1 boat", "B1 class", "C1 fee", "A2 Heron", "B2 Laser", "C2 12", "A3 Tern", "B3 470", "C3 20", "A4 Gull", "B4 laser", "C4 8",
		"E1 =COUNTIF(B2:B4, \"laser\")", "E2 =SUMIF(B2:B4, \"laser\", C2:C4)", "E3 =AVERAGEIF(C2:C4, \">=12\")", "E4 =countif( $B$2:$B$4 , B3)",
	)
	d.says("2\n", "value", "E1")
	d.says("", "insert", "3", "2")
	d.says("=SUMIF(B2:B6, \"laser\", C2:C6)\n", "input", "E2")
	d.says("=AVERAGEIF(C2:C6, \">=12\")\n", "input", "E5")
	d.says("=countif( $B$2:$B$6 , B5)\n", "input", "E6")
	d.says("", "set", "B3", "LASER")
	d.says("", "set", "C3", "10")
	d.says("3\n", "value", "E1")
	d.says("30\n", "value", "E2")
	d.says("16\n", "value", "E5")
	d.says("B2 Laser\nB3 LASER\nB6 laser\n", "where", "B2:B6", "Laser")
	d.says("B4\nC4\n", "where", "B2:C6", "")
	d.says("", "delete", "2")
	d.says("=COUNTIF(B2:B5, \"laser\")\n", "input", "E1")
	d.says("2\n", "value", "E1")
	d.says("=AVERAGEIF(C2:C5, \">=12\")\n", "input", "E4")
	d.says("20\n", "value", "E4")
	d.says("1\n", "value", "E5")
}

func TestCriteriaStayAsTheyAre(t *testing.T) {
	sheet := typed(
		t, "A1 B2", "A2 B3", "A3 B2*", "C1 =COUNTIF(A1:A3, \"=B2\")", "C2 =COUNTIF(A1:A3, \"<>B3\")", "C3 =COUNTIF(A1:A3, \"B2\"&\"*\")", "D1 =SUMIF(A1:A3,A1,B1:B3)",
	)
	if err := sheet.InsertRows(2, 1); err != nil {
		t.Fatal(err)
	}
	has(
		t, sheet, "A1 B2", "C1 =COUNTIF(A1:A4, \"=B2\")", "D1 =SUMIF(A1:A4,A1,B1:B4)", "A3 B3", "C3 =COUNTIF(A1:A4, \"<>B3\")", "A4 B2*",
		"C4 =COUNTIF(A1:A4, \"B2\"&\"*\")",
	)
	for place, want := range map[string]string{"C1": "1", "C3": "3", "C4": "2"} {
		if got := sheet.Value(at(t, place)).String(); got != want {
			t.Errorf("%s is %s, not %s", place, got, want)
		}
	}
}

func TestWhatWasTakenOut(t *testing.T) {
	sheet := typed(t, "A1 1", "A2 2", "A3 3", "B1 5", "B2 6", "B3 7", "D1 =COUNTIF(A1:A3, A2)", "E1 =SUMIF(A2:A2, \">0\")", "F1 =SUMIF(A1:A3, \">1\", B1:B3)")
	if err := sheet.DeleteRows(2, 1); err != nil {
		t.Fatal(err)
	}
	has(
		t, sheet, "A1 1", "B1 5", "D1 =COUNTIF(A1:A2, #REF!)", "E1 =SUMIF(#REF!, \">0\")", "F1 =SUMIF(A1:A2, \">1\", B1:B2)", "A2 3", "B2 7",
	)
	if got := sheet.Value(at(t, "D1")).String(); got != "#REF!" {
		t.Error(got)
	}
	if got := sheet.Value(at(t, "F1")).String(); got != "7" {
		t.Error(got)
	}
	if !sheet.Value(at(t, "E1")).Failed() {
		t.Error(sheet.Value(at(t, "E1")))
	}
}

func TestRowsInAndOut(t *testing.T) {
	sheet := typed(t, "A2 Ode", "B2 1", "A3 Bo", "B3 2", "A4 ode", "B4 4", "D9 =SUMIF(A2:A4, \"Ode\", $B$2:$B$4)&\"/\"&COUNTIF(A2:A4, \"\")")
	check := func(place, want string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got := sheet.Value(at(t, place)).String(); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	check("D9", "5/0", nil)
	check("D12", "5/3", sheet.InsertRows(4, 3))
	check("D11", "4/3", sheet.DeleteRows(2, 1))
	check("D9", "4/1", sheet.DeleteRows(3, 2))
	has(t, sheet, "A2 Bo", "B2 2", "A4 ode", "B4 4", "D9 =SUMIF(A2:A4, \"Ode\", $B$2:$B$4)&\"/\"&COUNTIF(A2:A4, \"\")")
	check("D8", "0/1", sheet.DeleteRows(4, 1))
	check("D7", "0/0", sheet.DeleteRows(3, 1))
}

func TestRowsThatAreStillEmpty(t *testing.T) {
	d := desked(
		t, "A1 3", "A2 12", "A3 none", "C1 =COUNTIF(A1:A3, \"<10\")", "D1 =COUNTIF(A1:A3, \"<>12\")", "E1 =COUNTIF(A1:A3, \"n?ne\")", "F1 =COUNTIF(A1:A3, 0)",
		"G1 =AVERAGEIF(A1:A3, \"<>\")",
	)
	d.says("1,2,1,0,7.5\n", "csv", "C1:G1")
	d.says("", "insert", "2", "2")
	d.says("1,4,1,0,7.5\n", "csv", "C1:G1")
	d.says("A1 3\nA4 12\n", "where", "A1:A5", ">=3")
	d.says("A2\nA3\n", "where", "A1:A5", "=")
	d.says("", "set", "A3", "=A4/2")
	d.says("2,4,1,0,7\n", "csv", "C1:G1")
	d.says("", "delete", "4")
	d.says("=#REF!/2\n", "input", "A3")
	d.says("1,3,1,0,3\n", "csv", "C1:G1")
	d.says("A2\n", "where", "A1:A4", "")
}

func TestFixedCriteriaAndKinds(t *testing.T) {
	sheet := typed(
		t, "A1 12", "A2 '12", "A3 TRUE", "A4 120", "B1 =COUNTIF($A$1:$A$4, $C$4)", "B2 =COUNTIF(A1:A4, \"12*\")", "B3 =SUMIF(A$1:A$4, \">\"&C$4)", "C4 12",
		"D1 =COUNTIF(A1:A4,TRUE)&LOG10(A4/1.2)",
	)
	if err := sheet.InsertRows(4, 6); err != nil {
		t.Fatal(err)
	}
	has(
		t, sheet, "A1 12", "B1 =COUNTIF($A$1:$A$10, $C$10)", "D1 =COUNTIF(A1:A10,TRUE)&LOG10(A10/1.2)", "A2 '12", "B2 =COUNTIF(A1:A10, \"12*\")", "A3 TRUE",
		"B3 =SUMIF(A$1:A$10, \">\"&C$10)", "A10 120", "C10 12",
	)
	for place, want := range map[string]string{"B1": "1", "B2": "1", "B3": "120", "D1": "12"} {
		if got := sheet.Value(at(t, place)).String(); got != want {
			t.Errorf("%s is %s, not %s", place, got, want)
		}
	}
}
