package httpx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"gpuspend/billing"
)

// MaxBody is the most that is read of one answer, in bytes.
const MaxBody = 32 << 20

// NewRequest builds a request whose body, where it has one, is JSON and can be sent again. Mark it with Read or Write.
func NewRequest(ctx context.Context, method, address string, body any) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, r)
	if err != nil {
		return nil, errors.New("build request: the address is not a URL")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "gpuspend")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// JSON sends a request and decodes its answer into out, which may be nil where nothing is wanted. It fails with a
// *billing.Error that holds neither a secret nor any text of the answer. Numbers are to be taken as json.Number and
// read with Money or Decimal.
func JSON(c *http.Client, op string, req *http.Request, out any) error {
	body, head, err := Do(c, op, req)
	if err != nil || out == nil {
		return err
	}
	if isPage(head, body) {
		return fault(billing.Upstream, op, "error.web_page", errors.New("the answer is a web page"))
	}
	if err := decode(body, out); err != nil {
		return undecoded(op, err)
	}
	return nil
}

func decode(body []byte, out any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(out); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows the JSON value")
	}
	return nil
}

// undecoded says what is wrong with an answer by place and type; never by its text.
func undecoded(op string, err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault(billing.Upstream, op, "error.cut_off", errors.New("the answer ends in the middle"))
	case errors.As(err, &kind):
		return fault(billing.Invalid, op, "error.garbled", fmt.Errorf("field %q cannot be read as %s", kind.Field, kind.Type))
	case errors.As(err, &syntax):
		return fault(billing.Invalid, op, "error.garbled", fmt.Errorf("not JSON from byte %d on", syntax.Offset))
	}
	return fault(billing.Invalid, op, "error.garbled", errors.New("not the JSON that was expected"))
}

// Do sends a request and gives the answer's body. It fails with a *billing.Error for whatever is no success.
func Do(c *http.Client, op string, req *http.Request) ([]byte, http.Header, error) {
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, unsuccessful(req.Context(), op, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	if kind := kindOfStatus(resp.StatusCode); kind != "" {
		return nil, nil, refused(kind, op, resp, body)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil, fault(billing.Upstream, op, "error.cut_off", errors.New("the answer ends in the middle"))
	case err != nil:
		return nil, nil, unsuccessful(req.Context(), op, err)
	case len(body) > MaxBody:
		return nil, nil, fault(billing.Invalid, op, "error.too_big", fmt.Errorf("the answer is over %d bytes", MaxBody))
	}
	return body, resp.Header, nil
}

// refused makes the error of a status code. A web page under 403 is a proxy's: the cloud's word would be JSON.
func refused(kind billing.ErrorKind, op string, resp *http.Response, body []byte) error {
	e := &billing.Error{Kind: kind, Op: op, Err: fmt.Errorf("status %d", resp.StatusCode),
		RetryAfter: retryAfter(resp.Header, time.Time{})}
	switch {
	case resp.StatusCode == http.StatusProxyAuthRequired:
		e.Say = billing.Say("error.proxy_auth")
	case kind == billing.Denied && isPage(resp.Header, body):
		e.Kind, e.Say = billing.Upstream, billing.Say("error.web_page")
	}
	return e
}

// unsuccessful makes the error of a request that got no whole answer.
func unsuccessful(ctx context.Context, op string, err error) error {
	var own *billing.Error
	if errors.As(err, &own) {
		e := *own
		e.Op = op
		return &e
	}
	if ctx.Err() != nil {
		return &billing.Error{Kind: billing.Upstream, Op: op, Err: ctx.Err()}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault(billing.Upstream, op, "error.too_slow", errors.New("the answer took too long"))
	}
	var u *url.Error // its text repeats the whole address, query and all
	if errors.As(err, &u) {
		err = u.Err
	}
	return fault(billing.Upstream, op, "", errors.New(err.Error()))
}

func fault(kind billing.ErrorKind, op, say string, err error) error {
	return &billing.Error{Kind: kind, Op: op, Say: billing.Text{Key: say}, Err: err}
}

// Money reads an amount of a JSON answer digit by digit; a number that is missing or null is unknown.
func Money(n json.Number, c billing.Currency) (billing.Money, error) {
	if n == "" {
		return billing.Money{}, nil
	}
	m, _, err := billing.ParseMoney(n.String(), c)
	return m, err
}

// Decimal reads a quantity of a JSON answer digit by digit; a number that is missing or null is unknown.
func Decimal(n json.Number) (billing.Decimal, error) {
	if n == "" {
		return billing.Decimal{}, nil
	}
	return billing.ParseDecimal(n.String())
}
