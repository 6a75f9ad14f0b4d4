// Package tabula is a small spreadsheet: cells with numbers, texts and formulas, worked out when somebody looks.
package tabula

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// ErrNotPrintable is told of an input with line breaks or the like in it.
var ErrNotPrintable = errors.New("an input is one line")

// cell is what somebody typed, and what came of it.
type cell struct {
	input   string
	formula node // nil where it is none
	// broken is why a formula cannot be read.
	broken  error
	value   Value
	known   bool
	working bool
}

// Sheet is a spreadsheet. It is not safe for several goroutines, also not for looking at values.
type Sheet struct{ cells map[Address]*cell }

// New makes an empty sheet.
func New() *Sheet { return &Sheet{map[Address]*cell{}} }

// Set puts an input into a cell: a number, a truth value, a formula after `=`, else a text; after a `'` always a text. An
// empty input clears the cell. A formula that cannot be read is kept, comes to #NAME?, and is told as an error.
func (s *Sheet) Set(at Address, input string) error {
	if !at.Valid() {
		return fmt.Errorf("a sheet has no cell %s", at)
	}
	if strings.ContainsAny(input, "\n\r\x00") {
		return ErrNotPrintable
	}
	s.forget()
	if strings.TrimSpace(input) == "" {
		delete(s.cells, at)
		return nil
	}
	made := &cell{input: input}
	if strings.HasPrefix(input, "=") {
		made.formula, made.broken = parse(input[1:])
	}
	s.cells[at] = made
	if made.broken != nil {
		return fmt.Errorf("%s: %w", at, made.broken)
	}
	return nil
}

// forget drops all values that were worked out.
func (s *Sheet) forget() {
	for _, each := range s.cells {
		each.known, each.value = false, Value{}
	}
}

// Input is what was typed into a cell.
func (s *Sheet) Input(at Address) string {
	if one := s.cells[at]; one != nil {
		return one.input
	}
	return ""
}

// Value is what a cell comes to.
func (s *Sheet) Value(at Address) Value { return s.at(at) }

func (s *Sheet) at(at Address) Value {
	one := s.cells[at]
	switch {
	case one == nil:
		return Value{}
	case one.known:
		return one.value
	case one.working:
		return ErrorValue(ErrCycle)
	}
	one.working = true
	value := s.workedOut(one)
	one.working = false
	one.value, one.known = value, true
	return value
}

func (s *Sheet) workedOut(one *cell) Value {
	switch {
	case one.broken != nil:
		return ErrorValue(ErrName)
	case one.formula == nil:
		return parseInput(one.input)
	}
	value := evaluator{s}.value(one.formula)
	if value.Kind == Empty {
		// A formula is never empty: a reference to an empty cell is 0.
		return NumberValue(0)
	}
	return value
}

// Filled gives the addresses of all cells with an input, row by row.
func (s *Sheet) Filled() []Address {
	filled := make([]Address, 0, len(s.cells))
	for at := range s.cells {
		filled = append(filled, at)
	}
	sort.Slice(filled, func(i, j int) bool { return filled[i].Before(filled[j]) })
	return filled
}

// Used is the smallest range from A1 on that has all cells with an input; `ok` is false where there are none.
func (s *Sheet) Used() (used Range, ok bool) {
	used = Range{Address{1, 1}, Address{1, 1}}
	for at := range s.cells {
		if at.Column > used.To.Column {
			used.To.Column = at.Column
		}
		if at.Row > used.To.Row {
			used.To.Row = at.Row
		}
	}
	return used, len(s.cells) > 0
}

// Precedents gives the ranges that a cell's formula looks at, in the order in which it names them.
func (s *Sheet) Precedents(at Address) []Range {
	one := s.cells[at]
	if one == nil || one.formula == nil {
		return nil
	}
	var found []Range
	walk(one.formula, func(part node) {
		if area, ok := areaOf(part); ok {
			found = append(found, area)
		}
	})
	return found
}

// Dependents gives the cells whose formulas look at a cell themselves.
func (s *Sheet) Dependents(on Address) []Address {
	var found []Address
	for _, at := range s.Filled() {
		for _, area := range s.Precedents(at) {
			if area.Has(on) {
				found = append(found, at)
				break
			}
		}
	}
	return found
}

// Problem is a cell that comes to an error.
type Problem struct {
	At   Address
	Code string
	// Why says more, where a formula cannot be read.
	Why string
}

// Problems gives all cells that come to an error.
func (s *Sheet) Problems() []Problem {
	var found []Problem
	for _, at := range s.Filled() {
		if value := s.at(at); value.Failed() {
			problem := Problem{At: at, Code: value.AsText()}
			if broken := s.cells[at].broken; broken != nil {
				problem.Why = broken.Error()
			}
			found = append(found, problem)
		}
	}
	return found
}
