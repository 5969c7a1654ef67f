package main

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/storage"
)

// patient is a cloud of which one ability works, one is denied, one fails and the others are not there.
type patient struct {
	client *http.Client
	at     string
}

func (p patient) Scopes(context.Context) ([]billing.Scope, error) {
	return []billing.Scope{{Kind: billing.KindInstance}, {Kind: billing.KindSnapshot}}, nil
}

func (p patient) Resources(_ context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		if s.Kind == billing.KindSnapshot {
			yield(billing.Resource{}, &billing.Error{Kind: billing.Denied, Op: "list snapshots"})
			return
		}
		yield(billing.Resource{Ref: billing.ResourceRef{Kind: s.Kind, ID: "i-1"}}, nil)
	}
}

func (p patient) Balance(ctx context.Context) (billing.Balance, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.at+"/balance", nil)
	if err != nil {
		return billing.Balance{}, err
	}
	resp, err := p.client.Do(r)
	if err != nil {
		return billing.Balance{}, err
	}
	return billing.Balance{Cash: billing.MustMoney("12.5", "USD")}, resp.Body.Close()
}

func (p patient) Offers(context.Context, billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		yield(billing.Offer{}, &billing.Error{Kind: billing.Upstream, Op: "offers", Err: errors.New("502")})
	}
}

func TestDoctorSaysWhatIs(t *testing.T) {
	cloud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "Mon, 02 Jan 2006 15:04:05 GMT")
	}))
	defer cloud.Close()
	d := billing.Driver{Name: "test", Title: "Test Cloud",
		Claims:      map[billing.Capability]billing.Claim{billing.CanStop: {Can: billing.No, Note: "machines can't be stopped"}},
		Permissions: []billing.Permission{{Name: "test:ListSnapshots", For: billing.CanResources}},
		Open: func(_ billing.Config, e billing.Env) (billing.Provider, error) {
			return patient{&http.Client{Transport: e.Transport}, "http://cloud.example"}, nil
		}}
	var out bytes.Buffer
	c := Config{Accounts: []AccountConfig{{Name: "main", Provider: "test", Proxy: "http://user:hush@" + strings.TrimPrefix(cloud.URL, "http://")}}}
	err := doctor(t.Context(), c, []billing.Driver{d}, nil, &out)
	if err == nil || !strings.Contains(err.Error(), "3 things") {
		t.Errorf("got %v, want inventory, offers and the clock to be counted", err)
	}
	for _, want := range []string{"balance", "USD 12.5", "denied", "Not read: snapshot.", "test:ListSnapshots", "1 things in 2 scopes", "failed", "not offered", "machines can't be stopped",
		"proxy 127.0.0.1", "set ours, or signatures will be refused"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "hush") {
		t.Error("the proxy's password is printed")
	}
}

// costly is a cloud whose bill costs a cent a page.
type costly struct {
	patient
	purse billing.Purse
}

func (c costly) Billed(context.Context, billing.Period) (billing.Coverage, error) {
	return billing.Coverage{}, nil
}

func (c costly) Charges(ctx context.Context, _ billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		if err := c.purse.Reserve(ctx, billing.MustMoney("0.01", "USD")); err != nil {
			yield(billing.Charge{}, err)
		}
	}
}

// A look at what works must not cost money by surprise: what would cost is named with its price and counts as no fault.
func TestDoctorPaysOnlyWhenTold(t *testing.T) {
	cloud := httptest.NewServer(http.NotFoundHandler())
	defer cloud.Close()
	d := billing.Driver{Name: "test", Title: "Test Cloud", Open: func(_ billing.Config, e billing.Env) (billing.Provider, error) {
		return costly{patient{&http.Client{Transport: e.Transport}, cloud.URL}, e.Purse}, nil
	}}
	c := Config{Accounts: []AccountConfig{{Name: "main", Provider: "test"}}}
	row := func(payer *storage.DB) string {
		var out bytes.Buffer
		_ = doctor(t.Context(), c, []billing.Driver{d}, payer, &out)
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "charges") {
				return line
			}
		}
		return ""
	}
	if got := row(nil); !strings.Contains(got, "not tried") || !strings.Contains(got, "each request costs $0.01") {
		t.Errorf("without --paid: %s", got)
	}
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "doctor.db"), storage.Options{Now: time.Now, Wall: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := row(db); !strings.Contains(got, " ok ") {
		t.Errorf("with --paid: %s", got)
	}
	now := time.Now()
	if p, err := paid(t.Context(), db, billing.Money{}, now); err != nil || p.Month.Calls != 1 {
		t.Errorf("counted %+v, %v", p, err)
	}
}

func TestPermissionsOfACloud(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"permissions", "runpod"}, nil, &out, &errs); code != exitOK || !strings.Contains(out.String(), "RunPod, release key") {
		t.Errorf("code %d: %s%s", code, out.String(), errs.String())
	}
	if code := run(t.Context(), []string{"permissions", "runpdo"}, nil, &out, &errs); code != exitWords || !strings.Contains(errs.String(), "did you mean runpod?") {
		t.Errorf("code %d: %s", code, errs.String())
	}
}
