package alibaba

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// product is one of Alibaba's APIs.
type product struct {
	version string
	host    func(site, region string) string
}

func ecs() product {
	return product{"2014-05-26", func(_, region string) string { return "ecs." + region + ".aliyuncs.com" }}
}

func vpc() product {
	return product{"2016-04-28", func(_, region string) string { return "vpc." + region + ".aliyuncs.com" }}
}

func cms() product {
	return product{"2019-01-01", func(_, region string) string { return "metrics." + region + ".aliyuncs.com" }}
}

// bss is the billing API. An account belongs to one of two sites, each with a host of its own.
func bss() product {
	return product{"2017-12-14", func(site, _ string) string {
		if site == international {
			return "business.ap-southeast-1.aliyuncs.com"
		}
		return "business.aliyuncs.com"
	}}
}

func sts() product {
	return product{"2015-04-01", func(string, string) string { return "sts.aliyuncs.com" }}
}

// client speaks Alibaba's RPC APIs. One is made per opening of an account.
type client struct {
	base string // "" for Alibaba's own hosts; otherwise all products are asked there
	site string
	bill *http.Client // of the billing API, which takes 10 requests a second
	http *http.Client // of the others, which take more
}

func newClient(c billing.Config, e billing.Env, site string) *client {
	s := signer{keyID: c.Fields["access_key_id"], secret: c.Fields["access_key_secret"], session: c.Fields["security_token"],
		now: e.Now, nonce: randomNonce}
	network := e.Transport
	if network == nil { // as httpx would: its defaults fail on no configuration
		network, _ = httpx.Transport(httpx.TransportConfig{})
	}
	door := func(every time.Duration, burst int) *http.Client {
		return httpx.New(httpx.Options{
			Write:     c.Write,
			Pace:      rate.NewLimiter(rate.Every(every), burst),
			Sign:      s.sign,
			Secrets:   []billing.Secret{s.keyID, s.secret, s.session},
			Log:       e.Log,
			Now:       e.Now,
			Transport: translate(network),
		})
	}
	return &client{base: c.BaseURL, site: site, bill: door(125*time.Millisecond, 8), http: door(50*time.Millisecond, 20)}
}

// call is one request: an action of a product in a region ("" for the products that are the same everywhere).
type call struct {
	op     string
	of     product
	region string
	action string
	query  url.Values
}

func (c *client) request(ctx context.Context, k call) (*http.Request, error) {
	base := c.base
	if base == "" {
		base = "https://" + k.of.host(c.site, k.region)
	}
	r, err := httpx.NewRequest(ctx, http.MethodPost, base+"/?"+encoded(k.query), nil)
	if err != nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: k.op, Err: err}
	}
	r.Header.Set("x-acs-action", k.action)
	r.Header.Set("x-acs-version", k.of.version)
	return r, nil
}

// read asks and decodes the answer; also one that says in a success that it failed is an error.
func (c *client) read(ctx context.Context, k call, out answer) error {
	r, err := c.request(ctx, k)
	if err != nil {
		return err
	}
	door := c.http
	if k.of.version == bss().version {
		door = c.bill
	}
	if err := httpx.JSON(door, k.op, httpx.Read(r), out); err != nil {
		return err
	}
	return out.head().failed(k.op)
}

// write changes something. It is sent once even where a client token would make a second time harmless: what became of
// an order is looked up and not asked for again. The answer's request id is for the record.
func (c *client) write(ctx context.Context, k call) (requestID string, err error) {
	r, err := c.request(ctx, k)
	if err != nil {
		return "", err
	}
	var a actAnswer
	if err := httpx.JSON(c.http, k.op, httpx.Write(r), &a); err != nil {
		return "", err
	}
	return a.RequestID, a.failed(k.op)
}

// rehearse sends a request as a dry run and says whether it would have been taken. Alibaba says yes with an error; a
// plain success says nothing at all.
func (c *client) rehearse(ctx context.Context, k call, mark func(*http.Request) *http.Request) error {
	k.query = with(k.query, "DryRun", "true")
	r, err := c.request(ctx, k)
	if err != nil {
		return err
	}
	var a actAnswer
	if err = httpx.JSON(c.http, k.op, mark(r), &a); err == nil {
		err = a.failed(k.op)
	}
	var said refusal
	switch {
	case errors.As(err, &said) && dryRunPassed(said.code):
		return nil
	case err == nil:
		return &billing.Error{Kind: billing.Unknown, Op: k.op, Err: errors.New("a dry run was answered with a plain success")}
	}
	return err
}

// with adds parameters to a copy of a query, given as alternating names and values.
func with(q url.Values, pairs ...string) url.Values {
	out := url.Values{}
	for name, v := range q {
		out[name] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}

func params(pairs ...string) url.Values { return with(nil, pairs...) }

// idList writes ids as Alibaba wants them, as a JSON array in a string. An empty one finds nothing.
func idList(ids ...string) string {
	b, err := json.Marshal(ids)
	if err != nil {
		return "[]"
	}
	return string(b)
}

func garbled(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: op, Say: billing.Say("error.garbled"), Err: errors.New(why)}
}
