package test

import (
	"net"
	"testing"

	"example.org/weirline/internal/archive"
	"example.org/weirline/internal/collector"
	"example.org/weirline/internal/wire"
)

func talk(t *testing.T, kept *archive.Archive, exchange ...string) {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- collector.New(kept, noon).Serve(far)
		far.Close()
	}()
	lines := wire.On(near)
	for index := 0; index < len(exchange); index += 2 {
		if err := lines.Write(exchange[index]); err != nil {
			t.Fatal(err)
		}
		if got, err := lines.Read(); got != exchange[index+1] || err != nil {
			t.Errorf("%s: %s (%v), not %s", exchange[index], got, err, exchange[index+1])
		}
	}
	near.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func opened(t *testing.T) (*archive.Archive, *archive.Post) {
	t.Helper()
	kept := archive.New()
	post, err := kept.Open("weir-3", "Mill weir", 2000)
	if err != nil {
		t.Fatal(err)
	}
	return kept, post
}

func TestACall(t *testing.T) {
	kept, post := opened(t)
	talk(
		t, kept, "HELLO weir-3 1", "+ none", "READ 2026-03-01T10:00:00Z 1234", "+ new", "READ 2026-03-01T10:00:00Z 1234", "+ known",
		"READ 2026-03-01T11:15:00+01:00 1240", "+ new", "BYE", "+ 2",
	)
	talk(t, kept, "HELLO weir-3 1", "+ 2026-03-01T10:15:00Z")
	if post.Count() != 2 {
		t.Error(post.Count())
	}
}

func TestRefusals(t *testing.T) {
	kept, post := opened(t)
	talk(
		t, kept, "READ 2026-03-01T10:00:00Z 1", "- 401 say HELLO first", "HELLO weir-4 1", `- 404 there is no station "weir-4"`,
		"HELLO weir-3", "- 400 HELLO takes 2 words after it, not 1", "hello", "- 400 a line begins with a verb in capital letters",
		"HELLO weir-3 1", "+ none", "HELLO weir-3 1", "- 409 HELLO was said", "READ today 1", `- 400 "today" is no time like 2026-03-01T10:15:00Z`,
		"READ 2026-03-01T10:00:00Z 1.5", `- 400 "1.5" is no whole number of millimetres`, "BYE", "+ 0",
	)
	if post.Count() != 0 {
		t.Error(post.Count())
	}
}

func TestNotes(t *testing.T) {
	kept, post := opened(t)
	talk(t, kept, "HELLO weir-3 2", "+ none", `BATTERY "nearly empty" 11.2`, "+ noted", "BYE", "+ 0")
	journal := post.Journal()
	if len(journal) != 1 || journal[0].Text != `BATTERY "nearly empty" 11.2` || !journal[0].Time.Equal(noon()) {
		t.Error(journal)
	}
}

func TestAlarms(t *testing.T) {
	kept, post := opened(t)
	talk(
		t, kept, "HELLO weir-3 1", "+ none", "READ 2026-03-01T10:00:00Z 1500", "+ new", "READ 2026-03-01T10:15:00Z 1801", "+ new",
		"READ 2026-03-01T10:30:00Z 2000", "+ new", "READ 2026-03-01T16:30:01Z 100", "+ new", "READ 2026-03-01T16:45:00Z 400", "+ new",
	)
	alarms := post.Alarms()
	if len(alarms) != 2 || alarms[0].Text != "0.301 m up since 2026-03-01T10:00:00Z" || alarms[1].Kind != archive.High {
		t.Error(alarms)
	}
}
