package runpod

import (
	"context"
	"iter"
	"net/url"
	"strings"

	"gpuspend/billing"
)

// tagged are the tags of an account's things by kind and id.
type tagged map[billing.ResourceRef]map[string]string

// tags reads every tag with what it is attached to. Tags came to API v2 late in 2026 and need a right of their own
// (tags:read): where either is missing, or they come in another form than RunPod's own tools show, things have none.
func (a *account) tags(ctx context.Context) (tagged, error) {
	q := paged()
	q.Set("include", "resources")
	out := tagged{}
	for t, err := range a.api.tags(ctx, q) {
		switch billing.KindOf(err) {
		case billing.Missing, billing.Denied, billing.Invalid:
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, r := range t.Resources {
			out.add(billing.ResourceRef{Kind: kindOf(r.Type), ID: r.ID}, t)
		}
	}
	return out, nil
}

func (t tagged) add(ref billing.ResourceRef, one tag) {
	if t[ref] == nil {
		t[ref] = map[string]string{}
	}
	t[ref][one.Key] = one.Value
}

// kindOf sorts RunPod's words for what a tag is on.
func kindOf(word string) billing.Kind {
	switch {
	case word == "POD":
		return billing.KindInstance
	case strings.Contains(word, "VOLUME"):
		return billing.KindDisk
	case strings.Contains(word, "ENDPOINT"):
		return billing.KindEndpoint
	case strings.Contains(word, "CLUSTER"):
		return billing.KindCluster
	}
	return ""
}

// on writes the tags onto a resource.
func (t tagged) on(r billing.Resource) billing.Resource {
	r.Tags = t[r.Ref]
	r.Owner, r.Project = r.Tags["owner"], r.Tags["project"]
	return r
}

// labelled puts tags on what a list yields.
func (a *account) labelled(ctx context.Context, all iter.Seq2[billing.Resource, error]) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		var tags tagged
		read := false
		for r, err := range all {
			if err == nil && !read {
				tags, err = a.tags(ctx)
				read = true
			}
			if !yield(tags.on(r), err) || err != nil {
				return
			}
		}
	}
}

func (c *client) tags(ctx context.Context, q url.Values) iter.Seq2[tag, error] {
	return walk(ctx, c, "runpod: list tags", "/v2/tags", q, func(p *tagPage) (*[]tag, pagination) { return p.Tags, p.Pagination })
}
