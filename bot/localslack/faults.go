package localslack

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Fault is how an answer goes wrong. Delay comes first; then, in this order of preference: AfterAccept does the work and
// breaks the connection before the answer; Status (with RetryAfter, if set) answers with that status; Error answers
// {"ok":false,"error":Error}; RetryAfter alone is a 429. With none of them the answer is only late.
type Fault struct {
	Status      int
	Error       string
	RetryAfter  time.Duration
	AfterAccept bool
	Delay       time.Duration
}

type pendingFault struct {
	Fault
	times int
}

// Fail makes the next calls of a Web API method go wrong, times of them. The method "response" is the response URL,
// "link" the opening of a Socket Mode connection, "*" every Web API method. Faults of one method queue up.
func (w *Workspace) Fail(method string, times int, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if times > 0 {
		w.faults[method] = append(w.faults[method], &pendingFault{f, times})
	}
}

// fault takes the next fault of a method, if any.
func (w *Workspace) fault(names ...string) (Fault, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range names {
		q := w.faults[n]
		if len(q) == 0 {
			continue
		}
		f := q[0]
		if f.times--; f.times == 0 {
			w.faults[n] = q[1:]
		}
		return f.Fault, true
	}
	return Fault{}, false
}

// apply plays the fault and reports whether the request has been answered by it.
func (f Fault) apply(ctx context.Context, rw http.ResponseWriter) bool {
	if f.Delay > 0 {
		t := time.NewTimer(f.Delay)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return true
		}
	}
	status := f.Status
	if f.AfterAccept || status == 0 && f.Error == "" && f.RetryAfter == 0 {
		return false
	}
	if f.RetryAfter > 0 {
		rw.Header().Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
		if status == 0 && f.Error == "" {
			status = http.StatusTooManyRequests
		}
	}
	code := f.Error
	if code == "" {
		code = "fatal_error"
		if status == http.StatusTooManyRequests {
			code = "ratelimited"
		}
	}
	writeJSON(rw, max(status, http.StatusOK), map[string]any{"ok": false, "error": code})
	return true
}
