package scene

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// AutoDL is a wallet that loses as much again as the one machine that can be seen costs.
func AutoDL(now time.Time) notify.AccountView {
	a := notify.AccountView{
		Account: billing.Account{ID: 5, Name: "autodl-lab", Driver: "autodl", Provider: "AutoDL", Currency: "CNY"},
		Driver: billing.Driver{Name: "autodl", Title: "AutoDL", Currency: "CNY", MonthHours: 720,
			Console: billing.ConsoleLinks{TopUp: "https://console.example/", Billing: "https://console.example/"}},
		Balance: billing.Balance{ReadAt: now, Mode: billing.Prepaid, Cash: CNY("86.40"), Spent: CNY("1828.72"), Settles: time.Hour},
	}
	a.Holdings = []billing.Holding{Machine(a, 61, "demo", "1.98", "RTX-PRO-6000", 1)}
	hour := now.Truncate(time.Hour)
	a.Drain = ledger.Drain{Period: billing.Period{Start: hour.Add(-time.Hour), End: hour},
		Taken: CNY("3.96"), Explained: CNY("1.98"), Rest: CNY("1.98")}
	a.Readings = []billing.Reading{
		{Of: billing.ReadBalance, CompleteAt: now, TriedAt: now},
		Read(billing.KindInstance, "", now), Read(billing.KindImage, "", now),
	}
	return a
}
