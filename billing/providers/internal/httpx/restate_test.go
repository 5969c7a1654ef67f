package httpx

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
)

func TestRestate(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		code       int
		want       billing.ErrorKind
		asked      int
	}{
		{"a refusal in disguise", "bad key", 404, billing.Auth, 1},
		{"a wait that stands in the text", "every 3 s", 429, billing.Limited, 3},
		{"anything else stays", "no such thing", 404, billing.Missing, 1},
		{"a success is not looked at", "bad key", 200, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, began := 0, time.Now()
				network := tripper(func(r *http.Request) (*http.Response, error) {
					asked++
					return &http.Response{StatusCode: tt.code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tt.body)), Request: r}, nil
				})
				c := New(Options{Transport: Restate(network, func(code int, head http.Header, body []byte) int {
					switch string(body) {
					case "bad key":
						return http.StatusUnauthorized
					case "every 3 s":
						head.Set("Retry-After", "3")
					}
					return code
				})})
				req, err := NewRequest(context.Background(), http.MethodGet, "https://cloud.example/", nil)
				if err != nil {
					t.Fatal(err)
				}
				body, _, err := Do(c, "test", Read(req))
				if billing.KindOf(err) != tt.want || asked != tt.asked {
					t.Errorf("%v after %d requests, want %q after %d", err, asked, tt.want, tt.asked)
				}
				if err == nil && string(body) != tt.body {
					t.Errorf("the body is %q, want %q", body, tt.body)
				}
				if waited := time.Since(began); waited != time.Duration(tt.asked-1)*3*time.Second {
					t.Errorf("waited %v over %d requests", waited, asked)
				}
			})
		})
	}
}
