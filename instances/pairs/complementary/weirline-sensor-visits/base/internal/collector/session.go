package collector

import (
	"strconv"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/level"
	"example.org/weirline/internal/wire"
)

// session is one call of a station.
type session struct {
	collector *Collector
	post      *archive.Post
	taken     int
	over      bool
}

// step is what the collector does at a line; it is given the words after the verb.
type step struct {
	words int
	do    func(*session, []string) wire.Answer
}

var steps = map[string]step{
	"HELLO": {2, (*session).hello},
	"READ":  {2, (*session).read},
	"BYE":   {0, (*session).bye},
}

func (s *session) answer(line string) wire.Answer {
	words, err := wire.Split(line)
	if err != nil {
		return wire.Refused(wire.Malformed, "%v", err)
	}
	if len(words) == 0 || !wire.IsVerb(words[0]) {
		return wire.Refused(wire.Malformed, "a line begins with a verb in capital letters")
	}
	verb := words[0]
	if s.post == nil && verb != "HELLO" && verb != "BYE" {
		return wire.Refused(wire.NoHello, "say HELLO first")
	}
	known, ok := steps[verb]
	if !ok {
		return s.note(words)
	}
	if len(words)-1 != known.words {
		return wire.Refused(wire.Malformed, "%s takes %d words after it, not %d", verb, known.words, len(words)-1)
	}
	return known.do(s, words[1:])
}

// hello opens a call: HELLO STATION VERSION. The answer is the time of the last reading that there is, or `none`.
func (s *session) hello(words []string) wire.Answer {
	if s.post != nil {
		return wire.Refused(wire.WrongOrder, "HELLO was said")
	}
	if version, err := strconv.Atoi(words[1]); err != nil || version < 1 {
		return wire.Refused(wire.Malformed, "%s is no version", words[1])
	}
	post, err := s.collector.archive.Post(words[0])
	if err != nil {
		return wire.Refused(wire.NoStation, "%v", err)
	}
	s.post = post
	if last := post.Last(); last != nil {
		return wire.Accepted(level.ShownTime(last.Time))
	}
	return wire.Accepted("none")
}

// read takes a reading in: READ TIME MILLIMETRES. The answer is `new` or `known`.
func (s *session) read(words []string) wire.Answer {
	at, err := level.ParseTime(words[0])
	if err != nil {
		return wire.Refused(wire.Malformed, "%v", err)
	}
	height, err := level.FromMillimetres(words[1])
	if err != nil {
		return wire.Refused(wire.Malformed, "%v", err)
	}
	reading := level.Reading{Time: at, Level: height}
	previous, added := s.post.Add(reading)
	if !added {
		return wire.Accepted("known")
	}
	s.taken++
	judge(s.collector.archive.Settings(), s.post, previous, reading)
	return wire.Accepted("new")
}

// bye ends a call. The answer is the number of readings that were new.
func (s *session) bye([]string) wire.Answer {
	s.over = true
	return wire.Accepted(strconv.Itoa(s.taken))
}

// note keeps a line whose verb this collector has no use for, so that stations may say more than it understands.
func (s *session) note(words []string) wire.Answer {
	s.post.Note(s.collector.now(), wire.Join(words...))
	return wire.Accepted("noted")
}
