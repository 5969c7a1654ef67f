//go:build !nodemo

package sim_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
)

// snapshot is everything a world shows at an instant.
type snapshot struct {
	Inventory map[string]map[string]billing.Resource
	Charges   map[string][]billing.Charge
	Cash      map[string]billing.Money
	Deeds     []sim.Deed
}

func show(tb testing.TB, w *sim.World) snapshot {
	tb.Helper()
	s := snapshot{map[string]map[string]billing.Resource{}, map[string][]billing.Charge{}, map[string]billing.Money{}, w.Deeds()}
	for _, cloud := range []string{a, b, c} {
		p := open(tb, w, cloud, false)
		s.Inventory[cloud], s.Cash[cloud] = inventory(tb, p), cash(tb, p)
		s.Charges[cloud] = charges(tb, p, story.Add(-day), story.Add(30*day))
	}
	return s
}

// differ compares charges as a whole first: cmp is slow on thousands of them.
func differ(x, y snapshot) string {
	for cloud := range x.Charges {
		if slices.Equal(x.Charges[cloud], y.Charges[cloud]) {
			delete(x.Charges, cloud)
			delete(y.Charges, cloud)
		}
	}
	return cmp.Diff(x, y, cmp.AllowUnexported(billing.Money{}, billing.Decimal{}))
}

// deed is something a person does to the clouds at an instant.
type deed struct {
	after time.Duration
	what  int
}

func (d deed) do(tb testing.TB, w *sim.World) {
	ctx := context.Background()
	switch d.what {
	case 0:
		w.TopUp(c, money("200"))
	case 1:
		w.Launch(a, sim.Machine{Name: "sweep", GPU: "A100-80G", Cards: 8, Mode: billing.ModeSpot})
	case 2:
		_, _ = open(tb, w, a, true).Release(ctx, billing.Act{Ref: w.Ref(a, "infer-a10-2"), Token: "t-2"})
	case 3:
		_, _ = open(tb, w, c, true).Stop(ctx, billing.Act{Ref: w.Ref(c, "notebook-3"), Token: "t-3"})
	case 4:
		w.CreateDisk(b, "extra", 100, "bo")
	}
}

// TestCadenceDoesNotMatter holds that a world is the same however often it is asked: one world is looked at on the way
// at random instants, the other only when something is done to it.
func TestCadenceDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		often, oftenClock := begin(seed)
		seldom, seldomClock := begin(seed)
		for range rapid.IntRange(0, 5).Draw(rt, "deeds") {
			d := deed{time.Duration(rapid.IntRange(0, 30*3600).Draw(rt, "seconds")) * time.Second, rapid.IntRange(0, 4).Draw(rt, "what")}
			for range rapid.IntRange(0, 3).Draw(rt, "looks") {
				oftenClock.at = seldomClock.at.Add(time.Duration(rapid.Int64Range(0, int64(d.after)).Draw(rt, "look")))
				cash(t, open(t, often, c, false))
			}
			seldomClock.pass(d.after)
			oftenClock.at = seldomClock.at
			d.do(t, often)
			d.do(t, seldom)
		}
		seldomClock.pass(3 * day)
		for oftenClock.at.Before(seldomClock.at) {
			oftenClock.pass(7 * time.Hour)
			cash(t, open(t, often, a, false))
		}
		oftenClock.at = seldomClock.at.Add(5 * time.Hour)
		seldomClock.at = oftenClock.at
		if diff := differ(show(t, seldom), show(t, often)); diff != "" {
			rt.Fatalf("seldom asked (-), often asked (+):\n%s", diff)
		}
	})
}

func TestSeedsDiffer(t *testing.T) {
	spot := func(seed uint64) billing.Money {
		w, _ := beginLong(seed)
		return total(t, charges(t, open(t, w, a, false), story.Add(-20*day), story), func(l billing.Charge) bool {
			return l.Part == billing.PartBandwidth
		})
	}
	if spot(1) == spot(2) {
		t.Error("two seeds give the same traffic")
	}
	if first, second := spot(5), spot(5); first != second {
		t.Error("one seed gives two worlds")
	}
}

// TestClockGoingBack holds that an earlier instant is answered as of the latest.
func TestClockGoingBack(t *testing.T) {
	w, at := begin(1)
	at.pass(2 * day)
	later := show(t, w)
	at.pass(-5 * day)
	if diff := differ(later, show(t, w)); diff != "" {
		t.Errorf("-later +back:\n%s", diff)
	}
}

func TestConcurrentUse(t *testing.T) {
	w := sim.NewWorld(sim.Options{Story: story})
	var group sync.WaitGroup
	for _, cloud := range []string{a, b, c} {
		for i := range 4 {
			p := open(t, w, cloud, i == 0)
			group.Go(func() {
				inventory(t, p)
				charges(t, p, story.Add(-10*day), story)
				w.TopUp(cloud, money("1"))
				_, _ = p.Release(context.Background(), billing.Act{Ref: w.Ref(a, "scratch-uf6"), Token: "one"})
			})
		}
	}
	group.Wait()
	if n := len(w.Deletes()); n != 1 {
		t.Errorf("%d deletes", n)
	}
}

// TestFastEnough polls everything of 40 days 150 times: the demo does so before it shows its page.
func TestFastEnough(t *testing.T) {
	began := time.Now()
	at := &clock{story.Add(-40 * day)}
	w := sim.NewWorld(sim.Options{Story: story, Now: at.now})
	n := 0
	for i := range 150 {
		at.at = story.Add(-40*day + time.Duration(i+1)*40*day/150)
		for _, cloud := range []string{a, b, c} {
			p := open(t, w, cloud, false)
			inventory(t, p)
			for range p.Charges(context.Background(), billing.Period{Start: story.Add(-40 * day), End: at.at}) {
				n++
			}
		}
	}
	took := time.Since(began)
	t.Logf("%d charges read in %v", n, took)
	if took > 10*time.Second { // a race detector on a busy machine; without it this is well under a second
		t.Errorf("it took %v", took)
	}
}
