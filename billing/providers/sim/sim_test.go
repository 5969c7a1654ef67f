//go:build !nodemo

package sim_test

import (
	"context"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
)

// story is Wed 2 Dec 2026 09:57 in Shanghai.
var story = time.Date(2026, 12, 2, 1, 57, 0, 0, time.UTC)

const (
	day  = 24 * time.Hour
	cny  = billing.Currency("CNY")
	a, b = "cloud-a", "cloud-b"
	c    = "compute-c"
)

// clock is time that moves when a test says so.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

// begin makes the world of the story, at its instant, with two days of history, which is quick.
func begin(seed uint64) (*sim.World, *clock) {
	at := &clock{story}
	return sim.NewWorld(sim.Options{Seed: seed, Start: story.Add(-2 * day), Story: story, Now: at.now}), at
}

// beginLong makes it with its whole history.
func beginLong(seed uint64) (*sim.World, *clock) {
	at := &clock{story}
	return sim.NewWorld(sim.Options{Seed: seed, Story: story, Now: at.now}), at
}

// provider is what all three clouds can do.
type provider interface {
	billing.Provider
	billing.Balancer
	billing.Charger
	billing.Merchant
	billing.Finder
	billing.Stopper
	billing.Releaser
	billing.Identifier
}

func open(tb testing.TB, w *sim.World, driver string, write bool) provider {
	tb.Helper()
	for _, d := range w.Drivers() {
		if d.Name != driver {
			continue
		}
		p, err := d.Open(billing.Config{Account: "test", Write: write}, billing.Env{})
		if err != nil {
			tb.Fatal(err)
		}
		return p.(provider)
	}
	tb.Fatalf("no driver %s", driver)
	return nil
}

// inventory lists every scope of a cloud, by name.
func inventory(tb testing.TB, p billing.Provider) map[string]billing.Resource {
	tb.Helper()
	scopes, err := p.Scopes(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	all := map[string]billing.Resource{}
	for _, s := range scopes {
		for r, err := range p.Resources(context.Background(), s) {
			if err != nil {
				tb.Fatal(err)
			}
			if r.Ref.Kind != s.Kind || r.Ref.Region != s.Region {
				tb.Errorf("%s is listed in %v", r.Name, s)
			}
			all[r.Name] = r
		}
	}
	return all
}

func charges(tb testing.TB, p billing.Charger, from, to time.Time) []billing.Charge {
	tb.Helper()
	var all []billing.Charge
	for charge, err := range p.Charges(context.Background(), billing.Period{Start: from, End: to}) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, charge)
	}
	return all
}

// total adds up the charges for which keep says yes.
func total(tb testing.TB, all []billing.Charge, keep func(billing.Charge) bool) billing.Money {
	tb.Helper()
	sum := billing.ZeroMoney(cny)
	for _, charge := range all {
		if !keep(charge) {
			continue
		}
		var err error
		if sum, err = sum.Add(charge.BilledCost); err != nil {
			tb.Fatal(err)
		}
	}
	return sum
}

func every(billing.Charge) bool { return true }

func cash(tb testing.TB, p billing.Balancer) billing.Money {
	tb.Helper()
	balance, err := p.Balance(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return balance.Cash
}

func money(s string) billing.Money { return billing.MustMoney(s, cny) }

func minus(tb testing.TB, x, y billing.Money) billing.Money {
	tb.Helper()
	d, err := x.Sub(y)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}
