package estimate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gpuspend/billing"
)

// Request is what somebody wants to know the cost of. What is unknown was not asked for.
type Request struct {
	GPU                         string          // canonical
	Cards, Hours                billing.Decimal // of work
	Egress, Disk, Snapshot, IPs billing.Decimal // GB, and a count
	Mbps, IOPS                  billing.Decimal // of a fixed line, and of the disk
	DiskKind                    string
	Provider, Region            string
	Mode                        billing.Mode
	Checkpoint, Interrupted     float64 // hours; 0 for what is recommended and known
	Write, Restart              float64 // hours; 0 for the defaults
	Deadline                    time.Time
	Resumable                   billing.Tri
	Utilisation                 billing.Decimal // share of the wall time that is work
	Price                       billing.Money   // of one card for an hour; in place of the book's
	Used                        billing.Decimal // hours a month, for what is paid ahead
	Currency                    billing.Currency
	Rates                       map[billing.Currency]billing.Decimal // into Currency
}

// Quote is the answer, best first.
type Quote struct {
	Request
	Now       time.Time
	Options   []Option
	BreakEven []Pair
	LeftOut   []LeftOut
}

// LeftOut says what is not among the lines, and why.
type LeftOut struct {
	Why       Omission
	Count     int
	Providers []string
}

// Omission is a reason not to show a price.
type Omission string

// The reasons.
const (
	OmitDearer  Omission = "dearer"  // another row of the same cloud and mode is cheaper, or surer
	OmitBigger  Omission = "bigger"  // the machine has more cards, and no part of it can be had
	OmitOdd     Omission = "odd"     // no number of such machines has just these cards
	OmitFilter  Omission = "filter"  // the asker's own words
	OmitExpired Omission = "expired" // a negotiated price that has ended
)

// Option is one way to do it: a price, and the whole bill.
type Option struct {
	Row
	Machines  int
	Hourly    Range // of all machines; for what is paid ahead, of a term
	Wall      billing.Decimal
	WallLow   billing.Decimal // where interruptions are known as a range; else as Wall
	Finish    time.Time
	Total     Range // without what is missing
	Bare      Range // the same without interruptions
	Parts     map[billing.Part]Range
	Missing   []billing.Part
	Assumed   []string
	Notes     []string
	PerGPU    Range // whole bill over cards and hours of work
	Standing  Standing
	Interrupt *Interrupt
	Ahead     *Ahead
}

// Standing is where a line belongs in the order; only what is Sound counts for a verdict.
type Standing int

// The standings, in order.
const (
	Sound      Standing = iota
	Late                // misses the deadline, or is likely to
	Unfit               // may be taken away while the work can't go on
	Old                 // the price is too old or has no date
	Incomplete          // something asked for has no price
)

// Interrupt is what interruptions do to a line.
type Interrupt struct {
	Work    Work // at the rougher end of the risk
	Risk    Risk
	Unsaved Range   // the machine alone without checkpoints
	Late    float64 // chance to miss the deadline; NaN-free: 0 without one
	Share   float64 // of the total that is not work
}

// Ahead is what a prepaid line costs in three ways of counting.
type Ahead struct {
	Cash, Calendar, Used Range // Used unknown where the hours a month are
	Terms                int
	Plan                 Prepaid // at the low end
}

// Pair is a prepaid line against an hourly one.
type Pair struct {
	Hourly, Prepaid  int // indexes of lines
	PriceHour, Price billing.Money
	BreakEven
}

// ErrNothing says that the book has no price for what was asked.
var ErrNothing = errors.New("no price for this")

// candidate is a row that could do the work.
type candidate struct {
	Row
	machines int
	factor   billing.Decimal // of the row's price
}

// Estimate answers a request from the book.
func (b *Book) Estimate(r Request, now time.Time) (Quote, error) {
	q := Quote{Request: r, Now: now}
	chosen := q.choose(b.given(r, now))
	for _, c := range chosen {
		l, err := b.line(r, c, now)
		if err != nil {
			return q, fmt.Errorf("estimate %s %s at %s: %w", c.GPU.Model, c.Mode, c.Provider, err)
		}
		q.Options = append(q.Options, l)
	}
	if len(q.Options) == 0 {
		return q, fmt.Errorf("estimate %s: %w", r.GPU, ErrNothing)
	}
	q.ruleOfThumb()
	q.rank()
	return q, q.pairs()
}

// given are the rows to go by: the book's, or with a price of the asker's own those that it stands for.
func (b *Book) given(r Request, now time.Time) []Row {
	if !r.Price.Known() {
		return b.Rows(r.GPU)
	}
	mine := func(x Row) Row {
		x.Low, x.High, x.ByCard, x.AsOf, x.Source, x.From = r.Price, r.Price, true, now, "given", TrustDeal
		x.GPU.Count = billing.DecimalFromInt(1)
		return x
	}
	var list []Row
	for _, x := range b.Rows(r.GPU) {
		if !x.ahead() && (r.Provider != "" || r.Mode != "") && (r.Mode != "" || x.Mode != billing.ModeSpot) {
			list = append(list, mine(x))
		}
	}
	if len(list) == 0 {
		mode := r.Mode
		if mode == "" {
			mode = billing.ModeOnDemand
		}
		list = append(list, mine(Row{Provider: r.Provider, GPU: billing.GPU{Model: r.GPU}, Mode: mode}))
	}
	return list
}

// choose takes the best row of every cloud, tier and mode, and counts the others.
func (q *Quote) choose(rows []Row) []candidate {
	var best []candidate
	at := map[string]int{}
	for _, r := range rows {
		if !q.wanted(r) {
			q.leave(OmitFilter, r.Provider)
			continue
		}
		c, why := fit(r, q.Cards)
		if why == "" && !r.Until.IsZero() && !q.Now.Before(r.Until) {
			why = OmitExpired
		}
		if why != "" {
			q.leave(why, r.Provider)
			continue
		}
		key := r.Provider + "\x00" + r.Tier() + "\x00" + string(r.Mode) + "\x00" + string(r.Low.Currency())
		i, there := at[key]
		if !there {
			at[key] = len(best)
			best = append(best, c)
			continue
		}
		q.leave(OmitDearer, r.Provider)
		if c.better(best[i], q.Now) {
			best[i] = c
		}
	}
	return best
}

func (q *Quote) leave(why Omission, provider string) {
	i := slices.IndexFunc(q.LeftOut, func(l LeftOut) bool { return l.Why == why })
	if i < 0 {
		q.LeftOut = append(q.LeftOut, LeftOut{Why: why})
		i = len(q.LeftOut) - 1
	}
	l := &q.LeftOut[i]
	l.Count++
	if !slices.Contains(l.Providers, provider) {
		l.Providers = append(l.Providers, provider)
	}
}

// wanted says that a row is within the asker's own words. By the hour is on demand or by the card.
func (q *Quote) wanted(r Row) bool {
	return (q.Provider == "" || q.Provider == r.Provider) && (q.Region == "" || q.Region == r.Region) &&
		(q.Mode == "" || q.Mode == r.Mode || q.Mode == billing.ModeOnDemand && r.Mode == ModeCardHour)
}

// fit says how many machines of a row have just so many cards.
func fit(r Row, cards billing.Decimal) (candidate, Omission) {
	c := candidate{Row: r, machines: 1}
	n, err := cards.Div(r.GPU.Count, 18)
	switch whole := n.Rounded(0); {
	case err != nil || n.Sign() <= 0:
		return c, OmitOdd
	case r.ByCard:
		c.factor = n
		return c, ""
	case n.Cmp(billing.DecimalFromInt(1)) < 0:
		return c, OmitBigger
	case !billing.MustDecimal(whole).Mul(r.GPU.Count).Equal(cards):
		return c, OmitOdd
	default:
		c.factor = billing.MustDecimal(whole)
		c.machines = int(c.factor.Float64())
	}
	return c, ""
}

// better says that a candidate is to be shown in place of another of the same cloud, mode and currency: what was
// negotiated, then what is young enough, then what is cheaper.
func (c candidate) better(o candidate, now time.Time) bool {
	if deal := c.From == TrustDeal; deal != (o.From == TrustDeal) {
		return deal
	}
	if f := c.Fresh(now); f != o.Fresh(now) {
		return f
	}
	a, errA := c.High.Mul(c.factor)
	b, errB := o.High.Mul(o.factor)
	if errA != nil || errB != nil {
		return errA == nil
	}
	n, _ := a.Cmp(b) // of one currency
	return n < 0 || n == 0 && (c.machines < o.machines || c.factor.Equal(billing.DecimalFromInt(1)) && !o.factor.Equal(c.factor))
}

// String is the word in JSON.
func (s Standing) String() string {
	return [...]string{"sound", "late", "unfit", "old", "incomplete"}[s]
}

// Parts are the parts of a whole bill, in the order in which they are told.
func Parts() []billing.Part {
	return []billing.Part{billing.PartInstance, billing.PartBandwidth, billing.PartDisk, billing.PartSnapshot, billing.PartIP, billing.PartOther}
}
