package tabula

import "math"

// evaluator works out the formulas of one sheet.
type evaluator struct{ sheet *Sheet }

func (e evaluator) value(tree node) Value {
	switch part := tree.(type) {
	case constant:
		return part.value
	case cellNode:
		return e.sheet.at(part.ref.Address)
	case rangeNode:
		// A range stands for a single value only where it is a single cell.
		if area := part.area(); area.From == area.To {
			return e.sheet.at(area.From)
		}
		return ErrorValue(ErrValue)
	case prefix:
		return e.prefixed(part)
	case percent:
		return arithmetic(e.value(part.operand), NumberValue(100), func(x, y float64) Value { return NumberValue(x / y) })
	case binary:
		return e.binary(part)
	case call:
		return e.call(part)
	}
	return ErrorValue(ErrValue)
}

func (e evaluator) prefixed(part prefix) Value {
	sign := 1.0
	if part.sign == "-" {
		sign = -1
	}
	return arithmetic(e.value(part.operand), NumberValue(sign), func(x, y float64) Value { return NumberValue(x * y) })
}

func (e evaluator) binary(part binary) Value {
	left, right := e.value(part.left), e.value(part.right)
	switch part.sign {
	case "+":
		return arithmetic(left, right, func(x, y float64) Value { return NumberValue(x + y) })
	case "-":
		return arithmetic(left, right, func(x, y float64) Value { return NumberValue(x - y) })
	case "*":
		return arithmetic(left, right, func(x, y float64) Value { return NumberValue(x * y) })
	case "/":
		return arithmetic(left, right, divide)
	case "^":
		return arithmetic(left, right, func(x, y float64) Value { return NumberValue(math.Pow(x, y)) })
	}
	if failed, ok := firstError(left, right); ok {
		return failed
	}
	if part.sign == "&" {
		return TextValue(left.AsText() + right.AsText())
	}
	return BoolValue(holds(part.sign, left.Compare(right)))
}

// holds tells whether a comparison with this sign is true of how two values are ordered.
func holds(sign string, order int) bool {
	switch sign {
	case "=":
		return order == 0
	case "<>":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func arithmetic(left, right Value, work func(x, y float64) Value) Value {
	if failed, ok := firstError(left, right); ok {
		return failed
	}
	x, fine := left.AsNumber()
	y, good := right.AsNumber()
	if !fine || !good {
		return ErrorValue(ErrValue)
	}
	return work(x, y)
}

func divide(x, y float64) Value {
	if y == 0 {
		return ErrorValue(ErrDivide)
	}
	return NumberValue(x / y)
}

func firstError(values ...Value) (Value, bool) {
	for _, each := range values {
		if each.Failed() {
			return each, true
		}
	}
	return Value{}, false
}

func (e evaluator) call(part call) Value {
	known, ok := functions[part.name]
	if !ok {
		return ErrorValue(ErrName)
	}
	if count := len(part.arguments); count < known.least || known.most >= 0 && count > known.most {
		return ErrorValue(ErrValue)
	}
	return known.run(e, part.arguments)
}

// all gives the values of arguments, those of ranges row by row; `inRange` tells which came out of a range or cell.
func (e evaluator) all(arguments []node) (values []Value, inRange []bool) {
	for _, each := range arguments {
		area, ok := areaOf(each)
		if !ok {
			values, inRange = append(values, e.value(each)), append(inRange, false)
			continue
		}
		for _, value := range e.cells(area) {
			values, inRange = append(values, value), append(inRange, true)
		}
	}
	return values, inRange
}

// cells gives the values in a rectangle, row by row.
func (e evaluator) cells(area Range) []Value {
	var values []Value
	area.Each(func(at Address) bool {
		values = append(values, e.sheet.at(at))
		return true
	})
	return values
}

// areaOf gives the rectangle that an argument stands for, where it is a cell or a range.
func areaOf(argument node) (Range, bool) {
	switch part := argument.(type) {
	case cellNode:
		return Range{part.ref.Address, part.ref.Address}, true
	case rangeNode:
		return part.area(), true
	}
	return Range{}, false
}
