package tabula

import (
	"fmt"
	"strconv"
	"strings"
)

// node is a part of a formula.
type node interface{}

type (
	constant  struct{ value Value }
	cellNode  struct{ ref Ref }
	rangeNode struct{ from, to Ref }
	prefix    struct {
		sign    string
		operand node
	}
	percent struct{ operand node }
	binary  struct {
		sign        string
		left, right node
	}
	call struct {
		name      string
		arguments []node
	}
)

// area is the rectangle of a range; its corners may be written in any order.
func (r rangeNode) area() Range { return NewRange(r.from.Address, r.to.Address) }

// levels are the signs between two operands, from the weakest to the strongest.
var levels = [][]string{{"=", "<>", "<", "<=", ">", ">="}, {"&"}, {"+", "-"}, {"*", "/"}, {"^"}}

const deepest = 100

type parser struct {
	tokens []token
	place  int
	depth  int
}

// parse reads a formula, without the `=` in front.
func parse(source string) (node, error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	tree, err := p.level(0)
	if err != nil {
		return nil, err
	}
	if p.now().kind != endToken {
		return nil, p.unexpected()
	}
	return tree, nil
}

func (p *parser) now() token { return p.tokens[p.place] }

// take goes on where the next token is one of the signs, and says which.
func (p *parser) take(signs ...string) (string, bool) {
	for _, each := range signs {
		if now := p.now(); now.kind == signToken && now.text == each {
			p.place++
			return each, true
		}
	}
	return "", false
}

func (p *parser) unexpected() error {
	if p.now().kind == endToken {
		return fmt.Errorf("the formula ends too early")
	}
	return fmt.Errorf("%s is not expected at place %d", p.now().text, p.now().at+1)
}

// level reads operands with signs of one level and stronger ones between them, from left to right.
func (p *parser) level(level int) (node, error) {
	if level == len(levels) {
		return p.signed()
	}
	left, err := p.level(level + 1)
	if err != nil {
		return nil, err
	}
	for {
		sign, ok := p.take(levels[level]...)
		if !ok {
			return left, nil
		}
		right, err := p.level(level + 1)
		if err != nil {
			return nil, err
		}
		left = binary{sign, left, right}
	}
}

func (p *parser) signed() (node, error) {
	if p.depth++; p.depth > deepest {
		return nil, fmt.Errorf("the formula is nested too deeply")
	}
	defer func() { p.depth-- }()
	if sign, ok := p.take("-", "+"); ok {
		operand, err := p.signed()
		return prefix{sign, operand}, err
	}
	operand, err := p.operand()
	if err != nil {
		return nil, err
	}
	for {
		if _, ok := p.take("%"); !ok {
			return operand, nil
		}
		operand = percent{operand}
	}
}

func (p *parser) operand() (node, error) {
	if _, ok := p.take("("); ok {
		inner, err := p.level(0)
		if err != nil {
			return nil, err
		}
		if _, ok := p.take(")"); !ok {
			return nil, p.unexpected()
		}
		return inner, nil
	}
	now := p.now()
	p.place++
	switch now.kind {
	case numberToken:
		number, err := strconv.ParseFloat(now.text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is no number", now.text)
		}
		return constant{NumberValue(number)}, nil
	case textToken:
		return constant{TextValue(unquoted(now.text))}, nil
	case errorToken:
		return constant{ErrorValue(now.text)}, nil
	case refToken:
		return p.reference(now)
	case nameToken:
		return p.named(now)
	}
	p.place--
	return nil, p.unexpected()
}

func (p *parser) reference(now token) (node, error) {
	from, _ := parseRef(now.text)
	if _, ok := p.take(":"); !ok {
		return cellNode{from}, nil
	}
	to, ok := parseRef(p.now().text)
	if !ok || p.now().kind != refToken {
		return nil, p.unexpected()
	}
	p.place++
	return rangeNode{from, to}, nil
}

func (p *parser) named(now token) (node, error) {
	if truth, ok := parseBool(now.text); ok {
		return constant{BoolValue(truth)}, nil
	}
	if _, ok := p.take("("); !ok {
		return nil, fmt.Errorf("%s at place %d is no cell", now.text, now.at+1)
	}
	called := call{name: strings.ToUpper(now.text)}
	if _, ok := p.take(")"); ok {
		return called, nil
	}
	for {
		argument, err := p.level(0)
		if err != nil {
			return nil, err
		}
		called.arguments = append(called.arguments, argument)
		if _, ok := p.take(")"); ok {
			return called, nil
		}
		if _, ok := p.take(","); !ok {
			return nil, p.unexpected()
		}
	}
}

// walk visits a formula's parts, outer ones first.
func walk(tree node, visit func(node)) {
	visit(tree)
	switch part := tree.(type) {
	case prefix:
		walk(part.operand, visit)
	case percent:
		walk(part.operand, visit)
	case binary:
		walk(part.left, visit)
		walk(part.right, visit)
	case call:
		for _, each := range part.arguments {
			walk(each, visit)
		}
	}
}
