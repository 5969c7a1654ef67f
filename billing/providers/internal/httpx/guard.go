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

// Budget is asked before each attempt of a request that costs money, and counts it; an error refuses the attempt.
// It should be a *billing.Error, so that people are told which budget is used up.
type Budget func(ctx context.Context) error

type budgetKey struct{}

// budget stands outside retry and is asked inside it: an attempt costs, not a call.
func budget(b Budget, next http.RoundTripper) http.RoundTripper {
	if b == nil {
		return next
	}
	return tripper(func(r *http.Request) (*http.Response, error) {
		if m, _ := markOf(r); !m.paid {
			return next.RoundTrip(r)
		}
		return next.RoundTrip(r.WithContext(context.WithValue(r.Context(), budgetKey{}, b)))
	})
}

func spend(ctx context.Context) error {
	b, ok := ctx.Value(budgetKey{}).(Budget)
	if !ok {
		return nil
	}
	return b(ctx)
}
