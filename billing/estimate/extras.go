package estimate

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// Per is what the price of an extra is for.
type Per string

// The units of extras. Amounts of data are in GB; a TB has 1,024.
const (
	PerGB        Per = "GB"
	PerGBMonth   Per = "GB-month"
	PerGBHour    Per = "GB-hour"
	PerMbpsMonth Per = "Mbps-month"
	PerMbpsHour  Per = "Mbps-hour"
	PerIOPSMonth Per = "IOPS-month"
	PerPiece     Per = "piece-hour"
	PerBand      Per = "band-month" // of a disk of one of some sizes: the next larger is paid
)

// Tier is a price from so many units on. High is the same as Low where there is one price.
type Tier struct {
	From, To  billing.Decimal // To unknown has no end
	Low, High billing.Money
}

// Extra is the price of something beside the machine. Its Tiers are in order.
type Extra struct {
	Provider, Region string
	Part             billing.Part
	Item             string // "gp3"; "" where there is one kind
	Per              Per
	Tiers            []Tier
	Band             billing.Decimal // GB, for PerBand
	Slab             bool            // the tier reached prices all units
	Whole            bool            // begun months are paid whole
	MonthHours       int
	AsOf             time.Time
	Source           string
	From             Trust
}

// Range is an amount that may be known only as a range.
type Range struct{ Low, High billing.Money }

// Known says that there is an amount.
func (r Range) Known() bool { return r.Low.Known() && r.High.Known() }

// add adds two ranges; unknown where either is.
func (r Range) add(o Range) (Range, error) {
	low, err := r.Low.Add(o.Low)
	if err != nil {
		return Range{}, err
	}
	high, err := r.High.Add(o.High)
	return Range{low, high}, err
}

func (r Range) times(low, high billing.Decimal) (Range, error) {
	l, err := r.Low.Mul(low)
	if err != nil {
		return Range{}, err
	}
	h, err := r.High.Mul(high)
	return Range{l, h}, err
}

// errNoTier says that the tiers leave out some of the units.
var errNoTier = errors.New("the tiers do not reach so far")

// Tiered is what so many units cost before time: marginal, each unit at the price of its tier, or all at the price of
// the tier reached.
func (e Extra) Tiered(units billing.Decimal) (Range, error) {
	var sum Range
	for _, t := range e.Tiers {
		if units.Cmp(t.From) <= 0 && !(units.Sign() == 0 && t.From.Sign() == 0) {
			break
		}
		in := units.Sub(t.From)
		if t.To.Known() && units.Cmp(t.To) > 0 {
			in = t.To.Sub(t.From)
		}
		if e.Slab {
			in = units
		}
		part, err := Range{t.Low, t.High}.times(in, in)
		if err != nil {
			return Range{}, err
		}
		if e.Slab || !sum.Known() {
			sum = part
		} else if sum, err = sum.add(part); err != nil {
			return Range{}, err
		}
	}
	last := len(e.Tiers) - 1
	if !sum.Known() || e.Tiers[last].To.Known() && units.Cmp(e.Tiers[last].To) > 0 {
		return Range{}, errNoTier
	}
	return sum, nil
}

// amountOf is how much of an extra is needed, and for how long.
type amountOf struct {
	units     billing.Decimal
	low, high billing.Decimal // wall hours
}

// cost is what an extra comes to over wall hours.
func (e Extra) cost(a amountOf) (Range, error) {
	units := a.units
	if e.Per == PerBand {
		units = billing.DecimalFromInt(1)
	}
	whole, err := e.Tiered(units)
	if err != nil {
		return Range{}, err
	}
	low, high := a.low, a.high
	switch e.Per {
	case PerGB:
		return whole, nil
	case PerGBHour, PerMbpsHour, PerPiece:
	default:
		month := Prepaid{MonthHours: e.MonthHours}.hours()
		if low, err = months(a.low, month, e.Whole); err == nil {
			high, err = months(a.high, month, e.Whole)
		}
		if err != nil {
			return Range{}, err
		}
		if !e.Whole { // multiply before dividing: 300 x 30 / 720 is exact
			r, err := whole.times(a.low, a.high)
			if err != nil {
				return Range{}, err
			}
			return r.div(month)
		}
	}
	return whole.times(low, high)
}

func (r Range) div(by billing.Decimal) (Range, error) {
	l, err := r.Low.Div(by)
	if err != nil {
		return Range{}, err
	}
	h, err := r.High.Div(by)
	return Range{l, h}, err
}

// months is hours in months, begun ones whole where they are paid so.
func months(hours, month billing.Decimal, whole bool) (billing.Decimal, error) {
	m, err := hours.Div(month, 18)
	if err != nil || !whole {
		return m, err
	}
	return up(m), nil
}

// up is the next whole number, at least 1.
func up(d billing.Decimal) billing.Decimal {
	n, err := billing.ParseDecimal(d.Rounded(0))
	if err != nil {
		return d
	}
	if n.Cmp(d) < 0 {
		n = n.Add(billing.DecimalFromInt(1))
	}
	if n.Sign() == 0 {
		n = billing.DecimalFromInt(1)
	}
	return n
}

// find chooses the extra that prices a part of a row's bill: its region before a price that holds everywhere before
// another region's; the kind asked for, else the usual one.
func (b *Book) find(r Row, part billing.Part, item string, per []Per, size billing.Decimal) (Extra, bool) {
	var fit []Extra
	for _, e := range b.extras[r.Provider] {
		if e.Part != part || !slices.Contains(per, e.Per) || item != "" && !strings.EqualFold(e.Item, item) {
			continue
		}
		if e.Per == PerBand && e.Band.Cmp(size) < 0 {
			continue
		}
		if c := e.Tiers[0].Low.Currency(); c != r.Low.Currency() {
			continue
		}
		fit = append(fit, e)
	}
	if len(fit) == 0 {
		return Extra{}, false
	}
	slices.SortStableFunc(fit, func(x, y Extra) int {
		return cmp.Or(cmp.Compare(nearness(x.Region, r.Region), nearness(y.Region, r.Region)), cmp.Compare(usual(x.Item), usual(y.Item)),
			x.Band.Cmp(y.Band), cmp.Compare(x.From, y.From))
	})
	return fit[0], true
}

// nearness says how well the region of a rate fits that of a machine.
func nearness(rate, machine string) int {
	switch {
	case strings.EqualFold(rate, machine):
		return 0
	case everywhere(rate):
		return 1
	case machine != "" && strings.HasPrefix(machine, strings.TrimSuffix(rate, "-mainland")):
		return 2
	}
	return 3
}

func everywhere(region string) bool {
	return slices.Contains([]string{"", "any", "all", "cn", "marketplace"}, strings.ToLower(region))
}

// usual ranks the kinds of disks: what machines with cards are mostly rented with comes first.
func usual(item string) int {
	order := []string{"", "gp3", "pd-ssd", "standard_ssd", "enhanced_ssd", "ssd", "block_volume", "network_volume", "evs_ultra_high_io"}
	for i, o := range order {
		if item == o || o != "" && strings.HasPrefix(item, o) {
			return i
		}
	}
	return len(order)
}
