package tabula

import (
	"math"
	"sort"
)

func absolute(x float64) Value { return NumberValue(math.Abs(x)) }

func floor(x float64) Value { return NumberValue(math.Floor(x)) }

func naturalLog(x float64) Value { return NumberValue(math.Log(x)) }

func decimalLog(x float64) Value { return NumberValue(math.Log10(x)) }

func root(x float64) Value { return NumberValue(math.Sqrt(x)) }

// folded makes a function of all numbers of its arguments; `none` is what it comes to without any.
func folded(none Value, work func([]float64) float64) func(evaluator, []node) Value {
	return func(e evaluator, arguments []node) Value {
		numbers, failed := e.numbers(arguments)
		switch {
		case failed != nil:
			return *failed
		case len(numbers) == 0:
			return none
		}
		return NumberValue(work(numbers))
	}
}

var (
	sum     = folded(NumberValue(0), total)
	product = folded(NumberValue(0), func(numbers []float64) float64 {
		result := 1.0
		for _, each := range numbers {
			result *= each
		}
		return result
	})
	average = folded(ErrorValue(ErrDivide), func(numbers []float64) float64 { return total(numbers) / float64(len(numbers)) })
	lowest  = folded(NumberValue(0), func(numbers []float64) float64 { return sorted(numbers)[0] })
	highest = folded(NumberValue(0), func(numbers []float64) float64 { return sorted(numbers)[len(numbers)-1] })
	median  = folded(ErrorValue(ErrNumber), func(numbers []float64) float64 {
		ordered, half := sorted(numbers), len(numbers)/2
		if len(ordered)%2 == 1 {
			return ordered[half]
		}
		return (ordered[half-1] + ordered[half]) / 2
	})
)

func total(numbers []float64) float64 {
	result := 0.0
	for _, each := range numbers {
		result += each
	}
	return result
}

func sorted(numbers []float64) []float64 {
	ordered := append([]float64(nil), numbers...)
	sort.Float64s(ordered)
	return ordered
}

// count counts the numbers; errors in ranges are passed over.
func count(e evaluator, arguments []node) Value {
	values, inRange := e.all(arguments)
	found := 0
	for place, each := range values {
		if _, ok := each.AsNumber(); ok && (each.Kind == Number || !inRange[place]) {
			found++
		}
	}
	return NumberValue(float64(found))
}

// countFilled counts what is not empty, errors too.
func countFilled(e evaluator, arguments []node) Value {
	values, _ := e.all(arguments)
	found := 0
	for _, each := range values {
		if each.Kind != Empty {
			found++
		}
	}
	return NumberValue(float64(found))
}

// round rounds halves away from zero; to tens and hundreds with a negative number of digits.
func round(e evaluator, arguments []node) Value {
	number, failed := e.number(arguments[0])
	if failed != nil {
		return *failed
	}
	places := 0.0
	if len(arguments) == 2 {
		if places, failed = e.number(arguments[1]); failed != nil {
			return *failed
		}
	}
	scale := math.Pow(10, math.Trunc(places))
	scaled := number * scale
	if math.IsInf(scaled, 0) {
		return NumberValue(number)
	}
	// 1.005 * 100 is a little less than 100.5: what is as near as that counts as a half.
	return NumberValue(math.Round(scaled+math.Copysign(math.Abs(scaled)*1e-14, scaled)) / scale)
}

// modulo has the sign of the divisor.
func modulo(e evaluator, arguments []node) Value {
	return arithmetic(e.value(arguments[0]), e.value(arguments[1]), func(x, y float64) Value {
		if y == 0 {
			return ErrorValue(ErrDivide)
		}
		return NumberValue(x - y*math.Floor(x/y))
	})
}
