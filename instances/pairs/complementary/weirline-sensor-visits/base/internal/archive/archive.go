// Package archive keeps what the stations have sent.
package archive

import (
	"fmt"
	"sort"
	"time"

	"example.org/weirline/internal/level"
)

// Archive is everything a collector knows. It is not safe for several goroutines; the collector guards it.
type Archive struct {
	settings Settings
	posts    map[string]*Post
}

// New is an archive without stations.
func New() *Archive { return &Archive{DefaultSettings(), map[string]*Post{}} }

// Settings gives the settings.
func (a *Archive) Settings() Settings { return a.settings }

// Post is one station as the archive knows it.
type Post struct {
	Name    string      `json:"name"`
	Place   string      `json:"place"`
	High    level.Level `json:"high_mm"`
	journal []Entry
	alarms  []Alarm
	series  []level.Reading
}

// Open adds a station. From `high` on, its readings raise an alarm; 0 stands for no such level.
func (a *Archive) Open(name, place string, high level.Level) (*Post, error) {
	if !isName(name) {
		return nil, fmt.Errorf("%q is no name of a station: small letters, digits and hyphens, a letter first", name)
	}
	if a.posts[name] != nil {
		return nil, fmt.Errorf("there is a station %s already", name)
	}
	post := &Post{Name: name, Place: place, High: high}
	a.posts[name] = post
	return post, nil
}

// Post gives a station by its name.
func (a *Archive) Post(name string) (*Post, error) {
	if post := a.posts[name]; post != nil {
		return post, nil
	}
	return nil, fmt.Errorf("there is no station %q", name)
}

// Posts gives all stations by name.
func (a *Archive) Posts() []*Post {
	posts := make([]*Post, 0, len(a.posts))
	for _, each := range a.posts {
		posts = append(posts, each)
	}
	sort.Slice(posts, func(i, j int) bool { return posts[i].Name < posts[j].Name })
	return posts
}

// Add takes a reading in. It gives the reading before it in time, if there is one; `added` is false where there is a
// reading of that time already, which stays as it is.
func (p *Post) Add(reading level.Reading) (previous *level.Reading, added bool) {
	place := p.from(reading.Time)
	if place > 0 {
		before := p.series[place-1]
		previous = &before
	}
	if place < len(p.series) && p.series[place].Time.Equal(reading.Time) {
		return previous, false
	}
	p.series = append(p.series, level.Reading{})
	copy(p.series[place+1:], p.series[place:])
	p.series[place] = reading
	return previous, true
}

// Last is the latest reading, nil where there is none.
func (p *Post) Last() *level.Reading {
	if len(p.series) == 0 {
		return nil
	}
	last := p.series[len(p.series)-1]
	return &last
}

// Count is how many readings there are.
func (p *Post) Count() int { return len(p.series) }

// Between gives the readings from a time on and before another, in order. A zero time stands for no limit.
func (p *Post) Between(from, before time.Time) []level.Reading {
	first, end := 0, len(p.series)
	if !from.IsZero() {
		first = p.from(from)
	}
	if !before.IsZero() {
		end = p.from(before)
	}
	if first >= end {
		return nil
	}
	return append([]level.Reading(nil), p.series[first:end]...)
}

// from is the place of the first reading of that time or later.
func (p *Post) from(at time.Time) int {
	return sort.Search(len(p.series), func(i int) bool { return !p.series[i].Time.Before(at) })
}

func isName(name string) bool {
	for index, each := range name {
		letter := each >= 'a' && each <= 'z'
		if !letter && (index == 0 || !(each >= '0' && each <= '9' || each == '-')) {
			return false
		}
	}
	return name != ""
}
