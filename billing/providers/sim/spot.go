//go:build !nodemo

package sim

import (
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"time"

	"gpuspend/billing"
)

// meanReclaim is how long a spot machine lives on average: 0.1 interruptions an hour.
const meanReclaim = 10 * time.Hour

// terminatedShown is how long a reclaimed machine is still listed.
const terminatedShown = 10 * time.Minute

// draw is a number that hangs on the seed and on what it is drawn for, and on nothing else: not on what was drawn before.
func draw(seed uint64, what ...string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, strconv.FormatUint(seed, 16))
	for _, s := range what {
		_, _ = io.WriteString(h, "\x00"+s)
	}
	x := h.Sum64() // FNV's high bits are poor for short texts; this mixes them (splitmix64)
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func drawAt(seed uint64, what, id string, at time.Time) uint64 {
	return draw(seed, what, id, strconv.FormatInt(at.Unix(), 10))
}

// A spotPrice walks between two prices in steps of half a unit, once an hour.
type spotPrice struct{ low, high, halves int64 }

func newSpotPrice(c *cloud, low, high int64) spotPrice {
	span := 2*(high-low) + 1
	return spotPrice{low, high, 2*low + int64(draw(c.w.seed, "spot opening", c.name)%uint64(span))}
}

func (s spotPrice) now() billing.Money { return times(money("1"), s.halves, 2) }

func (c *cloud) moveSpot(now time.Time) {
	if c.spot.high == 0 {
		return
	}
	next := c.spot.halves + int64(drawAt(c.w.seed, "spot", c.name, now)%9) - 4
	c.spot.halves = min(max(next, 2*c.spot.low), 2*c.spot.high)
	for _, t := range c.machines() {
		if t.r.Mode != billing.ModeSpot {
			continue
		}
		t.main.rate = c.spot.now()
		if t.main.on {
			t.show(billing.RateVendor)
		}
	}
}

// awaitReclaim draws when the cloud takes a spot machine back: some ten hours after the given instant, never above 60.
func (c *cloud) awaitReclaim(t *thing, from time.Time) {
	u := (float64(drawAt(c.w.seed, "reclaim", t.r.Ref.ID, from)>>11) + 0.5) / (1 << 53)
	wait := time.Duration(-math.Log(u) * float64(meanReclaim)).Round(time.Second)
	c.w.schedule(from.Add(min(max(wait, 10*time.Minute), 60*time.Hour)), func() { c.reclaim(t) })
}

func (c *cloud) reclaim(t *thing) {
	if t.gone || t.r.State == billing.StateTerminated {
		return
	}
	t.count(c.w.at)
	t.main.on, t.system.on = false, false
	c.turn(t, billing.StateTerminated)
	t.r.StoppedRate = billing.Rate{Hourly: billing.ZeroMoney(cny), Source: billing.RateVendor}
	t.show(billing.RateVendor)
	c.detach(t)
	c.w.schedule(c.w.at.Add(terminatedShown), func() { c.remove(t) })
}
