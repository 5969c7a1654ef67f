//go:build !nodemo

package sim

import (
	"time"

	"gpuspend/billing"
)

// endHour bills the hour that ends now and settles what is due.
func (c *cloud) endHour(now time.Time) {
	c.billHour(now.Add(-time.Hour), now)
	later := c.pending[:0]
	for _, l := range c.pending {
		if l.start.Before(now) {
			c.record(l)
		} else { // bought at this very instant, which is the next hour's
			later = append(later, l)
		}
	}
	c.pending = later
	c.settle(now)
	c.moveSpot(now)
}

// billHour writes down what everything has cost within an hour. What lies before the history costs nothing.
func (c *cloud) billHour(begun, now time.Time) {
	ended := c.ended
	c.ended = nil
	if begun.Before(c.w.start) {
		for _, t := range c.things {
			t.forget(now)
		}
		return
	}
	for _, t := range c.things {
		t.count(now)
		c.bill(t, begun)
	}
	for _, t := range ended {
		c.bill(t, begun)
	}
}

// settle takes what has been billed off the balance: at every full hour, or once a day where the cloud does that.
func (c *cloud) settle(now time.Time) {
	if c.settles == day && !now.Equal(c.startOfDay(now)) {
		return
	}
	c.cash = sum(c.cash, negative(c.unsettled))
	c.unsettled = billing.ZeroMoney(cny)
	c.judge(now)
}

// judge ends what runs on money that is not there. What is paid ahead goes on.
func (c *cloud) judge(now time.Time) {
	if !c.limited || c.cash.Sign() >= 0 {
		c.overdrawn = time.Time{}
		return
	}
	for _, t := range c.machines() {
		if t.r.State == billing.StateRunning && t.paidTo.IsZero() {
			c.halt(t)
		}
	}
	if !c.overdrawn.IsZero() {
		return
	}
	c.overdrawn = now
	c.w.schedule(now.Add(c.grace), func() { c.clear(now, billing.KindInstance) })
	c.w.schedule(now.Add(7*day), func() {
		c.clear(now, billing.KindInstance, billing.KindSnapshot, billing.KindDisk, billing.KindIP)
	})
}

// clear deletes for good what an account has that has been below zero since the given instant.
func (c *cloud) clear(since time.Time, kinds ...billing.Kind) {
	if !c.overdrawn.Equal(since) {
		return
	}
	for _, kind := range kinds {
		for _, t := range append([]*thing(nil), c.things...) {
			if t.r.Ref.Kind == kind && t.paidTo.IsZero() && !t.gone {
				c.remove(t)
			}
		}
	}
}

// topUp adds to the balance. Before the history starts nothing counts.
func (c *cloud) topUp(m billing.Money) {
	if c.w.at.Before(c.w.start) {
		return
	}
	c.cash = sum(c.cash, m)
	if c.cash.Sign() >= 0 {
		c.overdrawn = time.Time{}
	}
}
