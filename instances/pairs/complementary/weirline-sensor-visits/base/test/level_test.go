package test

import (
	"testing"

	"example.org/weirline/internal/level"
)

func TestParseAndShow(t *testing.T) {
	for text, want := range map[string]level.Level{"0": 0, "1.234": 1234, "1.2": 1200, "-0.05": -50, "12": 12000, "0.001": 1} {
		got, err := level.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v", text, int(got), err)
		}
	}
	for want, height := range map[string]level.Level{"0.000": 0, "1.234": 1234, "-0.050": -50, "12.000": 12000} {
		if height.String() != want {
			t.Errorf("%d shows as %s", int(height), height)
		}
	}
}

func TestNoLevels(t *testing.T) {
	for _, text := range []string{"", "-", "1.", ".5", "1.2345", "1,5", "x", "+1", "31", "--1", "1e3"} {
		if got, err := level.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v", text, got)
		}
	}
	for _, text := range []string{"", "1.5", "30001", "-30001", "x"} {
		if got, err := level.FromMillimetres(text); err == nil {
			t.Errorf("FromMillimetres(%q) = %v", text, got)
		}
	}
}
