package runpod

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// pageSize is the most that RunPod gives in one page.
const pageSize = 1000

// maxPages ends a walk that no account can need.
const maxPages = 1000

// client speaks RunPod's API. One is made per opening of an account.
type client struct {
	base string
	http *http.Client
}

func newClient(c billing.Config, e billing.Env) *client {
	key := c.Fields["api_key"]
	return &client{
		base: cmpOr(c.BaseURL, production),
		http: httpx.New(httpx.Options{
			Write: c.Write,
			// RunPod's example policy is 60 a minute, 3,000 an hour; a burst holds one whole reading of an account
			Pace:      rate.NewLimiter(rate.Every(1200*time.Millisecond), 10),
			Sign:      func(r *http.Request) error { r.Header.Set("Authorization", "Bearer "+key.Reveal()); return nil },
			Secrets:   []billing.Secret{key},
			Log:       e.Log,
			Now:       e.Now,
			Transport: e.Transport,
		}),
	}
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// read asks for a path and decodes the answer.
func (c *client) read(ctx context.Context, op, path string, q url.Values, out any) error {
	address := c.base + path
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	req, err := httpx.NewRequest(ctx, http.MethodGet, address, nil)
	if err != nil {
		return &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	return httpx.JSON(c.http, op, httpx.Read(req), out)
}

// write changes something. RunPod has no idempotency tokens, so that it is sent once.
func (c *client) write(ctx context.Context, op, method, path string, body, out any) error {
	req, err := httpx.NewRequest(ctx, method, c.base+path, body)
	if err != nil {
		return &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	return httpx.JSON(c.http, op, httpx.Write(req), out)
}

// walk lists every page of a route. Answers without pagination are one page, as in the first edition of API v2.
func walk[P, T any](ctx context.Context, c *client, op, path string, q url.Values, open func(*P) (*[]T, pagination)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		q := cloned(q)
		seen := map[string]bool{}
		for range maxPages {
			var page P
			if err := c.read(ctx, op, path, q, &page); err != nil {
				yield(none, err)
				return
			}
			items, next := open(&page)
			if items == nil {
				yield(none, garbled(op, "the answer lacks its list"))
				return
			}
			for _, item := range *items {
				if !yield(item, nil) {
					return
				}
			}
			if !next.HasNextPage {
				return
			}
			if next.NextCursor == nil || *next.NextCursor == "" || seen[*next.NextCursor] {
				yield(none, garbled(op, "the pages do not come to an end"))
				return
			}
			seen[*next.NextCursor] = true
			q.Set("cursor", *next.NextCursor)
		}
		yield(none, garbled(op, fmt.Sprintf("more than %d pages", maxPages)))
	}
}

func cloned(q url.Values) url.Values {
	out := url.Values{}
	for k, v := range q {
		out[k] = v
	}
	return out
}

func garbled(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: op, Say: billing.Say("error.garbled"), Err: errors.New(why)}
}

func paged() url.Values { return url.Values{"limit": {strconv.Itoa(pageSize)}} }

func (c *client) pods(ctx context.Context) iter.Seq2[pod, error] {
	q := paged()
	q.Set("includeClusterPods", "true")
	return walk(ctx, c, "runpod: list pods", "/v2/pods", q, func(p *podPage) (*[]pod, pagination) { return p.Pods, p.Pagination })
}

func (c *client) volumes(ctx context.Context) iter.Seq2[volume, error] {
	return walk(ctx, c, "runpod: list network volumes", "/v2/network-volumes", paged(),
		func(p *volumePage) (*[]volume, pagination) { return p.Volumes, p.Pagination })
}

func (c *client) clusters(ctx context.Context) iter.Seq2[cluster, error] {
	return walk(ctx, c, "runpod: list clusters", "/v2/clusters", paged(),
		func(p *clusterPage) (*[]cluster, pagination) { return p.Clusters, p.Pagination })
}

func (c *client) endpoints(ctx context.Context) iter.Seq2[endpoint, error] {
	return walk(ctx, c, "runpod: list serverless endpoints", "/v2/serverless", paged(),
		func(p *endpointPage) (*[]endpoint, pagination) { return p.Endpoints, p.Pagination })
}

// gpus lists the catalogue with the stock of one tier, "SECURE" or "COMMUNITY".
func (c *client) gpus(ctx context.Context, tier string) iter.Seq2[gpuType, error] {
	q := url.Values{"include": {"AVAILABILITY"}, "product": {"POD"}, "cloud": {tier}}
	return walk(ctx, c, "runpod: list GPU types", "/v2/catalog/gpus", q, func(p *gpuPage) (*[]gpuType, pagination) { return p.GPUs, p.Pagination })
}

func (c *client) pod(ctx context.Context, id string) (p pod, err error) {
	return p, c.one(ctx, "runpod: get pod", "/v2/pods/", id, &p, &p.ID)
}

func (c *client) volume(ctx context.Context, id string) (v volume, err error) {
	return v, c.one(ctx, "runpod: get network volume", "/v2/network-volumes/", id, &v, &v.ID)
}

func (c *client) cluster(ctx context.Context, id string) (one cluster, err error) {
	return one, c.one(ctx, "runpod: get cluster", "/v2/clusters/", id, &one, &one.ID)
}

func (c *client) endpoint(ctx context.Context, id string) (e endpoint, err error) {
	return e, c.one(ctx, "runpod: get serverless endpoint", "/v2/serverless/", id, &e, &e.ID)
}

// one reads a single thing and checks that the answer is about it.
func (c *client) one(ctx context.Context, op, path, id string, out any, got *string) error {
	if err := c.read(ctx, op, path+url.PathEscape(id), nil, out); err != nil {
		return err
	}
	if *got != id {
		return garbled(op, "the answer is about another thing")
	}
	return nil
}

func (c *client) balance(ctx context.Context) (b balanceAnswer, err error) {
	return b, c.read(ctx, "runpod: get balance", "/v2/billing/balance", nil, &b)
}

// myself asks GraphQL about the account. GraphQL answers 200 with errors in it.
func (c *client) myself(ctx context.Context, op string) (id string, answer graphAnswer, err error) {
	body := map[string]string{"query": "query { myself { id clientBalance } }"}
	req, err := httpx.NewRequest(ctx, http.MethodPost, c.base+"/graphql", body)
	if err != nil {
		return "", answer, &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	if err := httpx.JSON(c.http, op, httpx.Read(req), &answer); err != nil {
		return "", answer, err
	}
	switch {
	case len(answer.Errors) > 0:
		code := answer.Errors[0].Extensions.Code
		return "", answer, &billing.Error{Kind: graphKind(code), Op: op, Err: errors.New("GraphQL answered with an error")}
	case answer.Data == nil || answer.Data.Myself == nil:
		return "", answer, garbled(op, "the answer lacks the account")
	}
	return answer.Data.Myself.ID, answer, nil
}

// graphKind sorts GraphQL's error codes; those of Apollo Server, which RunPod's samples show.
func graphKind(code string) billing.ErrorKind {
	switch code {
	case "UNAUTHENTICATED":
		return billing.Auth
	case "FORBIDDEN":
		return billing.Denied
	case "BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED":
		return billing.Invalid
	}
	return billing.Upstream
}
