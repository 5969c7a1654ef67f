// Package scene makes the views of the model messages, for the tests of rules and of words.
package scene

import (
	"strconv"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// Shanghai is the readers' zone.
func Shanghai() *time.Location { return time.FixedZone("Asia/Shanghai", 8*3600) }

// Night is Wed 2 Dec 2026, 01:12, when RunPod runs dry before work starts.
func Night() time.Time { return time.Date(2026, 12, 2, 1, 12, 0, 0, Shanghai()) }

// Morning is Wed 2 Dec 2026, 09:57, when forgotten disks are told.
func Morning() time.Time { return time.Date(2026, 12, 2, 9, 57, 0, 0, Shanghai()) }

// View puts accounts into a view with the default settings, and reckons their outlooks.
func View(now time.Time, accounts ...notify.AccountView) notify.View {
	v := notify.View{Now: now, Zone: Shanghai(), Hours: notify.WorkingDays(), Settings: notify.Defaults()}
	v.Hours.QuietFrom, v.Hours.QuietTo = 0, 0 // the scene plays at night
	for _, a := range accounts {
		v.Accounts = append(v.Accounts, Ahead(a, now))
	}
	return v
}

// Ahead reckons an account's outlook.
func Ahead(a notify.AccountView, now time.Time) notify.AccountView {
	a.Outlook = ledger.Ahead(a.Balance, a.Holdings, now)
	return a
}

// USD and CNY make amounts.
func USD(s string) billing.Money { return billing.MustMoney(s, "USD") }

// CNY makes an amount in yuan.
func CNY(s string) billing.Money { return billing.MustMoney(s, "CNY") }

// RunPod is the prepaid account of the balance warning, with $38.40 left at the given time.
func RunPod(at time.Time) notify.AccountView {
	a := notify.AccountView{
		Account: billing.Account{ID: 2, Name: "runpod-main", Driver: "runpod", Provider: "RunPod", Currency: "USD"},
		Driver: billing.Driver{Name: "runpod", Title: "RunPod", Currency: "USD", MonthHours: 730,
			Console: billing.ConsoleLinks{TopUp: "https://console.example/billing", Billing: "https://console.example/usage"}},
		Balance: billing.Balance{ReadAt: at, Mode: billing.Prepaid, Cash: USD("38.40"), Minimum: USD("10")},
		Release: true,
	}
	sft := Machine(a, 21, "sft-07", "5.38", "H100", 2)
	sft.AtZero, sft.SafeOn = billing.FateInterrupted, "nv-ckpt-1"
	notebook := Machine(a, 22, "notebook-3", "0.86", "L40S", 1)
	notebook.AtZero = billing.FateLost
	eval := Machine(a, 23, "eval-batch-2", "0.69", "4090", 1)
	eval.AtZero = billing.FateLost
	volume := Thing(a, 24, billing.KindFilesystem, "nv-ckpt-1", billing.StateAttached, at.Add(-240*time.Hour))
	volume.Rate = billing.Rate{Hourly: USD("0.03"), Source: billing.RateVendor}
	volume.AtZero = billing.FateKeeps
	a.Holdings = []billing.Holding{sft, notebook, eval, volume}
	a.Readings = []billing.Reading{{Account: 2, Of: billing.ReadBalance, CompleteAt: at, TriedAt: at}}
	return a
}

// Alibaba is the postpaid account of the forgotten disks.
func Alibaba(now time.Time) notify.AccountView {
	ago := func(days int) time.Time { return now.Add(-time.Duration(days) * 24 * time.Hour) }
	a := notify.AccountView{
		Account: billing.Account{ID: 3, Name: "alibaba-prod", Driver: "alibaba", Provider: "Alibaba", Currency: "CNY"},
		Driver: billing.Driver{Name: "alibaba", Title: "Alibaba", Currency: "CNY", MonthHours: 720,
			Console: billing.ConsoleLinks{Billing: "https://console.example/bill",
				Resource: func(r billing.ResourceRef) string { return "https://console.example/" + r.ID }}},
		Balance: billing.Balance{ReadAt: now, Mode: billing.Postpaid, Cash: CNY("3052.18"), Credit: CNY("5000")},
		Release: true,
	}
	old := Priced(Thing(a, 31, billing.KindDisk, "ds-imagenet-old", billing.StateUnattached, ago(29)), CNY("358.40"), "1024")
	scratch := Priced(Thing(a, 32, billing.KindDisk, "scratch-uf6", billing.StateUnattached, ago(12)), CNY("175"), "500")
	scratch.Owner, scratch.FirstSeen = "team-eval", ago(40)
	ip := Priced(Thing(a, 33, billing.KindIP, "eip-sh-04", billing.StateUnattached, ago(41)), CNY("14.40"), "")
	young := Priced(Thing(a, 34, billing.KindDisk, "new-disk", billing.StateUnattached, ago(2)), CNY("35"), "100")
	kept := Priced(Thing(a, 35, billing.KindDisk, "rebuttal", billing.StateUnattached, ago(60)), CNY("35"), "100")
	kept.Keep = billing.Keep{Until: time.Date(2026, 12, 31, 0, 0, 0, 0, Shanghai()), Reason: "paper rebuttal", By: "U1", At: ago(3)}
	used := Priced(Thing(a, 36, billing.KindSnapshot, "base-image", billing.StateAvailable, ago(200)), CNY("4.80"), "40")
	image := Thing(a, 37, billing.KindImage, "base", billing.StateAvailable, ago(200))
	image.Sources = []string{used.Ref.ID}
	a.Holdings = []billing.Holding{old, scratch, ip, young, kept, used, image}
	for _, k := range []billing.Kind{billing.KindDisk, billing.KindIP, billing.KindImage} {
		a.Readings = append(a.Readings, Read(k, "cn-shanghai", now))
	}
	a.Readings = append(a.Readings, billing.Reading{Account: 3, Of: billing.ReadInventory,
		Scope: billing.Scope{Kind: billing.KindSnapshot, Region: "cn-beijing"}, TriedAt: now, ErrorKind: billing.Denied,
		FailingSince: ago(1), Say: billing.Say("error.denied")})
	return a
}

// Read is a good reading of a scope.
func Read(k billing.Kind, region string, at time.Time) billing.Reading {
	return billing.Reading{Of: billing.ReadInventory, Scope: billing.Scope{Kind: k, Region: region}, CompleteAt: at, TriedAt: at}
}

// Machine is a running machine of an account at a rate in its currency.
func Machine(a notify.AccountView, id billing.ResourceID, name, hourly, gpu string, cards int64) billing.Holding {
	h := Thing(a, id, billing.KindInstance, name, billing.StateRunning, a.Balance.ReadAt.Add(-48*time.Hour))
	h.Rate = billing.Rate{Hourly: billing.MustMoney(hourly, a.Currency), Source: billing.RateVendor}
	h.StoppedRate = billing.Rate{Hourly: billing.ZeroMoney(a.Currency), Source: billing.RateVendor}
	h.GPU = billing.GPU{Model: gpu, Count: billing.DecimalFromInt(cards)}
	h.Mode = billing.ModeOnDemand
	return h
}

// Thing is a billed resource first seen, and in its state, since a time.
func Thing(a notify.AccountView, id billing.ResourceID, k billing.Kind, name string, s billing.State, since time.Time) billing.Holding {
	n := strconv.FormatInt(int64(id), 10)
	h := billing.Holding{ID: id, Handle: "r-" + n, Account: a.ID, FirstSeen: since, LastSeen: a.Balance.ReadAt, StateSince: since}
	h.Ref = billing.ResourceRef{Account: a.ID, Kind: k, Region: region(a), ID: "id-" + n}
	h.Name, h.State, h.Billed = name, s, billing.Yes
	return h
}

func region(a notify.AccountView) string {
	if a.Driver.Name == "alibaba" {
		return "cn-shanghai"
	}
	return ""
}

// Priced gives a thing a price per month of 720 hours, and a size.
func Priced(h billing.Holding, monthly billing.Money, gib string) billing.Holding {
	rate, err := monthly.MulRatio(1, 720)
	if err != nil {
		panic(err)
	}
	h.Rate = billing.Rate{Hourly: rate, Source: billing.RateDerived}
	if gib != "" {
		h.SizeGiB = billing.MustDecimal(gib)
	}
	return h
}
