package bot

import (
	"context"
	"slices"
	"strconv"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

func forgotten(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) > 0 {
		return Answer{}, unclear(r.Print, "bot.words.none", "forgotten", "word", r.Words[0], "command", "forgotten")
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	report := rules.Wasted(v)
	all := wasted(r.Print, v, report)
	a := Answer{Data: resourcesData(r.Print, v, all), AsOf: oldest(v, billing.ReadInventory),
		Warnings: warnings(r.Print, v, billing.ReadInventory)}
	a.Message = forgottenMessage(r, v, report, all)
	a.Failed = !slices.ContainsFunc(v.Accounts, polled)
	return a, nil
}

// wasted turns a report into items, in its order.
func wasted(p words.Printer, v notify.View, report rules.Report) []item {
	accounts := map[billing.AccountID]notify.AccountView{}
	for _, a := range v.Accounts {
		accounts[a.ID] = a
	}
	var out []item
	for _, w := range report.Found {
		x := item{Holding: w.Holding, account: accounts[w.Holding.Account], monthly: w.Monthly, since: w.Since}
		x.Rate.Hourly = w.Hourly // with what is attached to a stopped machine
		x.reason = p.Text("bot.waste."+string(w.Reason), "age", notify.Plain(p.Duration(v.Now.Sub(w.Since))))
		out = append(out, x)
	}
	return out
}

func forgottenMessage(r Request, v notify.View, report rules.Report, all []item) notify.Message {
	p := r.Print
	switch {
	case len(v.Accounts) == 0:
		return headed(p.Text("bot.empty"))
	case !slices.ContainsFunc(v.Accounts, polled):
		return headed(p.Text("bot.list.imported"))
	}
	m := headed(forgottenTitle(p, report, all))
	if paid := report.Paid; len(paid.Totals()) > 0 && len(all) > 0 {
		m.Blocks = append(m.Blocks, notify.Section(p.Rich("bot.forgotten.paid", "sum", p.Sum(paid))))
	}
	if len(all) > 0 {
		m.Blocks = append(m.Blocks, notify.Divider())
	}
	for i, x := range all {
		m.Blocks = append(m.Blocks, notify.Section(forgottenLine(p, i+1, x), resourceMenu(p, x)...))
	}
	if len(all) > 0 {
		m.Blocks = append(m.Blocks, notify.Divider())
	}
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", forgottenSmallPrint(p, v, report)...)))
	return m
}

func forgottenTitle(p words.Printer, report rules.Report, all []item) string {
	switch {
	case len(all) > 0:
		return p.Text("bot.forgotten.title", "count", len(all), "sum", sumText(p, all))
	case len(report.NotRead) > 0:
		return p.Text("bot.forgotten.none_seen")
	}
	return p.Text("bot.forgotten.none")
}

func forgottenLine(p words.Printer, n int, x item) notify.Rich {
	return p.Rich("bot.forgotten.line", "n", strconv.Itoa(n), "name", notify.Bold(label(x.Name, x.Ref.ID)), "what", kindText(p, x.Holding),
		"where", placeText(x), "cost", notify.Bold(p.MoneyPer(x.monthly, words.PerMonth)), "handle", notify.Code(x.Handle),
		"reason", x.reason, "owner", ownerText(p, x.Holding))
}

// resourceMenu is what can be done about a resource.
func resourceMenu(p words.Printer, x item) []notify.Button {
	var menu []notify.Button
	if x.account.Release {
		menu = append(menu, notify.Button{Label: p.Text("bot.button.release"), Action: ActionRelease, Value: x.Handle})
	}
	menu = append(menu, notify.Button{Label: p.Text("bot.button.keep"), Action: ActionKeep, Value: x.Handle})
	if x.Owner == "" {
		menu = append(menu, notify.Button{Label: p.Text("mine.button"), Action: ActionMine, Value: x.Handle})
	}
	if link := x.account.Driver.Console.Resource; link != nil {
		if url := link(x.Ref); url != "" {
			menu = append(menu, notify.Button{Label: p.Text("bot.button.console"), URL: url})
		}
	}
	return menu
}

func forgottenSmallPrint(p words.Printer, v notify.View, report rules.Report) []notify.Rich {
	var left []notify.Rich
	if report.Younger > 0 {
		left = append(left, p.Rich("bot.forgotten.younger", "count", report.Younger))
	}
	for _, h := range report.Kept {
		if h.Keep.Until.IsZero() {
			left = append(left, p.Rich("bot.forgotten.kept_always", "name", label(h.Name, h.Ref.ID), "reason", h.Keep.Reason))
		} else {
			left = append(left, p.Rich("bot.forgotten.kept", "name", label(h.Name, h.Ref.ID),
				"date", notify.Plain(p.Date(h.Keep.Until)), "reason", h.Keep.Reason))
		}
	}
	if report.InUse > 0 {
		left = append(left, p.Rich("bot.forgotten.in_use", "count", report.InUse))
	}
	if report.Unsure > 0 {
		left = append(left, p.Rich("bot.forgotten.unsure", "count", report.Unsure))
	}
	var lines []notify.Rich
	if len(left) > 0 {
		lines = append(lines, p.Rich("bot.forgotten.left_out", "what", notify.Join(" · ", left...)))
	}
	lines = append(lines, warningLines(p, v, billing.ReadInventory)...)
	return append(lines, readLine(p, v, billing.ReadInventory))
}
