package storage

import (
	"reflect"
	"testing"
	"time"

	"gpuspend/billing"
)

func TestBalanceRoundTrip(t *testing.T) {
	db := openStore(t)
	id, other := account(t, db, "a"), account(t, db, "b")
	var full billing.Balance
	n := 0
	populate(t, reflect.ValueOf(&full).Elem(), &n)
	full.Minimum = billing.MustMoney("10", "USD") // the smallest top-up may be named in another currency
	owed := billing.Balance{ReadAt: t0.Add(time.Hour), Mode: billing.Prepaid, Cash: billing.MustMoney("-0.000000000000000001", "CNY")}
	unknown := billing.Balance{ReadAt: t0.Add(2 * time.Hour)}
	for _, b := range []billing.Balance{full, unknown, owed} { // the last one came in late
		must(t, db.RecordBalance(t.Context(), id, b))
	}
	history, err := db.BalanceHistory(t.Context(), id, time.Time{})
	must(t, err)
	diff(t, "history", []billing.Balance{full, owed, unknown}, history)
	since, err := db.BalanceHistory(t.Context(), id, owed.ReadAt)
	must(t, err)
	diff(t, "history since", []billing.Balance{owed, unknown}, since)

	must(t, db.RecordBalance(t.Context(), other, owed))
	newest, err := db.Balances(t.Context())
	must(t, err)
	diff(t, "newest", map[billing.AccountID]billing.Balance{id: unknown, other: owed}, newest)

	accounts, err := db.Accounts(t.Context())
	must(t, err)
	if accounts[0].Currency != "CNY" {
		t.Errorf("the account bills in %q, want what its balance is in", accounts[0].Currency)
	}
}

func TestBalanceOfTwoCurrenciesIsRefused(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "a")
	err := db.RecordBalance(t.Context(), id, billing.Balance{ReadAt: t0, Cash: billing.ZeroMoney("CNY"), Credit: billing.ZeroMoney("USD")})
	wantKind(t, err, billing.Invalid, "")
	all, err := db.Balances(t.Context())
	must(t, err)
	if len(all) != 0 {
		t.Errorf("kept %v", all)
	}
}
