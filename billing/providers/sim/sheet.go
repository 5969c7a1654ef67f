//go:build !nodemo

package sim

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

// Letter is what the articles call a simulated cloud: A, B, C; the name itself for any other.
func Letter(name string) string {
	switch name {
	case nameA:
		return "A"
	case nameB:
		return "B"
	case nameC:
		return "C"
	}
	return name
}

// Rates are what the simulated clouds charge beside the machine, the same at all three: disk and address by the hour,
// snapshots by the begun month (pricing-facts TEST 3.1).
func Rates(asOf time.Time) []estimate.Extra {
	perGB := func(month string, per int64) billing.Money { return times(money(month), 1, per) }
	var all []estimate.Extra
	for _, cloud := range []string{"A", "B", "C"} {
		for _, e := range []estimate.Extra{
			{Part: billing.PartBandwidth, Per: estimate.PerGB, Tiers: flat(money(trafficPerGB))},
			{Part: billing.PartDisk, Per: estimate.PerGBMonth, Tiers: flat(perGB(diskPerTiB, 1024))},
			{Part: billing.PartSnapshot, Per: estimate.PerGBMonth, Tiers: flat(money(snapshotPerGiB)), Whole: true},
			{Part: billing.PartIP, Per: estimate.PerPiece, Tiers: flat(money(ipPerHour))},
		} {
			e.Provider, e.AsOf, e.Source, e.From = cloud, asOf, articlePrices, estimate.TrustLive
			all = append(all, e)
		}
	}
	return all
}

func flat(m billing.Money) []estimate.Tier {
	return []estimate.Tier{{From: billing.DecimalFromInt(0), Low: m, High: m}}
}

// ByCard turns what the third cloud sells by the hour into what it is: single cards of a machine.
func ByCard(r estimate.Row) estimate.Row {
	if r.Provider == "C" && r.Mode == billing.ModeOnDemand {
		r.Mode, r.ByCard = estimate.ModeCardHour, true
	}
	return r
}
