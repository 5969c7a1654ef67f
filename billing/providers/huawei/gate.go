package huawei

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"gpuspend/billing"
)

// lockout is how long Huawei refuses a key after more than five wrong signatures in a row, good ones too.
const lockout = 5 * time.Minute

// gate keeps a wrong key from locking its account's owner out: until a key has proved good its requests go one by one,
// and after a refusal none is sent for as long as Huawei's own lock lasts.
type gate struct {
	now   func() time.Time
	next  http.RoundTripper
	probe chan struct{} // held by the one request of a key that has not proved good

	mu     sync.Mutex
	proven bool
	until  time.Time
}

func newGate(now func() time.Time, next http.RoundTripper) *gate {
	return &gate{now: now, next: next, probe: make(chan struct{}, 1)}
}

// RoundTrip sends a request where the key may be used, and reads what a refusal means.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	leave, err := g.enter(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		leave(0)
		return nil, err
	}
	leave(resp.StatusCode)
	return translate(resp)
}

func (g *gate) enter(ctx context.Context) (leave func(status int), err error) {
	if proven, err := g.state(); proven || err != nil {
		return g.note, err
	}
	select {
	case g.probe <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if proven, err := g.state(); proven || err != nil {
		<-g.probe
		return g.note, err
	}
	return func(status int) { g.note(status); <-g.probe }, nil
}

func (g *gate) state() (proven bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now().Before(g.until) {
		return false, &billing.Error{Kind: billing.Auth, Say: billing.Say("error.huawei.auth"),
			Err: errors.New("not sent: the key was refused less than five minutes ago")}
	}
	return g.proven, nil
}

// note remembers what a status says about the key; 0 is no answer.
func (g *gate) note(status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case status == http.StatusUnauthorized:
		g.proven, g.until = false, g.now().Add(lockout)
	case status > 0 && status < 500:
		g.proven = true
	}
}
