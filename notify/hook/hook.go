// Package hook posts JSON to the robots of other chats, so that no error ever shows the address, which is the key.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gpuspend/billing"
)

// Door is one robot: an address that is a secret, and the network to it.
type Door struct {
	Op     string         // "wecom: send", for errors
	URL    billing.Secret // whole, with its key
	Client *http.Client   // nil for one that waits 10 s
	Now    func() time.Time
}

// Check says what is wrong with the address, without showing it.
func (d Door) Check() error {
	u, err := url.Parse(d.URL.Reveal())
	switch {
	case err != nil || u.Host == "":
		return errors.New("the address is no URL; give all of it, from https:// on")
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%q is no scheme for a robot's address; it begins with https://", u.Scheme)
	}
	return nil
}

// Most is how much of an answer is read: 64 KiB.
const most = 64 << 10

// Post sends a body with headers and query added to the address, and gives the answer of a service that said 2xx. A
// failure is an *billing.Error of the status's kind, with the wait that the service named.
func (d Door) Post(ctx context.Context, body any, header http.Header, query url.Values) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, d.Fault(billing.Invalid, "write the message: "+err.Error())
	}
	return d.PostBytes(ctx, text, header, query)
}

// PostBytes is Post for a body that is signed and may not be written twice.
func (d Door) PostBytes(ctx context.Context, text []byte, header http.Header, query url.Values) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, &billing.Error{Kind: billing.Upstream, Op: d.Op, Err: err}
	}
	if err := d.Check(); err != nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: d.Op, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.address(query), bytes.NewReader(text))
	if err != nil {
		return nil, d.Fault(billing.Invalid, "the address is no URL")
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	res, err := d.client().Do(req)
	if err != nil {
		return nil, &billing.Error{Kind: billing.Upstream, Op: d.Op, Err: bare(err)}
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, most))
	if kind := kindOf(res.StatusCode); kind != "" {
		return nil, &billing.Error{Kind: kind, Op: d.Op, RetryAfter: d.wait(res.Header), Err: fmt.Errorf("status %d", res.StatusCode)}
	}
	if err != nil {
		return nil, &billing.Error{Kind: billing.Upstream, Op: d.Op, Err: bare(err)}
	}
	return answer, nil
}

// Fault makes an error of this door.
func (d Door) Fault(kind billing.ErrorKind, why string) error {
	return &billing.Error{Kind: kind, Op: d.Op, Err: errors.New(why)}
}

func (d Door) address(query url.Values) string {
	u, err := url.Parse(d.URL.Reveal())
	if err != nil || len(query) == 0 {
		return d.URL.Reveal()
	}
	all := u.Query()
	for k, v := range query {
		all[k] = v
	}
	u.RawQuery = all.Encode()
	return u.String()
}

func (d Door) client() *http.Client {
	if d.Client != nil {
		return d.Client
	}
	return &http.Client{Timeout: 10 * time.Second}
}

// bare takes the address out of an error of net/http, which quotes it.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// kindOf sorts statuses; "" is success. A redirect that was not followed is an address that moved.
func kindOf(status int) billing.ErrorKind {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return billing.Auth
	case status == http.StatusNotFound, status == http.StatusGone:
		return billing.Missing
	case status == http.StatusTooManyRequests:
		return billing.Limited
	case status >= 500, status == http.StatusRequestTimeout:
		return billing.Upstream
	}
	return billing.Invalid
}

// wait reads Retry-After, in seconds or as a date; 0 where there is none.
func (d Door) wait(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if s, err := strconv.Atoi(v); err == nil && s > 0 {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil && d.Now != nil {
		return max(0, at.Sub(d.Now()))
	}
	return 0
}

// Refusal is the error of a service that answers 200 and refuses with a code. The service's own words are left out, since
// some quote the key. A code that nobody documented is Unknown: tried again, and not for ever.
func (d Door) Refusal(kinds map[int]billing.ErrorKind, code int) error {
	kind, known := kinds[code]
	if !known {
		kind = billing.Unknown
	}
	return &billing.Error{Kind: kind, Op: d.Op, RetryAfter: paceOf(kind), Err: fmt.Errorf("code %d", code)}
}

// paceOf is how long to wait where a service says that it is too much and not for how long: its limits are per minute.
func paceOf(kind billing.ErrorKind) time.Duration {
	if kind == billing.Limited {
		return time.Minute
	}
	return 0
}
