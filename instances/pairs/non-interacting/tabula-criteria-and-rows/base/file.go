package tabula

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// heading opens a sheet's file.
const heading = "tabula 1"

// Save writes a sheet: a heading, then a line with address and input for each cell.
func (s *Sheet) Save(out io.Writer) error {
	writer := bufio.NewWriter(out)
	fmt.Fprintln(writer, heading)
	for _, at := range s.Filled() {
		fmt.Fprintf(writer, "%s\t%s\n", at, s.cells[at].input)
	}
	return writer.Flush()
}

// Load reads what Save writes. Formulas that cannot be read are no mistake of the file.
func Load(in io.Reader) (*Sheet, error) {
	scanner := bufio.NewScanner(in)
	if !scanner.Scan() || scanner.Text() != heading {
		if err := scanner.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("this is no sheet: it does not begin with %q", heading)
	}
	sheet := New()
	for line := 2; scanner.Scan(); line++ {
		place, input, found := strings.Cut(scanner.Text(), "\t")
		at, err := ParseAddress(place)
		if !found || err != nil {
			return nil, fmt.Errorf("line %d is no cell", line)
		}
		// An error is that of a formula; the cell shows it.
		_ = sheet.Set(at, input)
	}
	return sheet, scanner.Err()
}

// ReadCSV puts rows of values into a sheet, the first one from a cell on. Nothing in it is taken for a formula.
func (s *Sheet) ReadCSV(in io.Reader, from Address) error {
	reader := csv.NewReader(in)
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		return err
	}
	for down, row := range rows {
		for along, field := range row {
			if strings.HasPrefix(field, "=") || strings.HasPrefix(field, "'") {
				field = "'" + field
			}
			at := Address{from.Column + along, from.Row + down}
			if err := s.Set(at, strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(field)); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteCSV writes the values of a range.
func (s *Sheet) WriteCSV(out io.Writer, area Range) error {
	writer := csv.NewWriter(out)
	for row := area.From.Row; row <= area.To.Row; row++ {
		var fields []string
		for column := area.From.Column; column <= area.To.Column; column++ {
			fields = append(fields, s.at(Address{column, row}).String())
		}
		if err := writer.Write(fields); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}
