package bot

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// expiringDays is how far expiring looks ahead when nothing else is asked for.
const expiringDays = 30

func expiring(ctx context.Context, d *Desk, r Request) (Answer, error) {
	days := expiringDays
	if len(r.Words) > 0 {
		m := daysWord.FindStringSubmatch(fold1(strings.Join(r.Words, "")))
		if m == nil {
			return Answer{}, unclear(r.Print, "bot.words.days", "expiring 30d", "word", strings.Join(r.Words, " "))
		}
		days, _ = strconv.Atoi(m[1]) // digits only
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	through := midnight(r.Now, r.Zone, days)
	soon := slices.DeleteFunc(rules.Expiring(v), func(e rules.Expiry) bool { return e.At.After(through) })
	a := Answer{Data: expiringData(r, v, soon, days), AsOf: oldest(v, billing.ReadInventory),
		Warnings: warnings(r.Print, v, billing.ReadInventory, billing.ReadBalance)}
	a.Message = expiringMessage(r.Print, v, soon, days)
	a.Failed = !slices.ContainsFunc(v.Accounts, polled)
	return a, nil
}

func expiringData(r Request, v notify.View, soon []rules.Expiry, days int) ExpiringData {
	data := ExpiringData{Through: midnight(r.Now, r.Zone, days).Format(time.DateOnly), Resources: []ExpiringRow{},
		Vouchers: []VoucherRow{}, NotRead: notRead(r.Print, v, billing.ReadInventory, billing.ReadBalance),
		NotOffered: notOffered(v.Accounts, billing.CanCommitments)}
	for _, e := range soon {
		at := e.At.UTC().Format(time.RFC3339)
		if e.Voucher != "" || e.Ref.ID == "" {
			data.Vouchers = append(data.Vouchers, VoucherRow{Account: e.Account, ID: e.Voucher, Remaining: amount(e.Remaining),
				Currency: e.Remaining.Currency(), ExpiresAt: at})
			continue
		}
		data.Resources = append(data.Resources, ExpiringRow{Handle: e.Handle, ID: e.Ref.ID, Account: e.Account, Name: e.Name,
			ExpiresAt: at, RenewsItself: tri(e.Renews), Monthly: amount(e.Monthly), Currency: e.Monthly.Currency()})
	}
	return data
}

// tri is null for what is not known.
func tri(t billing.Tri) *bool {
	if t == billing.Unsure {
		return nil
	}
	yes := t == billing.Yes
	return &yes
}

func expiringMessage(p words.Printer, v notify.View, soon []rules.Expiry, days int) notify.Message {
	switch {
	case len(v.Accounts) == 0:
		return headed(p.Text("bot.empty"))
	case !slices.ContainsFunc(v.Accounts, polled):
		return headed(p.Text("bot.list.imported"))
	}
	m := headed(p.Text("bot.expiring.none", "days", days))
	if len(soon) > 0 {
		m = headed(p.Text("bot.expiring.title", "count", len(soon), "days", days, "name", expiryName(p, soon[0]),
			"time", notify.Plain(p.Moment(soon[0].At))))
		m.Blocks = append(m.Blocks, notify.Grid(expiringTable(p, v, soon)))
	}
	lines := []notify.Rich{readLine(p, v, billing.ReadInventory)}
	lines = append(lines, warningLines(p, v, billing.ReadInventory, billing.ReadBalance)...)
	lines = append(lines, notOfferedLines(p, v.Accounts, billing.CanCommitments)...)
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", lines...)))
	return m
}

func expiryName(p words.Printer, e rules.Expiry) string {
	if e.Ref.ID == "" {
		return p.Text("bot.expiring.voucher", "id", e.Voucher)
	}
	return label(e.Name, e.Ref.ID)
}

func expiringTable(p words.Printer, v notify.View, soon []rules.Expiry) notify.Table {
	t := notify.Table{Columns: []notify.Column{{Title: p.Text("bot.column.ends")}, {Title: p.Text("bot.column.left")},
		{Title: p.Text("bot.column.name")}, {Title: p.Text("bot.column.account")}, {Title: p.Text("bot.column.renews")},
		{Title: p.Text("bot.column.worth"), Right: true}}}
	for _, e := range soon {
		worth := p.MoneyPer(e.Monthly, words.PerMonth)
		if e.Ref.ID == "" {
			worth = p.Money(e.Remaining)
		}
		t.Rows = append(t.Rows, []notify.Rich{notify.Plain(p.Moment(e.At)), notify.Plain(p.Duration(e.At.Sub(v.Now))),
			notify.Plain(expiryName(p, e)), notify.Plain(e.Account), notify.Plain(renewsText(p, e.Renews)), notify.Plain(worth)})
	}
	return t
}

func renewsText(p words.Printer, t billing.Tri) string {
	switch t {
	case billing.Yes:
		return p.Text("bot.yes")
	case billing.No:
		return p.Text("bot.no")
	}
	return p.Text("words.unknown")
}
