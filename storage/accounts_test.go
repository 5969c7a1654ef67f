package storage

import (
	"testing"

	"gpuspend/billing"
)

func TestEnsureAccount(t *testing.T) {
	db := openStore(t)
	given := []struct {
		name       string
		give, want billing.Account
	}{
		{"made by an import", billing.Account{Name: "lab"}, billing.Account{ID: 1, Name: "lab"}},
		{"tied to a cloud", billing.Account{Name: "lab", Driver: "runpod", Provider: "RunPod", Currency: "USD"},
			billing.Account{ID: 1, Name: "lab", Driver: "runpod", Provider: "RunPod", Currency: "USD"}},
		{"imported into again", billing.Account{Name: "lab"}, billing.Account{ID: 1, Name: "lab", Driver: "runpod", Provider: "RunPod", Currency: "USD"}},
		{"moved before it was ever read", billing.Account{Name: "lab", Driver: "sim", Provider: "Cloud A", Currency: "CNY"},
			billing.Account{ID: 1, Name: "lab", Driver: "sim", Provider: "Cloud A", Currency: "CNY"}},
		{"another", billing.Account{Name: "Lab", Driver: "sim"}, billing.Account{ID: 2, Name: "Lab", Driver: "sim"}},
	}
	for _, g := range given {
		got, err := db.EnsureAccount(t.Context(), g.give)
		must(t, err)
		diff(t, g.name, g.want, got)
	}
	must(t, db.Bind(t.Context(), 1, "vendor-7"))
	_, err := db.EnsureAccount(t.Context(), billing.Account{Name: "lab", Driver: "runpod"})
	wantKind(t, err, billing.Conflict, "error.account_elsewhere")
	_, err = db.EnsureAccount(t.Context(), billing.Account{Name: " "})
	wantKind(t, err, billing.Invalid, "")

	found, err := db.AccountByName(t.Context(), "lab")
	must(t, err)
	if found.ID != 1 || found.VendorID != "vendor-7" || found.Driver != "sim" {
		t.Errorf("found %+v", found)
	}
	_, err = db.AccountByName(t.Context(), "nobody")
	wantKind(t, err, billing.Missing, "error.account_missing")
}

func TestBindStopsAnAccountThatIsAnother(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "lab")
	stopped := func() billing.Text {
		t.Helper()
		a, err := db.AccountByName(t.Context(), "lab")
		must(t, err)
		return a.Stopped
	}
	must(t, db.Bind(t.Context(), id, "one"))
	must(t, db.Bind(t.Context(), id, "one"))
	err := db.Bind(t.Context(), id, "two")
	wantKind(t, err, billing.Conflict, "account.stopped_other_vendor")
	diff(t, "sentence", billing.SayOf(err), stopped())

	must(t, db.Bind(t.Context(), id, "one"))
	if got := stopped(); !got.IsZero() {
		t.Errorf("the right credential leaves it stopped: %v", got)
	}
	why := billing.Say("account.stopped_by_hand")
	must(t, db.StopAccount(t.Context(), id, why))
	must(t, db.Bind(t.Context(), id, "one"))
	diff(t, "a stop for another reason", why, stopped())
	must(t, db.ResumeAccount(t.Context(), id))
	if got := stopped(); !got.IsZero() {
		t.Errorf("still stopped: %v", got)
	}
	wantKind(t, db.Bind(t.Context(), 99, "one"), billing.Missing, "")
	wantKind(t, db.StopAccount(t.Context(), 99, why), billing.Missing, "")
}
