// Package collector is the end of the line that stations call.
package collector

import (
	"errors"
	"io"
	"sync"
	"time"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/wire"
)

// Collector takes calls into an archive. Several may be open at once.
type Collector struct {
	guard   sync.Mutex
	archive *archive.Archive
	now     func() time.Time
}

// New is a collector for an archive, with a clock for its journal.
func New(kept *archive.Archive, now func() time.Time) *Collector {
	return &Collector{archive: kept, now: now}
}

// Serve answers the lines of one call until the station says BYE or hangs up, which is no error.
func (c *Collector) Serve(connection io.ReadWriter) error {
	lines := wire.On(connection)
	session := &session{collector: c}
	for !session.over {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := lines.Write(c.answer(session, line).String()); err != nil {
			return err
		}
	}
	return nil
}

// With lets somebody use the archive while no line is being answered.
func (c *Collector) With(use func(*archive.Archive) error) error {
	c.guard.Lock()
	defer c.guard.Unlock()
	return use(c.archive)
}

func (c *Collector) answer(session *session, line string) wire.Answer {
	c.guard.Lock()
	defer c.guard.Unlock()
	return session.answer(line)
}
