package bot

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// quoteWriter writes one quote.
type quoteWriter struct {
	p        words.Printer
	q        estimate.Quote
	line     string // the question, to be asked again
	measured bool   // the hours used are our own measurement
	prices   Prices
}

// mostOptions is how many rows a phone can show.
const mostOptions = 12

func (w quoteWriter) message(parts bool) notify.Message {
	m := headed(w.title())
	m.Blocks = append(m.Blocks, notify.Grid(w.table()))
	lines := []notify.Rich{w.p.Rich("estimate.per_gpu", "cards", w.q.Cards, "hours", w.q.Hours)}
	if n := len(w.q.Options) - mostOptions; n > 0 {
		lines = append(lines, w.p.Rich("estimate.more", "count", n))
	}
	lines = append(lines, w.remarks()...)
	m.Blocks = append(m.Blocks, notify.Section(notify.Join("\n", lines...)))
	if parts {
		m.Blocks = append(m.Blocks, notify.Grid(w.partsTable()), notify.Section(notify.Join("\n", w.origins()...)))
	}
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", w.smallPrint()...)))
	if !parts {
		m.Blocks = append(m.Blocks, notify.Actions(w.buttons()...))
	}
	return m
}

func (w quoteWriter) buttons() []notify.Button {
	all := []notify.Button{{Label: w.p.Text("estimate.button.parts"), Action: ActionRun, Value: w.line + " parts"}}
	if w.q.Mode == "" && slices.ContainsFunc(w.q.Options, func(o estimate.Option) bool { return o.Interrupt != nil }) && w.q.Resumable == billing.Unsure {
		all = append(all, notify.Button{Label: w.p.Text("estimate.button.not_resumable"), Action: ActionRun, Value: w.line + " resumable=no"})
	}
	return all
}

// what is the machine and the time: 8×A100-80G.
func (w quoteWriter) what() string { return w.q.Cards.String() + "×" + w.q.GPU }

// title says what it costs at least, and what it costs without risk.
func (w quoteWriter) title() string {
	all, safe := w.q.Best()
	args := []any{"what", w.what(), "hours", w.p.Number(billing.MustDecimal(w.q.Hours.Rounded(1)))}
	if all < 0 {
		return w.p.Text("estimate.title.none", args...)
	}
	best := w.q.Options[all]
	args = append(args, "low", w.rounded(best.Total.Low), "mode", w.mode(best.Mode), "where", w.where(best))
	switch {
	case best.Interrupt != nil && safe >= 0:
		return fitting(w.p.Text("estimate.title.spot", append(args, "safe", w.rounded(w.q.Options[safe].Total.Low))...), w.p.Text("estimate.title.short", args...))
	case best.Interrupt != nil:
		return fitting(w.p.Text("estimate.title.only_spot", args...), w.p.Text("estimate.title.short", args...))
	}
	return fitting(w.p.Text("estimate.title.best", args...), w.p.Text("estimate.title.short", args...))
}

// rounded writes an amount to the unit: a title is no bill.
func (w quoteWriter) rounded(m billing.Money) string {
	if m.Sign() > 0 && m.Rounded(0) != "0" && len(m.Rounded(0)) > 2 {
		m = billing.MustMoney(m.Rounded(0), m.Currency())
		return strings.TrimSuffix(w.p.Money(m), ".00")
	}
	return w.p.Money(m)
}

// mode names a way to pay.
func (w quoteWriter) mode(m billing.Mode) string { return w.p.Mode(m) }

func (w quoteWriter) where(o estimate.Option) string {
	name := cmp.Or(w.prices.Names[o.Provider], o.Provider, w.p.Text("estimate.own_price"))
	if tier := o.Tier(); tier != "" {
		name += ", " + tier
	}
	return name
}

// one is the currency of all rows; "" where there are several.
func (w quoteWriter) one() billing.Currency {
	c := w.q.Options[0].Low.Currency()
	for _, o := range w.q.Options {
		if o.Low.Currency() != c {
			return ""
		}
	}
	return c
}

// table has five columns, which a phone can show.
func (w quoteWriter) table() notify.Table {
	bill := w.p.Text("estimate.column.bill")
	if c := w.one(); c != "" {
		bill = w.p.Text("estimate.column.bill_in", "currency", w.sign(c))
	}
	t := notify.Table{Columns: []notify.Column{{Title: w.p.Text("estimate.column.where")}, {Title: bill, Right: true},
		{Title: w.p.Text("estimate.column.per_gpu"), Right: true}, {Title: w.p.Text("estimate.column.done")}, {Title: w.p.Text("estimate.column.now")}}}
	for i, o := range w.q.Options {
		if i == mostOptions {
			break
		}
		t.Rows = append(t.Rows, []notify.Rich{notify.Plain(w.way(o)), notify.Plain(w.bill(o)), notify.Plain(w.perGPU(o)),
			notify.Plain(w.p.Clock(o.Finish)), notify.Plain(w.stock(o))})
	}
	return t
}

// sign is a currency as people head a column with it.
func (w quoteWriter) sign(c billing.Currency) string {
	s := w.p.Money(billing.ZeroMoney(c))
	if cut := strings.TrimRight(s, "0."); cut != "" {
		return strings.TrimSpace(cut)
	}
	return string(c)
}

// way is where and how: "A  spot", with the number of machines where there are several.
func (w quoteWriter) way(o estimate.Option) string {
	s := w.where(o) + " " + w.mode(o.Mode)
	if o.Machines > 1 {
		s += " " + w.p.Text("estimate.machines", "count", o.Machines)
	}
	return s
}

// bill is the whole bill: a range in units, one figure with its decimals, at least where something has no price.
func (w quoteWriter) bill(o estimate.Option) string {
	s := w.span(o.Total, o.Low.Currency().MinorUnits(), 0)
	switch {
	case o.Standing == estimate.Incomplete:
		s = w.p.Text("estimate.at_least", "sum", s)
	case o.Standing == estimate.Old:
		s = w.p.Text("estimate.old", "sum", s)
	}
	return s
}

func (w quoteWriter) perGPU(o estimate.Option) string {
	if o.Ahead != nil {
		return w.p.Text("estimate.cash")
	}
	s := strings.ReplaceAll(w.span(o.PerGPU, 2, 1), " – ", "–")
	if len(o.Missing) > 0 {
		return w.p.Text("estimate.at_least", "sum", s)
	}
	return s
}

// span writes a range with few decimals and one amount with more. The currency stands where the heading has none.
func (w quoteWriter) span(r estimate.Range, one, range_ int) string {
	sign := ""
	if w.one() == "" {
		sign = w.sign(r.Low.Currency())
	}
	if low := w.p.Figure(r.Low, one); low == w.p.Figure(r.High, one) {
		return sign + low
	}
	digits := range_
	if high, err := billing.ParseDecimal(r.High.Amount()); err == nil && high.Float64() < 100 {
		digits = max(digits, 1)
	}
	return sign + w.p.Figure(r.Low, digits) + " – " + w.p.Figure(r.High, digits)
}

// stock is the cloud's word on whether it can be had.
func (w quoteWriter) stock(o estimate.Option) string {
	switch strings.ToUpper(o.Stock) {
	case "NONE":
		return w.p.Text("estimate.stock.none")
	case "LOW":
		return w.p.Text("estimate.stock.low")
	case "MEDIUM", "HIGH", "AVAILABLE", "NORMAL":
		return w.p.Text("estimate.stock.yes")
	case "":
		return w.p.Text("estimate.stock.unknown")
	}
	return o.Stock
}

// partsTable is every row's bill in parts.
func (w quoteWriter) partsTable() notify.Table {
	t := notify.Table{Columns: []notify.Column{{Title: w.p.Text("estimate.column.where")}}}
	var parts []billing.Part
	for _, part := range estimate.Parts() {
		if slices.ContainsFunc(w.q.Options, func(o estimate.Option) bool { _, ok := o.Parts[part]; return ok || slices.Contains(o.Missing, part) }) {
			parts = append(parts, part)
			t.Columns = append(t.Columns, notify.Column{Title: w.p.Part(part), Right: true})
		}
	}
	for i, o := range w.q.Options {
		if i == mostOptions {
			break
		}
		row := []notify.Rich{notify.Plain(w.way(o))}
		for _, part := range parts {
			r, ok := o.Parts[part]
			switch {
			case slices.Contains(o.Missing, part):
				row = append(row, notify.Plain(w.p.Text("estimate.no_price")))
			case ok:
				row = append(row, notify.Plain(w.span(r, 2, 0)))
			default:
				row = append(row, "0")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// origins say of each row where its price is from and how old it is, and of plans what they come to in three ways.
func (w quoteWriter) origins() []notify.Rich {
	var lines []notify.Rich
	for i, o := range w.q.Options {
		if i == mostOptions {
			break
		}
		source := o.Source
		if len([]rune(source)) > 60 {
			source = string([]rune(source)[:60]) + "…"
		}
		lines = append(lines, w.p.Rich("estimate.origin", "way", notify.Bold(w.way(o)), "type", cmp.Or(o.Type, "-"), "region", cmp.Or(o.Region, "-"),
			"age", w.age(o.Row), "source", cmp.Or(source, w.p.Text("estimate.from."+o.From.String()))))
		if a := o.Ahead; a != nil {
			lines = append(lines, w.p.Rich("estimate.amortised", "terms", strconv.Itoa(a.Terms), "cash", w.span(a.Cash, 2, 2),
				"calendar", w.span(a.Calendar, 2, 2), "used", w.usedText(*a)))
		}
	}
	return lines
}

func (w quoteWriter) usedText(a estimate.Ahead) string {
	if !a.Used.Known() {
		return w.p.Text("estimate.used_unknown")
	}
	return w.p.Text("estimate.used", "sum", w.span(a.Used, 2, 2), "hours", w.p.Number(w.q.Used))
}

// age is when a price was read.
func (w quoteWriter) age(r estimate.Row) string {
	if r.AsOf.IsZero() {
		return w.p.Text("estimate.undated")
	}
	days := int(w.q.Now.Sub(r.AsOf).Hours() / 24)
	if days < 1 {
		return w.p.Text("estimate.today")
	}
	return w.p.Text("estimate.days_old", "count", days)
}
