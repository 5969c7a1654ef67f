package storage

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"gpuspend/billing"
)

func usd(s string) billing.Money { return billing.MustMoney(s, "USD") }

// The budget is one over all accounts, counts attempts, survives a restart, and begins anew at midnight UTC.
func TestPaidCallsHaveOneDailyBudget(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "store.db"), time.Date(2026, 11, 30, 23, 30, 0, 0, time.UTC)
	open := func() *DB {
		db, err := Open(t.Context(), path, Options{Now: func() time.Time { return now }})
		must(t, err)
		return db
	}
	db := open()
	must(t, db.ReservePaid(t.Context(), "a", usd("0.01"), usd("0.03")))
	must(t, db.ReservePaid(t.Context(), "a", usd("0.01"), usd("0.03")))
	must(t, db.ReservePaid(t.Context(), "b", usd("0.01"), usd("0.03")))
	must(t, db.Close())
	db = open()
	err := db.ReservePaid(t.Context(), "c", usd("0.01"), usd("0.03"))
	wantKind(t, err, billing.Limited, "error.paid_budget")
	var e *billing.Error
	if !errors.As(err, &e) || e.RetryAfter != 30*time.Minute {
		t.Errorf("asked again after %v, want 30m", e.RetryAfter)
	}
	want := func(from, to time.Time, calls int, cost string) {
		t.Helper()
		got, err := db.PaidCalls(t.Context(), from, to, "USD")
		if err != nil || got.Calls != calls || got.Cost != usd(cost) {
			t.Errorf("%v, %v, want %d for %s", got, err, calls, cost)
		}
	}
	today := now.Truncate(24 * time.Hour)
	want(today, today.Add(24*time.Hour), 3, "0.03") // what was refused is not counted
	now = now.Add(time.Hour)
	must(t, db.ReservePaid(t.Context(), "c", usd("0.01"), usd("0.03")))
	want(today.Add(24*time.Hour), today.Add(48*time.Hour), 1, "0.01")
	want(today, today.Add(48*time.Hour), 4, "0.04")
	wantKind(t, db.ReservePaid(t.Context(), "c", usd("0.01"), usd("0")), billing.Limited, "error.paid_budget")
	must(t, db.Close())
}
