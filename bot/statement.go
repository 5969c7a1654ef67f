package bot

import (
	"context"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// StatementData answers statement.
type StatementData struct {
	From       string         `json:"from"`
	To         string         `json:"to"`
	Statements []StatementRow `json:"statements"`
}

// StatementRow is one wallet: opening + top_ups + granted - expired - used + returned + difference = closing.
type StatementRow struct {
	Account    string           `json:"account"`
	Currency   billing.Currency `json:"currency"`
	From       string           `json:"from"`
	To         string           `json:"to"`
	Opening    *string          `json:"opening"`
	TopUps     []TopUpRow       `json:"top_ups"`
	Added      *string          `json:"added"`
	Granted    *string          `json:"granted"`
	Expired    *string          `json:"expired"`
	Used       *string          `json:"used"`
	Estimated  bool             `json:"used_is_partly_estimated"`
	Unpriced   int              `json:"unpriced"`
	Returned   *string          `json:"returned"`
	Closing    *string          `json:"closing"`
	Difference *string          `json:"difference"`
}

// TopUpRow is one top-up. Source is counter (exact) or balance (at least).
type TopUpRow struct {
	At     string  `json:"at"`
	Amount *string `json:"amount"`
	Source string  `json:"source"`
}

// statement answers what came into each wallet, what left it, and what nobody can explain.
func statement(ctx context.Context, d *Desk, r Request) (Answer, error) {
	when, account, err := statementQuestion(r)
	if err != nil {
		return Answer{}, err
	}
	wallets, ok := d.Book.(ledger.Wallets)
	var prepaid []billing.Account
	if ok {
		if prepaid, err = wallets.Prepaid(ctx); err != nil {
			return Answer{}, err
		}
	}
	if len(prepaid) == 0 {
		a := say(r.Print, "statement.none")
		a.Data, a.Warnings = statementData(ledger.Question{From: when.from, To: when.to, Zone: r.Zone}, nil), []string{}
		return a, nil
	}
	if account != "" {
		var names []string
		for _, a := range prepaid {
			names = append(names, a.Name)
		}
		if !slices.Contains(names, account) {
			return Answer{}, unclear(r.Print, "statement.account", "", "word", account, "accounts", names)
		}
		prepaid = slices.DeleteFunc(prepaid, func(a billing.Account) bool { return a.Name != account })
	}
	q := ledger.Question{From: when.from, To: when.to, Zone: r.Zone, Now: r.Now}
	var all []ledger.Statement
	for _, a := range prepaid {
		s, ok, err := ledger.StatementOf(ctx, d.Book, wallets, a, q)
		if err != nil {
			return Answer{}, err
		}
		if ok {
			all = append(all, s)
		}
	}
	a := Answer{Data: statementData(q, all), Message: statementMessage(r.Print, q, all), Failed: len(all) == 0, Warnings: []string{}}
	for _, s := range all {
		if a.AsOf.IsZero() || s.To.Before(a.AsOf) {
			a.AsOf = s.To
		}
	}
	return a, nil
}

// statementQuestion reads a month and an account, in any order.
func statementQuestion(r Request) (when span, account string, err error) {
	when, _ = period("month", r.Now, r.Zone)
	for _, w := range costWords(r.Words) {
		if s, ok := period(w, r.Now, r.Zone); ok {
			when = s
			continue
		}
		if account != "" {
			return when, "", unclear(r.Print, "bot.words.period", "statement month "+account, "word", w, "words", periodWords())
		}
		account = w
	}
	return when, account, nil
}

func statementData(q ledger.Question, all []ledger.Statement) StatementData {
	data := StatementData{From: q.From.In(q.Zone).Format(time.DateOnly), To: midnight(q.To, q.Zone, -1).Format(time.DateOnly), Statements: []StatementRow{}}
	for _, s := range all {
		row := StatementRow{Account: s.Account.Name, Currency: s.Opening.Currency(), From: s.From.UTC().Format(time.RFC3339), To: s.To.UTC().Format(time.RFC3339),
			Opening: amount(s.Opening), TopUps: []TopUpRow{}, Added: amount(s.Added), Granted: amount(s.Granted), Expired: amount(s.Expired), Used: amount(s.Used),
			Estimated: s.Accrued, Unpriced: s.Open, Returned: amount(s.Returned), Closing: amount(s.Closing), Difference: amount(s.Difference)}
		for _, t := range s.TopUps {
			row.TopUps = append(row.TopUps, TopUpRow{At: t.At.UTC().Format(time.RFC3339), Amount: amount(t.Amount), Source: t.Source})
		}
		data.Statements = append(data.Statements, row)
	}
	return data
}

func statementMessage(p words.Printer, q ledger.Question, all []ledger.Statement) notify.Message {
	if len(all) == 0 {
		return headed(p.Text("statement.nothing", "period", periodText(p, q)))
	}
	m := headed(p.Text("statement.title", "period", periodText(p, q), "count", len(all)))
	var notes []notify.Rich
	for _, s := range all {
		notes = append(notes, notify.Bold(s.Account.Name)+notify.Plain("  ")+
			p.Rich("statement.between", "from", notify.Plain(p.Moment(s.From)), "to", notify.Plain(p.Moment(s.To))))
		for _, t := range s.TopUps {
			notes = append(notes, p.Rich("statement.topup."+t.Source, "sum", p.Money(t.Amount), "time", notify.Plain(p.Moment(t.At))))
		}
	}
	m.Blocks = append(m.Blocks, notify.Grid(statementTable(p, all)), notify.Context(notify.Join("\n", notes...)))
	return m
}

// statementTable has the lines of every wallet under its name: a message may hold one table.
func statementTable(p words.Printer, all []ledger.Statement) notify.Table {
	t := notify.Table{Columns: []notify.Column{{Title: p.Text("statement.column")}, {Right: true}}}
	for _, s := range all {
		t.Rows = append(t.Rows, []notify.Rich{notify.Bold(s.Account.Name), notify.Plain(string(s.Opening.Currency()))})
		t.Rows = append(t.Rows, statementRows(p, s)...)
	}
	return t
}

func statementRows(p words.Printer, s ledger.Statement) (rows [][]notify.Rich) {
	line := func(key string, sign string, m billing.Money, always bool) {
		if !always && m.Sign() == 0 {
			return
		}
		rows = append(rows, []notify.Rich{notify.Plain(p.Text("statement." + key)), notify.Plain(strings.TrimSpace(sign + " " + p.Money(m)))})
	}
	line("opening", "", s.Opening, true)
	line("added", "+", s.Added, true)
	line("granted", "+", s.Granted, false)
	line("expired", "−", s.Expired, false)
	used := "used"
	if s.Open > 0 {
		used = "used_least"
	} else if s.Accrued {
		used = "used_estimated"
	}
	line(used, "−", s.Used, true)
	line("returned", "+", s.Returned, false)
	line("difference", "", s.Difference, true)
	return append(rows, []notify.Rich{notify.Bold(p.Text("statement.closing")), notify.Bold(p.Money(s.Closing))})
}
