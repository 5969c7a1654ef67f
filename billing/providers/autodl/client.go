package autodl

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

const (
	api      = "/api/v1/dev/"
	pageSize = 100
	maxPages = 200 // ends a walk that no account can need
)

// client speaks the developer API. One is made per opening of an account.
type client struct {
	base   string
	gpuhub bool
	http   *http.Client
}

func newClient(c billing.Config, e billing.Env, key billing.Secret) *client {
	base := strings.TrimRight(cmp.Or(c.BaseURL, production), "/")
	return &client{
		base:   base,
		gpuhub: isGPUhub(base),
		http: httpx.New(httpx.Options{
			Write: c.Write,
			Pace:  rate.NewLimiter(rate.Every(time.Second), 1), // no limit is documented: one a second
			// the bare token: with "Bearer" before it AutoDL does not know it
			Sign:      func(r *http.Request) error { r.Header.Set("Authorization", key.Reveal()); return nil },
			Secrets:   []billing.Secret{key, c.Fields["token"]},
			Log:       e.Log,
			Now:       e.Now,
			Transport: e.Transport,
		}),
	}
}

// bare is a token as AutoDL wants it, however it was pasted.
func bare(s billing.Secret) billing.Secret {
	v := strings.TrimSpace(s.Reveal())
	return billing.NewSecret(strings.TrimSpace(strings.TrimPrefix(v, "Bearer ")))
}

func isGPUhub(base string) bool {
	u, err := url.Parse(base)
	return err == nil && (u.Hostname() == "gpuhub.com" || strings.HasSuffix(u.Hostname(), ".gpuhub.com"))
}

// currency is what the address that is asked bills in.
func (c *client) currency() billing.Currency {
	if c.gpuhub {
		return usd
	}
	return cny
}

// do sends a request, opens the envelope and decodes what is in it into out, unless that is nil.
func (c *client) do(op string, req *http.Request, out any) (requestID string, err error) {
	var e envelope
	if err := httpx.JSON(c.http, op, req, &e); err != nil {
		return "", err
	}
	switch {
	case e.Code == "":
		return "", garbled(op, "the answer has no code")
	case e.Code != codeSuccess:
		return "", failed(op, e)
	case out == nil:
		return e.RequestID, nil
	case len(e.Data) == 0, string(e.Data) == "null":
		return "", garbled(op, "the answer is empty")
	}
	if err := json.Unmarshal(e.Data, out); err != nil {
		return "", garbled(op, "the data is not what is documented") // err may quote it
	}
	return e.RequestID, nil
}

// post reads with POST, as most of this API does; a nil body sends none.
func (c *client) post(ctx context.Context, op, path string, body, out any) error {
	req, err := httpx.NewRequest(ctx, http.MethodPost, c.base+api+path, body)
	if err != nil {
		return &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	_, err = c.do(op, httpx.Read(req), out)
	return err
}

// order changes an instance. There are no idempotency tokens, so that it is sent once.
func (c *client) order(ctx context.Context, op, path, id string) (requestID string, err error) {
	req, err := httpx.NewRequest(ctx, http.MethodPost, c.base+api+path, map[string]string{"instance_uuid": id})
	if err != nil {
		return "", &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	return c.do(op, httpx.Write(req), nil)
}

func (c *client) wallet(ctx context.Context) (w wallet, err error) {
	return w, c.post(ctx, "autodl: get balance", "wallet/balance", nil, &w)
}

// details asks for one instance. The documentation shows a GET with a body; what works is the query.
func (c *client) details(ctx context.Context, id string) (d details, err error) {
	const op = "autodl: get instance"
	address := c.base + api + "instance/pro/snapshot?" + url.Values{"instance_uuid": {id}}.Encode()
	req, err := httpx.NewRequest(ctx, http.MethodGet, address, nil)
	if err != nil {
		return d, &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	_, err = c.do(op, httpx.Read(req), &d)
	return d, err
}

func (c *client) instances(ctx context.Context) iter.Seq2[instance, error] {
	return walk(ctx, c, "autodl: list instances", "instance/pro/list", func(i instance) string { return i.UUID })
}

// images lists private images; GPUhub knows only the elastic API's list of them.
func (c *client) images(ctx context.Context) iter.Seq2[image, error] {
	path := "instance/pro/image/private/list"
	if c.gpuhub {
		path = "image/private/list"
	}
	return walk(ctx, c, "autodl: list images", path, func(i image) string { return i.UUID })
}

// walk lists every page of a route, each thing once. It fails where pages repeat, and where fewer things came than the
// list says to have: pages are counted by position, so that one that goes away meanwhile hides another.
func walk[T any](ctx context.Context, c *client, op, path string, id func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		seen := map[string]bool{}
		for page := 1; page <= maxPages; page++ {
			var s sheet[T]
			err := c.post(ctx, op, path, map[string]int{"page_index": page, "page_size": pageSize}, &s)
			var items []T
			if err == nil {
				items, err = s.open(op, page)
			}
			if err != nil {
				yield(none, err)
				return
			}
			fresh := 0
			for _, item := range items {
				if id(item) == "" {
					yield(none, garbled(op, "a thing without id"))
					return
				}
				if seen[id(item)] {
					continue
				}
				seen[id(item)] = true
				fresh++
				if !yield(item, nil) {
					return
				}
			}
			switch last := s.last(page); {
			case last && count(s.Total) > len(seen):
				yield(none, &billing.Error{Kind: billing.Upstream, Op: op, Say: billing.Say("error.autodl.moved"),
					Err: fmt.Errorf("%d things came, %d were announced", len(seen), count(s.Total))})
				return
			case last:
				return
			case fresh == 0:
				yield(none, garbled(op, "the pages do not come to an end"))
				return
			}
		}
		yield(none, garbled(op, fmt.Sprintf("more than %d pages", maxPages)))
	}
}

// open gives what is on a page. An empty list may be null.
func (s sheet[T]) open(op string, page int) ([]T, error) {
	switch {
	case s.Index != "" && count(s.Index) != page:
		return nil, garbled(op, "another page came than was asked for")
	case s.List != nil:
		return *s.List, nil
	case s.Total == "" || count(s.Total) != 0:
		return nil, garbled(op, "the answer lacks its list")
	}
	return nil, nil
}

// last says whether a page is the last one: by the number of pages, else by its own length.
func (s sheet[T]) last(page int) bool {
	if s.Pages != "" {
		return page >= count(s.Pages)
	}
	return s.List == nil || len(*s.List) < pageSize
}

// count reads a number of things; what is none is 0.
func count(n json.Number) int {
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return int(i)
}
