//go:build !nodemo

package main

import (
	"strings"
	"testing"
	"time"
)

// stops counts what the clouds were asked to stop.
func (s *stage) stops() (n int) {
	for _, a := range s.world.Asked() {
		if a.Verb == "stop" {
			n++
		}
	}
	return n
}

// A lease is reminded of, and at its end the machine is stopped through the release engine in the name of who leased; a
// button makes it longer; a machine that nobody leased runs on.
func TestLeaseIsEnforced(t *testing.T) {
	clicking(t, func(s *stage) {
		s.types(demoOperator, "/gpu lease infer-a10-2 2h")
		s.until(time.Minute, "the lease", func() bool { return strings.Contains(strings.Join(s.told(demoOperator), "\n"), "is leased until") })
		s.until(2*time.Hour, "the reminder", func() bool { return len(s.find("infer-a10-2", "its lease ends")) == 1 })
		if err := s.slack.Click(s.ctx, demoOperator, demoChannel, s.find("infer-a10-2", "its lease ends")[0].TS, "extend", ""); err != nil {
			s.Fatal(err)
		}
		time.Sleep(80 * time.Minute)
		if s.stops() != 0 {
			s.Fatal("stopped before the end of the longer lease")
		}
		s.until(2*time.Hour, "the end", func() bool { return len(s.find("infer-a10-2", "the lease is over, I stop it now for ana")) == 1 })
		s.until(30*time.Minute, "the proof", func() bool { return len(s.find("✅", "infer-a10-2")) == 1 })
		time.Sleep(12 * time.Hour)
		if n := s.stops(); n != 1 {
			s.Errorf("%d stops", n)
		}
	})
}
