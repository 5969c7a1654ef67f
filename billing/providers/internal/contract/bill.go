package contract

import (
	"context"
	"time"

	"gpuspend/billing"
)

func (b *bench) charged(p billing.Provider, of billing.Period) ([]billing.Charge, billing.Tally) {
	b.t.Helper()
	var all []billing.Charge
	var sum billing.Tally
	for c, err := range p.(billing.Charger).Charges(context.Background(), of) {
		if err != nil {
			b.t.Fatalf("charges: %v", err)
		}
		all = append(all, c)
		if err := sum.Add(c.BilledCost); err != nil {
			b.t.Fatal(err)
		}
	}
	return all, sum
}

// charges: each line has its amount, currency, period and provider, and they add up exactly.
func charges(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanCharges) {
		return
	}
	all, sum := b.charged(p, b.s.Window)
	for _, c := range all {
		switch {
		case !c.BilledCost.Known(), c.BilledCost.Currency() != b.driver.Currency:
			b.t.Errorf("a line of %v", c.BilledCost)
		case !b.s.Window.Contains(c.ChargePeriod.Start), c.ChargePeriod.Duration() <= 0:
			b.t.Errorf("a line over %v, outside %v", c.ChargePeriod, b.s.Window)
		case c.ChargePeriod.Start.Location() != time.UTC, c.BillingPeriod.Start.IsZero():
			b.t.Errorf("a line over %v in the bill of %v: want UTC", c.ChargePeriod, c.BillingPeriod)
		case c.Provider == "", c.ChargeCategory == "", c.Part == "", c.ServiceName == "":
			b.t.Errorf("a line without provider, category, part or service: %+v", c)
		}
	}
	if got := text(sum.In(b.driver.Currency)); got != b.s.Charged || sum.Unknown() > 0 || len(all) == 0 {
		b.t.Errorf("%d lines add up to %s with %d unknown, want exactly %s", len(all), got, sum.Unknown(), b.s.Charged)
	}
}

// windows: a line belongs to one period, at whichever instant two of them meet; what has not begun has no lines.
func windows(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanCharges) {
		return
	}
	whole, _ := b.charged(p, b.s.Window)
	middle := b.s.Window.Start.Add(b.s.Window.Duration() / 2).Truncate(time.Hour)
	first, _ := b.charged(p, billing.Period{Start: b.s.Window.Start, End: middle})
	second, _ := b.charged(p, billing.Period{Start: middle, End: b.s.Window.End})
	if len(first)+len(second) != len(whole) || len(first) == 0 || len(second) == 0 {
		b.t.Errorf("%d and %d lines in the halves, %d in the whole", len(first), len(second), len(whole))
	}
	late := billing.Period{Start: b.s.Window.Start.Add(time.Minute), End: b.s.Window.End}
	lines, _ := b.charged(p, late)
	for _, l := range lines {
		if !late.Contains(l.ChargePeriod.Start) {
			b.t.Errorf("a line from %v in the period from %v", l.ChargePeriod.Start, late.Start)
		}
	}
	future := billing.Period{Start: b.now().Add(time.Hour), End: b.now().Add(48 * time.Hour)}
	if lines, _ := b.charged(p, future); len(lines) > 0 {
		b.t.Errorf("%d lines in the future", len(lines))
	}
}

// coverage: never beyond now or the period, and no line lies where nothing was delivered yet.
func coverage(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanCharges) {
		return
	}
	of := billing.Period{Start: b.s.Window.Start, End: b.now().Add(24 * time.Hour)}
	c, err := p.(billing.Charger).Billed(context.Background(), of)
	if err != nil {
		b.t.Fatal(err)
	}
	if c.Through.IsZero() || c.Through.After(b.now()) || c.Through.Before(b.s.Window.End) {
		b.t.Errorf("delivered through %v, want between %v and now", c.Through, b.s.Window.End)
	}
	if c.Provisional.After(c.Through) {
		b.t.Errorf("provisional from %v, after what was delivered: %v", c.Provisional, c.Through)
	}
	lines, _ := b.charged(p, of)
	for _, l := range lines {
		if !l.ChargePeriod.Start.Before(c.Through) {
			b.t.Errorf("a line over %v, delivered through %v", l.ChargePeriod, c.Through)
		}
	}
}

// offers: a price above zero or none, in the driver's currency, of a card with one name.
func offers(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanOffers) {
		return
	}
	n, model := 0, ""
	for o, err := range p.(billing.Merchant).Offers(context.Background(), billing.OfferQuery{}) {
		if err != nil {
			b.t.Fatal(err)
		}
		n++
		for _, m := range []billing.Money{o.Low, o.High} {
			if m.Known() && (m.Sign() <= 0 || m.Currency() != b.driver.Currency) {
				b.t.Errorf("%s at %v", o.Type, m)
			}
		}
		if o.Type == "" || o.Unit == "" || o.Source == "" || o.Mode == "" {
			b.t.Errorf("offer %+v lacks its type, unit, mode or source", o)
		}
		model = o.GPU.Model
	}
	for o, err := range p.(billing.Merchant).Offers(context.Background(), billing.OfferQuery{GPU: model}) {
		if err != nil || o.GPU.Model != model {
			b.t.Errorf("asked for %s, got %s, %v", model, o.GPU.Model, err)
		}
	}
	if n == 0 {
		b.t.Error("no offers")
	}
}
