package contract

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// Fault is a way in which a cloud, or the way to it, fails.
type Fault string

// The faults.
const (
	Healthy   Fault = ""
	Auth      Fault = "401"
	Denied    Fault = "403"
	Missing   Fault = "404"
	Conflict  Fault = "409"
	Limited   Fault = "429 with Retry-After" // two minutes
	Down      Fault = "500"
	Page      Fault = "502 with HTML"
	Portal    Fault = "200 with HTML" // a proxy's page in place of the API
	Garbage   Fault = "garbage JSON"
	Truncated Fault = "truncated body"
	Reset     Fault = "connection lost"
	Inside    Fault = "200 with an error inside"
	Slow      Fault = "slow body"         // ten minutes
	Hang      Fault = "no answer"         // until the request's context ends
	Later     Fault = "second page fails" // the second request of a path fails
	Loop      Fault = "repeated page token"
	Once      Fault = "429 once" // Retry-After two seconds, then healthy
	Lost      Fault = "write carried out, answer lost"
)

// HTTP describes a fake that is reached by HTTP.
type HTTP struct {
	Handler http.Handler
	IsWrite func(*http.Request) bool // tells writes from reads
	Inside  http.HandlerFunc         // answers success with an error inside, as this cloud does
	Loop    http.Handler             // answers lists whose next page is always the same; nil where the cloud has no pages
}

// Serve makes a Cloud of a fake, with the faults that are the same for all.
func Serve(h HTTP) Cloud { return &served{h: h, paths: map[string]int{}} }

type served struct {
	h      HTTP
	mu     sync.Mutex
	fault  Fault
	paths  map[string]int // requests by path since the fault was set
	asked  int            // requests since the fault was set
	writes int
}

// Transport gives the network that ends at the fake.
func (s *served) Transport() http.RoundTripper { return fixture.Over(s) }

// Break sets what goes wrong from now on.
func (s *served) Break(f Fault) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.paths, s.asked = f, map[string]int{}, 0
	return f != Loop || s.h.Loop != nil
}

// Writes counts the writes that arrived.
func (s *served) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// ServeHTTP answers as the fault wants it.
func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.h.IsWrite(r) {
		s.writes++
	}
	fault := s.fault
	s.asked++
	s.paths[r.URL.Path]++
	asked, again := s.asked, s.paths[r.URL.Path] > 1
	s.mu.Unlock()
	switch {
	case fault == Inside:
		s.h.Inside(w, r)
	case fault == Loop:
		s.h.Loop.ServeHTTP(w, r)
	case fault == Lost && s.h.IsWrite(r):
		s.h.Handler.ServeHTTP(discard{http.Header{}}, r)
		panic(http.ErrAbortHandler)
	case fault == Healthy, fault == Lost, fault == Later && !again, fault == Once && asked > 1:
		s.h.Handler.ServeHTTP(w, r)
	default:
		fail(fault, w, r)
	}
}

// fail plays the faults that are the same for all clouds. Their texts repeat what came in, as real ones do.
func fail(f Fault, w http.ResponseWriter, r *http.Request) {
	echo := fmt.Sprintf(`{"title":"refused","detail":"key %s of %s"}`, r.Header.Get("Authorization"), r.URL.RawQuery)
	head := func(code int, kind string, pairs ...string) {
		w.Header().Set("Content-Type", kind)
		for i := 0; i < len(pairs); i += 2 {
			w.Header().Set(pairs[i], pairs[i+1])
		}
		w.WriteHeader(code)
	}
	const page = "<!DOCTYPE html><html><title>Bad gateway</title><body>proxy says no</body></html>"
	switch f {
	case Auth, Denied, Missing, Conflict, Down:
		var code int
		_, _ = fmt.Sscan(string(f), &code)
		head(code, "application/problem+json")
		_, _ = io.WriteString(w, echo)
	case Later:
		head(http.StatusInternalServerError, "application/json")
		_, _ = io.WriteString(w, echo)
	case Limited:
		head(http.StatusTooManyRequests, "text/plain", "Retry-After", "120")
		_, _ = io.WriteString(w, "slow down")
	case Once:
		head(http.StatusTooManyRequests, "text/plain", "Retry-After", "2")
	case Page:
		head(http.StatusBadGateway, "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	case Portal:
		head(http.StatusOK, "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	case Garbage:
		head(http.StatusOK, "application/json")
		_, _ = io.WriteString(w, `{"pods": [}, `+echo)
	case Truncated:
		head(http.StatusOK, "application/json", "Content-Length", "4096")
		_, _ = io.WriteString(w, `{"pods": [{"id": "`)
	case Reset:
		panic(http.ErrAbortHandler)
	case Slow:
		head(http.StatusOK, "application/json")
		_, _ = io.WriteString(w, "{")
		if wait(r, 10*time.Minute) {
			_, _ = io.WriteString(w, "}")
		}
	case Hang:
		wait(r, 1000*time.Hour)
	}
}

// wait says whether the request outlived the wait.
func wait(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-t.C:
		return true
	}
}

// Kind is what a fault of the network or the cloud must come back as.
func (f Fault) Kind() billing.ErrorKind {
	switch f {
	case Auth:
		return billing.Auth
	case Denied:
		return billing.Denied
	case Missing:
		return billing.Missing
	case Conflict:
		return billing.Conflict
	case Limited:
		return billing.Limited
	case Garbage, Loop:
		return billing.Invalid
	}
	return billing.Upstream
}

// discard is an answer that nobody gets.
type discard struct{ head http.Header }

func (d discard) Header() http.Header         { return d.head }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}
