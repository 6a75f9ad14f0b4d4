package test

import (
	"reflect"
	"testing"
	"time"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/level"
)

var midnight = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func at(minutes int, value level.Level) level.Reading {
	return level.Reading{Time: midnight.Add(time.Duration(minutes) * time.Minute), Level: value}
}

func post(t *testing.T, readings ...level.Reading) (*archive.Archive, *archive.Post) {
	t.Helper()
	kept := archive.New()
	post, err := kept.Open("weir-3", "Mill weir", 2000)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range readings {
		post.Add(each)
	}
	return kept, post
}

func TestReadingsStayInOrder(t *testing.T) {
	_, post := post(t, at(30, 3), at(0, 1), at(15, 2))
	if previous, added := post.Add(at(15, 9)); added || previous.Level != 1 {
		t.Error(previous, added)
	}
	if got := post.Between(time.Time{}, time.Time{}); !reflect.DeepEqual(got, []level.Reading{at(0, 1), at(15, 2), at(30, 3)}) {
		t.Error(got)
	}
	if got := post.Between(at(15, 0).Time, at(30, 0).Time); !reflect.DeepEqual(got, []level.Reading{at(15, 2)}) {
		t.Error(got)
	}
	if post.Last().Level != 3 {
		t.Error(post.Last())
	}
}

func TestGaps(t *testing.T) {
	_, post := post(t, at(0, 1), at(15, 1), at(60, 1), at(76, 1))
	want := []archive.Gap{
		{From: at(15, 0).Time, To: at(60, 0).Time, Missing: 2}, {From: at(60, 0).Time, To: at(76, 0).Time, Missing: 1},
	}
	if got := archive.Gaps(post.Between(time.Time{}, time.Time{}), 15*time.Minute); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}

func TestDays(t *testing.T) {
	days := archive.Days([]level.Reading{at(0, -3), at(15, 4), at(30, 1), at(1440, -1), at(1455, -2)})
	if len(days) != 2 || days[0].Count != 3 || days[0].Lowest != -3 || days[0].Highest != 4 || days[0].Mean() != 1 || days[1].Mean() != -2 {
		t.Error(days)
	}
	if !days[0].HighestAt.Equal(at(15, 0).Time) || !days[0].LowestAt.Equal(midnight) {
		t.Error(days[0])
	}
}

func TestSavedAndLoaded(t *testing.T) {
	kept, post := post(t, at(0, 1), at(15, 2))
	post.Note(midnight, "battery low")
	post.Raise(archive.Alarm{Kind: archive.Jump, Reading: at(15, 2), Text: "x"})
	if err := kept.Set("jump", "0.5"); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := kept.Save(folder); err != nil {
		t.Fatal(err)
	}
	loaded, err := archive.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(loaded, kept) {
		t.Errorf("%+v", loaded)
	}
}

func TestNoSettings(t *testing.T) {
	kept := archive.New()
	for name, text := range map[string]string{"interval": "0", "jump": "-1", "memory": "x", "colour": "red"} {
		if kept.Set(name, text) == nil {
			t.Errorf("%s is %s", name, text)
		}
	}
	if kept.Settings() != archive.DefaultSettings() {
		t.Error(kept.Settings())
	}
}
