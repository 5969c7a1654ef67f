// Package httpx is the one door to the clouds: every request of every cloud passes the same guard, budget, retry,
// pace, signature and trace, and every failure comes back with its kind.
package httpx

import (
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
)

// Options is what a cloud's client needs of the door. The zero Options gives a read-only door without signature.
type Options struct {
	Write        bool                      // whether requests marked Write may pass; from billing.Config
	Purse        billing.Purse             // asked before each attempt of a Paid request; nil refuses them all
	Retry        Retry                     // zero fields take DefaultRetry's
	Pace         *rate.Limiter             // shared by all requests of an account; nil for no pacing
	Sign         func(*http.Request) error // signs each attempt afresh; nil for none
	Secrets      []billing.Secret          // never shown in a log or an error, wherever they turn up
	SecretParams []string                  // query parameters whose values are never logged
	Timeout      time.Duration             // of one attempt, its body included; 0 is DefaultTimeout
	Log          *slog.Logger              // nil for none
	Now          func() time.Time          // for durations in logs and waits given as a date; nil for none
	Transport    http.RoundTripper         // the network; nil for Transport with its defaults
}

// DefaultTimeout bounds one attempt, its body included: a cloud that drips its answer is as good as silent.
const DefaultTimeout = 60 * time.Second

// New builds the client with the whole chain before its transport. Redirects are not followed: the next host would get
// our signature.
func New(o Options) *http.Client {
	o = o.withDefaults()
	rt := deadline(o.Timeout, o.Transport)
	rt = trace(o, rt)
	rt = sign(o.Sign, rt)
	rt = pace(o.Pace, rt)
	rt = retry(o.Retry, o.Now, rt)
	rt = budget(o.Purse, rt)
	rt = guard(o.Write, rt)
	return &http.Client{
		Transport:     rt,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Transport == nil {
		o.Transport = plainTransport()
	}
	o.Retry = o.Retry.withDefaults()
	return o
}

// tripper is one link of the chain.
type tripper func(*http.Request) (*http.Response, error)

// RoundTrip passes the request on.
func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// refuse ends a request before it is sent. A RoundTripper owes its caller a closed body.
func refuse(r *http.Request, err error) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, err
}
