package bot

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/notify"
)

// lock compares spot, capacity bought to keep, and going by the hour: cost and date of the end.
func (c *comparison) lock() error {
	if err := c.only("compare lock", "hours", "hourly", "spot", "retries", "premium", "effective"); err != nil {
		return err
	}
	const example = "hours=336h hourly=880/h spot=30% retries=22% premium=15% effective=97%"
	d, err := c.span("hours")
	if err != nil {
		return err
	}
	hourly, err := c.rate("hourly", c.currency)
	if err != nil {
		return err
	}
	var shares [4]billing.Decimal
	for i, name := range []string{"spot", "retries", "premium", "effective"} {
		if shares[i], err = c.share(name); err != nil {
			return err
		}
	}
	if d == 0 || !hourly.Known() || !shares[0].Known() || !shares[1].Known() {
		return c.must(billing.Decimal{}, "hours, hourly, spot, retries", example)
	}
	one := billing.DecimalFromInt(1)
	if shares[1].Cmp(one) >= 0 {
		return c.bad("retries", "retries=22%")
	}
	if !shares[2].Known() {
		shares[2] = billing.MustDecimal("0.15")
	}
	if shares[3].Sign() <= 0 || shares[3].Cmp(one) > 0 {
		shares[3] = billing.MustDecimal("0.97")
	}
	return c.lockTable(d, hourly, shares)
}

// ending is one row of lock: what it costs and how long it takes.
type ending struct {
	name  string
	cost  billing.Money
	hours billing.Decimal
}

func (c *comparison) lockTable(d time.Duration, hourly billing.Money, shares [4]billing.Decimal) error {
	useful, err := billing.DecimalFromInt(int64(d)).Div(billing.DecimalFromInt(int64(time.Hour)), 18)
	if err != nil {
		return err
	}
	plain, err := hourly.Mul(useful)
	if err != nil {
		return err
	}
	base, err := plain.Mul(shares[0])
	if err != nil {
		return err
	}
	spot, err := estimate.RetryTotal(base, shares[1])
	if err != nil {
		return err
	}
	spotHours, err := estimate.Wall(useful, billing.DecimalFromInt(1).Sub(shares[1]))
	if err != nil {
		return err
	}
	locked, err := estimate.Lock{Premium: shares[2], Effective: shares[3]}.Cost(hourly, useful)
	if err != nil {
		return err
	}
	lockHours, err := estimate.Wall(useful, shares[3])
	if err != nil {
		return err
	}
	return c.endings(useful, ending{"spot", spot, spotHours}, ending{"lock", locked, lockHours}, ending{"on_demand", plain, useful})
}

// endings shows cost and date beside each other: why somebody may pay for a lock.
func (c *comparison) endings(useful billing.Decimal, rows ...ending) error {
	p := c.print
	t := notify.Table{Columns: []notify.Column{{Title: p.Text("compare.column.way")}, {Title: p.Text("compare.column.cost"), Right: true},
		{Title: p.Text("compare.column.done")}, {Title: p.Text("compare.column.useful"), Right: true}}}
	for _, r := range rows {
		per, err := estimate.PerCost(useful, r.cost)
		if err != nil {
			return err
		}
		end := p.Now.Add(time.Duration(r.hours.Float64() * float64(time.Hour)))
		t.Rows = append(t.Rows, []notify.Rich{p.Rich("compare.lock." + r.name), notify.Plain(p.Money(r.cost)),
			notify.Plain(p.Moment(end)), notify.Plain(per.Rounded(4))})
		name := p.Text("compare.lock." + r.name)
		c.data.Rows = append(c.data.Rows, CompareSetup{Name: name, PerUnits: amount(r.cost)})
		c.data.Figures[r.name+"_cost"] = r.cost.Amount()
		c.figure(r.name+"_hours", r.hours)
		c.figure(r.name+"_useful_per_cost", per)
	}
	c.table = &t
	c.data.Currency, c.data.Verdict = rows[0].cost.Currency(), "spot"
	later, err := rows[0].hours.Sub(rows[1].hours).Div(billing.DecimalFromInt(24), 18)
	if err != nil {
		return err
	}
	saved, err := rows[1].cost.Sub(rows[0].cost)
	if err != nil {
		return err
	}
	if saved.Sign() < 0 {
		c.data.Verdict = "lock"
	}
	c.title = p.Text("compare.lock.title", "saves", saved, "days", later.Rounded(1))
	c.remark("compare.lock.why")
	return nil
}

// night asks what giving a machine back in the evening and renting again in the morning saves.
func (c *comparison) night() error {
	if err := c.only("compare night", "hourly", "nights", "from", "to", "restart"); err != nil {
		return err
	}
	const example = "hourly=880/h nights=22"
	hourly, err := c.rate("hourly", c.currency)
	if err != nil {
		return err
	}
	nights, _, err := c.number("nights")
	if err != nil {
		return err
	}
	if !hourly.Known() {
		return c.must(billing.Decimal{}, "hourly", example)
	}
	if !nights.Known() {
		nights = billing.DecimalFromInt(22)
	}
	e := estimate.UsualEvening()
	if e.Release, err = c.clock("from", e.Release); err != nil {
		return err
	}
	if e.Rent, err = c.clock("to", e.Rent); err != nil {
		return err
	}
	if restart, err := c.span("restart"); err != nil {
		return err
	} else if restart > 0 {
		e.Restart = restart
	}
	saves, err := e.Saves(hourly, int(min(nights.Float64(), 10000)))
	if err != nil {
		return err
	}
	c.data.Currency, c.data.Verdict, c.data.Figures["saves"] = hourly.Currency(), saves.Rounded(2), saves.Amount()
	c.title = c.print.Text("compare.night.title", "nights", nights, "saves", saves)
	c.remark("compare.night.how", "from", clockText(e.Release), "to", clockText(e.Rent), "restart", e.Restart)
	return nil
}

// clock reads a time of day such as 20:00.
func (c *comparison) clock(name string, usual time.Duration) (time.Duration, error) {
	s, there := c.values[name]
	if !there {
		return usual, nil
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, c.bad(name, name+"=20:00")
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

func clockText(d time.Duration) string { return time.Time{}.Add(d).Format("15:04") }
