package httpx

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// mask stands for whatever must not be read.
const mask = "[secret]"

// trace logs each attempt at debug level and keeps secrets out of logs and of the errors that go up.
func trace(o Options, next http.RoundTripper) http.RoundTripper {
	red := newRedactor(o)
	return tripper(func(r *http.Request) (*http.Response, error) {
		began := o.Now()
		resp, err := next.RoundTrip(r)
		if !o.Log.Enabled(r.Context(), slog.LevelDebug) {
			return resp, red.error(err)
		}
		log := o.Log.With("method", r.Method, "host", r.URL.Host, "path", red.text(r.URL.Path), "query", red.query(r.URL.Query()))
		if err != nil {
			err = red.error(err)
			log.DebugContext(r.Context(), "cloud request failed", "took", o.Now().Sub(began), "error", err.Error())
			return nil, err
		}
		log.DebugContext(r.Context(), "cloud request", "took", o.Now().Sub(began), "status", resp.StatusCode,
			"type", red.text(resp.Header.Get("Content-Type")), "excerpt", red.excerpt(resp))
		return resp, nil
	})
}

// redactor hides configured secrets and what looks like one.
type redactor struct {
	secrets []string
	params  []string
}

func newRedactor(o Options) redactor {
	r := redactor{params: o.SecretParams}
	for _, s := range o.Secrets {
		if v := s.Reveal(); v != "" {
			r.secrets = append(r.secrets, v, url.QueryEscape(v), url.PathEscape(v))
		}
	}
	// the longest first: a secret that holds another must not leave a rest
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	return r
}

func (r redactor) text(s string) string {
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, mask)
	}
	return s
}

func (r redactor) query(v url.Values) string {
	for _, name := range r.params {
		if v.Has(name) {
			v.Set(name, mask)
		}
	}
	text, err := url.QueryUnescape(r.text(v.Encode()))
	if err != nil {
		return r.text(v.Encode())
	}
	return r.text(text)
}

// error keeps the chain of an error for errors.Is and errors.As, and hides its text where that shows a secret.
func (r redactor) error(err error) error {
	if err == nil {
		return nil
	}
	text := r.text(err.Error())
	if text == err.Error() {
		return err
	}
	return masked{text, err}
}

type masked struct {
	text string
	err  error
}

func (m masked) Error() string { return m.text }
func (m masked) Unwrap() error { return m.err }

// excerpt is the beginning of a refusal, for whoever debugs a request; "" for a success, whose body is nobody's
// business. Anything that may be a key or a password is hidden, whether or not we know it.
func (r redactor) excerpt(resp *http.Response) string {
	if kindOfStatus(resp.StatusCode) == "" {
		return ""
	}
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	return looksSecret.ReplaceAllString(r.text(string(head)), mask)
}

// looksSecret matches long runs of what keys are made of, and shorter ones that mix letters with digits.
var looksSecret = regexp.MustCompile(`[A-Za-z0-9+/_=-]{16,}|[A-Za-z+/_=-]+[0-9][A-Za-z0-9+/_=-]{4,}|[0-9]+[A-Za-z][A-Za-z0-9+/_=-]{4,}`)
