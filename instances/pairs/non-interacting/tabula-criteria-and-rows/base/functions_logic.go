package tabula

// truths gives the truth values of the arguments; texts and empty cells in ranges are passed over.
func (e evaluator) truths(arguments []node) ([]bool, *Value) {
	values, inRange := e.all(arguments)
	var truths []bool
	for place, each := range values {
		if each.Failed() {
			return nil, &values[place]
		}
		if inRange[place] && (each.Kind == Text || each.Kind == Empty) {
			continue
		}
		truth, ok := each.AsBool()
		if !ok {
			failed := ErrorValue(ErrValue)
			return nil, &failed
		}
		truths = append(truths, truth)
	}
	if len(truths) == 0 {
		failed := ErrorValue(ErrValue)
		return nil, &failed
	}
	return truths, nil
}

func and(e evaluator, arguments []node) Value { return anyIs(e, arguments, false) }

func or(e evaluator, arguments []node) Value { return anyIs(e, arguments, true) }

// anyIs comes to the wanted truth value where one of the arguments has it, to the other one else.
func anyIs(e evaluator, arguments []node, wanted bool) Value {
	truths, failed := e.truths(arguments)
	if failed != nil {
		return *failed
	}
	for _, each := range truths {
		if each == wanted {
			return BoolValue(wanted)
		}
	}
	return BoolValue(!wanted)
}

func not(e evaluator, arguments []node) Value {
	truth, failed := e.truth(arguments[0])
	if failed != nil {
		return *failed
	}
	return BoolValue(!truth)
}

func (e evaluator) truth(argument node) (bool, *Value) {
	value := e.value(argument)
	if value.Failed() {
		return false, &value
	}
	truth, ok := value.AsBool()
	if !ok {
		failed := ErrorValue(ErrValue)
		return false, &failed
	}
	return truth, nil
}

// choose works out only the argument that it comes to.
func choose(e evaluator, arguments []node) Value {
	truth, failed := e.truth(arguments[0])
	switch {
	case failed != nil:
		return *failed
	case truth:
		return e.value(arguments[1])
	case len(arguments) == 3:
		return e.value(arguments[2])
	}
	return BoolValue(false)
}

func orElse(e evaluator, arguments []node) Value {
	if value := e.value(arguments[0]); !value.Failed() {
		return value
	}
	return e.value(arguments[1])
}

func isBlank(e evaluator, arguments []node) Value {
	return BoolValue(e.value(arguments[0]).Kind == Empty)
}

func isError(e evaluator, arguments []node) Value { return BoolValue(e.value(arguments[0]).Failed()) }

// index gives the cell in a row and a column of a range, both from 1. In a range of one row the one number is the column.
func index(e evaluator, arguments []node) Value {
	area, ok := areaOf(arguments[0])
	if !ok {
		return ErrorValue(ErrValue)
	}
	row, failed := e.number(arguments[1])
	if failed != nil {
		return *failed
	}
	column := 1.0
	columns, rows := area.Size()
	if len(arguments) == 3 {
		if column, failed = e.number(arguments[2]); failed != nil {
			return *failed
		}
	} else if rows == 1 {
		row, column = 1, row
	}
	if row < 1 || column < 1 || row >= float64(rows+1) || column >= float64(columns+1) {
		return ErrorValue(ErrRef)
	}
	return e.sheet.at(Address{area.From.Column + int(column) - 1, area.From.Row + int(row) - 1})
}

// match gives the place of the first cell in a range that equals a value, from 1.
func match(e evaluator, arguments []node) Value {
	wanted := e.value(arguments[0])
	if wanted.Failed() {
		return wanted
	}
	area, ok := areaOf(arguments[1])
	if !ok {
		return ErrorValue(ErrValue)
	}
	for place, each := range e.cells(area) {
		if each.Kind == wanted.Kind && !each.Failed() && each.Compare(wanted) == 0 {
			return NumberValue(float64(place + 1))
		}
	}
	return ErrorValue(ErrFound)
}
