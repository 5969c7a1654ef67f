package httpx

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
)

// pace holds each attempt back until the account's limiter lets it go.
func pace(l *rate.Limiter, next http.RoundTripper) http.RoundTripper {
	if l == nil {
		return next
	}
	return tripper(func(r *http.Request) (*http.Response, error) {
		if err := l.Wait(r.Context()); err != nil {
			if r.Context().Err() != nil {
				return refuse(r, r.Context().Err())
			}
			return refuse(r, &billing.Error{Kind: billing.Limited, Op: "pace", Err: err})
		}
		return next.RoundTrip(r)
	})
}

// sign puts the signature on each attempt: dates and nonces must be fresh.
func sign(f func(*http.Request) error, next http.RoundTripper) http.RoundTripper {
	if f == nil {
		return next
	}
	return tripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		if err := f(r); err != nil {
			return refuse(r, &billing.Error{Kind: billing.Invalid, Op: "sign", Err: fmt.Errorf("sign request: %w", err)})
		}
		return next.RoundTrip(r)
	})
}

// deadline ends an attempt after a while, even in the middle of its body.
func deadline(d time.Duration, next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		ctx, cancel := context.WithTimeout(r.Context(), d)
		resp, err := next.RoundTrip(r.WithContext(ctx))
		if err != nil {
			cancel()
			return nil, err
		}
		resp.Body = &timedBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel}
		return resp, nil
	})
}

// timedBody says that the time was up where the transport only says that reading ended.
type timedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
	once   sync.Once
}

// Read reads until the attempt's time is up.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = b.ctx.Err()
	}
	return n, err
}

// Close frees the attempt's timer with the connection.
func (b *timedBody) Close() error {
	b.once.Do(b.cancel)
	return b.ReadCloser.Close()
}
