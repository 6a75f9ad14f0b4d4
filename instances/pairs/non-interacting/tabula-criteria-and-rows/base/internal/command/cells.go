package command

import (
	"fmt"
	"strings"

	"example.org/tabula"
)

// cell is the argument at a place, as a cell.
func (w work) cell(place int) (tabula.Address, error) {
	at, err := tabula.ParseAddress(w.args[place])
	if err != nil {
		return at, usage("%v", err)
	}
	return at, nil
}

// area is the argument at a place, as a range; where there is none, it is all that the sheet has.
func (w work) area(place int) (tabula.Range, error) {
	if place >= len(w.args) {
		used, _ := w.sheet.Used()
		return used, nil
	}
	area, err := tabula.ParseRange(w.args[place])
	if err != nil {
		return area, usage("%v", err)
	}
	return area, nil
}

func set(w work) error {
	at, err := w.cell(0)
	if err != nil {
		return err
	}
	return w.sheet.Set(at, w.args[1])
}

func clear(w work) error {
	area, err := w.area(0)
	if err != nil {
		return err
	}
	for _, at := range w.sheet.Filled() {
		if area.Has(at) {
			if err := w.sheet.Set(at, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func input(w work) error {
	at, err := w.cell(0)
	if err == nil {
		fmt.Fprintln(w.out, w.sheet.Input(at))
	}
	return err
}

func value(w work) error {
	at, err := w.cell(0)
	if err == nil {
		fmt.Fprintln(w.out, w.sheet.Value(at))
	}
	return err
}

func show(w work) error {
	area, err := w.area(0)
	if err != nil {
		return err
	}
	return w.sheet.Show(w.out, area)
}

func writeCSV(w work) error {
	area, err := w.area(0)
	if err != nil {
		return err
	}
	return w.sheet.WriteCSV(w.out, area)
}

func readCSV(w work) error {
	from := tabula.Address{Column: 1, Row: 1}
	if len(w.args) > 0 {
		var err error
		if from, err = w.cell(0); err != nil {
			return err
		}
	}
	return w.sheet.ReadCSV(w.in, from)
}

func check(w work) error {
	problems := w.sheet.Problems()
	for _, each := range problems {
		fmt.Fprintln(w.out, strings.TrimSpace(fmt.Sprintf("%s %s %s", each.At, each.Code, each.Why)))
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d cells come to an error", len(problems))
	}
	return nil
}

func traces(w work) error {
	at, err := w.cell(0)
	if err != nil {
		return err
	}
	for _, each := range w.sheet.Precedents(at) {
		fmt.Fprintf(w.out, "looks at %s\n", each)
	}
	for _, each := range w.sheet.Dependents(at) {
		fmt.Fprintf(w.out, "is looked at by %s\n", each)
	}
	return nil
}
