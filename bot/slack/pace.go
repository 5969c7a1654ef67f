package slack

import (
	"net/http"
	"sync"
	"time"
)

// Bounds on how often a Socket Mode connection is opened. slack-go reconnects at once whatever the reason: a workspace
// that turns connections away was seen to get thousands of openings a second.
const (
	spaceFirst = time.Second
	spaceMost  = time.Minute
)

// spaced spaces the opening of connections: the longer they don't live, the further apart.
type spaced struct {
	next http.RoundTripper

	mu   sync.Mutex
	last time.Time
	wait time.Duration
}

func newSpaced(next http.RoundTripper) *spaced {
	if next == nil {
		next = http.DefaultTransport
	}
	return &spaced{next: next}
}

// RoundTrip implements http.RoundTripper.
func (s *spaced) RoundTrip(r *http.Request) (*http.Response, error) {
	t := time.NewTimer(s.pause(time.Now()))
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return s.next.RoundTrip(r)
}

// pause says how long to wait before the next opening, and counts it. A connection that lived for a minute is good: the
// next is opened at once.
func (s *spaced) pause(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() || now.Sub(s.last) > spaceMost {
		s.last, s.wait = now, 0
		return 0
	}
	s.wait = min(max(spaceFirst, 2*s.wait), spaceMost)
	at := s.last.Add(s.wait)
	if at.Before(now) {
		at = now
	}
	s.last = at
	return at.Sub(now)
}
