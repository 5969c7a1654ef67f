package release

import (
	"slices"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// group is a resource with what hangs on it: what is deleted with it, itself in front, and what would survive.
type group struct{ goes, stays []billing.Holding }

func (g group) all() []billing.Holding { return slices.Concat(g.goes, g.stays) }

// gather finds the disks and addresses on a machine and the snapshots and images made from any of them.
func gather(h billing.Holding, around []billing.Holding) group {
	g := group{goes: []billing.Holding{h}}
	var others []billing.Holding
	for _, o := range around {
		if o.ID != h.ID && !o.Gone() && near(h, o) {
			others = append(others, o)
		}
	}
	origins := []string{h.Ref.ID}
	if works(h.Ref.Kind) {
		for _, o := range others {
			if part := o.Ref.Kind.Part(); part != billing.PartDisk && part != billing.PartIP || !slices.Contains(o.AttachedTo, h.Ref.ID) {
				continue
			}
			if o.GoesWith {
				g.goes = append(g.goes, o)
			} else {
				g.stays = append(g.stays, o)
			}
			origins = append(origins, o.Ref.ID)
		}
	}
	for _, o := range others {
		if o.Ref.Kind.Part() == billing.PartSnapshot && slices.ContainsFunc(o.Sources, func(s string) bool { return slices.Contains(origins, s) }) {
			g.stays = append(g.stays, o)
		}
	}
	return g
}

// near says that two things can hang together: ids are unique within a region at most.
func near(x, y billing.Holding) bool {
	return x.Ref.Region == y.Ref.Region || x.Ref.Region == "" || y.Ref.Region == ""
}

// prices reckons per month in one account.
type prices struct{ about About }

// monthly is what a holding costs in a month as it is; 0 for what is known not to be billed.
func (p prices) monthly(h billing.Holding) billing.Money {
	switch h.Billed {
	case billing.Yes:
		return ledger.Monthly(h.Rate.Hourly, p.about.MonthHours)
	case billing.No:
		c := h.Rate.Hourly.Currency()
		if c == "" {
			c = p.about.Currency
		}
		if c != "" {
			return billing.ZeroMoney(c)
		}
	}
	return billing.Money{}
}

// total is what holdings cost in a month; unknown where one of them is, or where they cost in two currencies.
func (p prices) total(hs []billing.Holding) billing.Money {
	var sum billing.Money
	for i, h := range hs {
		m := p.monthly(h)
		if i == 0 {
			sum = m
			continue
		}
		sum = add(sum, m)
	}
	if len(hs) == 0 && p.about.Currency != "" {
		return billing.ZeroMoney(p.about.Currency)
	}
	return sum
}

// stop reckons what stopping a machine saves; everything that is left goes on.
func (p prices) stop(h billing.Holding, g group) Option {
	saves := minus(p.monthly(h), ledger.Monthly(h.StoppedRate.Hourly, p.about.MonthHours))
	o := Option{Verb: billing.VerbStop, Saves: saves, StillBills: minus(p.total(g.all()), saves), MayNotReturn: h.GPU.Model != ""}
	o.Stays = g.all()
	if h.StoppedRate.Hourly.Known() && h.StoppedRate.Hourly.Sign() == 0 {
		o.Stays = slices.Concat(g.goes[1:], g.stays)
	}
	if n, err := o.Saves.Cmp(o.StillBills); err == nil && n < 0 {
		o.LeavesMore = true
	}
	return o
}

// delete reckons what deleting saves: the resource and what goes with it.
func (p prices) delete(g group) Option {
	o := Option{Verb: billing.VerbDelete, Saves: p.total(g.goes), Goes: g.goes, Stays: g.stays}
	o.StillBills = minus(p.total(g.all()), o.Saves)
	if len(g.stays) > 0 && !o.StillBills.Known() {
		o.StillBills = p.total(g.stays)
	}
	if slices.ContainsFunc(g.goes, func(h billing.Holding) bool { return h.HoldsData != billing.No }) {
		o.Typed = called(g.goes[0])
	}
	return o
}

// add and minus give unknown where an operand is unknown or the currencies differ.
func add(x, y billing.Money) billing.Money {
	sum, err := x.Add(y)
	if err != nil {
		return billing.Money{}
	}
	return sum
}

func minus(x, y billing.Money) billing.Money {
	d, err := x.Sub(y)
	if err != nil {
		return billing.Money{}
	}
	return d
}
