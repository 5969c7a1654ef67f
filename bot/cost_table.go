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
	m := headed(fitting(title(spent(p, q.View, report.Totals, true)), title(spent(p, q.View, report.Totals, false))))
	if len(v.Accounts) == 0 {
		return headed(p.Text("bot.empty"))
	}
	rows, left := report.Rows, 0
	if !r.Dry && !r.Local && len(rows) > mostRows {
		rows, left = rows[:mostRows], len(rows)-mostRows
	}
	if len(rows) > 0 {
		m.Blocks = append(m.Blocks, notify.Grid(costTable(p, report, rows, called(v))))
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
func spent(p words.Printer, view ledger.View, totals []ledger.Row, room bool) string {
	var billed, accrued []billing.Money
	for _, t := range totals {
		if t.Amount.Known() {
			billed = append(billed, t.Amount)
		}
		if t.Accrued.Known() && t.Accrued.Sign() != 0 {
			accrued = append(accrued, t.Accrued)
		}
	}
	switch {
	case len(billed)+len(accrued) == 0:
		return p.Text("bot.cost.none")
	case view != ledger.Billed:
		return spentIn(p, view, billed, accrued)
	case len(accrued) == 0:
		return p.Text("bot.cost.billed", "sum", p.Monies(billed))
	case len(billed) == 0:
		return p.Text("bot.cost.accrued", "sum", p.Monies(accrued))
	case !room:
		return p.Text("bot.cost.billed_more", "sum", p.Monies(billed))
	}
	return p.Text("bot.cost.both", "billed", p.Monies(billed), "accrued", p.Monies(accrued))
}

// spentIn is the sum in another view than that of the bill.
func spentIn(p words.Printer, view ledger.View, billed, accrued []billing.Money) string {
	switch {
	case len(accrued) == 0:
		return p.Text("cost.sum."+string(view), "sum", p.Monies(billed))
	case len(billed) == 0:
		return p.Text("bot.cost.accrued", "sum", p.Monies(accrued))
	}
	return p.Text("cost.sum.more", "sum", p.Text("cost.sum."+string(view), "sum", p.Monies(billed)), "accrued", p.Monies(accrued))
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

func costTable(p words.Printer, report ledger.Report, rows []ledger.Row, names map[string]string) notify.Table {
	var t notify.Table
	for _, c := range report.Question.By {
		t.Columns = append(t.Columns, notify.Column{Title: p.Text("bot.cut." + string(c))})
	}
	accrued := slices.ContainsFunc(report.Totals, func(r ledger.Row) bool { return r.Accrued.Known() || r.Unpriced > 0 })
	t.Columns = append(t.Columns, notify.Column{Title: p.Text("cost.column." + string(report.Question.View)), Right: true})
	if accrued {
		t.Columns = append(t.Columns, notify.Column{Title: p.Text("bot.cost.column.accrued"), Right: true})
	}
	for _, row := range rows {
		var line []notify.Rich
		for i, key := range row.Keys {
			line = append(line, notify.Plain(namedKey(keyText(p, report.Question.By[i], key), report.Question.By[i], names)))
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
	switch {
	case row.Amount.Known() && row.Vague > 0:
		billed = p.Rich("cost.vague", "sum", p.Money(row.Amount), "count", row.Vague)
	case row.Amount.Known():
		billed = notify.Plain(p.Money(row.Amount))
	case row.Vague > 0:
		billed = p.Rich("cost.all_vague", "count", row.Vague)
	case row.Billed.Known():
		billed = "–"
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
	case row.AccruedMost.Known():
		meter = p.Rich("cost.range", "least", p.Money(row.Accrued), "most", p.Money(row.AccruedMost))
	case row.Accrued.Known():
		meter = notify.Plain(p.Money(row.Accrued))
	default:
		meter = "–"
	}
	return []notify.Rich{billed, meter}
}

// called gives the names of what is there, by its cloud's id. An id that two things share names neither.
func called(v notify.View) map[string]string {
	names := map[string]string{}
	for _, a := range v.Accounts {
		for _, h := range a.Holdings {
			if old, twice := names[h.Ref.ID]; twice && old != h.Name {
				names[h.Ref.ID] = ""
				continue
			}
			names[h.Ref.ID] = h.Name
		}
	}
	return names
}

// namedKey adds to the id of a resource, which is all that a bill says, the name that people know it by.
func namedKey(key string, c ledger.Cut, names map[string]string) string {
	if name := names[key]; c == ledger.ByResource && name != "" && name != key {
		return name + " (" + key + ")"
	}
	return key
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
	case c == ledger.ByCharge:
		return p.Text("cost.charge." + key)
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
	lines = append(lines, sortLines(p, report)...)
	lines = append(lines, declaredLines(p, report)...)
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

// sortLines say what the bill is made of, where it is more than usage: a credit must not hide what was used.
func sortLines(p words.Printer, report ledger.Report) []notify.Rich {
	var out []notify.Rich
	for _, t := range report.Totals {
		var parts []notify.Rich
		for i, m := range t.Sorts {
			if m.Known() && m.Sign() != 0 {
				parts = append(parts, p.Rich("cost.made_of_one", "what", p.Text("cost.charge."+ledger.Sort(i).String()), "sum", p.Money(m)))
			}
		}
		plain := len(parts) == 0 || len(parts) == 1 && t.Sorts[ledger.Usage].Known() && t.Sorts[ledger.Usage].Sign() != 0
		if !plain || report.Question.View != ledger.Billed && t.Billed.Known() {
			out = append(out, p.Rich("cost.made_of", "sum", p.Money(t.Billed), "parts", parts))
		}
	}
	return out
}

// declaredLines name accounts whose bill is not what its columns say, where that touches the answer.
func declaredLines(p words.Printer, report ledger.Report) []notify.Rich {
	var none, original []notify.Rich
	for _, c := range report.Declared {
		if c.Bill.NoEffective && report.Question.View == ledger.Amortised {
			none = append(none, notify.Plain(c.Name))
		}
		if c.Bill.NoInvoice {
			original = append(original, notify.Plain(c.Name))
		}
	}
	var out []notify.Rich
	if len(none) > 0 {
		out = append(out, p.Rich("cost.declared.no_effective", "accounts", none))
	}
	if len(original) > 0 {
		out = append(out, p.Rich("cost.declared.no_invoice", "accounts", original))
	}
	return out
}
