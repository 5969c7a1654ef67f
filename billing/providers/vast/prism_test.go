package vast

import (
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/prism"
)

// TestRequestsHoldAgainstTheDocument: every request of this client is one that Vast.ai's OpenAPI document knows, and the
// answers that the document shows are understood. The document's pages of instances and charges never end: its example
// carries the same token each time, so that a walk of them must end in an error and not in a list.
func TestRequestsHoldAgainstTheDocument(t *testing.T) {
	t.Parallel()
	m := prism.Start(t, "vast.openapi.yaml")
	account := func(write bool) *account { // a fresh one has its pace before it
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}, Write: write},
			billing.Env{Transport: m, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		return p.(*account)
	}
	ctx := t.Context()
	if b, err := account(false).Balance(ctx); billing.KindOf(err) != billing.Invalid { // its example of a balance is -3.4e38
		t.Errorf("balance: %v, %v", b.Cash, err)
	}
	if _, err := account(false).Identify(ctx); err != nil {
		t.Errorf("identify: %v", err)
	}
	if n, err := repeated(account(false).Resources(ctx, billing.Scope{Kind: billing.KindInstance})); n == 0 || billing.KindOf(err) != billing.Invalid {
		t.Errorf("instances whose pages repeat: %d, %v", n, err)
	}
	if n, err := repeated(account(false).Charges(ctx, theFirst())); n == 0 || billing.KindOf(err) != billing.Invalid {
		t.Errorf("charges whose pages repeat: %d, %v", n, err)
	}
	if n, err := all(account(false).Resources(ctx, billing.Scope{Kind: billing.KindDisk})); err != nil || len(n) == 0 {
		t.Errorf("%d volumes, %v", len(n), err)
	}
	for _, market := range markets() {
		if n, err := account(false).api.offers(ctx, market.kind, "RTX 4090"); err != nil || len(n) == 0 {
			t.Errorf("%d offers (%s), %v", len(n), market.kind, err)
		}
	}
	one, err := account(false).api.instance(ctx, "look", "312")
	if err != nil && billing.KindOf(err) != billing.Invalid { // the example is about another id
		t.Errorf("instance: %v, %v", one.ID, err)
	}
	const path = "/api/v0/instances/312/"
	if err := account(true).api.write(ctx, "stop", "PUT", path, map[string]string{"state": "stopped"}); err != nil {
		t.Errorf("stop: %v", err)
	}
	// the empty object that Vast.ai's own client sends, and so do we, is not in the document
	if err := account(true).api.write(ctx, "destroy", "DELETE", path, nil); err != nil {
		t.Errorf("destroy: %v", err)
	}
	if err := account(true).api.write(ctx, "delete volume", "DELETE", "/api/v0/volumes/?id=100", map[string]int64{"id": 100}); err != nil {
		t.Errorf("delete volume: %v", err)
	}
	m.Prefer("DELETE /api/v0/instances/312", "404")
	if err := account(true).api.write(ctx, "destroy", "DELETE", path, nil); billing.KindOf(err) != billing.Missing {
		t.Errorf("the documented 404 gives %v", err)
	}
}

// repeated counts what a list yields before its error.
func repeated[T any](seq func(func(T, error) bool)) (n int, err error) {
	for _, err := range seq {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// TestFakeHoldsAgainstTheDocument: what the contract suite is run over answers as the document says.
func TestFakeHoldsAgainstTheDocument(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC) }
	f := newFake(now)
	f.instances, f.volumes = f.instances[:6], f.volumes[:2] // the nulls of the last ones are on purpose
	for _, i := range f.instances {
		delete(i, "extra_env") // pairs in the document of the list, texts in that of one
	}
	m := prism.Before(t, "vast.openapi.yaml", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path += "/" // the document's paths have no slash at their end, the live API's and the fake's do
		f.ServeHTTP(w, r)
	}))
	account := func() *account {
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}, Write: true},
			billing.Env{Transport: m, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		return p.(*account)
	}
	ctx := t.Context()
	for _, kind := range []billing.Kind{billing.KindInstance, billing.KindDisk} {
		if n, err := all(account().Resources(ctx, billing.Scope{Kind: kind})); err != nil || len(n) == 0 {
			t.Errorf("%s: %d things, %v", kind, len(n), err)
		}
	}
	if b, err := account().Balance(ctx); err != nil {
		t.Errorf("balance: %v, %v", b.Cash, err)
	}
	day := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	if n, err := all(account().Charges(ctx, billing.Period{Start: day, End: day.AddDate(0, 0, 1)})); err != nil || len(n) == 0 {
		t.Errorf("%d charges, %v", len(n), err)
	}
	if n, err := account().api.offers(ctx, "bid", ""); err != nil || len(n) == 0 {
		t.Errorf("%d offers, %v", len(n), err)
	}
	if _, err := account().Stop(ctx, billing.Act{Verb: billing.VerbStop, Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "311"}}); err != nil {
		t.Errorf("stop: %v", err)
	}
	if _, err := account().Release(ctx, billing.Act{Verb: billing.VerbDelete, Ref: billing.ResourceRef{Kind: billing.KindDisk, ID: "100"}}); err != nil {
		t.Errorf("delete a volume: %v", err)
	}
}
