package httpx_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
	"gpuspend/billing/providers/internal/httpx"
)

// request builds a request to the test's host.
func request(t *testing.T, method, path string, body any) *http.Request {
	t.Helper()
	r, err := httpx.NewRequest(t.Context(), method, "https://cloud.example"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answers serves one status after another, and the last for ever; it counts requests.
type answers struct {
	codes []int
	head  http.Header
	asked int
	body  []string
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	a.body = append(a.body, string(b))
	code := a.codes[min(a.asked, len(a.codes)-1)]
	a.asked++
	if code != 200 {
		for k, v := range a.head {
			w.Header()[k] = v
		}
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, `{}`)
}

func TestStatusKinds(t *testing.T) {
	for code, want := range map[int]billing.ErrorKind{
		200: "", 204: "", 302: billing.Upstream, 400: billing.Invalid, 401: billing.Auth, 402: billing.Denied, 403: billing.Denied,
		404: billing.Missing, 405: billing.Invalid, 407: billing.Upstream, 408: billing.Upstream, 409: billing.Conflict, 410: billing.Missing,
		412: billing.Conflict, 422: billing.Invalid, 423: billing.Conflict, 429: billing.Limited, 500: billing.Upstream, 503: billing.Upstream,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := httpx.New(httpx.Options{Transport: fixture.Over(&answers{codes: []int{code}})})
			err := httpx.JSON(c, "test", httpx.Read(request(t, "GET", "/", nil)), nil)
			if got := billing.KindOf(err); got != want {
				t.Errorf("status %d is %q, want %q", code, got, want)
			}
		})
	}
}

func TestRetry(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("refused")}
	reset := &net.OpError{Op: "read", Err: errors.New("reset")}
	tests := []struct {
		name  string
		mark  func(*http.Request) *http.Request
		codes []int
		err   error // in place of the first answer
		after string
		asked int
		waits time.Duration // at least
		kind  billing.ErrorKind
	}{
		{"a read is tried three times", httpx.Read, []int{500}, nil, "", 3, 700 * time.Millisecond, billing.Upstream},
		{"a read that then works", httpx.Read, []int{502, 200}, nil, "", 2, 0, ""},
		{"a read after a lost connection", httpx.Read, []int{200}, reset, "", 1, 0, ""},
		{"Retry-After in seconds", httpx.Read, []int{429, 200}, nil, "3", 2, 3 * time.Second, ""},
		{"Retry-After as a date", httpx.Read, []int{503, 200}, nil, "Sat, 01 Jan 2000 00:00:04 GMT", 2, 4 * time.Second, ""},
		{"Retry-After too long is handed up", httpx.Read, []int{429}, nil, "600", 1, 0, billing.Limited},
		{"what is refused stays refused", httpx.Read, []int{403}, nil, "", 1, 0, billing.Denied},
		{"a write is sent once", httpx.Write, []int{500}, nil, "", 1, 0, billing.Upstream},
		{"a write is not sent again at 429", httpx.Write, []int{429}, nil, "1", 1, 0, billing.Limited},
		{"a write after a lost connection", httpx.Write, []int{200}, reset, "", 0, 0, billing.Upstream},
		{"a write that was never sent", httpx.Write, []int{200}, dial, "", 1, 0, ""},
		{"a write with a token", func(r *http.Request) *http.Request { return httpx.WriteOnce(r, "tok") }, []int{500, 200}, nil, "", 2, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cloud := &answers{codes: tt.codes, head: http.Header{}}
				if tt.after != "" {
					cloud.head.Set("Retry-After", tt.after)
				}
				c := httpx.New(httpx.Options{Write: true, Now: time.Now, Transport: failFirst(tt.err, fixture.Over(cloud))})
				began := time.Now()
				err := httpx.JSON(c, "test", tt.mark(request(t, "POST", "/", map[string]int{"a": 1})), nil)
				if billing.KindOf(err) != tt.kind || cloud.asked != tt.asked {
					t.Errorf("%d requests, error %v; want %d, %q", cloud.asked, err, tt.asked, tt.kind)
				}
				if took := time.Since(began); took < tt.waits {
					t.Errorf("took %v, want at least %v", took, tt.waits)
				}
				for _, b := range cloud.body {
					if b != `{"a":1}` {
						t.Errorf("an attempt had the body %q", b)
					}
				}
			})
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func failFirst(err error, next http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		if err != nil {
			e := err
			err = nil
			return nil, e
		}
		return next.RoundTrip(r)
	})
}

func TestRetryAfterReachesTheError(t *testing.T) {
	for _, after := range []string{"120", "Sat, 01 Jan 2000 00:02:00 GMT"} {
		synctest.Test(t, func(t *testing.T) {
			cloud := &answers{codes: []int{429}, head: http.Header{"Retry-After": {after}}}
			c := httpx.New(httpx.Options{Transport: fixture.Over(cloud), Now: time.Now})
			err := httpx.JSON(c, "test", httpx.Read(request(t, "GET", "/", nil)), nil)
			var e *billing.Error
			if !errors.As(err, &e) || e.RetryAfter != 2*time.Minute {
				t.Errorf("%s gives %v, want a wait of 2m", after, err)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	unmarked := func(r *http.Request) *http.Request { return r }
	for _, tt := range []struct {
		name  string
		write bool
		mark  func(*http.Request) *http.Request
		kind  billing.ErrorKind
	}{
		{"a marked read", false, httpx.Read, ""},
		{"a write at a read-only opening", false, httpx.Write, billing.Denied},
		{"a write", true, httpx.Write, ""},
		{"an unmarked request at a read-only opening", false, unmarked, billing.Invalid},
		{"an unmarked request", true, unmarked, billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cloud := &answers{codes: []int{200}}
			c := httpx.New(httpx.Options{Write: tt.write, Transport: fixture.Over(cloud)})
			err := httpx.JSON(c, "test", tt.mark(request(t, "POST", "/", nil)), nil)
			if sent := cloud.asked > 0; billing.KindOf(err) != tt.kind || sent != (tt.kind == "") {
				t.Errorf("sent: %v, error: %v; want %q", sent, err, tt.kind)
			}
		})
	}
}

func TestEachAttemptIsPaidPacedAndSigned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paid, signed, cent := 0, 0, billing.MustMoney("0.01", "USD")
		var signatures []string
		cloud := &answers{codes: []int{500, 500, 200}}
		c := httpx.New(httpx.Options{
			Purse: purseFunc(func(price billing.Money) error {
				if paid == 3 {
					return &billing.Error{Kind: billing.Limited, Op: "budget", Say: billing.Say("error.paid_budget")}
				}
				if price != cent {
					t.Errorf("asked for %v", price)
				}
				paid++
				return nil
			}),
			Pace: rate.NewLimiter(rate.Every(20*time.Second), 1),
			Sign: func(r *http.Request) error { signed++; r.Header.Set("Nonce", fmt.Sprint(signed)); return nil },
			Transport: transport(func(r *http.Request) (*http.Response, error) {
				signatures = append(signatures, r.Header.Get("Nonce"))
				return fixture.Over(cloud).RoundTrip(r)
			}),
		})
		began := time.Now()
		req := httpx.Paid(request(t, "GET", "/", nil), cent)
		if err := httpx.JSON(c, "test", req, nil); err != nil {
			t.Fatal(err)
		}
		if paid != 3 || strings.Join(signatures, "") != "123" || req.Header.Get("Nonce") != "" {
			t.Errorf("paid %d, signatures %v, want 3 of each and the caller's request left alone", paid, signatures)
		}
		if took := time.Since(began); took < 39*time.Second {
			t.Errorf("three attempts took %v, the pace is one in 20 s", took)
		}
		err := httpx.JSON(c, "again", httpx.Paid(request(t, "GET", "/", nil), cent), nil)
		if billing.KindOf(err) != billing.Limited || billing.SayOf(err).Key != "error.paid_budget" || cloud.asked != 3 {
			t.Errorf("over budget: %v after %d requests", err, cloud.asked)
		}
		if err := httpx.JSON(c, "free", httpx.Read(request(t, "GET", "/", nil)), nil); err != nil {
			t.Errorf("a free read over budget: %v", err)
		}
	})
}

// purseFunc is a purse.
type purseFunc func(price billing.Money) error

func (f purseFunc) Reserve(_ context.Context, price billing.Money) error { return f(price) }

// Without a purse nothing that costs is sent: a forgotten one must not cost money.
func TestNothingIsPaidWithoutAPurse(t *testing.T) {
	cloud := &answers{codes: []int{200}}
	c := httpx.New(httpx.Options{Transport: fixture.Over(cloud)})
	err := httpx.JSON(c, "test", httpx.Paid(request(t, "GET", "/", nil), billing.MustMoney("0.01", "USD")), nil)
	if billing.KindOf(err) != billing.Denied || cloud.asked != 0 {
		t.Errorf("%v after %d requests", err, cloud.asked)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	hosts := []string{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts = append(hosts, r.Host)
		http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
	})
	c := httpx.New(httpx.Options{Transport: fixture.Over(h), Retry: httpx.Retry{Attempts: 1}})
	err := httpx.JSON(c, "test", httpx.Read(request(t, "GET", "/", nil)), nil)
	if billing.KindOf(err) != billing.Upstream || len(hosts) != 1 {
		t.Errorf("error %v after asking %v", err, hosts)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		name, kind, body string
		code             int
		want             billing.ErrorKind
		say              string
	}{
		{"HTML by type", "text/html", "hello", 200, billing.Upstream, "error.web_page"},
		{"HTML by look", "application/json", " \n<html>", 200, billing.Upstream, "error.web_page"},
		{"a proxy's 403", "text/html", "<html>", 403, billing.Upstream, "error.web_page"},
		{"the cloud's 403", "application/json", "{}", 403, billing.Denied, "error.denied"},
		{"a proxy that wants a password", "text/html", "<html>", 407, billing.Upstream, "error.proxy_auth"},
		{"garbage", "application/json", "{]", 200, billing.Invalid, "error.garbled"},
		{"another type", "application/json", `{"n":{}}`, 200, billing.Invalid, "error.garbled"},
		{"a second value", "application/json", `{} {}`, 200, billing.Invalid, "error.garbled"},
		{"half of it", "application/json", `{"n":`, 200, billing.Upstream, "error.cut_off"},
		{"nothing", "application/json", ``, 200, billing.Upstream, "error.cut_off"},
		{"too much", "application/json", `{"n":1` + strings.Repeat(" ", httpx.MaxBody) + "}", 200, billing.Invalid, "error.too_big"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(tt.code)
				_, _ = io.WriteString(w, tt.body)
			})
			c := httpx.New(httpx.Options{Transport: fixture.Over(h), Retry: httpx.Retry{Attempts: 1}})
			var out struct {
				N json.Number `json:"n"`
			}
			err := httpx.JSON(c, "test", httpx.Read(request(t, "GET", "/", nil)), &out)
			if billing.KindOf(err) != tt.want || billing.SayOf(err).Key != tt.say {
				t.Errorf("%v, %s; want %s, %s", err, billing.SayOf(err).Key, tt.want, tt.say)
			}
		})
	}
}

func TestSecretsStayInside(t *testing.T) {
	const key = "sk+live/ABC def"
	var log bytes.Buffer
	c := httpx.New(httpx.Options{
		Secrets:      []billing.Secret{billing.NewSecret(key)},
		SecretParams: []string{"Signature"},
		Retry:        httpx.Retry{Attempts: 1},
		Log:          slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Transport: failFirst(errors.New("proxy refused "+key), fixture.Over(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(422)
			_, _ = io.WriteString(w, `{"detail":"bad password","key":"`+key+`","other":"hf_9s8d7f6s8d7f6sdf"}`)
		}))),
	})
	ask := func() error {
		r := request(t, "GET", "/v1/things?Signature=abc123sig&api_key=sk%2Blive%2FABC+def&page=2", nil)
		return httpx.JSON(c, "test", httpx.Read(r), nil)
	}
	all := fmt.Sprintf("%v %+v\n%v %s", ask(), ask(), ask(), log.String())
	for _, secret := range []string{key, "sk%2Blive", "abc123sig", "hf_9s8d7f6s8d7f6sdf"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q comes out:\n%s", secret, all)
		}
	}
	for _, wanted := range []string{"page=2", "/v1/things", "status=422", "bad password", "proxy refused [secret]"} {
		if !strings.Contains(all, wanted) {
			t.Errorf("%q is not told:\n%s", wanted, all)
		}
	}
}

func TestErrorsDoNotRepeatTheAddress(t *testing.T) {
	c := httpx.New(httpx.Options{Retry: httpx.Retry{Attempts: 1}, Transport: failFirst(errors.New("no route to host"), nil)})
	err := httpx.JSON(c, "test: list", httpx.Read(request(t, "GET", "/?X-Auth=hidden", nil)), nil)
	if got := err.Error(); got != "test: list: upstream: no route to host" {
		t.Errorf("error is %q", got)
	}
}

func TestNumbersAreExact(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"a":0.1234567890123456789,"b":"0E-8","c":null,"e":12345678901234567890.5}`)
	})
	var out struct{ A, B, C, D, E json.Number }
	c := httpx.New(httpx.Options{Transport: fixture.Over(h)})
	if err := httpx.JSON(c, "test", httpx.Read(request(t, "GET", "/", nil)), &out); err != nil {
		t.Fatal(err)
	}
	a, err := httpx.Money(out.A, "USD")
	if err != nil || a.Amount() != "0.123456789012345679" {
		t.Errorf("a is %v, %v", a, err)
	}
	if b, err := httpx.Money(out.B, "USD"); err != nil || !b.Known() || b.Sign() != 0 {
		t.Errorf("0E-8 is %v, %v, want a known zero", b, err)
	}
	for name, n := range map[string]json.Number{"null": out.C, "missing": out.D} {
		m, err1 := httpx.Money(n, "USD")
		d, err2 := httpx.Decimal(n)
		if err1 != nil || err2 != nil || m.Known() || d.Known() {
			t.Errorf("%s is %v, %v: want unknown", name, m, d)
		}
	}
	if d, err := httpx.Decimal(out.E); err != nil || d.String() != "12345678901234567890.5" {
		t.Errorf("e is %v, %v", d, err)
	}
}
