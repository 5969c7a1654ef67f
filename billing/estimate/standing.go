package estimate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
)

// The notes of a line. The catalogues have a sentence for each.
const (
	NoteOld          = "price_old"
	NoteUndated      = "price_undated"
	NoteRateUndated  = "rate_undated"
	NoteExcludes     = "price_excludes_" // and a part
	NoteNotResumable = "cannot_resume"
	NoteDeadline     = "misses_deadline"
	NoteSoldOut      = "sold_out"
	NoteDiscount     = "discount"
	NoteCoupon       = "coupon"
	NoteRatio        = "monthly_ratio_outside_30_50"
	NoteOpenBand     = "risk_has_no_upper_end"
	NoteDefaultRisk  = "risk_is_default"
	NoteSpotDear     = "spot_not_cheaper"
	NoteNotice       = "checkpoint_longer_than_notice"
	NoteSeveral      = "several_machines"
)

// assume states what was not asked for, in the words by which it can be asked for.
func (l *Option) assume(r Request, d Deal) {
	var all []string
	for _, x := range []struct {
		word string
		is   billing.Decimal
	}{{"egress=0", r.Egress}, {"disk=0", r.Disk}, {"snapshot=0", r.Snapshot}, {"ip=0", r.IPs}} {
		if !x.is.Known() && !(x.word == "egress=0" && r.Mbps.Known()) {
			all = append(all, x.word)
		}
	}
	all = append(all, "start=now")
	if !r.Utilisation.Known() {
		all = append(all, "utilisation=1")
	}
	all = append(all, "month="+strconv.Itoa(cmp.Or(l.MonthHours, billing.MonthHours))+"h")
	if i := l.Interrupt; i != nil {
		if r.Resumable == billing.Unsure {
			all = append(all, "resumable=yes")
		}
		if r.Checkpoint == 0 && r.Resumable != billing.No {
			all = append(all, "checkpoint="+hoursWord(i.Work.Every))
		}
		if r.Interrupted == 0 {
			all = append(all, "interrupted="+hoursWord(i.Risk.Low))
		}
		if r.Write == 0 {
			all = append(all, "write="+hoursWord(i.Work.Write))
		}
		if r.Restart == 0 {
			all = append(all, "restart="+hoursWord(i.Work.Restart))
		}
	}
	l.Assumed = append(all, l.Assumed...)
	l.note(r, d)
}

// hoursWord writes hours as people type them: minutes below two hours.
func hoursWord(h float64) string {
	if h < 2 && math.Abs(h-1) > 1e-9 {
		return strconv.FormatFloat(math.Round(h*600)/10, 'f', -1, 64) + "m"
	}
	return strconv.FormatFloat(math.Round(h*10)/10, 'f', -1, 64) + "h"
}

// note says what a person should know of a line.
func (l *Option) note(r Request, d Deal) {
	say := func(yes bool, note string) {
		if yes && !slices.Contains(l.Notes, note) {
			l.Notes = append(l.Notes, note)
		}
	}
	say(d.Percent.Known(), NoteDiscount)
	say(d.Coupon.Known(), NoteCoupon)
	asked := map[billing.Part]billing.Decimal{billing.PartBandwidth: r.Egress, billing.PartDisk: r.Disk, billing.PartSnapshot: r.Snapshot, billing.PartIP: r.IPs}
	for _, p := range l.Excludes {
		say(!asked[p].Known(), NoteExcludes+string(p))
	}
	say(strings.EqualFold(l.Stock, "NONE"), NoteSoldOut)
	say(l.Machines > 1, NoteSeveral)
	if i := l.Interrupt; i != nil {
		say(r.Resumable == billing.No, NoteNotResumable)
		say(i.Risk.OpenBand && i.Risk.From == RiskDefault, NoteOpenBand)
		say(i.Risk.From == RiskDefault, NoteDefaultRisk)
		n := Notice(l.Provider)
		say(n > 0 && i.Work.Write > n.Hours(), NoteNotice)
	}
}

// likelyLate is from which chance on a line counts as late.
const likelyLate = 0.5

// stand says where a line belongs in the order.
func (l *Option) stand(r Request, now time.Time) {
	if !r.Deadline.IsZero() {
		left := r.Deadline.Sub(now).Hours()
		late := l.Finish.After(r.Deadline)
		if l.Interrupt != nil {
			l.Interrupt.Late = l.Interrupt.Work.Late(left)
			late = l.Interrupt.Late >= likelyLate
		}
		if late {
			l.Standing = Late
			l.Notes = append(l.Notes, NoteDeadline)
		}
	}
	if slices.Contains(l.Notes, NoteNotResumable) {
		l.Standing = Unfit
	}
	if !l.Fresh(now) {
		l.Standing = Old
		l.Notes = append(l.Notes, map[bool]string{true: NoteUndated, false: NoteOld}[l.AsOf.IsZero()])
	}
	if len(l.Missing) > 0 {
		l.Standing = Incomplete
	}
}

// worth is a line's whole bill in the currency of the question, for the order alone; false without a rate.
func (q *Quote) worth(l Option) (float64, bool) {
	m, err := billing.ParseDecimal(l.Total.High.Amount())
	if err != nil {
		return 0, false
	}
	if l.Total.High.Currency() == q.Currency {
		return m.Float64(), true
	}
	rate, ok := q.Rates[l.Total.High.Currency()]
	return m.Float64() * rate.Float64(), ok && rate.Sign() > 0
}

// rank puts the lines in order: by standing, then what can be compared, then the whole bill.
func (q *Quote) rank() {
	slices.SortStableFunc(q.Options, func(a, b Option) int {
		x, okX := q.worth(a)
		y, okY := q.worth(b)
		if n := cmp.Compare(a.Standing, b.Standing); n != 0 {
			return n
		}
		if okX != okY {
			if okX {
				return -1
			}
			return 1
		}
		if !okX {
			return cmp.Or(cmp.Compare(a.Total.High.Currency(), b.Total.High.Currency()), q.sameMoney(a, b))
		}
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Provider, b.Provider))
	})
}

func (q *Quote) sameMoney(a, b Option) int {
	n, err := a.Total.High.Cmp(b.Total.High)
	if err != nil {
		return 0
	}
	return n
}

// Best is the cheapest line that a verdict may rest on, and the cheapest of those that can't be interrupted; -1 for
// none. Only lines that can be compared with one another count.
func (q Quote) Best() (all, safe int) {
	all, safe = -1, -1
	for i, l := range q.Options {
		if _, ok := q.worth(l); l.Standing != Sound || !ok && (all >= 0 && l.Total.High.Currency() != q.Options[all].Total.High.Currency()) {
			continue
		}
		if all < 0 {
			all = i
		}
		if safe < 0 && l.Interrupt == nil {
			safe = i
		}
	}
	return all, safe
}

// ruleOfThumb notes monthly plans that the articles' 30 to 50 % do not hold for, so that nobody repeats it.
func (q *Quote) ruleOfThumb() {
	for i := range q.Options {
		l := &q.Options[i]
		if l.Mode != billing.ModeMonthly {
			continue
		}
		for _, o := range q.Options {
			if o.Provider != l.Provider || o.Mode != billing.ModeOnDemand {
				continue
			}
			r, err := MonthlyRatio(l.Hourly.Low, l.Hourly.High, o.Hourly.High, cmp.Or(l.MonthHours, billing.MonthHours))
			if err == nil && r.Outside {
				l.Notes = append(l.Notes, NoteRatio)
			}
		}
	}
	for i := range q.Options {
		q.spotDear(&q.Options[i])
	}
}

// spotDear notes spot that is not cheaper than the same cloud on demand: a doubtful price.
func (q *Quote) spotDear(l *Option) {
	if l.Mode != billing.ModeSpot {
		return
	}
	for _, o := range q.Options {
		if n, err := l.Hourly.Low.Cmp(o.Hourly.Low); o.Provider == l.Provider && o.Mode == billing.ModeOnDemand && err == nil && n >= 0 {
			l.Notes = append(l.Notes, NoteSpotDear)
		}
	}
}

// pairs sets every plan against every hourly price of the same currency, both ends of the ranges.
func (q *Quote) pairs() error {
	for i, p := range q.Options {
		if !p.ahead() {
			continue
		}
		for j, h := range q.Options {
			if h.ahead() || h.Hourly.Low.Currency() != p.Hourly.Low.Currency() {
				continue
			}
			if err := q.pair(j, i, h, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (q *Quote) pair(j, i int, h, p Option) error {
	ends := []Range{{Low: p.Hourly.Low, High: h.Hourly.High}, {Low: p.Hourly.High, High: h.Hourly.Low}}
	if ends[0] == ends[1] {
		ends = ends[:1]
	}
	for _, e := range ends {
		hourly := e.High
		if h.Interrupt != nil {
			x, err := SpotHourly(hourly, h.Interrupt.Work)
			if err != nil {
				continue // never ends, so that no price compares
			}
			hourly = x
		}
		plan := p.Ahead.Plan
		plan.Price = e.Low
		b, err := plan.Against(hourly, q.Used)
		if err != nil {
			return err
		}
		q.BreakEven = append(q.BreakEven, Pair{Hourly: j, Prepaid: i, PriceHour: hourly, Price: e.Low, BreakEven: b})
	}
	return nil
}
