package httpx

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"gpuspend/billing"
)

// Retry says how often and how patiently a request is sent again.
type Retry struct {
	Attempts int           // in all
	First    time.Duration // mean of the first wait; doubled at each further one
	Longest  time.Duration // no wait is longer; a cloud that asks for more gets its answer handed up at once
}

// DefaultRetry suits a poll: three attempts within some seconds, then the schedule's own back-off takes over.
func DefaultRetry() Retry {
	return Retry{Attempts: 3, First: 500 * time.Millisecond, Longest: 10 * time.Second}
}

func (p Retry) withDefaults() Retry {
	d := DefaultRetry()
	if p.Attempts == 0 {
		p.Attempts = d.Attempts
	}
	if p.First == 0 {
		p.First = d.First
	}
	if p.Longest == 0 {
		p.Longest = d.Longest
	}
	return p
}

// wait gives the time before the next attempt: what the cloud asked for, else an exponential one with jitter, so that
// accounts that failed together do not come back together.
func (p Retry) wait(attempt int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	mean := min(p.First<<attempt, p.Longest)
	return min(mean/2+rand.N(mean), p.Longest)
}

func retry(p Retry, now func() time.Time, next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		for attempt := 0; ; attempt++ {
			resp, err := try(r, next)
			wait := askedWait(resp, now())
			if attempt+1 >= p.Attempts || !again(r, resp, err) {
				return resp, err
			}
			wait = p.wait(attempt, wait)
			if wait > p.Longest || !fits(r.Context(), wait) {
				return resp, err
			}
			drop(resp)
			if err := pause(r.Context(), wait); err != nil {
				return nil, err
			}
		}
	})
}

// try sends one attempt with a body of its own.
func try(r *http.Request, next http.RoundTripper) (*http.Response, error) {
	if err := spend(r); err != nil {
		return refuse(r, err)
	}
	attempt := r.Clone(r.Context())
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		attempt.Body = body
	}
	return next.RoundTrip(attempt)
}

// again decides whether a request may be sent once more after what came of it.
func again(r *http.Request, resp *http.Response, err error) bool {
	m, _ := markOf(r)
	replayable := r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
	switch {
	case !replayable || r.Context().Err() != nil:
		return false
	case m.write && m.token == "":
		return err != nil && unsent(err)
	case err != nil:
		var own *billing.Error // our own refusals do not change by asking again
		return !errors.As(err, &own)
	}
	return kindOfStatus(resp.StatusCode).Retryable()
}

// unsent says that an error proves that nothing of the request left this machine.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// askedWait reads how long the cloud wants us to wait, and writes it back in seconds: further up there is no clock to
// read a date by.
func askedWait(resp *http.Response, now time.Time) time.Duration {
	if resp == nil {
		return 0
	}
	d := retryAfter(resp.Header, now)
	if d > 0 {
		resp.Header.Set("Retry-After", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	}
	return d
}

func fits(ctx context.Context, wait time.Duration) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > wait
}

// drop empties and closes an answer nobody wants, so that its connection can be used again.
func drop(resp *http.Response) {
	if resp == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	_ = resp.Body.Close()
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
