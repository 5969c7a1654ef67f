//go:build !nodemo

package sim

import (
	"encoding/json"
	"time"

	"gpuspend/billing"
)

// billDelay is how old a day has to be before its bill is out.
const billDelay = day

// A line is one charge, without what it shares with its like.
type line struct {
	start, end time.Time
	amount     billing.Money
	unitPrice  billing.Decimal
	quantity   billing.Decimal
	like       *billing.Charge
}

// bill writes down what a thing has cost in the hour that began at the given instant.
func (c *cloud) bill(t *thing, begun time.Time) {
	for _, m := range []*meter{&t.main, &t.system} {
		if m.ran > 0 && t.paidTo.IsZero() && m.rate.Known() {
			c.record(line{begun, begun.Add(time.Hour), m.spent, c.w.unitPrice(m.rate), hours(m.ran), c.like(t, m.part)})
		}
		m.ran = 0
	}
	if gb := c.trafficOf(t, begun); gb.Sign() > 0 {
		price := money(trafficPerGB)
		c.record(line{begun, begun.Add(time.Hour), must(price.Mul(gb)), c.w.unitPrice(price), gb, c.like(t, billing.PartBandwidth)})
	}
	t.ran = 0
}

// trafficOf is how many GB went out within an hour, to the hundredth.
func (c *cloud) trafficOf(t *thing, begun time.Time) billing.Decimal {
	if t.traffic == 0 || t.ran == 0 {
		return billing.DecimalFromInt(0)
	}
	hundredths := int64(drawAt(c.w.seed, "traffic", t.r.Ref.ID, begun) % uint64(100*t.traffic))
	hundredths = hundredths * int64(t.ran) / int64(time.Hour)
	return billing.DecimalFromInt(hundredths).Mul(billing.MustDecimal("0.01"))
}

// record keeps a line of the history and owes its amount.
func (c *cloud) record(l line) {
	if l.start.Before(c.w.start) {
		return
	}
	c.unsettled = sum(c.unsettled, l.amount)
	if !c.w.rehearsing {
		c.lines = append(c.lines, l)
	}
}

func hours(d time.Duration) billing.Decimal {
	if d == time.Hour {
		return billing.DecimalFromInt(1)
	}
	h, _ := billing.DecimalFromInt(int64(d)).Div(billing.DecimalFromInt(int64(time.Hour)), 9)
	return h
}

// buyPlan sells a machine's plan up to an instant: one purchase for the whole of it.
func (c *cloud) buyPlan(t *thing, until time.Time) {
	like := *c.like(t, billing.PartInstance)
	like.ChargeCategory, like.ChargeFrequency, like.PricingCategory, like.PricingUnit = "Purchase", "One-Time", "Committed", "Months"
	price := money(monthlyPlan)
	c.pending = append(c.pending, line{c.w.at, until, price, c.w.unitPrice(price), billing.DecimalFromInt(1), &like})
	c.prepay(t, until)
}

// prepay notes that a machine is paid for up to an instant. It can't be given back before, and stops then.
func (c *cloud) prepay(t *thing, until time.Time) {
	t.paidTo = until
	t.r.ExpiresAt, t.r.RenewsItself = until, billing.No
	t.r.NotReleasable = billing.Say("sim.refused.paid_ahead", "until", until)
	t.show(billing.RateDerived)
	t.r.StoppedRate = t.r.Rate
	c.w.schedule(until, func() { c.expire(t, until) })
}

// expire stops a machine whose plan has ended; seven days later it is deleted with its data.
func (c *cloud) expire(t *thing, ended time.Time) {
	if t.gone || !t.paidTo.Equal(ended) {
		return
	}
	c.halt(t)
	t.paidTo = time.Time{}
	t.r.VendorState, t.r.NotReleasable = "EXPIRED", billing.Text{}
	t.show(billing.RateVendor)
	t.r.StoppedRate = t.r.Rate
	c.w.schedule(ended.Add(7*day), func() {
		if t.r.VendorState == "EXPIRED" {
			c.remove(t)
		}
	})
}

// credit takes a voucher off the bill of the day.
func (c *cloud) credit(voucher, amount string) {
	like := c.blank()
	like.ChargeCategory, like.ChargeFrequency = "Credit", "One-Time"
	like.ServiceCategory, like.ServiceName, like.Part = "Other", "Vouchers", billing.PartOther
	like.ChargeDescription = "Voucher " + voucher + " (" + articlePrices + ")"
	start := c.w.at.Truncate(time.Hour)
	c.pending = append(c.pending, line{start, start.Add(time.Hour), negative(money(amount)), billing.Decimal{}, billing.Decimal{}, &like})
}

// renewBandwidth sells C's fixed bandwidth for the next month, whole, at the start of each.
func (c *cloud) renewBandwidth() {
	next := c.monthOf(c.w.at).End
	c.w.schedule(next, func() {
		like := c.blank()
		like.ChargeCategory, like.ChargeFrequency, like.PricingCategory, like.PricingUnit = "Purchase", "Recurring", "Committed", "Months"
		like.ServiceCategory, like.ServiceName, like.Part, like.Mode = "Networking", "Fixed bandwidth 50 Mbps", billing.PartBandwidth, billing.ModeMonthly
		like.ResourceID, like.ResourceName, like.ResourceType = planC, planC, "bandwidth plan"
		price := money(bandwidthC)
		c.pending = append(c.pending, line{next, c.monthOf(next).End, price, c.w.unitPrice(price), billing.DecimalFromInt(1), &like})
		c.renewBandwidth()
	})
}

// blank is what all charges of a cloud have in common.
func (c *cloud) blank() billing.Charge {
	return billing.Charge{
		Provider: c.title, Publisher: c.title, InvoiceIssuer: c.title,
		BillingAccountID: c.vendorID, BillingAccountName: "Example team", SubAccountID: c.vendorID, SubAccountName: "Example team",
		ChargeCategory: "Usage", ChargeFrequency: "Usage-Based", ChargeDescription: articlePrices,
		PricingCategory: "Standard", PricingCurrency: string(cny), PricingUnit: "Hours", ConsumedUnit: "Hours",
	}
}

// like is what all charges of one part of a thing have in common, until its tags change.
func (c *cloud) like(t *thing, part billing.Part) *billing.Charge {
	if known := t.labels[part]; known != nil {
		return known
	}
	charge := c.blank()
	r := t.r
	charge.ResourceID, charge.ResourceName, charge.ResourceType = r.Ref.ID, r.Name, string(r.Ref.Kind)
	charge.RegionID, charge.RegionName, charge.AvailabilityZone = r.Ref.Region, c.regionName(r.Ref.Region), r.Zone
	charge.ServiceCategory, charge.ServiceName = serviceOf(part, r.GPU.Model)
	charge.SkuID, charge.SkuMeter = c.prefix+"."+string(part), string(part)
	charge.Part, charge.Mode, charge.GPU, charge.Owner, charge.Project = part, r.Mode, r.GPU.Model, r.Owner, r.Project
	if r.Mode == billing.ModeSpot {
		charge.PricingCategory = "Dynamic"
	}
	if part == billing.PartBandwidth {
		charge.PricingUnit, charge.ConsumedUnit = "GB", "GB"
	}
	if len(r.Tags) > 0 {
		tags, _ := json.Marshal(r.Tags) // a map of strings always marshals, its keys sorted
		charge.Tags = string(tags)
	}
	if t.labels == nil {
		t.labels = map[billing.Part]*billing.Charge{}
	}
	t.labels[part] = &charge
	return &charge
}

func serviceOf(part billing.Part, gpu string) (category, name string) {
	switch {
	case part == billing.PartInstance && gpu != "":
		return "Compute", "GPU machines"
	case part == billing.PartInstance:
		return "Compute", "Machines"
	case part == billing.PartDisk:
		return "Storage", "Disks"
	case part == billing.PartSnapshot:
		return "Storage", "Snapshots and images"
	case part == billing.PartIP:
		return "Networking", "Public addresses"
	}
	return "Networking", "Public traffic"
}

func (c *cloud) regionName(id string) string {
	for _, p := range c.regions {
		if p.id == id {
			return p.name
		}
	}
	return ""
}

// through is the instant before which all charges have been delivered.
func (c *cloud) through(now time.Time) time.Time {
	t := c.startOfDay(now.Add(-billDelay))
	if t.Before(c.w.start) {
		return c.w.start
	}
	return t
}

// charge is a line in full, billed in the given month.
func (l *line) charge(month billing.Period) billing.Charge {
	charge := *l.like
	charge.BillingPeriod = month
	charge.ChargePeriod = billing.Period{Start: l.start, End: l.end}
	charge.BilledCost, charge.EffectiveCost, charge.ListCost, charge.ContractedCost = l.amount, l.amount, l.amount, l.amount
	charge.PricingQuantity, charge.ConsumedQuantity = l.quantity, l.quantity
	charge.ListUnitPrice, charge.ContractedUnitPrice = l.unitPrice, l.unitPrice
	return charge
}

// unitPrice turns a price into a number. There are few prices and many lines.
func (w *World) unitPrice(m billing.Money) billing.Decimal {
	d, known := w.prices[m]
	if !known {
		d = billing.MustDecimal(m.Amount())
		w.prices[m] = d
	}
	return d
}
