package bot

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

func balance(ctx context.Context, d *Desk, r Request) (Answer, error) {
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	accounts := balanced(v)
	if len(r.Words) > 0 {
		if accounts, err = named(r, accounts); err != nil {
			return Answer{}, err
		}
	}
	if len(accounts) == 0 {
		a := say(r.Print, emptyKey(v, "bot.balance.none"))
		a.Data, a.Warnings, a.Failed = BalanceData{Accounts: []BalanceRow{}, NotOffered: []NotOffered{}}, []string{}, true
		return a, nil
	}
	data := BalanceData{NotOffered: notOffered(accounts, billing.CanBalance)}
	for _, a := range accounts {
		data.Accounts = append(data.Accounts, balanceRow(a, r.Now))
	}
	return Answer{Data: data, Message: balanceMessage(r.Print, v, accounts), AsOf: oldest(v, billing.ReadBalance),
		Warnings: warnings(r.Print, v, billing.ReadBalance)}, nil
}

// emptyKey tells a store that holds nothing at all from one that holds nothing of this.
func emptyKey(v notify.View, otherwise string) string {
	if len(v.Accounts) == 0 {
		return "bot.empty"
	}
	return otherwise
}

// balanced are the accounts that have a balance, whose cloud should give one, or says that it gives none.
func balanced(v notify.View) []notify.AccountView {
	return slices.DeleteFunc(slices.Clone(v.Accounts), func(a notify.AccountView) bool {
		said := a.Driver.Claims[billing.CanBalance].Can != billing.Unsure
		return !polled(a) || !said && a.Balance.ReadAt.IsZero() && !slices.ContainsFunc(a.Readings, func(r billing.Reading) bool {
			return r.Of == billing.ReadBalance && r.ErrorKind != billing.Absent
		})
	})
}

// named keeps the accounts that a word names: by account or cloud.
func named(r Request, accounts []notify.AccountView) ([]notify.AccountView, error) {
	want := fold1(strings.Join(r.Words, " "))
	var names []string
	var out []notify.AccountView
	for _, a := range accounts {
		names = append(names, a.Name)
		if fold1(a.Name) == want || fold1(cloud(a)) == want {
			out = append(out, a)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	line := nearest(want, names)
	if line != "" {
		line = "balance " + line
	}
	return nil, unclear(r.Print, "bot.words.account", line, "word", strings.Join(r.Words, " "), "words", names)
}

func balanceRow(a notify.AccountView, now time.Time) BalanceRow {
	row := BalanceRow{Account: a.Name, Provider: cloud(a), Currency: a.Currency, Available: amount(a.Balance.Cash),
		BurnPerHour: amount(a.Outlook.Burn), AsOf: instant(a.Balance.ReadAt), Unexplained: unexplainedRow(a)}
	if c := a.Balance.Cash.Currency(); c != "" {
		row.Currency = c
	}
	for _, b := range a.Balance.Budgets {
		row.Budgets = append(row.Budgets, CloudBudgetRow{b.Name, b.Spent.Currency(), amount(b.Spent), amount(b.Limit), amount(b.Forecast)})
	}
	if !a.Outlook.EmptyAt.IsZero() {
		s := hours(max(0, a.Outlook.EmptyAt.Sub(now)))
		row.RunwayHours = &s
	}
	return row
}

// hours writes a duration in hours, rounded down to two digits.
func hours(d time.Duration) string {
	return new(big.Rat).SetFrac64(int64(d/(36*time.Second)), 100).FloatString(2)
}

func balanceMessage(p words.Printer, v notify.View, accounts []notify.AccountView) notify.Message {
	m := headed(balanceTitle(p, v.Now, accounts))
	t := notify.Table{Columns: []notify.Column{{Title: p.Text("bot.column.account")},
		{Title: p.Text("bot.column.lasts")}, {Title: p.Text("bot.column.balance"), Right: true},
		{Title: p.Text("bot.column.burn"), Right: true}, {Title: p.Text("bot.column.as_of")}}} // a phone shows the first three
	var lines []notify.Rich
	for _, a := range accounts {
		t.Rows = append(t.Rows, []notify.Rich{notify.Plain(accountText(a)), lastsText(p, v.Now, a),
			cashText(p, a), burnText(p, a), notify.Plain(p.Clock(a.Balance.ReadAt))})
		if a.Balance.Credit.Known() && a.Balance.Credit.Sign() > 0 {
			lines = append(lines, p.Rich("bot.balance.credit", "account", a.Name, "amount", a.Balance.Credit))
		}
		if a.Outlook.Unsettled.Sign() > 0 && !a.Outlook.EmptyAt.IsZero() {
			lines = append(lines, p.Rich("bot.balance.unsettled", "account", a.Name, "amount", a.Outlook.Unsettled))
		}
		lines = append(lines, unexplainedLines(p, a)...)
		lines = append(lines, budgetLines(p, a)...)
	}
	m.Blocks = append(m.Blocks, notify.Grid(t))
	lines = append(lines, p.Rich("bot.balance.assumes"))
	lines = append(lines, notOfferedLines(p, accounts, billing.CanBalance)...)
	lines = append(lines, warningLines(p, v, billing.ReadBalance)...)
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", lines...)))
	return m
}

// budgetLines are what the cloud's own budgets say of the month.
func budgetLines(p words.Printer, a notify.AccountView) []notify.Rich {
	var lines []notify.Rich
	for _, b := range a.Balance.Budgets {
		line := p.Rich("bot.balance.budget", "account", a.Name, "name", b.Name, "spent", b.Spent)
		if b.Limit.Known() {
			line = p.Rich("bot.balance.budget_of", "account", a.Name, "name", b.Name, "spent", b.Spent, "limit", b.Limit)
		}
		lines = append(lines, line)
		if b.Forecast.Known() {
			lines = append(lines, p.Rich("bot.balance.budget_forecast", "name", b.Name, "forecast", b.Forecast))
		}
	}
	return lines
}

// cashText is the money of an account.
func cashText(p words.Printer, a notify.AccountView) notify.Rich {
	if lacks(a, billing.CanBalance) || invoiced(a) {
		return "–"
	}
	return notify.Plain(p.Money(a.Balance.Cash))
}

// balanceTitle names the account that runs dry first. Clouds without a balance have no say in it.
func balanceTitle(p words.Printer, now time.Time, all []notify.AccountView) string {
	accounts := slices.DeleteFunc(slices.Clone(all), func(a notify.AccountView) bool { return lacks(a, billing.CanBalance) })
	if len(accounts) == 0 {
		return p.Text("bot.absent.title", "cloud", cloud(all[0]), "what", p.Text("bot.can.balance"))
	}
	a, ok := shortest(accounts)
	dark := slices.IndexFunc(accounts, func(a notify.AccountView) bool { return !a.Balance.Cash.Known() && !invoiced(a) })
	switch {
	case dark >= 0 && (!ok || a.Outlook.EmptyAt.Sub(now) >= 72*time.Hour): // a far end elsewhere does not make it fine
		return p.Text("bot.balance.unknown", "account", accountText(accounts[dark]))
	case !ok:
		return p.Text("bot.balance.lasting", "count", len(accounts))
	case !a.Outlook.EmptyAt.After(now):
		return p.Text("bot.balance.dry", "account", accountText(a))
	}
	return p.Text("bot.balance.title", "mark", urgency(a.Outlook.EmptyAt.Sub(now)), "account", accountText(a),
		"time", notify.Plain(p.Moment(a.Outlook.EmptyAt)), "balance", a.Balance.Cash)
}

// invoiced says that an account was read and holds no money: it is paid by invoice, whatever credits it has.
func invoiced(a notify.AccountView) bool {
	return !a.Balance.ReadAt.IsZero() && a.Balance.Mode == billing.Postpaid && !a.Balance.Cash.Known()
}

func shortest(accounts []notify.AccountView) (notify.AccountView, bool) {
	var best notify.AccountView
	for _, a := range accounts {
		if e := a.Outlook.EmptyAt; !e.IsZero() && (best.Outlook.EmptyAt.IsZero() || e.Before(best.Outlook.EmptyAt)) {
			best = a
		}
	}
	return best, !best.Outlook.EmptyAt.IsZero()
}

func urgency(left time.Duration) string {
	switch {
	case left < 24*time.Hour:
		return "🔴"
	case left < 72*time.Hour:
		return "🟡"
	}
	return "🟢"
}

// accountText names an account with its cloud where its own name does not tell.
func accountText(a notify.AccountView) string {
	c := cloud(a)
	if strings.Contains(bare(a.Name), bare(c)) || strings.Contains(bare(c), bare(a.Name)) {
		return a.Name
	}
	return a.Name + " (" + c + ")"
}

// bare is a name's letters and digits alone: "compute-c" and "Compute C" are one name.
func bare(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, s)
}

func burnText(p words.Printer, a notify.AccountView) notify.Rich {
	burn := notify.Plain(p.MoneyPer(a.Outlook.Burn, words.PerHour))
	if a.Outlook.Unpriced > 0 && a.Outlook.Burn.Known() {
		return p.Rich("bot.at_least", "sum", burn)
	}
	return burn
}

func lastsText(p words.Printer, now time.Time, a notify.AccountView) notify.Rich {
	o := a.Outlook
	switch {
	case lacks(a, billing.CanBalance):
		return p.Rich("bot.absent.short", "cloud", cloud(a))
	case invoiced(a):
		return p.Rich("bot.balance.postpaid")
	case a.Balance.ReadAt.IsZero() || !a.Balance.Cash.Known():
		return p.Rich("words.unknown")
	case a.Balance.Mode == billing.Postpaid:
		return p.Rich("bot.balance.postpaid")
	case !o.EmptyAt.IsZero() && !o.EmptyAt.After(now):
		return p.Rich("bot.balance.gone")
	case !o.EmptyAt.IsZero():
		return p.Rich("bot.balance.until", "time", notify.Plain(p.Moment(o.EmptyAt)), "left", o.EmptyAt.Sub(now))
	case o.Burn.Known() && o.Burn.Sign() == 0 && o.Unpriced == 0:
		return p.Rich("bot.balance.idle")
	}
	return p.Rich("words.unknown")
}
