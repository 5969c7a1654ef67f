package notifytest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Service is a fake of a robot's service: it takes requests on this machine and answers as it is told to.
type Service struct {
	URL      string
	mu       sync.Mutex
	answer   Answer
	seen     []Seen
	requests []*http.Request
}

// Serve starts a service until the test ends. say gives status and body of an answer; read takes what people would read
// out of a request that was taken.
func Serve(t *testing.T, say func(Answer) (status int, body string), read func(r *http.Request, body []byte) Seen) *Service {
	s := &Service{answer: Fine}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		status, text := say(s.answer)
		switch {
		case s.answer == Limited && status == http.StatusTooManyRequests:
			w.Header().Set("Retry-After", "30")
		case s.answer == Fine:
			s.seen = append(s.seen, read(r, body))
		}
		s.requests = append(s.requests, r)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Answer says how the service answers from now on.
func (s *Service) Answer(a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = a
}

// Seen is what arrived, oldest first.
func (s *Service) Seen() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Seen(nil), s.seen...)
}

// Last is the last request.
func (s *Service) Last() *http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[len(s.requests)-1]
}
