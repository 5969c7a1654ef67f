package vast

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// The largest pages that Vast.ai gives.
const (
	instancesAPage = 25 // more is cut to 25, and 0 or less becomes 5
	chargesAPage   = 500
)

// maxPages ends a walk that no account can need.
const maxPages = 1000

// client speaks Vast.ai's API. One is made per opening of an account. Paths end in a slash, as Vast.ai's own client
// writes them: the form without may be answered with a redirect, which drops bodies.
type client struct {
	base string
	http *http.Client
}

func newClient(c billing.Config, e billing.Env) *client {
	key := c.Fields["api_key"]
	return &client{
		base: cmp.Or(c.BaseURL, production),
		http: httpx.New(httpx.Options{
			Write: c.Write,
			// Vast.ai wants 1 to 5.5 s between two calls of one endpoint and names the wait when it was too short
			Pace:      rate.NewLimiter(rate.Every(1500*time.Millisecond), 1),
			Retry:     httpx.Retry{First: 3 * time.Second},
			Sign:      func(r *http.Request) error { r.Header.Set("Authorization", "Bearer "+key.Reveal()); return nil },
			Secrets:   []billing.Secret{key},
			Log:       e.Log,
			Now:       e.Now,
			Transport: httpx.Restate(e.Transport, meaning),
		}),
	}
}

// threshold matches the wait in Vast.ai's refusal of too many requests, which comes as plain text or in a JSON string.
var threshold = regexp.MustCompile(`threshold=([0-9.]+)`)

// meaning restates what Vast.ai's status codes do not say: 404 for a key that belongs to nobody, 400 for something that
// does not exist, 429 whose wait stands in the text only.
func meaning(code int, head http.Header, body []byte) int {
	var v verdict
	_ = json.Unmarshal(body, &v) // a text or a page has no verdict
	word, _ := v.refused()
	switch {
	case code == http.StatusTooManyRequests && head.Get("Retry-After") == "":
		if m := threshold.FindSubmatch(body); m != nil {
			head.Set("Retry-After", string(m[1]))
		}
	case code == http.StatusNotFound && strings.HasPrefix(word, "auth"):
		return http.StatusUnauthorized
	case code == http.StatusBadRequest && strings.HasPrefix(word, "no_such"):
		return http.StatusNotFound
	}
	return code
}

// kindOf sorts the words of refusals that come with status 200.
func kindOf(word string) billing.ErrorKind {
	switch {
	case strings.HasPrefix(word, "auth"):
		return billing.Auth
	case strings.HasPrefix(word, "no_such"), word == "not_found":
		return billing.Missing
	case strings.HasPrefix(word, "rate_limit"):
		return billing.Limited
	case strings.Contains(word, "invalid"):
		return billing.Invalid
	}
	return billing.Unknown
}

// answer is whatever Vast.ai answers: any may be a refusal.
type answer interface{ refused() (string, bool) }

// do sends a request and looks for a refusal in its answer.
func (c *client) do(op string, req *http.Request, out answer) error {
	if err := httpx.JSON(c.http, op, req, out); err != nil {
		return err
	}
	if word, no := out.refused(); no {
		return &billing.Error{Kind: kindOf(word), Op: op, Err: errors.New("status 200 with success: false")}
	}
	return nil
}

// read asks for a path and decodes the answer.
func (c *client) read(ctx context.Context, op, path string, q url.Values, out answer) error {
	address := c.base + path
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	req, err := httpx.NewRequest(ctx, http.MethodGet, address, nil)
	if err != nil {
		return &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	return c.do(op, httpx.Read(req), out)
}

// write changes something. Vast.ai has no idempotency tokens, so that it is sent once.
func (c *client) write(ctx context.Context, op, method, path string, body any) error {
	req, err := httpx.NewRequest(ctx, method, c.base+path, body)
	if err != nil {
		return &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	return c.do(op, httpx.Write(req), &bare{})
}

// walk lists every page of a route. It fails where a page token comes back, and where the pages hold fewer things than
// the last of them says there are: a shorter list would make things look gone.
func walk[P answer, T any](ctx context.Context, c *client, op, path string, q url.Values, fresh func() P, open func(P) (*[]T, cursor)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		seen, n := map[string]bool{}, 0
		for range maxPages {
			p := fresh()
			if err := c.read(ctx, op, path, q, p); err != nil {
				yield(none, err)
				return
			}
			items, at := open(p)
			if items == nil {
				yield(none, garbled(op, "the answer lacks its list"))
				return
			}
			n += len(*items)
			for _, item := range *items {
				if !yield(item, nil) {
					return
				}
			}
			if at.Next == nil || *at.Next == "" {
				if total, err := at.Total.Int64(); err == nil && int64(n) < total {
					yield(none, garbled(op, fmt.Sprintf("the pages hold %d of %d", n, total)))
				}
				return
			}
			if seen[*at.Next] {
				yield(none, garbled(op, "the pages do not come to an end"))
				return
			}
			seen[*at.Next] = true
			q.Set("after_token", *at.Next)
		}
		yield(none, garbled(op, fmt.Sprintf("more than %d pages", maxPages)))
	}
}

func garbled(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: op, Say: billing.Say("error.garbled"), Err: errors.New(why)}
}

// instances lists all instances by id, so that one made meanwhile comes last and none is skipped. No columns are
// selected: names that Vast.ai does not know come back as null.
func (c *client) instances(ctx context.Context) iter.Seq2[instance, error] {
	const op = "vast: list instances"
	q := url.Values{"limit": {strconv.Itoa(instancesAPage)}, "order_by": {`[{"col":"id","dir":"asc"}]`}}
	return walk(ctx, c, op, "/api/v1/instances/", q, func() *instancePage { return &instancePage{} },
		func(p *instancePage) (*[]instance, cursor) { return p.Instances, cursor{p.Next, p.Total} })
}

// instance reads a single one. Where there is none, Vast.ai answers 200 with null.
func (c *client) instance(ctx context.Context, op, id string) (i instance, err error) {
	if _, err := number(op, id); err != nil {
		return i, err
	}
	var a instanceAnswer
	if err := c.read(ctx, op, "/api/v0/instances/"+id+"/", nil, &a); err != nil {
		return i, err
	}
	switch {
	case len(a.Instance) == 0:
		return i, garbled(op, "the answer lacks the instance")
	case string(a.Instance) == "null":
		return i, missing(op)
	case json.Unmarshal(a.Instance, &i) != nil:
		return i, garbled(op, "the instance cannot be read")
	case i.ID.String() != id:
		return i, garbled(op, "the answer is about another thing")
	}
	return i, nil
}

// number reads an id. Vast.ai's are numbers: what is none is the id of nothing, and must not become a part of a path.
func number(op, id string) (int64, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 0 {
		return 0, missing(op)
	}
	return n, nil
}

func missing(op string) error {
	return &billing.Error{Kind: billing.Missing, Op: op, Err: errors.New("no such thing")}
}

// volumes lists local and network volumes. The parameters are those of Vast.ai's own client; the API's document names
// none, and no pages either.
func (c *client) volumes(ctx context.Context) ([]volume, error) {
	const op = "vast: list volumes"
	var p volumePage
	if err := c.read(ctx, op, "/api/v0/volumes/", url.Values{"owner": {"me"}, "type": {"all_volume"}}, &p); err != nil {
		return nil, err
	}
	if p.Volumes == nil {
		return nil, garbled(op, "the answer lacks its list")
	}
	return *p.Volumes, nil
}

func (c *client) volume(ctx context.Context, op, id string) (volume, error) {
	all, err := c.volumes(ctx)
	if err != nil {
		return volume{}, err
	}
	for _, v := range all {
		if v.ID.String() == id {
			return v, nil
		}
	}
	return volume{}, missing(op)
}

func (c *client) user(ctx context.Context, op string) (u userAnswer, err error) {
	return u, c.read(ctx, op, "/api/v0/users/current/", nil, &u)
}
