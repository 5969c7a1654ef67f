package estimate

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"gpuspend/billing"
)

// Verdict says which of two ways to pay is the cheaper: hourly, or the plan's own mode.
type Verdict string

// The verdicts that are no mode of a plan.
const (
	VerdictHourly  Verdict = "hourly"
	VerdictNever   Verdict = "never"   // a month has too few hours for it ever to pay
	VerdictUnknown Verdict = "unknown" // the hours used are not known, or both cost the same
)

// Prepaid is a plan that is paid ahead for whole terms.
type Prepaid struct {
	Mode       billing.Mode  // weekly, monthly, quarterly, yearly: the term
	Price      billing.Money // of one term
	Renewal    billing.Money // of every further term; unknown for the same price
	MonthHours int           // 0 for billing.MonthHours
	RefundFee  billing.Decimal
}

// day is what terms are counted in. A month of a plan has 30 days and a year 12 months.
const day = 24 * time.Hour

// term is the length of the plan's term, and of the piece of it that may come back.
func (p Prepaid) term() (term, piece time.Duration) {
	switch p.Mode {
	case "weekly":
		return 7 * day, 7 * day
	case "quarterly":
		return 90 * day, 30 * day
	case billing.ModeYearly:
		return 360 * day, 30 * day
	}
	return 30 * day, 30 * day
}

// Monthly is the price of the first term for a month.
func (p Prepaid) Monthly() (billing.Money, error) {
	term, _ := p.term()
	return p.Price.MulRatio(30, int64(term/day))
}

func (p Prepaid) hours() billing.Decimal {
	if p.MonthHours > 0 {
		return billing.DecimalFromInt(int64(p.MonthHours))
	}
	return billing.DecimalFromInt(billing.MonthHours)
}

// BreakEven compares a plan with paying by the hour.
type BreakEven struct {
	Hours   billing.Decimal // a month, above which the plan is cheaper; 18 decimals
	Share   billing.Decimal // of the month
	Used    billing.Decimal // hours a month that were given or measured; may be unknown
	Hourly  billing.Money   // what the hours used cost by the hour
	Prepaid billing.Money   // what the plan costs a month
	Verdict Verdict
}

// Against finds from how many hours a month a plan beats a price per hour, and which is cheaper for the hours used. For
// spot, give the price times the overhead factor: what an hour of work costs.
func (p Prepaid) Against(hourly billing.Money, used billing.Decimal) (BreakEven, error) {
	const op = "find the break-even"
	b := BreakEven{Used: used, Verdict: VerdictUnknown}
	var err error
	if b.Prepaid, err = p.Monthly(); err != nil {
		return b, fmt.Errorf("%s: %w", op, err)
	}
	if b.Hours, err = ratio(b.Prepaid, hourly); err != nil {
		return b, fmt.Errorf("%s: %w", op, err)
	}
	if b.Share, err = b.Hours.Div(p.hours(), 18); err != nil {
		return b, fmt.Errorf("%s: %w", op, err)
	}
	if used.Known() {
		if b.Hourly, err = hourly.Mul(used); err != nil {
			return b, fmt.Errorf("%s: %w", op, err)
		}
	}
	b.Verdict = b.judge(p)
	return b, nil
}

func (b BreakEven) judge(p Prepaid) Verdict {
	switch {
	case b.Hours.Cmp(p.hours()) > 0:
		return VerdictNever
	case !b.Used.Known():
		return VerdictUnknown
	}
	c, err := b.Hourly.Cmp(b.Prepaid)
	switch {
	case err != nil || c == 0:
		return VerdictUnknown
	case c > 0:
		return Verdict(cmp.Or(p.Mode, billing.ModeMonthly))
	}
	return VerdictHourly
}

// begun is how many pieces of a length a duration begins.
func begun(d, length time.Duration) int { return int((d + length - 1) / length) }

// WholeMonths is how many months have to be paid for a duration: a part counts as one.
func WholeMonths(d time.Duration) int { return begun(d, 30*day) }

// Terms is how many terms of the plan a duration needs.
func (p Prepaid) Terms(d time.Duration) int {
	term, _ := p.term()
	return begun(d, term)
}

// Cash is what has to be paid for a duration: whole terms, the first at the price and each further one at the renewal
// price.
func (p Prepaid) Cash(d time.Duration) (billing.Money, error) {
	n := p.Terms(d)
	if n == 0 {
		return billing.ZeroMoney(p.Price.Currency()), nil
	}
	again := p.Renewal
	if !again.Known() {
		again = p.Price
	}
	rest, err := again.MulRatio(int64(n-1), 1)
	if err != nil {
		return billing.Money{}, fmt.Errorf("reckon terms: %w", err)
	}
	return p.Price.Add(rest)
}

// Refund is what comes back when a plan is ended after a duration: its whole months that were not begun, less the fee,
// which is a share (0.1). Unknown where the fee is.
func (p Prepaid) Refund(used time.Duration) (billing.Money, error) {
	if !p.RefundFee.Known() {
		return billing.Money{}, nil
	}
	term, piece := p.term()
	left := time.Duration(p.Terms(used))*term - time.Duration(begun(used, piece))*piece
	back, err := p.Price.MulRatio(int64(left), int64(term))
	if err != nil {
		return billing.Money{}, fmt.Errorf("reckon refund: %w", err)
	}
	return back.Mul(billing.DecimalFromInt(1).Sub(p.RefundFee))
}

// SpotHourly is what an hour of work costs on spot: the price times the overhead of interruptions.
func SpotHourly(price billing.Money, w Work) (billing.Money, error) {
	return CostOver(price, w.Factor())
}

// Lock is capacity that is bought to keep: dearer by a share, and never quite all of its time is work.
type Lock struct {
	Premium   billing.Decimal // 0.15
	Effective billing.Decimal // 0.97; the share of the time that is work
}

// Cost is what so many useful hours cost at an hourly price before the premium.
func (l Lock) Cost(hourly billing.Money, useful billing.Decimal) (billing.Money, error) {
	m, err := hourly.Mul(billing.DecimalFromInt(1).Add(l.Premium))
	if err == nil {
		m, err = m.Mul(useful)
	}
	if err == nil {
		m, err = m.Div(l.Effective)
	}
	if err != nil {
		return billing.Money{}, fmt.Errorf("reckon a lock: %w", err)
	}
	return m, nil
}

// Wall is how long so many useful hours take at an effective share: 30 h at 0.97 take 30.93 h.
func Wall(useful, effective billing.Decimal) (billing.Decimal, error) {
	return useful.Div(effective, 18)
}

// PerCost is useful hours for one unit of money, the articles' key figure; four decimals are shown.
func PerCost(useful billing.Decimal, total billing.Money) (billing.Decimal, error) {
	t, err := billing.ParseDecimal(total.Amount())
	if err != nil {
		return billing.Decimal{}, fmt.Errorf("reckon hours for money: %w", billing.ErrUnknownMoney)
	}
	return useful.Div(t, 18)
}

// RuleOfThumb is how a monthly price stands to the same hours on demand. The articles' rule says 30 to 50 %.
type RuleOfThumb struct {
	Low, High billing.Decimal // shares
	Outside   bool            // of 0.30 to 0.50, so that the rule must not be repeated
}

// MonthlyRatio checks the articles' rule on one cloud's prices.
func MonthlyRatio(low, high, onDemand billing.Money, hours int) (RuleOfThumb, error) {
	month, err := onDemand.MulRatio(int64(hours), 1)
	if err != nil {
		return RuleOfThumb{}, fmt.Errorf("check a rule: %w", err)
	}
	var r RuleOfThumb
	if r.Low, err = ratio(low, month); err != nil {
		return r, fmt.Errorf("check a rule: %w", err)
	}
	if r.High, err = ratio(high, month); err != nil {
		return r, fmt.Errorf("check a rule: %w", err)
	}
	r.Outside = r.Low.Cmp(billing.MustDecimal("0.3")) < 0 || r.High.Cmp(billing.MustDecimal("0.5")) > 0
	return r, nil
}

// hoursOf is a duration in hours as a decimal, exact to the nanosecond's third of an hour at 18 decimals.
func hoursOf(d time.Duration) billing.Decimal {
	h, err := billing.DecimalFromInt(int64(d)).Div(billing.DecimalFromInt(int64(time.Hour)), 18)
	if err != nil {
		return billing.Decimal{}
	}
	return h
}

// durationOf is hours as a duration, to the second; the longest there is where they never end.
func durationOf(hours float64) time.Duration {
	s := hours * 3600
	if math.IsNaN(s) || s > math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(math.Round(s)) * time.Second
}
