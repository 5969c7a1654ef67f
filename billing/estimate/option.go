package estimate

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gpuspend/billing"
)

// line reckons the whole bill of one candidate.
func (b *Book) line(r Request, c candidate, now time.Time) (Option, error) {
	l := Option{Row: c.Row, Machines: c.machines, Parts: map[billing.Part]Range{}}
	deal := b.deal(c.Row, now)
	var err error
	if l.Hourly, err = deal.priced(c); err != nil {
		return l, err
	}
	if err = l.time(b, r); err != nil {
		return l, err
	}
	if l.Finish = now.Add(durationOf(l.Wall.Float64())); l.Finish.Before(now) {
		return l, fmt.Errorf("%s hours do not end: %w", l.Wall, billing.ErrOverflow)
	}
	bare, err := l.machine(r, deal)
	if err != nil {
		return l, err
	}
	if err = l.extras(b, r, bare); err != nil {
		return l, err
	}
	l.assume(r, deal)
	l.stand(r, now)
	l.PerGPU, err = l.Total.div(r.Cards.Mul(r.Hours))
	return l, err
}

// deal is what was negotiated for a row; zero for nothing. Several together are one: the first of each thing counts.
func (b *Book) deal(r Row, now time.Time) Deal {
	var all Deal
	for _, d := range b.deals {
		if !d.fits(r, now) {
			continue
		}
		if !all.Percent.Known() {
			all.Percent = d.Percent
		}
		if !all.Coupon.Known() {
			all.Coupon = d.Coupon
		}
		if !all.Renewal.Known() {
			all.Renewal = d.Renewal
		}
		if !all.RefundFee.Known() {
			all.RefundFee = d.RefundFee
		}
	}
	return all
}

// priced is the price of all machines of a candidate for its unit, after the percent off.
func (d Deal) priced(c candidate) (Range, error) {
	p, err := Range{c.Low, c.High}.times(c.factor, c.factor)
	if err != nil || !d.Percent.Known() {
		return p, err
	}
	keep := billing.DecimalFromInt(1).Sub(d.Percent)
	return p.times(keep, keep)
}

// couponed takes a coupon off a cost, which it can't bring below zero.
func (d Deal) couponed(m billing.Money) (billing.Money, error) {
	if !d.Coupon.Known() || d.Coupon.Currency() != m.Currency() {
		return m, nil
	}
	left, err := m.Sub(d.Coupon)
	if err == nil && left.Sign() < 0 {
		return billing.ZeroMoney(m.Currency()), nil
	}
	return left, err
}

// useful is the time of a run without interruptions.
func useful(r Request) (billing.Decimal, error) {
	if r.Utilisation.Sign() <= 0 {
		return r.Hours, nil
	}
	return r.Hours.Div(r.Utilisation, 18)
}

// time finds how long a line takes.
func (l *Option) time(b *Book, r Request) error {
	run, err := useful(r)
	if err != nil {
		return err
	}
	l.Wall, l.WallLow = run, run
	if l.Mode != billing.ModeSpot {
		return nil
	}
	risk := Judge(b.evidence(l.Row, r))
	w := Work{Useful: run.Float64(), Every: r.Checkpoint, Write: r.Write, Restart: r.Restart, Mean: JobMean(risk.Low, l.Machines)}
	if w.Write == 0 {
		w.Write = DefaultWrite
	}
	if w.Restart == 0 {
		w.Restart = DefaultRestart
	}
	if w.Every == 0 {
		w = w.Saved()
	}
	if r.Resumable == billing.No {
		w = w.Unsaved()
	}
	calm := w
	calm.Mean = JobMean(risk.High, l.Machines)
	l.Interrupt = &Interrupt{Work: w, Risk: risk, Share: w.RetryShare()}
	if l.Wall, err = decimalOf(w.Wall()); err != nil {
		return err
	}
	l.WallLow, err = decimalOf(calm.Wall())
	return err
}

// evidence is all that is known of a row's risk.
func (b *Book) evidence(x Row, r Request) Evidence {
	e := Evidence{Observed: b.seen[SightingKey(x.Provider, x.GPU.Model)], Given: r.Interrupted, Offered: x.InterruptedIn.Hours()}
	if band, ok := Published(x.Provider, x.Region, x.Type); ok {
		e.Band = band
	}
	return e
}

// machine reckons the instance part, and gives what it would be without interruptions.
func (l *Option) machine(r Request, d Deal) (bare Range, err error) {
	if l.ahead() {
		return l.prepaid(r, d)
	}
	run, err := useful(r)
	if err != nil {
		return bare, err
	}
	over := func(low, high billing.Decimal) (Range, error) {
		x, err := l.Hourly.times(l.billed(low), l.billed(high))
		if err != nil {
			return x, err
		}
		if x.Low, err = d.couponed(x.Low); err == nil {
			x.High, err = d.couponed(x.High)
		}
		return x, err
	}
	if l.Parts[billing.PartInstance], err = over(l.WallLow, l.Wall); err != nil {
		return bare, err
	}
	if l.Interrupt != nil {
		if err := l.unsaved(over); err != nil {
			return bare, err
		}
	}
	return over(run, run)
}

// unsaved reckons the machine without checkpoints; unknown where it would never end.
func (l *Option) unsaved(over func(low, high billing.Decimal) (Range, error)) error {
	w := l.Interrupt.Work.Unsaved()
	calm := w
	calm.Mean = JobMean(l.Interrupt.Risk.High, l.Machines)
	high, errHigh := decimalOf(w.Wall())
	low, errLow := decimalOf(calm.Wall())
	if errHigh != nil || errLow != nil || w.Wall() > 1e6 {
		return nil
	}
	var err error
	l.Interrupt.Unsaved, err = over(low, high)
	return err
}

// billed rounds hours up to what the cloud bills.
func (r Row) billed(hours billing.Decimal) billing.Decimal {
	if r.Grain <= 0 && r.Minimum <= 0 {
		return hours
	}
	seconds := math.Ceil(hours.Float64()*3600 - 1e-6)
	if g := r.Grain.Seconds(); g > 0 {
		seconds = math.Ceil(seconds/g-1e-9) * g
	}
	return hoursOf(time.Duration(max(seconds, r.Minimum.Seconds())) * time.Second)
}

// prepaid reckons a plan: whole terms in cash, and the share of the job by the calendar and by the hours used.
func (l *Option) prepaid(r Request, d Deal) (Range, error) {
	a := &Ahead{}
	for i, price := range []billing.Money{l.Hourly.Low, l.Hourly.High} {
		plan := Prepaid{Mode: l.Mode, Price: price, Renewal: l.renewal(d, r), MonthHours: l.MonthHours, RefundFee: l.RefundFee}
		if d.RefundFee.Known() {
			plan.RefundFee = d.RefundFee
		}
		if i == 0 {
			a.Plan, a.Terms = plan, plan.Terms(durationOf(l.Wall.Float64()))
		}
		cash, err := plan.Cash(durationOf(l.Wall.Float64()))
		if err == nil {
			cash, err = d.couponed(cash)
		}
		if err != nil {
			return Range{}, err
		}
		month, err := plan.Monthly()
		if err != nil {
			return Range{}, err
		}
		calendar, err := share(month, l.Wall, plan.hours())
		if err != nil {
			return Range{}, err
		}
		used, err := share(month, l.Wall, r.Used)
		if err != nil {
			return Range{}, err
		}
		if i == 0 {
			a.Cash.Low, a.Calendar.Low, a.Used.Low = cash, calendar, used
		}
		a.Cash.High, a.Calendar.High, a.Used.High = cash, calendar, used
	}
	l.Ahead = a
	l.Parts[billing.PartInstance] = a.Cash
	return a.Cash, nil
}

// renewal is what every further term costs for all the cards; unknown for the same price.
func (l *Option) renewal(d Deal, r Request) billing.Money {
	m := l.Renewal
	if d.Renewal.Known() {
		m = d.Renewal
		if x, err := m.Mul(r.Cards); err == nil {
			return x
		}
	}
	return m
}

// share is a month's price for some of its hours; unknown where the hours of the month are.
func share(month billing.Money, hours, of billing.Decimal) (billing.Money, error) {
	if of.Sign() <= 0 {
		return billing.Money{}, nil
	}
	m, err := month.Mul(hours)
	if err != nil {
		return m, err
	}
	return m.Div(of)
}

// extras adds the four other parts, and both totals.
func (l *Option) extras(b *Book, r Request, bare Range) (err error) {
	run, err := useful(r)
	if err != nil {
		return err
	}
	l.Total, l.Bare = l.Parts[billing.PartInstance], bare
	for _, n := range needs(r) {
		e, ok := b.find(l.Row, n.part, n.item, n.per, n.units)
		var with, without Range
		if ok {
			if with, err = e.cost(amountOf{n.units, l.WallLow, l.Wall}); err == nil {
				without, err = e.cost(amountOf{n.units, run, run})
			}
			ok = err == nil
		}
		if !ok {
			if !slices.Contains(l.Missing, n.part) {
				l.Missing = append(l.Missing, n.part)
			}
			continue
		}
		l.rateAssumed(e)
		if had := l.Parts[n.part]; had.Known() {
			if l.Parts[n.part], err = had.add(with); err != nil {
				return err
			}
		} else {
			l.Parts[n.part] = with
		}
		if l.Total, err = l.Total.add(with); err == nil {
			l.Bare, err = l.Bare.add(without)
		}
		if err != nil {
			return err
		}
	}
	for _, part := range l.Missing { // what is known of it is in the total, but it is no price of the part
		delete(l.Parts, part)
	}
	return nil
}

// need is one thing beside the machine that was asked for.
type need struct {
	part  billing.Part
	item  string
	per   []Per
	units billing.Decimal
}

func needs(r Request) []need {
	all := []need{
		{billing.PartBandwidth, "", []Per{PerGB}, r.Egress},
		{billing.PartBandwidth, "", []Per{PerMbpsMonth, PerMbpsHour}, r.Mbps},
		{billing.PartDisk, r.DiskKind, []Per{PerGBMonth, PerGBHour, PerBand}, r.Disk},
		{billing.PartDisk, "", []Per{PerIOPSMonth}, r.IOPS},
		{billing.PartSnapshot, "", []Per{PerGBMonth, PerGBHour}, r.Snapshot},
		{billing.PartIP, "", []Per{PerPiece}, r.IPs},
	}
	return slices.DeleteFunc(all, func(n need) bool { return n.units.Sign() <= 0 })
}

func (l *Option) rateAssumed(e Extra) {
	if nearness(e.Region, l.Region) > 1 {
		l.Assumed = append(l.Assumed, string(e.Part)+" rate of "+e.Region)
	}
	if e.Part == billing.PartDisk && e.Item != "" && e.Per != PerIOPSMonth {
		l.Assumed = append(l.Assumed, "disk_type="+e.Item)
	}
	if !(Row{From: e.From, AsOf: e.AsOf}).Fresh(l.AsOf) && e.AsOf.IsZero() {
		l.Notes = append(l.Notes, NoteRateUndated)
	}
}
