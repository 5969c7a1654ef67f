package bot

import (
	"context"
	"slices"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/notify"
)

// CompareData answers compare. Figures are exact; what is a share is 0.35 for 35 %.
type CompareData struct {
	Topic    string            `json:"topic"`
	Currency billing.Currency  `json:"currency"`
	Units    string            `json:"units,omitempty"`
	Rows     []CompareSetup    `json:"rows"`
	Figures  map[string]string `json:"figures"`
	Verdict  string            `json:"verdict"`
}

// CompareSetup is one way to do the work, cheapest first.
type CompareSetup struct {
	Name       string  `json:"name"`
	Hourly     *string `json:"hourly"`
	PerSecond  *string `json:"per_second"`
	PerUnits   *string `json:"per_units"`
	PerGPUHour *string `json:"per_useful_gpu_hour"`
	Dearer     *string `json:"dearer"`
}

// comparison is one question of compare with what every topic needs.
type comparison struct {
	options
	currency billing.Currency
	title    string
	lines    []notify.Rich
	table    *notify.Table
	data     CompareData
}

// topic is one thing to compare; the first of names is shown.
type topic struct {
	names []string
	run   func(c *comparison) error
}

func topics() []topic {
	return []topic{
		{[]string{"network", "ib", "roce", "网络"}, (*comparison).network},
		{[]string{"loading", "storage", "disk", "加载", "存储"}, (*comparison).stage},
		{[]string{"util", "utilisation", "utilization", "利用率"}, (*comparison).utilisation},
		{[]string{"transfer", "传输"}, (*comparison).transfer},
		{[]string{"lock", "锁定"}, (*comparison).lock},
		{[]string{"night", "夜间"}, (*comparison).night},
	}
}

// compare answers by work and not by hour.
func compare(ctx context.Context, d *Desk, r Request) (Answer, error) {
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	c := comparison{currency: "CNY", data: CompareData{Rows: []CompareSetup{}, Figures: map[string]string{}}}
	for _, a := range slices.Backward(v.Accounts) {
		if a.Currency != "" {
			c.currency = a.Currency
		}
	}
	if len(r.Words) == 0 {
		return Answer{}, unclear(r.Print, "compare.words.what", compareExample)
	}
	first := fold1(r.Words[0])
	run, rest := (*comparison).setups, r.Words
	for _, t := range topics() {
		if slices.Contains(t.names, first) {
			run, rest, c.data.Topic = t.run, r.Words[1:], t.names[0]
		}
	}
	c.options = readOptions(r.Print, rest)
	c.data.Currency = c.currency
	if err := run(&c); err != nil {
		return Answer{}, err
	}
	return c.answer(), nil
}

const compareExample = "compare 2xL20 price=1.8 speed=3200tok/s vs 4x4090 price=1 speed=3584tok/s per=10k"

func (c *comparison) answer() Answer {
	m := headed(c.title)
	if c.table != nil {
		m.Blocks = append(m.Blocks, notify.Grid(*c.table))
	}
	if len(c.lines) > 0 {
		m.Blocks = append(m.Blocks, notify.Section(notify.Join("\n", c.lines...)))
	}
	return Answer{Message: m, Data: c.data}
}

func (c *comparison) remark(key string, args ...any) {
	c.lines = append(c.lines, c.print.Rich(key, args...))
}

// figure keeps a number for --json.
func (c *comparison) figure(name string, d billing.Decimal) {
	if d.Known() {
		c.data.Figures[name] = trimDigits(d)
	}
}

// trimDigits keeps twelve decimals: what lies beyond is the rounding of divisions.
func trimDigits(d billing.Decimal) string {
	cut, err := billing.ParseDecimal(d.Rounded(12))
	if err != nil {
		return d.String()
	}
	return cut.String()
}

// asPercent writes a share such as 25.93 %.
func asPercent(d billing.Decimal, digits int) string {
	return billing.MustDecimal(d.Mul(billing.DecimalFromInt(100)).Rounded(digits)).String() + "%"
}

// must asks for an option that the topic can't do without.
func (c *comparison) must(d billing.Decimal, name, example string) error {
	if d.Known() {
		return nil
	}
	return unclear(c.print, "compare.words.missing", "compare "+c.data.Topic+" "+example, "name", name)
}

// network chooses between a cheap and a fast network.
func (c *comparison) network() error {
	if err := c.only("compare network", "premium", "cut", "longer", "communication", "cards", "tp", "pp", "dp"); err != nil {
		return err
	}
	const example = "premium=35% cut=6.8%"
	premium, err := c.share("premium")
	if err == nil {
		err = c.must(premium, "premium", example)
	}
	if err != nil {
		return err
	}
	cut, err := c.share("cut")
	if err != nil {
		return err
	}
	if longer, err := c.share("longer"); err != nil {
		return err
	} else if longer.Known() {
		if cut, err = estimate.CutOfSlower(longer); err != nil {
			return err
		}
	}
	talk, err := c.share("communication")
	if err != nil {
		return err
	}
	moe := slices.ContainsFunc(c.alone, func(w string) bool { return fold1(w) == "moe" })
	if !cut.Known() && !talk.Known() && !moe {
		return c.must(cut, "cut", example)
	}
	return c.networkVerdict(premium, cut, talk, moe)
}

func (c *comparison) networkVerdict(premium, cut, talk billing.Decimal, moe bool) error {
	u := estimate.Upgrade{Premium: premium, Cut: cut}
	needs, err := u.Needs()
	if err != nil {
		return err
	}
	if !cut.Known() && talk.Known() {
		u.Cut = talk // at the very best, all of it
	}
	if !u.Cut.Known() {
		u.Cut = billing.DecimalFromInt(0)
	}
	link, err := u.Network(talk, moe)
	if err != nil {
		return err
	}
	c.data.Verdict = string(link)
	c.figure("needs_cut", needs)
	c.title = c.print.Text("compare.network." + strings.ReplaceAll(string(link), " ", "_"))
	if cut.Known() {
		c.figure("cost_ratio", u.CostRatio())
		c.remark("compare.network.ratio", "ratio", u.CostRatio().Rounded(4), "premium", asPercent(premium, 1), "cut", asPercent(cut, 1))
	}
	c.remark("compare.network.needs", "needs", asPercent(needs, 2))
	if talk.Known() {
		c.remark("compare.network.talk", "talk", asPercent(talk, 1))
	} else {
		c.remark("compare.network.measure")
	}
	c.remark("compare.network.parallel")
	return c.layout()
}

// layout says how many cards a way to divide a model needs.
func (c *comparison) layout() error {
	n, named := 1, false
	for _, name := range []string{"tp", "pp", "dp"} {
		d, _, err := c.number(name)
		if err != nil {
			return err
		}
		if d.Known() {
			n, named = n*int(d.Float64()), true
		}
	}
	cards, _, err := c.number("cards")
	if err != nil || !named {
		return err
	}
	c.data.Figures["cards_needed"] = billing.DecimalFromInt(int64(n)).String()
	if cards.Known() && !cards.Equal(billing.DecimalFromInt(int64(n))) {
		c.remark("compare.network.layout", "needed", n, "cards", cards)
	}
	return nil
}
