package bot

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/notify"
)

var cardsWord = regexp.MustCompile(`(?i)^(\d{1,4}(?:\.\d+)?)\s*[x×*卡]\s*(.+)$`)

// between stands between two set-ups.
func between(w string) bool {
	return slices.Contains([]string{"vs", "vs.", "|", "or", "对比", "和", "与", "还是"}, fold1(w))
}

// setups compares ways to do the same work by what the work costs.
func (c *comparison) setups() error {
	c.data.Topic = "work"
	sides, shared := c.sides()
	units, unit, err := shared.number("per")
	if err != nil {
		return err
	}
	if !units.Known() {
		units = billing.DecimalFromInt(1_000_000)
	}
	var list []estimate.Setup
	for _, side := range sides {
		s, u, err := c.setup(side)
		if err != nil {
			return err
		}
		if unit == "" {
			unit, _, _ = strings.Cut(u, "/")
		}
		list = append(list, s)
	}
	if len(list) < 2 {
		return unclear(c.print, "compare.words.two", compareExample)
	}
	rank, err := estimate.Rank(list, units)
	if err != nil {
		return unclear(c.print, "compare.words.currencies", compareExample)
	}
	c.ranking(rank, unit)
	return nil
}

// sides cuts the words at what stands between set-ups. What is said once is for all of them.
func (c *comparison) sides() ([]options, options) {
	shared := options{print: c.print, values: map[string]string{}}
	var sides []options
	for _, w := range c.line {
		if between(w) || len(sides) == 0 {
			sides = append(sides, options{print: c.print, values: map[string]string{}})
		}
		one := readOptions(c.print, []string{w})
		last := &sides[len(sides)-1]
		switch {
		case between(w):
		case one.values["per"] != "":
			shared.values["per"] = one.values["per"]
		case len(one.alone) > 0:
			last.alone = append(last.alone, w)
		default:
			last.values[one.typed[0]] = one.values[one.typed[0]]
			last.typed = append(last.typed, one.typed...)
		}
	}
	return sides, shared
}

// setup reads one side: cards, price and speed.
func (c *comparison) setup(o options) (s estimate.Setup, unit string, err error) {
	if err := o.only("compare", "price", "hourly", "speed", "util", "p99"); err != nil {
		return s, "", err
	}
	name := strings.Join(o.alone, " ")
	m := cardsWord.FindStringSubmatch(name)
	if m == nil {
		return s, "", unclear(c.print, "compare.words.setup", compareExample, "word", name)
	}
	s.Cards, s.Name = billing.MustDecimal(m[1]), m[1]+"×"+echoed(m[2])
	if s.PerSecond, unit, err = o.number("speed"); err != nil {
		return s, "", err
	}
	if s.Hourly, err = o.rate("hourly", c.currency); err != nil {
		return s, "", err
	}
	card, err := o.rate("price", c.currency)
	if err != nil {
		return s, "", err
	}
	if card.Known() && !s.Hourly.Known() {
		if s.Hourly, err = card.Mul(s.Cards); err != nil {
			return s, "", err
		}
	}
	if s.Useful, err = o.share("util"); err != nil {
		return s, "", err
	}
	if s.Useful.Known() && (s.Useful.Sign() == 0 || s.Useful.Cmp(billing.DecimalFromInt(1)) > 0) {
		return s, "", o.bad("util", "util=70%")
	}
	if s.P99, err = o.span("p99"); err != nil {
		return s, "", err
	}
	for what, there := range map[string]bool{"speed": s.PerSecond.Known(), "price": s.Hourly.Known()} {
		if !there {
			return s, "", unclear(c.print, "compare.words.side", compareExample, "name", what, "setup", s.Name)
		}
	}
	return s, unit, nil
}

// ranking shows what the work costs.
func (c *comparison) ranking(r estimate.Ranking, unit string) {
	p := c.print
	c.data.Units, c.data.Currency = r.Units.String(), r.Rows[0].Hourly.Currency()
	c.data.Verdict = r.Rows[0].Name
	digits := workDigits(r.Rows[0].PerUnits)
	units := strings.TrimSpace(p.Number(r.Units) + " " + unit)
	c.title = p.Text("compare.work.title", "name", r.Rows[0].Name, "saves", asPercent(r.Saves, 2))
	t := notify.Table{Columns: []notify.Column{{Title: p.Text("compare.column.setup")}, {Title: p.Text("compare.column.per", "units", units), Right: true},
		{Title: p.Text("compare.column.hourly"), Right: true}, {Title: p.Text("compare.column.card"), Right: true}}}
	for _, w := range r.Rows {
		t.Rows = append(t.Rows, []notify.Rich{notify.Plain(w.Name), notify.Plain(p.MoneyTo(w.PerUnits, digits)),
			notify.Plain(p.Money(w.Hourly)), notify.Plain(p.Money(w.PerGPUHour))})
		dearer := trimDigits(w.Dearer)
		c.data.Rows = append(c.data.Rows, CompareSetup{Name: w.Name, Hourly: amount(w.Hourly), PerSecond: number(w.PerSecond),
			PerUnits: amount(w.PerUnits), PerGPUHour: amount(w.PerGPUHour), Dearer: &dearer})
	}
	c.table = &t
	c.figure("saves", r.Saves)
	c.remark("compare.work.card")
	switch {
	case r.LatencyDiffer || !r.LatencyKnown:
		c.remark("compare.work.latency")
	}
	c.scaling(r.Rows)
}

// scaling says how much of a card's speed is left where the same card stands in two numbers.
func (c *comparison) scaling(rows []estimate.Worth) {
	few, many := rows[0].Setup, rows[1].Setup
	if few.Cards.Cmp(many.Cards) > 0 {
		few, many = many, few
	}
	_, a, _ := strings.Cut(few.Name, "×")
	_, b, _ := strings.Cut(many.Name, "×")
	left, err := estimate.Scaling(few, many)
	if err != nil || !strings.EqualFold(a, b) || few.Cards.Equal(many.Cards) {
		return
	}
	c.figure("scaling", left)
	c.remark("compare.work.scaling", "few", few.Name, "many", many.Name, "left", asPercent(left, 1))
}

// workDigits shows small unit costs far enough to tell them apart.
func workDigits(m billing.Money) int {
	for d, least := range map[int]string{2: "1", 4: "0.01"} {
		if c, err := m.Cmp(billing.MustMoney(least, m.Currency())); err == nil && c >= 0 && (d == 2 || lessThanOne(m)) {
			return d
		}
	}
	return 6
}

func lessThanOne(m billing.Money) bool {
	c, err := m.Cmp(billing.MustMoney("1", m.Currency()))
	return err == nil && c < 0
}

// stage asks whether a faster stage of the work pays: a mounted data accelerator, faster disks.
func (c *comparison) stage() error {
	if err := c.only("compare "+c.data.Topic, "share", "from", "to", "premium", "extra", "hourly"); err != nil {
		return err
	}
	const example = "share=15% from=7min to=45s premium=8%"
	share, err := c.share("share")
	if err == nil {
		err = c.must(share, "share", example)
	}
	if err != nil {
		return err
	}
	from, err := c.span("from")
	if err != nil {
		return err
	}
	to, err := c.span("to")
	if err != nil {
		return err
	}
	if from == 0 || to == 0 {
		return c.must(billing.Decimal{}, "from, to", example)
	}
	premium, err := c.premium(example)
	if err != nil {
		return err
	}
	speedup, err := billing.DecimalFromInt(int64(from)).Div(billing.DecimalFromInt(int64(to)), 18)
	if err != nil {
		return err
	}
	cut, err := estimate.CutOfShare(share, speedup)
	if err != nil {
		return err
	}
	return c.stageVerdict(estimate.Upgrade{Premium: premium, Cut: cut}, speedup)
}

// premium is given as a share, or as extra money on an hourly price.
func (c *comparison) premium(example string) (billing.Decimal, error) {
	premium, err := c.share("premium")
	if err != nil || premium.Known() {
		return premium, err
	}
	extra, err := c.rate("extra", c.currency)
	if err != nil {
		return premium, err
	}
	hourly, err := c.rate("hourly", c.currency)
	if err != nil {
		return premium, err
	}
	if !extra.Known() || !hourly.Known() {
		return premium, c.must(premium, "premium", example)
	}
	premium, err = estimate.ShareOf(extra, hourly)
	if err != nil {
		return premium, unclear(c.print, "compare.words.currencies", "")
	}
	return premium, nil
}

func (c *comparison) stageVerdict(u estimate.Upgrade, speedup billing.Decimal) error {
	needs, err := u.Needs()
	if err != nil {
		return err
	}
	c.data.Verdict = "keep"
	if u.Pays() {
		c.data.Verdict = "upgrade"
	}
	c.figure("cost_ratio", u.CostRatio())
	c.figure("speedup", speedup)
	c.figure("cut", u.Cut)
	c.figure("needs_cut", needs)
	c.title = c.print.Text("compare.stage."+c.data.Verdict, "ratio", u.CostRatio().Rounded(4))
	c.remark("compare.stage.cut", "speedup", speedup.Rounded(2), "cut", asPercent(u.Cut, 2), "premium", asPercent(u.Premium, 2))
	c.remark("compare.stage.needs", "needs", asPercent(needs, 2))
	return nil
}

// utilisation asks what the same work takes when the cards are busier.
func (c *comparison) utilisation() error {
	if err := c.only("compare util", "hours", "from", "to", "hourly"); err != nil {
		return err
	}
	const example = "hours=28h from=70% to=95% hourly=16/h"
	d, err := c.span("hours")
	if err != nil {
		return err
	}
	from, err := c.share("from")
	if err != nil {
		return err
	}
	to, err := c.share("to")
	if err != nil {
		return err
	}
	hourly, err := c.rate("hourly", c.currency)
	if err != nil {
		return err
	}
	if d == 0 || from.Sign() <= 0 || to.Sign() <= 0 || !hourly.Known() {
		return c.must(billing.Decimal{}, "hours, from, to, hourly", example)
	}
	hours, err := billing.DecimalFromInt(int64(d)).Div(billing.DecimalFromInt(int64(time.Hour)), 18)
	if err != nil {
		return err
	}
	b, err := estimate.AtUtilisation(hours, from, to, hourly)
	if err != nil {
		return err
	}
	c.data.Currency, c.data.Verdict = hourly.Currency(), b.Saves.Rounded(2)
	c.figure("hours", b.Hours)
	c.data.Figures["saves"] = b.Saves.Amount()
	c.title = c.print.Text("compare.util.title", "hours", b.Hours.Rounded(2), "was", trimDigits(hours), "saves", b.Saves)
	c.remark("compare.util.how", "from", asPercent(from, 1), "to", asPercent(to, 1))
	return nil
}

var lineWord = regexp.MustCompile(`(?i)^(\d{1,9}(?:\.\d{1,6})?)(mbps|gbps|mb/s|gb/s)$`)

// transfer asks how long data travels, and what machines that wait for it cost.
func (c *comparison) transfer() error {
	if err := c.only("compare transfer", "hourly"); err != nil {
		return err
	}
	const example = "80GB 5MB/s hourly=880/h"
	var data billing.Decimal
	var line estimate.Line
	var rate string
	for _, w := range c.alone {
		if m := lineWord.FindStringSubmatch(w); m != nil {
			line, rate = lineOf(m[1], fold1(m[2])), w
		} else if m := sizeWord.FindStringSubmatch(fold1(w)); m != nil {
			data = gigabytes(m[1], m[2])
		} else {
			return unclear(c.print, "compare.words.transfer", "compare transfer "+example, "word", w)
		}
	}
	hourly, err := c.rate("hourly", c.currency)
	if err != nil {
		return err
	}
	if data.Sign() <= 0 || line.Mbps.Sign() <= 0 {
		return c.must(billing.Decimal{}, "80GB, 5MB/s", example)
	}
	return c.transferTime(data, line, rate, hourly)
}

var sizeWord = regexp.MustCompile(`^(\d{1,9}(?:\.\d{1,6})?)(g|gb|t|tb)$`)

// gigabytes of a transfer are decimal.
func gigabytes(n, unit string) billing.Decimal {
	d := billing.MustDecimal(n)
	if strings.HasPrefix(unit, "t") {
		return d.Mul(billing.DecimalFromInt(1000))
	}
	return d
}

func lineOf(n, unit string) estimate.Line {
	d := billing.MustDecimal(n)
	if strings.HasPrefix(unit, "g") {
		d = d.Mul(billing.DecimalFromInt(1000))
	}
	if strings.HasSuffix(unit, "/s") {
		return estimate.MegabytesPerSecond(d)
	}
	return estimate.Line{Mbps: d}
}

func (c *comparison) transferTime(data billing.Decimal, line estimate.Line, rate string, hourly billing.Money) error {
	seconds, err := line.Seconds(data)
	if err != nil {
		return err
	}
	c.figure("seconds", seconds)
	took := time.Duration(min(seconds.Float64(), 1e9) * float64(time.Second))
	c.title = c.print.Text("compare.transfer.title", "data", data, "rate", rate, "time", took)
	if hourly.Known() {
		waits, err := line.Waiting(data, hourly)
		if err != nil {
			return err
		}
		c.data.Currency, c.data.Figures["waiting"] = hourly.Currency(), waits.Amount()
		c.remark("compare.transfer.waiting", "hourly", hourly, "waiting", waits)
	}
	c.remark("compare.transfer.inbound")
	return nil
}
