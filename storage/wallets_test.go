package storage_test

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

func cny(s string) billing.Money { return billing.MustMoney(s, "CNY") }

// read keeps balances of a wallet, hour by hour from a day on.
func (s shop) read(t *testing.T, from time.Time, list ...billing.Balance) {
	t.Helper()
	for i, b := range list {
		b.Mode, b.ReadAt = billing.Prepaid, from.Add(time.Duration(i)*time.Hour)
		if err := s.RecordBalance(t.Context(), s.account, b); err != nil {
			t.Fatal(err)
		}
	}
}

func (s shop) statement(t *testing.T) ledger.Statement {
	t.Helper()
	q := ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), Zone: time.UTC, Now: day("2026-12-02")}
	got, ok, err := ledger.StatementOf(t.Context(), s, s, billing.Account{ID: s.account, Name: "payer"}, q)
	if err != nil || !ok {
		t.Fatalf("%v, %v", ok, err)
	}
	return got
}

// Opening + top-ups - used + refunds = closing, and what is not explained is shown as the difference. A counter makes a
// top-up exact: what was used meanwhile is known.
func TestStatementAddsUp(t *testing.T) {
	s := newShop(t)
	lines := []billing.Charge{usage(day("2026-11-03"), "1"), usage(day("2026-11-11"), "1")}
	lines[0].BilledCost, lines[1].BilledCost = cny("22"), cny("-3")
	must(s.take(storage.Import{Files: file(lines, 0)}))
	s.read(t, day("2026-10-31"), billing.Balance{Cash: cny("100"), Spent: cny("1000")})
	s.read(t, day("2026-11-10"), billing.Balance{Cash: cny("90"), Spent: cny("1010")}, billing.Balance{Cash: cny("285"), Spent: cny("1015")},
		billing.Balance{Cash: cny("280"), Spent: cny("1020")})
	got := s.statement(t)
	if got.Opening != cny("100") || got.Added != cny("200") || got.Used != cny("22") || got.Returned != cny("3") || got.Closing != cny("280") || got.Difference != cny("-1") {
		t.Errorf("%+v", got)
	}
	if len(got.TopUps) != 1 || got.TopUps[0].Source != ledger.FromCounter || got.AtLeast {
		t.Errorf("top-ups: %v", got.TopUps)
	}
	rows, total := s.ask(t, ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), Now: day("2026-12-02"), By: []ledger.Cut{ledger.ByDay}, View: ledger.Cash})
	if total.Amount != cny("200") || rows["2026-11-10"].Amount != cny("200") || len(rows) != 1 {
		t.Errorf("cash: %v of %v", total.Amount, rows)
	}
}

// A grant that runs out unused is no use: a line says it, and nothing else changes.
func TestC20GrantThatExpiresIsNoSpend(t *testing.T) {
	s := newShop(t)
	grant := billing.Voucher{ID: "g", Remaining: cny("50"), ExpiresAt: day("2026-11-02").Add(time.Hour)}
	s.read(t, day("2026-11-02"), billing.Balance{Cash: cny("100"), Vouchers: []billing.Voucher{grant}}, billing.Balance{Cash: cny("100")}, billing.Balance{Cash: cny("100")})
	got := s.statement(t)
	if got.Expired != cny("50") || got.Used.Sign() != 0 || got.Difference.Sign() != 0 || got.Added.Sign() != 0 {
		t.Errorf("%+v", got)
	}
}

// Without a counter a top-up is at least the rise; one that falls is said, and reckoned with no more.
func TestStepsOfAWallet(t *testing.T) {
	at := func(cash, spent string) billing.Balance {
		b := billing.Balance{ReadAt: day("2026-11-02"), Mode: billing.Prepaid, Cash: cny(cash)}
		if spent != "" {
			b.Spent = cny(spent)
		}
		return b
	}
	for _, c := range []struct {
		name          string
		before, after billing.Balance
		kind          ledger.StepKind
		amount        string
		source        string
	}{
		{"no counter", at("10", ""), at("110", ""), ledger.StepTopUp, "100", ledger.FromBalance},
		{"counter", at("10", "7"), at("105", "12"), ledger.StepTopUp, "100", ledger.FromCounter},
		{"counter fell", at("10", "7"), at("10", "5"), ledger.StepFell, "2", ledger.FromCounter},
		{"use alone", at("10", "7"), at("8", "9"), "", "", ""},
	} {
		got := ledger.Steps(c.before, c.after)
		if c.kind == "" {
			if len(got) > 0 {
				t.Errorf("%s: %v", c.name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Kind != c.kind || got[0].Amount != cny(c.amount) || got[0].Source != c.source {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
