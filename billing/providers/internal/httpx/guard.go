package httpx

import (
	"context"
	"errors"
	"net/http"

	"gpuspend/billing"
)

// guard lets a read-only opening send nothing but requests marked Read. An unmarked request is refused at every
// opening, for a forgotten mark must show in the first test and not in production.
func guard(write bool, next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		m, ok := markOf(r)
		switch {
		case !ok:
			return refuse(r, &billing.Error{Kind: billing.Invalid, Op: "guard", Err: errors.New("request is marked neither read nor write")})
		case m.write && !write:
			return refuse(r, &billing.Error{Kind: billing.Denied, Op: "guard", Say: billing.Say("error.read_only"),
				Err: errors.New("a read-only account sends no writes")})
		}
		return next.RoundTrip(r)
	})
}

type purseKey struct{}

// budget stands outside retry and is asked inside it: an attempt costs, not a call. Without a purse nothing is paid for.
func budget(p billing.Purse, next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		m, _ := markOf(r)
		switch {
		case !m.price.Known():
			return next.RoundTrip(r)
		case p == nil:
			return refuse(r, &billing.Error{Kind: billing.Denied, Op: "budget", Say: billing.Say("error.paid_no_purse", "price", m.price),
				Err: errors.New("nobody pays for a request that costs")})
		}
		return next.RoundTrip(r.WithContext(context.WithValue(r.Context(), purseKey{}, p)))
	})
}

// spend reserves the price of one attempt.
func spend(r *http.Request) error {
	p, ok := r.Context().Value(purseKey{}).(billing.Purse)
	if !ok {
		return nil
	}
	m, _ := markOf(r)
	return p.Reserve(r.Context(), m.price)
}
