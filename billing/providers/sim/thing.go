//go:build !nodemo

package sim

import (
	"maps"
	"slices"
	"time"

	"gpuspend/billing"
)

// A thing is one resource, with its meters.
type thing struct {
	r       billing.Resource
	main    meter // the machine, disk, snapshot, image or address itself
	system  meter // a stopped machine's system disk
	traffic int64 // up to so many GB an hour while it runs
	ran     time.Duration
	counted time.Time
	paidTo  time.Time // the end of a plan that was paid ahead
	gone    bool
	labels  map[billing.Part]*billing.Charge
}

// A meter counts what one part of a thing has cost within the hour that runs.
type meter struct {
	part  billing.Part
	on    bool
	rate  billing.Money
	spent billing.Money
	ran   time.Duration
}

func (m *meter) count(d time.Duration) {
	if !m.on || !m.rate.Known() {
		return
	}
	amount := over(m.rate, d)
	if m.ran > 0 {
		amount = sum(m.spent, amount)
	}
	m.spent, m.ran = amount, m.ran+d
}

// count brings the meters up to an instant. It comes before every change of state or rate.
func (t *thing) count(now time.Time) {
	d := now.Sub(t.counted)
	if d <= 0 {
		return
	}
	t.main.count(d)
	t.system.count(d)
	if t.main.on {
		t.ran += d
	}
	t.counted = now
}

// forget leaves what was counted uncharged, and counts from an instant on.
func (t *thing) forget(now time.Time) {
	t.counted, t.ran, t.main.ran, t.system.ran = now, 0, 0, 0
}

// show brings what is listed in line with the meters.
func (t *thing) show(source billing.RateSource) {
	hourly := billing.ZeroMoney(cny)
	switch {
	case t.main.on && !t.main.rate.Known():
		hourly = billing.Money{}
	case t.main.on:
		hourly = t.main.rate
	case t.system.on:
		hourly, source = t.system.rate, billing.RateDerived
	case !t.paidTo.IsZero():
		hourly = t.main.rate
	}
	if !hourly.Known() {
		source = billing.RateUnknown
	}
	t.r.Rate = billing.Rate{Hourly: hourly, Source: source}
	t.r.Billed = billing.Yes
	if hourly.Known() && hourly.Sign() == 0 {
		t.r.Billed = billing.No
	}
}

func (t *thing) machine() bool { return t.r.Ref.Kind == billing.KindInstance }

// listed is the thing as its cloud shows it, for the caller to keep.
func (t *thing) listed() billing.Resource {
	r := t.r
	r.AttachedTo, r.Sources = slices.Clone(r.AttachedTo), slices.Clone(r.Sources)
	r.Tags = maps.Clone(r.Tags)
	return r
}

func (t *thing) tag(owner, project string) {
	t.r.Owner, t.r.Project, t.labels = owner, project, nil
	for key, value := range map[string]string{"owner": owner, "project": project} {
		if delete(t.r.Tags, key); value != "" {
			t.r.Tags[key] = value
		}
	}
}

func (c *cloud) turn(t *thing, s billing.State) { t.r.State, t.r.VendorState = s, c.words[s] }

func (c *cloud) attach(t, machine *thing) {
	t.r.AttachedTo = []string{machine.r.Ref.ID}
	c.turn(t, billing.StateAttached)
	c.setFate(machine)
}

// setFate says what becomes of a machine when the balance is gone.
func (c *cloud) setFate(machine *thing) {
	r := &machine.r
	r.AtZero, r.SafeOn = billing.FateKeeps, ""
	if c.mode == billing.Postpaid || r.Mode == billing.ModeMonthly {
		return
	}
	r.AtZero = billing.FateLost
	for _, t := range c.on(r.Ref.ID) {
		if t.r.Ref.Kind == billing.KindDisk {
			r.AtZero, r.SafeOn = billing.FateInterrupted, t.r.Name
		}
	}
}

// halt ends a machine's compute; its disks go on.
func (c *cloud) halt(t *thing) {
	if t.gone {
		return
	}
	t.count(c.w.at)
	t.main.on, t.system.on = false, t.system.rate.Known()
	c.turn(t, billing.StateStopped)
	t.r.StartedAt = time.Time{}
	t.show(billing.RateVendor)
}

// detach leaves what was on a machine behind, and takes along what goes with it.
func (c *cloud) detach(machine *thing) {
	for _, t := range c.on(machine.r.Ref.ID) {
		if t.r.GoesWith {
			c.remove(t)
			continue
		}
		t.r.AttachedTo = nil
		c.turn(t, billing.StateUnattached)
	}
}

// remove takes a thing off the list for good. What it cost in this hour is still billed.
func (c *cloud) remove(t *thing) {
	if t.gone {
		return
	}
	t.count(c.w.at)
	t.gone = true
	if t.machine() {
		c.detach(t)
	}
	c.things = slices.DeleteFunc(c.things, func(o *thing) bool { return o == t })
	c.ended = append(c.ended, t)
}
