package lambda

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// client speaks Lambda's API. One is made per opening of an account.
type client struct {
	base string
	http *http.Client
}

func newClient(c billing.Config, e billing.Env) *client {
	key := c.Fields["api_key"]
	return &client{
		base: cmp.Or(c.BaseURL, production),
		http: httpx.New(httpx.Options{
			Write:     c.Write,
			Pace:      rate.NewLimiter(rate.Every(1100*time.Millisecond), 1), // Lambda allows one request a second
			Retry:     httpx.Retry{First: 2 * time.Second},
			Sign:      func(r *http.Request) error { r.Header.Set("Authorization", "Bearer "+key.Reveal()); return nil },
			Secrets:   []billing.Secret{key},
			Log:       e.Log,
			Now:       e.Now,
			Transport: httpx.Restate(e.Transport, meaning),
		}),
	}
}

// meaning restates what Lambda's status codes do not say. Only the code counts: Lambda keeps changing the sentences.
func meaning(status int, _ http.Header, body []byte) int {
	var a answer[json.RawMessage]
	if json.Unmarshal(body, &a) != nil || a.Error == nil {
		return status
	}
	switch kindOf(a.Error.Code) {
	case billing.Auth:
		return http.StatusUnauthorized
	case billing.Missing:
		return http.StatusNotFound
	case billing.Conflict:
		return http.StatusConflict
	case billing.Limited:
		return http.StatusTooManyRequests
	case billing.Upstream:
		return http.StatusBadGateway
	}
	return status
}

// kindOf sorts Lambda's error codes.
func kindOf(code string) billing.ErrorKind {
	switch code {
	case "global/invalid-api-key":
		return billing.Auth
	case "global/account-inactive", "global/forbidden", "global/quota-exceeded":
		return billing.Denied
	case "global/object-does-not-exist", "global/not-found":
		return billing.Missing
	case "filesystems/filesystem-in-use", "global/conflict":
		return billing.Conflict
	case "global/invalid-parameters":
		return billing.Invalid
	case "global/internal-error":
		return billing.Upstream
	}
	switch {
	case strings.HasPrefix(code, "provider/"): // what stands behind Lambda failed
		return billing.Upstream
	case strings.Contains(code, "rate-limit"), strings.Contains(code, "too-many"): // not documented
		return billing.Limited
	}
	return billing.Unknown
}

// send decodes an answer and opens its envelope.
func send[T any](c *client, op string, req *http.Request) (data T, err error) {
	var a answer[T]
	if err := httpx.JSON(c.http, op, req, &a); err != nil {
		return data, err
	}
	switch {
	case a.Error != nil:
		return data, &billing.Error{Kind: kindOf(a.Error.Code), Op: op, Err: errors.New("success with an error inside")}
	case a.Data == nil:
		return data, garbled(op, "the answer lacks its data")
	case a.Next != nil && *a.Next != "":
		return data, garbled(op, "the list has pages, which this edition of the API does not know")
	}
	return *a.Data, nil
}

func read[T any](ctx context.Context, c *client, op, path string) (data T, err error) {
	req, err := httpx.NewRequest(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return data, &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	return send[T](c, op, httpx.Read(req))
}

// write changes something. Lambda has no idempotency tokens, so that it is sent once.
func write[T any](ctx context.Context, c *client, op, method, path string, body any) (data T, err error) {
	req, err := httpx.NewRequest(ctx, method, c.base+path, body)
	if err != nil {
		return data, &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	return send[T](c, op, httpx.Write(req))
}

func garbled(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: op, Say: billing.Say("error.garbled"), Err: errors.New(why)}
}

func (c *client) instances(ctx context.Context) ([]instance, error) {
	return read[[]instance](ctx, c, "lambda: list instances", "/api/v1/instances")
}

func (c *client) instance(ctx context.Context, op, id string) (instance, error) {
	i, err := read[instance](ctx, c, op, "/api/v1/instances/"+url.PathEscape(id))
	if err == nil && i.ID != id {
		err = garbled(op, "the answer is about another thing")
	}
	return i, err
}

// filesystems lists file systems. The list's path has a hyphen; that of deleting has none.
func (c *client) filesystems(ctx context.Context) ([]filesystem, error) {
	return read[[]filesystem](ctx, c, "lambda: list file systems", "/api/v1/file-systems")
}

func (c *client) types(ctx context.Context) (catalogue, error) {
	return read[catalogue](ctx, c, "lambda: list instance types", "/api/v1/instance-types")
}
