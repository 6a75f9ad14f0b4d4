package tabula

import (
	"fmt"
	"strconv"
	"strings"
)

// The largest sheet: column ZZ, row 9999.
const (
	MaxColumn = 702
	MaxRow    = 9999
)

// Address is the place of a cell; both count from 1.
type Address struct{ Column, Row int }

// String writes an address as `AB12`.
func (a Address) String() string { return ColumnName(a.Column) + strconv.Itoa(a.Row) }

// Valid tells whether a sheet has such a place.
func (a Address) Valid() bool {
	return a.Column >= 1 && a.Column <= MaxColumn && a.Row >= 1 && a.Row <= MaxRow
}

// Before orders addresses by row, then by column.
func (a Address) Before(other Address) bool {
	if a.Row != other.Row {
		return a.Row < other.Row
	}
	return a.Column < other.Column
}

// ColumnName writes a column's number in letters: 1 is A, 27 is AA.
func ColumnName(column int) string {
	name := ""
	for column > 0 {
		column--
		name = string(rune('A'+column%26)) + name
		column /= 26
	}
	return name
}

// ParseAddress reads `AB12`, in capital or small letters.
func ParseAddress(text string) (Address, error) {
	ref, ok := parseRef(text)
	if !ok || ref.FixedColumn || ref.FixedRow {
		return Address{}, fmt.Errorf("%q is no cell: one or two letters and a row from 1 to %d", text, MaxRow)
	}
	return ref.Address, nil
}

// Ref is an address as a formula has it; a `$` before a part marks it as fixed for whoever copies the formula.
type Ref struct {
	Address
	FixedColumn, FixedRow bool
}

// String writes a reference as `$A$1`.
func (r Ref) String() string {
	text := ""
	if r.FixedColumn {
		text = "$"
	}
	text += ColumnName(r.Column)
	if r.FixedRow {
		text += "$"
	}
	return text + strconv.Itoa(r.Row)
}

// parseRef reads a reference; `ok` is false where the text is none, or one beyond the largest sheet.
func parseRef(text string) (ref Ref, ok bool) {
	rest := text
	rest, ref.FixedColumn = cutDollar(rest)
	letters := 0
	for letters < len(rest) && isLetter(rest[letters]) {
		ref.Column = ref.Column*26 + int(rest[letters]|0x20-'a') + 1
		letters++
	}
	if letters == 0 || letters > 2 {
		return Ref{}, false
	}
	rest, ref.FixedRow = cutDollar(rest[letters:])
	if rest == "" || rest[0] == '0' || strings.Trim(rest, "0123456789") != "" {
		return Ref{}, false
	}
	row, err := strconv.Atoi(rest)
	ref.Row = row
	return ref, err == nil && ref.Valid()
}

func cutDollar(text string) (string, bool) {
	if strings.HasPrefix(text, "$") {
		return text[1:], true
	}
	return text, false
}

// Range is a rectangle of cells, both corners in it.
type Range struct{ From, To Address }

// ParseRange reads `A1:B3`, or one cell as a range of its own.
func ParseRange(text string) (Range, error) {
	first, last, found := strings.Cut(text, ":")
	if !found {
		last = first
	}
	from, err := ParseAddress(first)
	if err != nil {
		return Range{}, err
	}
	to, err := ParseAddress(last)
	if err != nil {
		return Range{}, err
	}
	return NewRange(from, to), nil
}

// NewRange makes a range of any two opposite corners.
func NewRange(one, other Address) Range {
	if one.Column > other.Column {
		one.Column, other.Column = other.Column, one.Column
	}
	if one.Row > other.Row {
		one.Row, other.Row = other.Row, one.Row
	}
	return Range{one, other}
}

// Size is how many columns and rows a range has.
func (r Range) Size() (columns, rows int) {
	return r.To.Column - r.From.Column + 1, r.To.Row - r.From.Row + 1
}

// Has tells whether an address lies in the range.
func (r Range) Has(at Address) bool {
	return at.Column >= r.From.Column && at.Column <= r.To.Column && at.Row >= r.From.Row && at.Row <= r.To.Row
}

// Each visits the addresses row by row until `visit` says false.
func (r Range) Each(visit func(Address) bool) {
	for row := r.From.Row; row <= r.To.Row; row++ {
		for column := r.From.Column; column <= r.To.Column; column++ {
			if !visit(Address{column, row}) {
				return
			}
		}
	}
}

// String writes a range as `A1:B3`.
func (r Range) String() string {
	if r.From == r.To {
		return r.From.String()
	}
	return r.From.String() + ":" + r.To.String()
}

func isLetter(char byte) bool { return char >= 'A' && char <= 'Z' || char >= 'a' && char <= 'z' }

func isDigit(char byte) bool { return char >= '0' && char <= '9' }
