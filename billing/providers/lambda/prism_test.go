package lambda

import (
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/prism"
)

// TestRequestsHoldAgainstTheDocument: every request of this client is one that Lambda's OpenAPI document knows, and the
// answers that the document shows are understood.
func TestRequestsHoldAgainstTheDocument(t *testing.T) {
	t.Parallel()
	m := prism.Start(t, "lambda-cloud-1.10.openapi.json")
	account := func(write bool) *account { // a fresh one has its pace before it
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}, Write: write},
			billing.Env{Transport: m, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		return p.(*account)
	}
	ctx := t.Context()
	machines, err := account(false).api.instances(ctx)
	if err != nil || len(machines) == 0 {
		t.Fatalf("%d instances, %v", len(machines), err)
	}
	if r := machines[0].resource(); r.State == billing.StateUnknown || r.GPU.Model == "" {
		t.Errorf("the documented instance is %s at %v", r.State, r.Rate.Hourly)
	}
	if i, err := account(false).api.instance(ctx, "look", machines[0].ID); err != nil {
		t.Errorf("instance: %+v, %v", i, err)
	}
	systems, err := account(false).api.filesystems(ctx)
	if err != nil || len(systems) == 0 {
		t.Fatalf("%d file systems, %v", len(systems), err)
	}
	if n, err := all(account(false).Offers(ctx, billing.OfferQuery{})); err != nil || len(n) == 0 {
		t.Errorf("%d offers, %v", len(n), err)
	}
	// the document's answers name other things than were asked for, so that the acts end unconfirmed and not done
	a := account(true)
	if err := a.terminate(ctx, "terminate", machines[0].ID); err != nil && billing.KindOf(err) != billing.Unknown {
		t.Errorf("terminate: %v", err)
	}
	if _, err := write[deleted](ctx, account(true).api, "delete", "DELETE", "/api/v1/filesystems/"+systems[0].ID, nil); err != nil {
		t.Errorf("delete file system: %v", err)
	}
	for code, want := range map[string]billing.ErrorKind{"401": billing.Auth, "403": billing.Denied} {
		m.Prefer("GET /api/v1/instances", code)
		if _, err := account(false).api.instances(ctx); billing.KindOf(err) != want {
			t.Errorf("the documented %s gives %v, want %s", code, err, want)
		}
	}
}

// TestFakeHoldsAgainstTheDocument: what the contract suite is run over answers as the document says.
func TestFakeHoldsAgainstTheDocument(t *testing.T) {
	t.Parallel()
	m := prism.Before(t, "lambda-cloud-1.10.openapi.json", newFake())
	account := func() *account {
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}, Write: true},
			billing.Env{Transport: m, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		return p.(*account)
	}
	ctx := t.Context()
	for _, kind := range []billing.Kind{billing.KindInstance, billing.KindFilesystem} {
		if n, err := all(account().Resources(ctx, billing.Scope{Kind: kind})); err != nil || len(n) == 0 {
			t.Errorf("%s: %d things, %v", kind, len(n), err)
		}
	}
	if n, err := all(account().Offers(ctx, billing.OfferQuery{})); err != nil || len(n) == 0 {
		t.Errorf("%d offers, %v", len(n), err)
	}
	for _, ref := range []billing.ResourceRef{{Kind: billing.KindInstance, ID: "aaa1"}, {Kind: billing.KindFilesystem, ID: "fs-left"}} {
		if _, err := account().Release(ctx, billing.Act{Verb: billing.VerbDelete, Ref: ref}); err != nil {
			t.Errorf("delete %s: %v", ref.Kind, err)
		}
	}
}
