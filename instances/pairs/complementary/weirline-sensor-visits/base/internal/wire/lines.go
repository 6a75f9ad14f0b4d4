package wire

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// LongestLine is how many bytes a line may have.
const LongestLine = 2000

// ErrLongLine is told of a line that is longer.
var ErrLongLine = errors.New("a line is too long")

// Lines reads and writes the lines of a connection. They end with a line feed; a carriage return before it is dropped.
type Lines struct {
	in  *bufio.Reader
	out io.Writer
}

// On makes Lines of a connection.
func On(connection io.ReadWriter) *Lines {
	return &Lines{bufio.NewReaderSize(connection, LongestLine+2), connection}
}

// Read gives the next line; io.EOF where the other end is done, io.ErrUnexpectedEOF where it stops within a line.
func (l *Lines) Read() (string, error) {
	line, err := l.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", ErrLongLine
	case errors.Is(err, io.EOF) && len(line) > 0:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// Write sends a line.
func (l *Lines) Write(line string) error {
	_, err := io.WriteString(l.out, line+"\n")
	return err
}

// Ask sends the words of a line and gives the answer to it.
func (l *Lines) Ask(words ...string) (Answer, error) {
	if err := l.Write(Join(words...)); err != nil {
		return Answer{}, err
	}
	line, err := l.Read()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Answer{}, err
	}
	return ParseAnswer(line)
}
