package station

import (
	"fmt"
	"io"
	"time"

	"example.org/weirline/internal/level"
	"example.org/weirline/internal/wire"
)

// Version is what a station says of itself in its HELLO.
const Version = "1"

// Result is what came of a call.
type Result struct {
	Sent int
	// Refused are readings that the collector would not have; they are dropped, as it would not have them later either.
	Refused []level.Reading
}

// Call tells the collector at the other end of a connection what it does not know yet. Where the call breaks off, all that
// it may not have got is kept for the next one.
func (s *Station) Call(connection io.ReadWriter) (Result, error) {
	lines := wire.On(connection)
	if err := s.hello(lines); err != nil {
		return Result{}, err
	}
	result, err := s.sendReadings(lines)
	if err != nil {
		return result, err
	}
	_, err = lines.Ask("BYE")
	return result, err
}

// hello opens the call, and forgets the readings that the collector has.
func (s *Station) hello(lines *wire.Lines) error {
	answer, err := lines.Ask("HELLO", s.Name, Version)
	if err == nil {
		err = answer.Err()
	}
	if err != nil || answer.Text == "none" {
		return err
	}
	last, err := level.ParseTime(answer.Text)
	if err != nil {
		return fmt.Errorf("the answer to HELLO: %w", err)
	}
	s.forgetUntil(last)
	return nil
}

func (s *Station) forgetUntil(last time.Time) {
	kept := s.Spool[:0]
	for _, each := range s.Spool {
		if each.Time.After(last) {
			kept = append(kept, each)
		}
	}
	s.Spool = kept
}

func (s *Station) sendReadings(lines *wire.Lines) (Result, error) {
	var result Result
	for len(s.Spool) > 0 {
		next := s.Spool[0]
		answer, err := lines.Ask("READ", level.ShownTime(next.Time), fmt.Sprint(int(next.Level)))
		if err != nil {
			return result, err
		}
		if answer.OK() {
			result.Sent++
		} else {
			result.Refused = append(result.Refused, next)
		}
		s.Spool = s.Spool[1:]
	}
	return result, nil
}
