//go:build !nodemo

package sim

import (
	"time"

	"gpuspend/billing"
)

const (
	cny           = billing.Currency("CNY")
	articlePrices = "demo book, article prices"
	ownPrices     = "demo book, own figures" // for rows that the articles lack
)

// Cards of the demo book.
const (
	a100 = "A100-80G"
	a10  = "A10"
	npu  = "ASCEND-910B" // the cloud calls it NPU-910B
)

// Prices that stand for all three clouds.
const (
	diskPerTiB     = "300"  // a month; 1 TB is 1,024 GiB here
	snapshotPerGiB = "0.12" // a month
	ipPerHour      = "0.2"
	trafficPerGB   = "5"
	cpuMachine     = "1.2" // a machine without cards, per hour
)

// row is one line of a cloud's price list, for all its cards.
type row struct {
	typ       string
	gpu       string
	cards     int64
	mode      billing.Mode
	low, high string
	unit      string
	stock     string
	source    string
}

func rowsOfA() []row {
	return []row{
		{"a.gn8.8xa100", a100, 8, billing.ModeOnDemand, "880", "880", "hour", "MEDIUM", articlePrices},
		{"a.gn8.8xa100", a100, 8, billing.ModeSpot, "96", "144", "hour", "HIGH", articlePrices},
		{"a.gn8.8xa100", a100, 8, billing.ModeMonthly, "80000", "90000", "month", "MEDIUM", articlePrices},
		{"a.gn6.1xa10", a10, 1, billing.ModeOnDemand, "9.5", "9.5", "hour", "HIGH", ownPrices},
	}
}

func rowsOfB() []row {
	return []row{
		{"b.p8.8xa100", a100, 8, billing.ModeOnDemand, "840", "840", "hour", "LOW", articlePrices},
		{"b.p8.8xa100", a100, 8, billing.ModeSpot, "120", "160", "hour", "LOW", articlePrices},
		{"b.p8.8xa100", a100, 8, billing.ModeMonthly, "75000", "85000", "month", "MEDIUM", articlePrices},
		{"b.n1.1xnpu910b", npu, 1, billing.ModeOnDemand, "28", "28", "hour", "HIGH", ownPrices},
	}
}

func rowsOfC() []row {
	return []row{
		{"c.1xa100", a100, 1, billing.ModeOnDemand, "3", "4", "hour", "MEDIUM", articlePrices},
		{"c.8xa100", a100, 8, billing.ModeOnDemand, "24", "32", "hour", "LOW", articlePrices},
		{"c.8xa100", a100, 8, billing.ModeMonthly, "50000", "60000", "month", "LOW", articlePrices},
	}
}

// offer is a row as people may buy it. Its prices leave out everything but the machine.
func (r row) offer(region string) billing.Offer {
	o := billing.Offer{
		Region: region, Type: r.typ, GPU: gpuOf(r.gpu, r.cards), Mode: r.mode,
		Low: money(r.low), High: money(r.high), Unit: r.unit, Stock: r.stock, Source: r.source,
		Excludes: []billing.Part{billing.PartBandwidth, billing.PartDisk, billing.PartSnapshot, billing.PartIP},
	}
	if r.mode == billing.ModeSpot {
		o.InterruptedIn = meanReclaim
	}
	return o
}

// hourly is the price of a machine per hour: the row's own, or the low one per card of another row of that card.
func (c *cloud) hourly(m Machine) billing.Money {
	switch {
	case m.Hourly.Known():
		return m.Hourly
	case m.GPU == "":
		return money(cpuMachine)
	case m.Mode == billing.ModeMonthly:
		return times(money(monthlyPlan), 1, billing.MonthHours)
	}
	var perCard billing.Money
	for _, r := range c.rows {
		if r.gpu != m.GPU || r.mode != m.Mode {
			continue
		}
		if r.cards == m.Cards {
			return money(r.low)
		}
		perCard = times(money(r.low), 1, r.cards)
	}
	if !perCard.Known() {
		return billing.Money{}
	}
	return times(perCard, m.Cards, 1)
}

// typeOf is the cloud's own name of the kind of machine.
func (c *cloud) typeOf(m Machine) string {
	for _, r := range c.rows {
		if r.gpu == m.GPU && r.cards == m.Cards {
			return r.typ
		}
	}
	if m.GPU == "" {
		return c.prefix + ".cpu"
	}
	return c.prefix + ".part"
}

func gpuOf(model string, cards int64) billing.GPU {
	if model == "" {
		return billing.GPU{}
	}
	return billing.GPU{Model: model, Count: billing.DecimalFromInt(cards)}
}

func diskRate(gib int64) billing.Money {
	return times(money(diskPerTiB), gib, 1024*billing.MonthHours)
}

func snapshotRate(gib int64) billing.Money {
	return times(money(snapshotPerGiB), gib, billing.MonthHours)
}

func money(s string) billing.Money { return billing.MustMoney(s, cny) }

// times, sum and negative panic where amounts leave nine thousand million, which no demo does.
func times(m billing.Money, num, den int64) billing.Money { return must(m.MulRatio(num, den)) }

func sum(a, b billing.Money) billing.Money { return must(a.Add(b)) }

func negative(m billing.Money) billing.Money { return must(m.Neg()) }

func must(m billing.Money, err error) billing.Money {
	if err != nil {
		panic(err)
	}
	return m
}

// over is what a rate per hour comes to.
func over(rate billing.Money, d time.Duration) billing.Money {
	if d == time.Hour {
		return rate
	}
	return times(rate, int64(d), int64(time.Hour))
}
