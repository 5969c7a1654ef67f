package ledger

import (
	"testing"
	"time"

	"gpuspend/billing"
)

// What was seen divides what the counter took; the rest is the account's, and all of it where rates explain more.
func TestCounterIsDividedWhereMoreIsKnown(t *testing.T) {
	from := day(1).Add(10 * time.Hour)
	read := func(h int, spent string) billing.Balance {
		return billing.Balance{ReadAt: from.Add(time.Duration(h)*time.Hour + 20*time.Minute), Settles: time.Hour, Spent: billing.MustMoney(spent, "CNY")}
	}
	for _, c := range []struct{ used, machine, rest string }{{"1.98", "1.98", ""}, {"2.5", "1.98", "0.52"}, {"1.97", "", "1.97"}} {
		m := span(7, "1.98", from, from.Add(5*time.Hour))
		m.VendorID = "m"
		list, through, err := Counted(billing.Account{ID: 1}, []billing.Balance{read(0, "0"), read(1, c.used)}, []Metered{m})
		if err != nil || !through.Equal(from.Add(time.Hour)) {
			t.Fatal(through, err)
		}
		got := map[string]string{}
		for _, l := range list {
			got[l.ResourceID] = l.BilledCost.Amount()
		}
		if got["m"] != c.machine || got[""] != c.rest {
			t.Errorf("%s: %v", c.used, got)
		}
	}
}
