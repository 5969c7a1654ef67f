package main

import (
	"context"
	"iter"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/bot"
)

// payingCloud is a cloud whose bill costs a cent at every look.
type payingCloud struct{ asked int }

func (c *payingCloud) driver() billing.Driver {
	return billing.Driver{Name: "paying", Title: "Paying Cloud", Currency: "USD", MonthHours: 730,
		Open: func(_ billing.Config, e billing.Env) (billing.Provider, error) { return &payingAccount{c, e}, nil }}
}

type payingAccount struct {
	cloud *payingCloud
	env   billing.Env
}

func (a *payingAccount) Scopes(context.Context) ([]billing.Scope, error) { return nil, nil }

func (a *payingAccount) Resources(context.Context, billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(func(billing.Resource, error) bool) {}
}

func (a *payingAccount) Billed(context.Context, billing.Period) (billing.Coverage, error) {
	return billing.Coverage{Through: a.env.Now().Add(-48 * time.Hour)}, nil
}

func (a *payingAccount) Charges(ctx context.Context, _ billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		if err := a.env.Purse.Reserve(ctx, billing.MustMoney("0.01", "USD")); err != nil {
			yield(billing.Charge{}, err)
			return
		}
		a.cloud.asked++
	}
}

// payer is a program with two accounts whose bills cost.
func payer(t *testing.T, daily string, now *time.Time) (*App, *payingCloud) {
	t.Helper()
	cloud := &payingCloud{}
	c := Config{Store: filepath.Join(t.TempDir(), "paid.db"), Viewers: ViewersConfig{Users: []string{"U1"}}, Slack: SlackConfig{Team: "T1"}}
	c.Accounts = []AccountConfig{{Name: "a", Provider: "paying"}, {Name: "b", Provider: "paying"}}
	if daily != "" {
		c.PaidCalls.Daily = billing.MustDecimal(daily)
	}
	a, err := New(t.Context(), Options{Config: c, Drivers: []billing.Driver{cloud.driver()}, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, cloud
}

// One budget serves all accounts; when it is used up the reading fails with a sentence, and the next UTC day goes on.
func TestAccountsShareOnePaidBudget(t *testing.T) {
	now := time.Date(2026, 12, 2, 22, 0, 0, 0, time.UTC)
	a, cloud := payer(t, "0.01", &now)
	err := a.Poll(t.Context())
	if billing.KindOf(err) != billing.Limited || cloud.asked < 1 {
		t.Fatalf("%v after %d requests, want one account served and the other refused", err, cloud.asked)
	}
	asked := cloud.asked
	now = now.Add(3 * time.Hour)
	_ = a.Poll(t.Context())
	if cloud.asked != asked+1 {
		t.Errorf("%d requests on the next day, want one", cloud.asked-asked)
	}
}

// A chat command never causes a request that costs, and status says what they cost.
func TestNoWordCausesAPaidCall(t *testing.T) {
	now := time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)
	a, cloud := payer(t, "", &now)
	if err := a.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := cloud.asked
	if asked != 2 { // one window an account
		t.Fatalf("%d requests at the first reading, want 2", asked)
	}
	who := bot.Person{ID: "U1", Team: "T1", Standing: bot.Member}
	for _, c := range bot.Commands() {
		for _, line := range append(c.Examples, c.Name) {
			_, _ = a.Desk().Ask(t.Context(), bot.Request{Words: strings.Fields(line), Person: who, Now: now, Zone: time.UTC})
		}
	}
	if cloud.asked != asked {
		t.Errorf("words caused %d requests that cost", cloud.asked-asked)
	}
	got, err := a.Desk().Ask(t.Context(), bot.Request{Words: []string{"status"}, Person: who, Now: now, Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	data := got.Data.(bot.StatusData).Paid
	if want := (bot.StatusPaid{Today: 2, TodayCost: "0.02", Month: 2, MonthCost: "0.02", DailyLimit: "0.1", Currency: "USD"}); data != want {
		t.Errorf("status counts %+v, want %+v", data, want)
	}
	w := httptest.NewRecorder()
	a.routes().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`gpuspend_paid_requests{span="day"} 2`, `gpuspend_paid_requests_cost_usd{span="month"} 0.02`,
		`gpuspend_paid_requests_budget_usd 0.1`, `gpuspend_reading_age_seconds{account="a",of="charges"} 0`, "gpuspend_outbox_letters 0"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("metrics lack %s:\n%s", want, w.Body)
		}
	}
}
