package tabula

import "sort"

// function is what a formula can call. `most` is -1 where there is no limit.
type function struct {
	least, most int
	run         func(evaluator, []node) Value
}

var functions map[string]function

// The table is filled when the program starts, since some of the functions evaluate others.
func init() {
	functions = map[string]function{
		"ABS":     numeric(absolute),
		"AND":     {1, -1, and},
		"AVERAGE": {1, -1, average},
		"CONCAT":  {1, -1, concat},
		"COUNT":   {1, -1, count},
		"COUNTA":  {1, -1, countFilled},
		"EXACT":   {2, 2, exact},
		"FIND":    {2, 3, find},
		"IF":      {2, 3, choose},
		"IFERROR": {2, 2, orElse},
		"INDEX":   {2, 3, index},
		"INT":     numeric(floor),
		"ISBLANK": {1, 1, isBlank},
		"ISERROR": {1, 1, isError},
		"LEFT":    {1, 2, left},
		"LEN":     {1, 1, length},
		"LN":      numeric(naturalLog),
		"LOG10":   numeric(decimalLog),
		"LOWER":   textual(lower),
		"MATCH":   {2, 2, match},
		"MAX":     {1, -1, highest},
		"MEDIAN":  {1, -1, median},
		"MID":     {3, 3, middle},
		"MIN":     {1, -1, lowest},
		"MOD":     {2, 2, modulo},
		"NOT":     {1, 1, not},
		"OR":      {1, -1, or},
		"PRODUCT": {1, -1, product},
		"REPT":    {2, 2, repeat},
		"RIGHT":   {1, 2, right},
		"ROUND":   {1, 2, round},
		"SQRT":    numeric(root),
		"SUBST":   {3, 3, substitute},
		"SUM":     {1, -1, sum},
		"TRIM":    textual(trim),
		"UPPER":   textual(upper),
		"VALUE":   {1, 1, toNumber},
	}
}

// FunctionNames gives the names of all functions, in order.
func FunctionNames() []string {
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// numeric is a function of one number.
func numeric(work func(float64) Value) function {
	return function{1, 1, func(e evaluator, arguments []node) Value {
		number, failed := e.number(arguments[0])
		if failed != nil {
			return *failed
		}
		return work(number)
	}}
}

// textual is a function of one text.
func textual(work func(string) string) function {
	return function{1, 1, func(e evaluator, arguments []node) Value {
		text, failed := e.text(arguments[0])
		if failed != nil {
			return *failed
		}
		return TextValue(work(text))
	}}
}

// number gives an argument as a number, or the error that it comes to.
func (e evaluator) number(argument node) (float64, *Value) {
	value := e.value(argument)
	if value.Failed() {
		return 0, &value
	}
	number, ok := value.AsNumber()
	if !ok {
		failed := ErrorValue(ErrValue)
		return 0, &failed
	}
	return number, nil
}

// text gives an argument as a text, or the error that it comes to.
func (e evaluator) text(argument node) (string, *Value) {
	value := e.value(argument)
	if value.Failed() {
		return "", &value
	}
	return value.AsText(), nil
}

// numbers gives all numbers of the arguments. In ranges and cells only numbers count; what is written in the formula
// itself must be one. The first error is told.
func (e evaluator) numbers(arguments []node) ([]float64, *Value) {
	values, inRange := e.all(arguments)
	var numbers []float64
	for place, each := range values {
		if each.Failed() {
			return nil, &values[place]
		}
		if inRange[place] && each.Kind != Number {
			continue
		}
		number, ok := each.AsNumber()
		if !ok {
			failed := ErrorValue(ErrValue)
			return nil, &failed
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}
