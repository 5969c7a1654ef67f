package bot

import (
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

func costMessage(r Request, report ledger.Report, v notify.View) notify.Message {
	p, q := r.Print, report.Question
	title := func(sum string) string { return p.Text("bot.cost.title", "period", periodText(p, q), "sum", sum) }
	m := headed(fitting(title(spent(p, report.Totals, true)), title(spent(p, report.Totals, false))))
	if len(v.Accounts) == 0 {
		return headed(p.Text("bot.empty"))
	}
	rows, left := report.Rows, 0
	if !r.Dry && !r.Local && len(rows) > mostRows {
		rows, left = rows[:mostRows], len(rows)-mostRows
	}
	if len(rows) > 0 {
		m.Blocks = append(m.Blocks, notify.Grid(costTable(p, report, rows)))
	} else {
		m.Blocks = append(m.Blocks, notify.Section(p.Rich("bot.cost.nothing")))
	}
	if left > 0 {
		m.Blocks = append(m.Blocks, notify.Context(p.Rich("bot.more", "count", left)))
	}
	m.Blocks = append(m.Blocks, costSmallPrint(p, report, v)...)
	return m
}

// spent says what was spent in one line: billed and, where there is room, what is estimated beside it.
func spent(p words.Printer, totals []ledger.Row, room bool) string {
	var billed, accrued []billing.Money
	for _, t := range totals {
		if t.Billed.Known() {
			billed = append(billed, t.Billed)
		}
		if t.Accrued.Known() && t.Accrued.Sign() != 0 {
			accrued = append(accrued, t.Accrued)
		}
	}
	switch {
	case len(billed)+len(accrued) == 0:
		return p.Text("bot.cost.none")
	case len(accrued) == 0:
		return p.Text("bot.cost.billed", "sum", p.Monies(billed))
	case len(billed) == 0:
		return p.Text("bot.cost.accrued", "sum", p.Monies(accrued))
	case !room:
		return p.Text("bot.cost.billed_more", "sum", p.Monies(billed))
	}
	return p.Text("bot.cost.both", "billed", p.Monies(billed), "accrued", p.Monies(accrued))
}

// periodText names a stretch of days: one day, or first to last.
func periodText(p words.Printer, q ledger.Question) string {
	p.Zone = q.Zone // days are those of the question
	last := midnight(q.To, q.Zone, -1)
	if first := midnight(q.From, q.Zone, 0); !first.Equal(last) {
		return p.Text("bot.cost.period", "from", p.Date(first), "to", p.Date(last))
	}
	return p.Date(last)
}

func costTable(p words.Printer, report ledger.Report, rows []ledger.Row) notify.Table {
	var t notify.Table
	for _, c := range report.Question.By {
		t.Columns = append(t.Columns, notify.Column{Title: p.Text("bot.cut." + string(c))})
	}
	accrued := slices.ContainsFunc(report.Totals, func(r ledger.Row) bool { return r.Accrued.Known() || r.Unpriced > 0 })
	t.Columns = append(t.Columns, notify.Column{Title: p.Text("bot.cost.column.billed"), Right: true})
	if accrued {
		t.Columns = append(t.Columns, notify.Column{Title: p.Text("bot.cost.column.accrued"), Right: true})
	}
	for _, row := range rows {
		var line []notify.Rich
		for i, key := range row.Keys {
			line = append(line, notify.Plain(keyText(p, report.Question.By[i], key)))
		}
		t.Rows = append(t.Rows, append(line, costCells(p, row, accrued)...))
	}
	for _, row := range report.Totals {
		line := make([]notify.Rich, len(report.Question.By))
		line[0] = notify.Plain(p.Text("bot.total"))
		t.Foot = append(t.Foot, append(line, costCells(p, row, accrued)...))
	}
	return t
}

func costCells(p words.Printer, row ledger.Row, accrued bool) []notify.Rich {
	billed := notify.Plain(p.Text("bot.cost.not_billed"))
	if row.Billed.Known() {
		billed = notify.Plain(p.Money(row.Billed))
	}
	if !accrued {
		return []notify.Rich{billed}
	}
	var meter notify.Rich
	switch {
	case row.Unpriced > 0 && row.Accrued.Known():
		meter = p.Rich("words.at_least", "sum", p.Money(row.Accrued), "count", row.Unpriced)
	case row.Unpriced > 0:
		meter = p.Rich("bot.cost.unpriced", "count", row.Unpriced)
	case row.Accrued.Known():
		meter = notify.Plain(p.Money(row.Accrued))
	default:
		meter = "–"
	}
	return []notify.Rich{billed, meter}
}

// keyText names a row. What the bill does not say is said to be missing, never left blank.
func keyText(p words.Printer, c ledger.Cut, key string) string {
	switch {
	case key == "" && c == ledger.ByOwner:
		return p.Text("bot.unowned")
	case key == "":
		return p.Text("bot.not_said")
	case c == ledger.ByPart:
		return p.Part(billing.Part(key))
	case c == ledger.ByMode:
		return p.Mode(billing.Mode(key))
	}
	return key
}

func costSmallPrint(p words.Printer, report ledger.Report, v notify.View) []notify.Block {
	var lines []notify.Rich
	var late, blind []notify.Rich
	for _, g := range report.Missing {
		from := p.Rich("bot.cost.gap", "account", g.Account, "from", notify.Plain(p.Moment(g.From)))
		if g.Unseen {
			blind = append(blind, p.Rich("bot.cost.gap_between", "account", g.Account, "from", notify.Plain(p.Moment(g.From)), "to", notify.Plain(p.Moment(g.To))))
		} else {
			late = append(late, from)
		}
	}
	if len(late) > 0 {
		lines = append(lines, p.Rich("bot.cost.missing", "accounts", late))
	}
	if len(blind) > 0 {
		lines = append(lines, p.Rich("bot.cost.blind", "accounts", blind))
	}
	if report.WholeDays {
		lines = append(lines, p.Rich("bot.cost.whole_days"))
	}
	lines = append(lines, asOfLine(p, report.AsOf, report.Question.Zone))
	lines = append(lines, warningLines(p, v, billing.ReadCharges)...)
	lines = append(lines, notOfferedLines(p, v.Accounts, billing.CanCharges)...)
	return []notify.Block{notify.Context(notify.Join("\n", lines...))}
}

// asOfLine says how old figures are, and in which zone days were cut.
func asOfLine(p words.Printer, at time.Time, zone *time.Location) notify.Rich {
	if at.IsZero() {
		return p.Rich("bot.as_of_zone_only", "zone", zone.String())
	}
	return p.Rich("bot.as_of_zone", "time", at, "zone", zone.String())
}
