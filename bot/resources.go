package bot

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// item is one resource of a list, with its account.
type item struct {
	billing.Holding
	account notify.AccountView
	monthly billing.Money
	since   time.Time
	reason  string
}

// items lists everything that is there.
func items(v notify.View) []item {
	var out []item
	for _, a := range v.Accounts {
		for _, h := range a.Holdings {
			if !h.Gone() && h.State != billing.StateTerminated {
				out = append(out, item{Holding: h, account: a, monthly: monthly(a, h), since: since(h)})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y item) int { return dearer(x.monthly, y.monthly) })
	return out
}

// monthly is what a resource costs in a month of its cloud as it stands now. What is known not to bill costs 0.
func monthly(a notify.AccountView, h billing.Holding) billing.Money {
	if h.Billed == billing.No {
		if c := a.Currency; c != "" {
			return billing.ZeroMoney(c)
		}
		return billing.Money{}
	}
	return ledger.Monthly(h.Rate.Hourly, a.Driver.MonthHours)
}

// since is how long a resource has been in its state; for what has no states of its own, how long it exists.
func since(h billing.Holding) time.Time {
	switch h.Ref.Kind {
	case billing.KindSnapshot, billing.KindImage:
		if !h.CreatedAt.IsZero() {
			return h.CreatedAt
		}
		return h.FirstSeen
	}
	return h.StateSince
}

// dearer sorts the dearest first, by currency, and what has no price last.
func dearer(x, y billing.Money) int {
	switch {
	case x.Known() != y.Known():
		if x.Known() {
			return -1
		}
		return 1
	case x.Currency() != y.Currency():
		return strings.Compare(string(x.Currency()), string(y.Currency()))
	}
	c, err := y.Cmp(x)
	if err != nil {
		return 0
	}
	return c
}

func resourcesData(p words.Printer, v notify.View, all []item) ResourcesData {
	data := ResourcesData{Resources: []ResourceRow{}, Totals: monthlyTotals(all), NotRead: notRead(p, v, billing.ReadInventory),
		Unexplained: []UnexplainedRow{}, NotWatched: notWatched(v)}
	for _, x := range all {
		row := ResourceRow{Handle: x.Handle, ID: x.Ref.ID, Account: x.account.Name, Kind: x.Ref.Kind, Name: x.Name, State: x.State,
			GPU: word(x.GPU.Model), SizeGiB: number(x.SizeGiB), RatePerHour: amount(x.Rate.Hourly), Monthly: amount(x.monthly),
			Currency: x.Rate.Hourly.Currency(), Since: instant(x.since), Reason: x.reason, Declared: x.Declared()}
		if x.GPU.Model != "" {
			row.GPUCount = number(x.GPU.Count)
		}
		if row.Currency == "" {
			row.Currency = x.account.Currency
		}
		data.Resources = append(data.Resources, row)
	}
	for _, a := range v.Accounts {
		if row := unexplainedRow(a); row != nil {
			data.Unexplained = append(data.Unexplained, *row)
		}
	}
	return data
}

func tally(all []item) billing.Tally {
	var t billing.Tally
	for _, x := range all {
		_ = t.Add(x.monthly) // a sum out of range stays at what fits; no cloud bills 9.2e9 units a month
	}
	return t
}

func monthlyTotals(all []item) []MonthlyTotal {
	out := []MonthlyTotal{}
	for _, m := range tally(all).Totals() {
		out = append(out, MonthlyTotal{Currency: m.Currency(), Monthly: m.Amount()})
	}
	return out
}

// find looks a resource up by its handle, its cloud's id or its name, where that is unique.
func find(r Request, v notify.View, word, line string) (item, error) {
	var found []item
	var names []string
	for _, x := range items(v) {
		if strings.EqualFold(x.Handle, word) {
			return x, nil
		}
		if x.Name == word || x.Ref.ID == word || strings.EqualFold(x.Name, word) {
			found = append(found, x)
		}
		names = append(names, x.Handle, x.Name)
	}
	if len(found) > 1 {
		exact := slices.DeleteFunc(slices.Clone(found), func(x item) bool { return x.Name != word && x.Ref.ID != word })
		if len(exact) > 0 {
			found = exact
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		near := nearest(word, names)
		if near != "" {
			near = line + " " + near
		}
		return item{}, unclear(r.Print, "bot.words.handle", near, "word", word)
	}
	var handles []string
	for _, x := range found {
		handles = append(handles, x.Handle)
	}
	return item{}, unclear(r.Print, "bot.words.several", line+" "+handles[0], "word", word, "handles", handles)
}

// placeText says where a resource is: "Alibaba · cn-shanghai".
func placeText(x item) string {
	if x.Ref.Region == "" {
		return accountText(x.account)
	}
	return accountText(x.account) + " · " + x.Ref.Region
}

// sizeText says how much of it there is: "A100-80G ×8", "500 GiB".
func sizeText(p words.Printer, h billing.Holding) string {
	switch {
	case h.GPU.Model != "" && h.GPU.Count.Known():
		return h.GPU.Model + " ×" + p.Number(h.GPU.Count)
	case h.GPU.Model != "":
		return h.GPU.Model
	case h.SizeGiB.Known():
		return p.Number(h.SizeGiB) + " GiB"
	}
	return ""
}

// kindText says what it is and how much of it: "disk 500 GiB".
func kindText(p words.Printer, h billing.Holding) string {
	return strings.TrimSpace(p.Kind(h.Ref.Kind) + " " + sizeText(p, h))
}

// ownerText says whose a resource is, as its cloud has it: a person, else a project.
func ownerText(p words.Printer, h billing.Holding) string {
	if who := cmp.Or(h.Owner, h.Project); who != "" {
		return who
	}
	return p.Text("bot.unowned")
}

// label names a resource: its name, else its cloud's id.
func label(name, id string) string {
	if name != "" {
		return name
	}
	return id
}
