package runpod

import (
	"slices"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/prism"
)

// TestRequestsHoldAgainstTheDocument: every request of this client is one that RunPod's OpenAPI document knows, and the
// answers that the document shows are understood. Left out is what the document of August 2026 lacks: balance, tags,
// pages, GraphQL.
func TestRequestsHoldAgainstTheDocument(t *testing.T) {
	t.Parallel()
	m := prism.Start(t, "runpod-rest-v2.openapi.json")
	m.Lacks("/v2/tags")
	account := func(write bool) *account { // a fresh one has its whole pace before it
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}, Write: write},
			billing.Env{Transport: m, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		return p.(*account)
	}
	ctx := t.Context()
	scopes, _ := account(false).Scopes(ctx)
	for _, s := range scopes {
		list, err := all(account(false).Resources(ctx, s))
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %d things, %v", s.Kind, len(list), err)
			continue
		}
		if found, err := account(false).Find(ctx, list[0].Ref); err != nil || found.Ref != list[0].Ref {
			t.Errorf("%s: find gives %v, %v", s.Kind, found.Ref, err)
		}
		_, err = account(true).Release(ctx, billing.Act{Verb: billing.VerbDelete, Ref: list[0].Ref})
		if used := list[0].State == billing.StateAttached; err != nil && !used || used && billing.KindOf(err) != billing.Conflict {
			t.Errorf("%s: release gives %v", s.Kind, err)
		}
	}
	if err := account(true).api.write(ctx, "delete", "DELETE", "/v2/network-volumes/vol_abc", nil, nil); err != nil {
		t.Errorf("delete a volume: %v", err)
	}
	pods, err := all(account(false).Resources(ctx, billing.Scope{Kind: billing.KindInstance}))
	if err == nil {
		_, err = account(true).Stop(ctx, billing.Act{Verb: billing.VerbStop, Ref: pods[0].Ref})
	}
	if err != nil {
		t.Errorf("stop: %v", err)
	}
	if n, err := all(account(false).Offers(ctx, billing.OfferQuery{})); err != nil || len(n) == 0 {
		t.Errorf("%d offers, %v", len(n), err)
	}
	if _, err := all(account(false).Utilisation(ctx, billing.Period{Start: testNow().Add(-1), End: testNow()})); err != nil {
		t.Errorf("utilisation: %v", err)
	}
	day := billing.Period{Start: testNow().AddDate(0, 0, -3).Truncate(span), End: testNow()}
	if _, err := all(account(false).Charges(ctx, day)); err != nil {
		t.Errorf("charges: %v", err)
	}
	for code, want := range map[string]billing.ErrorKind{"401": billing.Auth, "403": billing.Denied, "404": billing.Missing} {
		m.Prefer("GET /v2/pods/pod_abc123", code)
		if _, err := account(false).api.pod(ctx, "pod_abc123"); billing.KindOf(err) != want {
			t.Errorf("the documented %s gives %v, want %s", code, err, want)
		}
	}
}

// TestFakeHoldsAgainstTheDocument: what the contract suite is run over answers as the document says.
func TestFakeHoldsAgainstTheDocument(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC) }
	f := newFake(now)
	f.pods = slices.DeleteFunc(f.pods, func(p map[string]any) bool { return p["id"] == "pod-odd" }) // its null is on purpose
	m := prism.Before(t, "runpod-rest-v2.openapi.json", f)
	m.Lacks("/v2/tags")
	account := func() *account {
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}, Write: true},
			billing.Env{Transport: m, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		return p.(*account)
	}
	ctx := t.Context()
	for _, kind := range []billing.Kind{billing.KindInstance, billing.KindCluster, billing.KindDisk, billing.KindEndpoint} {
		if n, err := all(account().Resources(ctx, billing.Scope{Kind: kind})); err != nil || len(n) == 0 {
			t.Errorf("%s: %d things, %v", kind, len(n), err)
		}
	}
	if _, err := all(account().Charges(ctx, billing.Period{Start: now().Add(-30 * time.Hour), End: now()})); err != nil {
		t.Errorf("charges: %v", err)
	}
	if _, err := all(account().Offers(ctx, billing.OfferQuery{})); err != nil {
		t.Errorf("offers: %v", err)
	}
	for _, act := range []billing.Act{
		{Verb: billing.VerbStop, Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "pod-train"}},
		{Verb: billing.VerbDelete, Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "pod-train"}},
		{Verb: billing.VerbDelete, Ref: billing.ResourceRef{Kind: billing.KindCluster, ID: "cl-1"}},
		{Verb: billing.VerbDelete, Ref: billing.ResourceRef{Kind: billing.KindDisk, ID: "vol-left"}},
		{Verb: billing.VerbDelete, Ref: billing.ResourceRef{Kind: billing.KindEndpoint, ID: "ep-idle"}},
	} {
		do := account().Release
		if act.Verb == billing.VerbStop {
			do = account().Stop
		}
		if _, err := do(ctx, act); err != nil {
			t.Errorf("%s %s: %v", act.Verb, act.Ref.Kind, err)
		}
	}
	gone := billing.ResourceRef{Kind: billing.KindInstance, ID: "pod-train"}
	if _, err := account().Find(ctx, gone); billing.KindOf(err) != billing.Missing {
		t.Errorf("a deleted pod is found with %v", err)
	}
}
