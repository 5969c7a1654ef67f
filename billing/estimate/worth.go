package estimate

import (
	"fmt"
	"slices"
	"time"

	"gpuspend/billing"
)

// Setup is one way to do a piece of work, as it was measured.
type Setup struct {
	Name      string
	Hourly    billing.Money   // all its machines and what comes with them
	Cards     billing.Decimal // how many there are
	PerSecond billing.Decimal // tokens, iterations or samples that it does
	Useful    billing.Decimal // share of the time that is work; unknown for all of it
	P99       time.Duration   // of an answer; 0 where nobody measured
}

// Worth is what a setup's work costs.
type Worth struct {
	Setup
	PerUnits   billing.Money   // for so many units as were asked for
	PerGPUHour billing.Money   // per useful hour of one card; unknown where the cards are
	Dearer     billing.Decimal // share above the cheapest; 0 for that one
}

// Ranking orders setups by what their work costs, not by what their hours cost.
type Ranking struct {
	Units         billing.Decimal
	Rows          []Worth // cheapest first
	Saves         billing.Decimal
	LatencyDiffer bool // the cheaper one may still answer more slowly
	LatencyKnown  bool
}

const secondsPerHour = 3600

// worth reckons one setup.
func (s Setup) worth(units billing.Decimal) (w Worth, err error) {
	w.Setup = s
	rate := s.PerSecond.Mul(billing.DecimalFromInt(secondsPerHour))
	if s.Useful.Known() {
		rate = rate.Mul(s.Useful)
	}
	total, err := s.Hourly.Mul(units)
	if err == nil {
		w.PerUnits, err = total.Div(rate)
	}
	if err != nil {
		return w, fmt.Errorf("reckon the work of %s: %w", s.Name, err)
	}
	if s.Cards.Sign() > 0 {
		w.PerGPUHour, err = s.Hourly.Div(s.Cards)
		if err == nil && s.Useful.Known() {
			w.PerGPUHour, err = w.PerGPUHour.Div(s.Useful)
		}
	}
	return w, err
}

// Rank compares setups by the cost of so many units of work. Their prices must be in one currency.
func Rank(setups []Setup, units billing.Decimal) (Ranking, error) {
	r := Ranking{Units: units, LatencyKnown: len(setups) > 0}
	for _, s := range setups {
		w, err := s.worth(units)
		if err != nil {
			return r, err
		}
		if len(r.Rows) > 0 {
			if _, err := w.PerUnits.Cmp(r.Rows[0].PerUnits); err != nil {
				return r, fmt.Errorf("rank setups: %w", err)
			}
			r.LatencyDiffer = r.LatencyDiffer || s.P99 != r.Rows[0].P99
		}
		r.LatencyKnown = r.LatencyKnown && s.P99 > 0
		r.Rows = append(r.Rows, w)
	}
	slices.SortStableFunc(r.Rows, func(a, b Worth) int {
		c, _ := a.PerUnits.Cmp(b.PerUnits) // one currency, seen above
		return c
	})
	return r, r.distances()
}

// distances fills in how far each row lies above the first.
func (r *Ranking) distances() error {
	one := billing.DecimalFromInt(1)
	for i := range r.Rows {
		x, err := ratio(r.Rows[i].PerUnits, r.Rows[0].PerUnits)
		if err != nil {
			return fmt.Errorf("rank setups: %w", err)
		}
		r.Rows[i].Dearer = x.Sub(one)
		if i == 1 {
			back, err := one.Div(x, 18)
			if err != nil {
				return fmt.Errorf("rank setups: %w", err)
			}
			r.Saves = one.Sub(back)
		}
	}
	return nil
}

// Upgrade is something that makes hours dearer and the work shorter: InfiniBand, a mounted parallel file system, faster
// disks.
type Upgrade struct {
	Premium billing.Decimal // share of the hourly price: 0.35
	Cut     billing.Decimal // share of the time that falls away: 0.068
}

// ShareOf is an amount as a share of another one of its currency.
func ShareOf(part, whole billing.Money) (billing.Decimal, error) { return ratio(part, whole) }

// CostRatio is what the work costs with the upgrade, against without: below 1 it pays.
func (u Upgrade) CostRatio() billing.Decimal {
	one := billing.DecimalFromInt(1)
	return one.Add(u.Premium).Mul(one.Sub(u.Cut))
}

// Needs is the cut of time from which on it pays.
func (u Upgrade) Needs() (billing.Decimal, error) {
	one := billing.DecimalFromInt(1)
	back, err := one.Div(one.Add(u.Premium), 18)
	return one.Sub(back), err
}

// Pays says whether the work becomes cheaper.
func (u Upgrade) Pays() bool { return u.CostRatio().Cmp(billing.DecimalFromInt(1)) < 0 }

// CutOfShare is the share of the time that falls away when a stage that takes a share of it becomes so many times as
// fast: loading data, or talking between cards.
func CutOfShare(share, speedup billing.Decimal) (billing.Decimal, error) {
	rest, err := share.Div(speedup, 18)
	return share.Sub(rest), err
}

// CutOfSlower is the cut of a set-up over one that takes a share longer: RoCE 6.8 % longer means 6.37 % shorter.
func CutOfSlower(longer billing.Decimal) (billing.Decimal, error) {
	one := billing.DecimalFromInt(1)
	back, err := one.Div(one.Add(longer), 18)
	return one.Sub(back), err
}

// Link is the answer to which network to rent.
type Link string

// The answers.
const (
	LinkFast    Link = "fast"
	LinkCheap   Link = "cheap"
	LinkMeasure Link = "measure first" // all-to-all traffic decides, and nobody measured it
)

// Network chooses between a cheap and a fast network. Communication is the share of the job that is communication,
// unknown where nobody measured it: no network can cut more than that. MoE means much all-to-all traffic.
func (u Upgrade) Network(communication billing.Decimal, moe bool) (Link, error) {
	needs, err := u.Needs()
	switch {
	case err != nil:
		return "", err
	case communication.Known() && communication.Cmp(needs) < 0:
		return LinkCheap, nil
	case moe && !communication.Known():
		return LinkMeasure, nil
	case u.Pays():
		return LinkFast, nil
	}
	return LinkCheap, nil
}

// Busier is the same work at a higher utilisation of the cards.
type Busier struct {
	Hours billing.Decimal // 18 decimals
	Saves billing.Money
}

// AtUtilisation is what becomes of hours when the cards are busy for a share to instead of from: the same work, so the
// hours shrink with the ratio.
func AtUtilisation(hours, from, to billing.Decimal, hourly billing.Money) (b Busier, err error) {
	if b.Hours, err = hours.Mul(from).Div(to, 18); err == nil {
		b.Saves, err = hourly.Mul(hours.Sub(b.Hours))
	}
	if err != nil {
		return b, fmt.Errorf("reckon utilisation: %w", err)
	}
	return b, nil
}

// Line is how fast data travels, in megabits a second: 5 MB/s are 40.
type Line struct{ Mbps billing.Decimal }

// MegabytesPerSecond makes a line of a rate in MB/s.
func MegabytesPerSecond(rate billing.Decimal) Line { return Line{rate.Mul(billing.DecimalFromInt(8))} }

// Seconds is how long so many decimal gigabytes take: 1 GB is 8,000 Mb.
func (l Line) Seconds(gigabytes billing.Decimal) (billing.Decimal, error) {
	return gigabytes.Mul(billing.DecimalFromInt(8000)).Div(l.Mbps, 18)
}

// Waiting is what machines at a price per hour cost while the data travels.
func (l Line) Waiting(gigabytes billing.Decimal, hourly billing.Money) (billing.Money, error) {
	s, err := l.Seconds(gigabytes)
	if err != nil {
		return billing.Money{}, fmt.Errorf("reckon a transfer: %w", err)
	}
	m, err := hourly.Mul(s)
	if err != nil {
		return m, err
	}
	return m.MulRatio(1, secondsPerHour)
}

// Scaling is how much of the speed of more cards is left per card: 8 cards that do 1.8 times the work of 4 have 0.9.
func Scaling(few, many Setup) (billing.Decimal, error) {
	x := many.PerSecond.Mul(few.Cards)
	return x.Div(few.PerSecond.Mul(many.Cards), 18)
}

// CardsNeeded is how many cards a way to divide a model needs: tensor times pipeline times data parallel. TP4 with PP8
// needs 32, whatever an article says.
func CardsNeeded(tensor, pipeline, data int) int {
	return max(tensor, 1) * max(pipeline, 1) * max(data, 1)
}
