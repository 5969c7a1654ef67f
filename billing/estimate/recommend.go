package estimate

import (
	"slices"
	"time"

	"gpuspend/billing"
)

// Need is what a person says of a task when asking how to pay for it.
type Need struct {
	Lasts     time.Duration
	PerMonth  billing.Decimal // hours of use a month; unknown for around the clock
	Resumable billing.Tri
	// Compliance says that only some clouds may be used; which ones is the caller's to know.
	Compliance bool
}

// Prices are those of one machine at one cloud; what is not sold is unknown. Spot is for an hour of work, with retries.
type Prices struct {
	Provider          string
	Compliant         bool // may be used where only some clouds may
	OnDemand, Monthly billing.Money
	SpotLow, SpotHigh billing.Money
	MonthHours        int
}

// Addition is what belongs to a way to pay.
type Addition string

// The additions.
const (
	WithAutoRelease Addition = "auto-release"
	WithSnapshots   Addition = "snapshots"
	WithAudit       Addition = "audit" // the checklist before a long term is signed
)

// Advice is a way to pay for one task.
type Advice struct {
	Provider  string
	Mode      billing.Mode
	With      []Addition
	Checklist []Check
	Low, High billing.Money // a month, or the whole task where that is shorter; unknown where a price is
	Why       Reason
	Beaten    billing.Money // what the next way would have cost; unknown where none was
}

// Reason says why.
type Reason string

// The reasons.
const (
	BecauseShort       Reason = "short"        // days: no plan is worth it
	BecauseUninterrupt Reason = "no_interrupt" // it cannot go on after an interruption
	BecauseCheapest    Reason = "cheapest"
	BecauseLong        Reason = "long"
	BecauseShared      Reason = "shared" // a prepaid machine that several tasks use
	BecauseDeadline    Reason = "deadline"
	BecauseCompliance  Reason = "compliance"
	BecauseOnly        Reason = "only" // nothing else is to be had
)

// Where the articles draw the lines: below a month nothing is paid ahead, from a year on a year is.
const (
	shortTask = 30 * day
	longTask  = 360 * day
)

// Recommend says how to pay for a task at the first cloud that may be used, by its duration, by whether it can go on
// after an interruption, and by the hours used (pricing-facts section 7). False where no cloud may be used.
func Recommend(n Need, clouds []Prices) (Advice, bool) {
	i := slices.IndexFunc(clouds, func(p Prices) bool { return p.Compliant || !n.Compliance })
	if i < 0 {
		return Advice{}, false
	}
	a := n.at(clouds[i])
	a.Provider = clouds[i].Provider
	if n.Compliance {
		a.Why = BecauseCompliance
	}
	return a, true
}

func (n Need) at(p Prices) Advice {
	switch {
	case n.Lasts > longTask:
		return Advice{Mode: billing.ModeYearly, With: []Addition{WithAudit}, Checklist: SiteAudit(), Why: BecauseLong}
	case n.Lasts < shortTask:
		return n.short(p)
	}
	return n.middling(p)
}

// short is a task of days: spot where it can go on, else by the hour; and nobody forgets it.
func (n Need) short(p Prices) Advice {
	a := Advice{Mode: billing.ModeOnDemand, With: []Addition{WithAutoRelease}, Low: p.OnDemand, High: p.OnDemand, Why: BecauseUninterrupt}
	if n.Resumable == billing.Yes && (p.SpotLow.Known() || !p.OnDemand.Known()) {
		a.Mode, a.Low, a.High, a.Why = billing.ModeSpot, p.SpotLow, p.SpotHigh, BecauseShort
	}
	a.Low, a.High = over(a.Low, hoursOf(n.Lasts)), over(a.High, hoursOf(n.Lasts))
	return a
}

// middling is a task of months: the cheapest of what it can stand, for the hours that it uses.
func (n Need) middling(p Prices) Advice {
	hours := n.PerMonth
	if !hours.Known() {
		hours = Prepaid{MonthHours: p.MonthHours}.hours()
	}
	ways := []Advice{
		{Mode: billing.ModeMonthly, With: []Addition{WithSnapshots}, Low: p.Monthly, High: p.Monthly},
		{Mode: billing.ModeOnDemand, Low: over(p.OnDemand, hours), High: over(p.OnDemand, hours)},
	}
	if n.Resumable == billing.Yes {
		ways = append(ways, Advice{Mode: billing.ModeSpot, Low: over(p.SpotLow, hours), High: over(p.SpotHigh, hours)})
	}
	ways = slices.DeleteFunc(ways, func(a Advice) bool { return !a.High.Known() })
	if len(ways) == 0 {
		return Advice{Mode: billing.ModeOnDemand, Why: BecauseOnly}
	}
	slices.SortStableFunc(ways, func(a, b Advice) int {
		c, _ := a.High.Cmp(b.High) // of one cloud, so of one currency
		return c
	})
	best := ways[0]
	best.Why = BecauseOnly
	if len(ways) > 1 {
		best.Why, best.Beaten = BecauseCheapest, ways[1].Low
	}
	return best
}

// over is a price for so many hours; unknown where either is or where it leaves the range of Money.
func over(hourly billing.Money, hours billing.Decimal) billing.Money {
	m, err := hourly.Mul(hours)
	if err != nil {
		return billing.Money{}
	}
	return m
}

// Check is one thing to look at before, or with, an order. The catalogues have a sentence for each.
type Check string

// The checks before any order, and those before a long term.
const (
	CheckSSHKey    Check = "ssh_key"
	CheckCUDA      Check = "cuda"
	CheckMount     Check = "mount"
	CheckCards     Check = "cards"
	CheckTopology  Check = "topology"
	CheckBandwidth Check = "bandwidth"
	CheckPUE       Check = "pue"
	CheckPower     Check = "power"
	CheckSLA       Check = "sla"
	CheckStopRule  Check = "stop_rule"
	CheckMigration Check = "migration"
)

// BeforeOrder is the short list for every machine; topology only matters for several cards.
func BeforeOrder(cards billing.Decimal) []Check {
	list := []Check{CheckSSHKey, CheckCUDA, CheckMount, CheckCards}
	if cards.Cmp(billing.DecimalFromInt(1)) > 0 {
		list = append(list, CheckTopology)
	}
	return append(list, CheckBandwidth)
}

// SiteAudit is the list before a term of a year or of many machines is signed.
func SiteAudit() []Check {
	return []Check{CheckPUE, CheckPower, CheckSLA, CheckStopRule, CheckMigration}
}
