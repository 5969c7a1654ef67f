package bot

import (
	"context"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/release"
	"gpuspend/notify"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// expiringSoon is from when on status counts what ends.
const expiringSoon = 14 * 24 * time.Hour

// situation is everything that status says.
type situation struct {
	view     notify.View
	accounts []notify.AccountView
	wasted   []item
	report   rules.Report
	ending   []rules.Expiry
	month    ledger.Report
	open     []release.Action
	running  int
}

func status(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) > 0 {
		return Answer{}, unclear(r.Print, "bot.words.none", "status", "word", r.Words[0], "command", "status")
	}
	s, err := d.situation(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	all := []billing.ReadingOf{billing.ReadBalance, billing.ReadInventory, billing.ReadCharges}
	a := Answer{Data: statusData(r, s), AsOf: oldest(s.view, billing.ReadInventory), Warnings: warnings(r.Print, s.view, all...)}
	if b := oldest(s.view, billing.ReadBalance); !b.IsZero() && (a.AsOf.IsZero() || b.Before(a.AsOf)) {
		a.AsOf = b
	}
	a.Failed = !everRead(s.view)
	switch {
	case len(s.view.Accounts) == 0:
		a.Message = headed(r.Print.Text("bot.empty"))
	case !slices.ContainsFunc(s.view.Accounts, polled):
		a.Message = headed(r.Print.Text("bot.list.imported"))
	default:
		a.Message = statusMessage(r.Print, s)
	}
	return a, nil
}

func (d *Desk) situation(ctx context.Context, r Request) (situation, error) {
	v, err := d.Look(ctx)
	if err != nil {
		return situation{}, err
	}
	s := situation{view: v, accounts: balanced(v), report: rules.Wasted(v)}
	s.wasted = wasted(r.Print, v, s.report)
	s.ending = slices.DeleteFunc(rules.Expiring(v), func(e rules.Expiry) bool { return e.At.Sub(r.Now) > expiringSoon })
	for _, x := range items(v) {
		if x.Ref.Kind.Part() == billing.PartInstance && x.State == billing.StateRunning {
			s.running++
		}
	}
	month, _ := period("month", r.Now, r.Zone)
	s.month, err = ledger.Answer(ctx, d.Book, ledger.Question{From: month.from, To: month.to, Zone: r.Zone, Now: r.Now})
	if err != nil {
		return situation{}, err
	}
	if d.Engine != nil {
		s.open, err = d.Engine.Open(ctx)
	}
	return s, err
}

func statusData(r Request, s situation) StatusData {
	read := everRead(s.view)
	data := StatusData{Balances: []BalanceRow{}, Running: counted(s.running, read), Month: totalsData(s.month.Totals), Expiring: counted(len(s.ending), read),
		Forgotten: StatusSum{Count: counted(len(s.wasted), read), Totals: monthlyTotals(s.wasted)}, Releasing: []StatusAction{},
		NotRead:    notRead(r.Print, s.view, billing.ReadBalance, billing.ReadInventory, billing.ReadCharges),
		NotOffered: notOffered(s.view.Accounts, billing.CanBalance, billing.CanCharges), NotWatched: notWatched(s.view), Paid: paidData(s.view.Paid)}
	for _, a := range s.accounts {
		data.Balances = append(data.Balances, balanceRow(a, r.Now))
	}
	for _, a := range s.open {
		data.Releasing = append(data.Releasing, StatusAction{ID: int64(a.ID), Handle: a.Handle, Verb: string(a.Verb), State: string(a.State)})
	}
	return data
}

func statusMessage(p words.Printer, s situation) notify.Message {
	m := headed(statusTitle(p, s))
	if len(s.accounts) > 0 {
		m.Blocks = append(m.Blocks, balanceMessage(p, s.view, s.accounts).Blocks[1])
	}
	var lines []notify.Rich
	lines = append(lines, p.Rich("bot.status.month", "sum", spent(p, ledger.Billed, s.month.Totals, true)))
	if s.running > 0 {
		lines = append(lines, p.Rich("bot.status.running", "count", s.running))
	}
	switch {
	case len(s.wasted) > 0:
		lines = append(lines, p.Rich("bot.status.forgotten", "count", len(s.wasted), "sum", notify.Bold(sumText(p, s.wasted))))
	case len(s.report.NotRead) == 0 && slices.ContainsFunc(s.view.Accounts, polled):
		lines = append(lines, p.Rich("bot.forgotten.none"))
	}
	if len(s.ending) > 0 {
		e := s.ending[0]
		lines = append(lines, p.Rich("bot.status.ending", "count", len(s.ending), "name", expiryName(p, e), "time", notify.Plain(p.Moment(e.At))))
	}
	lines = append(lines, paidLine(p, s.view.Paid)...)
	for _, a := range s.open {
		lines = append(lines, progressLine(p, a))
	}
	m.Blocks = append(m.Blocks, notify.Section(notify.Join("\n", lines...)))
	if b := statusButtons(p, s); len(b) > 0 {
		m.Blocks = append(m.Blocks, notify.Actions(b...))
	}
	small := []notify.Rich{readLine(p, s.view, billing.ReadInventory)}
	small = append(small, warningLines(p, s.view, billing.ReadBalance, billing.ReadInventory, billing.ReadCharges)...)
	small = append(small, notWatchedLines(p, s.view)...)
	small = append(small, notOfferedLines(p, s.view.Accounts, billing.CanBalance, billing.CanCharges)...)
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", small...)))
	return m
}

// statusTitle says how many things need somebody, and the nearest end of money.
func statusTitle(p words.Printer, s situation) string {
	need := len(s.ending) + blindAccounts(s.view) // what can't be seen needs somebody, too
	a, ok := shortest(s.accounts)
	short := ok && a.Outlook.EmptyAt.Sub(s.view.Now) < 72*time.Hour
	if short {
		need++
	}
	if len(s.wasted) > 0 {
		need++
	}
	switch {
	case short:
		return p.Text("bot.status.title_short", "mark", urgency(a.Outlook.EmptyAt.Sub(s.view.Now)), "account", accountText(a),
			"time", notify.Plain(p.Moment(a.Outlook.EmptyAt)), "count", need)
	case need > 0:
		return p.Text("bot.status.title", "count", need)
	}
	return p.Text("bot.status.calm")
}

func statusButtons(p words.Printer, s situation) []notify.Button {
	var out []notify.Button
	run := func(key, line string) {
		out = append(out, notify.Button{Label: p.Text(key), Action: ActionRun, Value: line})
	}
	if len(s.wasted) > 0 {
		run("bot.button.forgotten", "forgotten")
	}
	if len(s.ending) > 0 {
		run("bot.button.expiring", "expiring")
	}
	run("bot.button.cost", "cost month")
	run("bot.button.list", "list")
	return out
}
