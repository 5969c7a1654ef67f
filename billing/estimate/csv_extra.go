package estimate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gpuspend/billing"
)

// partOf brings the item of a list to a part of a bill; "" for what an estimate has no part for. An idle address says
// nothing of one in use.
func partOf(item string) billing.Part {
	has := func(s string) bool { return strings.Contains(item, s) }
	switch {
	case strings.HasPrefix(item, "egress_internet"), strings.HasPrefix(item, "bandwidth_fixed"):
		return billing.PartBandwidth
	case has("throughput"), has("stopped"), has("container"), has("_vpu"), item == "disk_volume_running":
		return ""
	case strings.HasPrefix(item, "disk"):
		return billing.PartDisk
	case item == "snapshot", item == "image":
		return billing.PartSnapshot
	case has("idle"), has("unused"), has("preemptible"), has("global"):
		return ""
	case strings.HasPrefix(item, "public_ip"):
		return billing.PartIP
	}
	return ""
}

var bandUnit = regexp.MustCompile(`^disk-month\((\d+)GiB\)$`)

// perOf reads the unit of an extra; scale is what its price is divided by, and band the size of a disk.
func perOf(unit string, part billing.Part) (per Per, scale int64, band billing.Decimal, err error) {
	if m := bandUnit.FindStringSubmatch(unit); m != nil {
		return PerBand, 1, billing.MustDecimal(m[1]), nil
	}
	switch unit {
	case "GB", "GiB":
		return PerGB, 1, band, nil
	case "GB-month", "GiB-month":
		if part == billing.PartBandwidth { // tiers that begin anew each month
			return PerGB, 1, band, nil
		}
		return PerGBMonth, 1, band, nil
	case "TB-month":
		return PerGBMonth, 1024, band, nil
	case "GB-hour":
		return PerGBHour, 1, band, nil
	case "Mbps-month":
		return PerMbpsMonth, 1, band, nil
	case "Mbps-hour":
		return PerMbpsHour, 1, band, nil
	case "IOPS-month":
		return PerIOPSMonth, 1, band, nil
	case "hour":
		return PerPiece, 1, band, nil
	}
	return "", 0, band, fmt.Errorf("%q is no unit that I know", unit)
}

// extraOf reads the record of an extra: what it is, and one of its tiers.
func extraOf(rec []string) (Extra, Tier, error) {
	item, high := strings.CutSuffix(rec[2], "_high")
	e := Extra{Provider: rec[0], Region: rec[1], Part: partOf(rec[2]), Source: rec[9], From: TrustFile}
	e.Item = kindOf(item)
	var t Tier
	per, scale, band, err := perOf(rec[3], e.Part)
	if err != nil {
		return e, t, err
	}
	e.Per, e.Band = per, band
	price, err := priceOf(rec[6], rec[7])
	if err != nil {
		return e, t, err
	}
	if price.Sign() == 0 && !saysFree(rec[10]+" "+rec[9]) {
		return e, t, errors.New("nothing says that it is free")
	}
	if price, err = price.MulRatio(1, scale); err != nil {
		return e, t, err
	}
	t.Low, t.High = price, price
	if high {
		t.Low = billing.Money{}
	}
	if t.From, err = bound(rec[4], billing.DecimalFromInt(0)); err != nil {
		return e, t, err
	}
	if t.To, err = bound(rec[5], billing.Decimal{}); err != nil {
		return e, t, err
	}
	e.Slab = strings.Contains(strings.ToUpper(rec[10]), "NOT MARGINAL")
	e.Whole = e.Part == billing.PartSnapshot || e.Per == PerMbpsMonth || e.Per == PerBand
	e.MonthHours = hoursOfMonth(e.Provider)
	e.AsOf, err = asOf(rec[8])
	return e, t, err
}

// kindOf is the kind that people ask for: "gp3" of disk_gp3.
func kindOf(item string) string {
	for _, prefix := range []string{"disk_", "egress_internet", "bandwidth_fixed_", "public_ip_", "public_ipv4", "snapshot", "image"} {
		if rest, ok := strings.CutPrefix(item, prefix); ok {
			if prefix == "image" {
				return "image"
			}
			return strings.TrimPrefix(rest, "_")
		}
	}
	return ""
}

// saysFree looks for the words that make a zero a price.
func saysFree(note string) bool {
	n := strings.ToLower(note)
	return strings.Contains(n, "free") || strings.Contains(n, "no data-transfer fee")
}

func bound(s string, none billing.Decimal) (billing.Decimal, error) {
	if s == "" {
		return none, nil
	}
	d, err := billing.ParseDecimal(s)
	if err != nil || d.Sign() < 0 {
		return d, fmt.Errorf("%q is no bound of a tier", s)
	}
	return d, nil
}

// addTier joins the tiers of one extra, and the low and the high price of one tier.
func addTier(all []Extra, e Extra, t Tier) []Extra {
	for i := range all {
		x := &all[i]
		if x.Provider != e.Provider || x.Region != e.Region || x.Part != e.Part || x.Item != e.Item || x.Per != e.Per || !x.Band.Equal(e.Band) {
			continue
		}
		x.Slab = x.Slab || e.Slab
		last := &x.Tiers[len(x.Tiers)-1]
		if !t.Low.Known() && last.From.Equal(t.From) {
			last.High = t.High
			return all
		}
		x.Tiers = append(x.Tiers, t)
		return all
	}
	if !t.Low.Known() {
		t.Low = t.High
	}
	e.Tiers = []Tier{t}
	return append(all, e)
}
