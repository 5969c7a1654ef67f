package huawei

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// maxPages ends a walk that no account can need.
const maxPages = 10_000

// The services, by the first word of their hosts.
const (
	ecs  = "ecs"
	evs  = "evs"
	ims  = "ims"
	vpc  = "vpc"
	ces  = "ces"
	scal = "as"
	bss  = "bss"
	iam  = "iam"
)

// project is a part of a region, with an id of its own in every region.
type project struct{ region, id string }

// client speaks Huawei's APIs. One is made per opening of an account.
type client struct {
	base string // "" for Huawei's own hosts; otherwise all services are asked there
	site string
	http *http.Client
}

func newClient(c billing.Config, e billing.Env, site string) (*client, error) {
	s := signer{key: c.Fields["access_key"], secret: c.Fields["secret_key"], session: c.Fields["security_token"], now: e.Now}
	network := e.Transport
	if network == nil {
		var err error
		if network, err = httpx.Transport(httpx.TransportConfig{}); err != nil {
			return nil, err
		}
	}
	return &client{
		base: strings.TrimSuffix(c.BaseURL, "/"),
		site: site,
		http: httpx.New(httpx.Options{
			Write:     c.Write,
			Pace:      rate.NewLimiter(rate.Every(125*time.Millisecond), 8), // BSS takes 10 a second, the others more
			Sign:      s.sign,
			Secrets:   []billing.Secret{s.key, s.secret, s.session},
			Log:       e.Log,
			Now:       e.Now,
			Transport: newGate(e.Now, network),
		}),
	}, nil
}

// host is where a service of a region is asked; BSS and IAM have none per region.
func host(service, site, region string) string {
	domain := ".myhuaweicloud.com"
	if site == europe {
		domain = ".myhuaweicloud.eu"
	}
	switch service {
	case bss:
		if site == international {
			return "bss-intl" + domain
		}
		return "bss" + domain
	case iam:
		return "iam" + domain
	}
	return service + "." + region + domain
}

// call is one request to a service. The zero project is for the services that are the same everywhere.
type call struct {
	op, service string
	in          project
	method      string // "" is GET
	path        string
	query       url.Values
	body        any
	language    string // of the names in a bill
}

func (c *client) request(ctx context.Context, k call) (*http.Request, error) {
	base := c.base
	if base == "" {
		base = "https://" + host(k.service, c.site, k.in.region)
	}
	address := base + k.path
	if len(k.query) > 0 {
		address += "?" + encoded(k.query)
	}
	method := k.method
	if method == "" {
		method = http.MethodGet
	}
	r, err := httpx.NewRequest(ctx, method, address, k.body)
	if err != nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: k.op, Err: err}
	}
	if k.in.id != "" {
		r.Header.Set("X-Project-Id", k.in.id)
	}
	if k.language != "" {
		r.Header.Set("X-Language", k.language)
	}
	return r, nil
}

// read asks and decodes the answer; also one that says in a success that it failed is an error.
func (c *client) read(ctx context.Context, k call, out answer) error {
	r, err := c.request(ctx, k)
	if err != nil {
		return err
	}
	if err := httpx.JSON(c.http, k.op, httpx.Read(r), out); err != nil {
		return err
	}
	return out.failed(k.op)
}

// write changes something. Huawei has no idempotency tokens, so that it is sent once. Answers without a body have no job.
func (c *client) write(ctx context.Context, k call) (billing.Receipt, error) {
	r, err := c.request(ctx, k)
	if err != nil {
		return billing.Receipt{}, err
	}
	body, head, err := httpx.Do(c.http, k.op, httpx.Write(r))
	if err != nil {
		return billing.Receipt{}, err
	}
	receipt := billing.Receipt{RequestID: head.Get("X-Request-Id")}
	if len(body) == 0 {
		return receipt, nil
	}
	var a jobStarted
	if json.Unmarshal(body, &a) != nil {
		return receipt, garbled(k.op, "the order was answered with no JSON")
	}
	if a.JobID != "" {
		receipt.Job = job{service: k.service, in: k.in, id: a.JobID}.String()
	}
	return receipt, a.failed(k.op)
}

// place says where in a list the next page begins: after so many pages, items, and after which item.
type place struct {
	pages, items int
	last         string
}

// walk reads a list to its end. ask gives a page and how many there are in all, -1 where Huawei does not say or what it
// says is not to be trusted. A page may be shorter than was asked for, so that only the number of all, or an empty page,
// ends a list. whole wants all of that number: a list that moves while it is read by numbers may have lost some.
func walk[T any](op string, whole bool, id func(T) string, ask func(place) (list *[]T, all int, err error)) ([]T, error) {
	var out []T
	var at place
	seen := map[string]bool{}
	for at.pages = 0; at.pages < maxPages; at.pages++ {
		list, all, err := ask(at)
		if err != nil {
			return nil, err
		}
		if list == nil {
			return nil, garbled(op, "the answer lacks its list")
		}
		fresh := false
		for _, it := range *list {
			if at.last = id(it); seen[at.last] {
				continue
			}
			fresh, seen[at.last] = true, true
			out = append(out, it)
		}
		at.items += len(*list)
		switch {
		case len(*list) > 0 && !fresh:
			return nil, garbled(op, "the pages do not come to an end")
		case all >= 0 && at.items >= all:
			return out, nil
		case len(*list) == 0 && whole && all >= 0:
			return nil, &billing.Error{Kind: billing.Upstream, Op: op, Say: billing.Say("error.huawei.moved"),
				Err: fmt.Errorf("%d of %d came", at.items, all)}
		case len(*list) == 0:
			return out, nil
		}
	}
	return nil, garbled(op, fmt.Sprintf("more than %d pages", maxPages))
}

// counted reads a list and its number as BSS gives them: an empty list may be left out, its number is not.
func counted[T any](list *[]T, total *int) (*[]T, int) {
	switch {
	case total == nil:
		return list, -1
	case list == nil && *total == 0:
		return &[]T{}, 0
	}
	return list, *total
}

// params makes a query of alternating names and values.
func params(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

// with adds a parameter to a copy of a query.
func with(q url.Values, name, value string) url.Values {
	out := url.Values{}
	for n, v := range q {
		out[n] = v
	}
	if value != "" {
		out.Set(name, value)
	}
	return out
}

// about checks that an answer is about what was asked.
func about(op, asked, got string) error {
	if asked != got {
		return garbled(op, "the answer is about another thing")
	}
	return nil
}

var errNoScope = errors.New("no such scope")
