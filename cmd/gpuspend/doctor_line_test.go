package main

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
)

// TestCauseOfAFailure: "the way to the cloud failed" helps nobody; DNS, a refused connection, TLS and the proxy are
// mended by different people. Every failure but DNS is a real one.
func TestCauseOfAFailure(t *testing.T) {
	quiet := log.New(io.Discard, "", 0)
	sealed := httptest.NewUnstartedServer(http.NotFoundHandler())
	sealed.Config.ErrorLog = quiet
	sealed.StartTLS()
	defer sealed.Close()
	open := httptest.NewServer(http.NotFoundHandler())
	defer open.Close()
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer gate.Close()
	closed := vacant(t)
	for _, tt := range []struct{ name, address, proxy, want string }{
		{"nobody listens", "http://" + closed, "", "Network: 127.0.0.1 refuses connections."},
		{"an authority that nobody trusts", sealed.URL, "", "TLS: the certificate of 127.0.0.1 is signed by nobody trusted here"},
		{"no TLS there", strings.Replace(open.URL, "http:", "https:", 1), "", "does not speak TLS."},
		{"the proxy wants a password", "https://cloud.example", gate.URL, `Proxy: it answers "Proxy Authentication Required" to the wish for cloud.example.`},
		{"no proxy there", "https://cloud.example", "http://user:hush@" + closed, "Proxy: the proxy refuses connections."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			way := &http.Transport{}
			if tt.proxy != "" {
				u, _ := url.Parse(tt.proxy)
				way.Proxy = http.ProxyURL(u)
			}
			var l line
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.address, nil)
			if _, err := l.over(way).RoundTrip(r); err == nil {
				t.Fatal("it works")
			}
			if got := l.cause(); !strings.Contains(got, tt.want) || strings.Contains(got, "hush") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !l.dead() {
				t.Error("a way on which nothing was ever answered passes as good")
			}
		})
	}
	dns := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.runpod.example", IsNotFound: true}}
	if got := cause(dns, "api.runpod.example"); got != "DNS: no address is known for api.runpod.example." {
		t.Errorf("DNS: %q", got)
	}
	proxyDNS := &net.OpError{Op: "proxyconnect", Err: &net.DNSError{Err: "no such host", Name: "proxy.example", IsNotFound: true}}
	if got := cause(proxyDNS, "cloud.example"); got != "Proxy: no address is known for proxy.example." {
		t.Errorf("the proxy's name: %q", got)
	}
	if got := cause(context.DeadlineExceeded, "cloud.example"); got != "Network: cloud.example does not answer in time." {
		t.Errorf("slow: %q", got)
	}
}

// vacant is an address at which nobody listens.
func vacant(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestDoctorStopsWhereNothingAnswers: each further ability would only wait for the same, retries and all.
func TestDoctorStopsWhereNothingAnswers(t *testing.T) {
	w := &ward{Config: AccountConfig{Name: "main", Provider: "test", BaseURL: "http://" + vacant(t)}, drivers: []billing.Driver{{
		Name: "test", Title: "Test Cloud", Open: func(c billing.Config, e billing.Env) (billing.Provider, error) {
			return patient{&http.Client{Transport: e.Transport}, c.BaseURL}, nil
		}}}}
	trials, err := w.examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := trials[len(trials)-1]
	if last.ability != billing.CanBalance || last.broke != "Network: 127.0.0.1 refuses connections." {
		t.Errorf("went on to %s: %q, %v", last.ability, last.broke, last.err)
	}
}

// TestLineForgetsAFailureThatPassed: a request that was tried again and answered has no cause to name.
func TestLineForgetsAFailureThatPassed(t *testing.T) {
	calls := 0
	l := line{test: answering(func(*http.Request) (*http.Response, error) {
		if calls++; calls == 1 {
			return nil, context.DeadlineExceeded
		}
		return &http.Response{StatusCode: 200, Header: http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}, Body: http.NoBody}, nil
	})}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://cloud.example", nil)
	for range 2 {
		_, _ = l.over(nil).RoundTrip(r)
	}
	if l.cause() != "" || l.dead() || !l.told {
		t.Errorf("cause %q, dead %v, clock told %v", l.cause(), l.dead(), l.told)
	}
}

// answering is a network made of a function.
type answering func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
