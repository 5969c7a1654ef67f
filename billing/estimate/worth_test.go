package estimate_test

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

func dec(s string) billing.Decimal { return billing.MustDecimal(s) }

func percent(d billing.Decimal, digits int) string { return d.Mul(dec("100")).Rounded(digits) }

func decimal(t *testing.T, d billing.Decimal, err error) billing.Decimal {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func Test6_1L20Against4090(t *testing.T) {
	r, err := estimate.Rank([]estimate.Setup{
		{Name: "L20x2", Hourly: cny("3.6"), Cards: dec("2"), PerSecond: dec("3200"), P99: 80 * time.Millisecond},
		{Name: "4090x4", Hourly: cny("4"), Cards: dec("4"), PerSecond: dec("3584")},
	}, dec("10000"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "winner", r.Rows[0].Name, "4090x4")
	equal(t, "4090x4", r.Rows[0].PerUnits.Rounded(6), "0.003100")
	equal(t, "L20x2", r.Rows[1].PerUnits.Rounded(6), "0.003125")
	equal(t, "saves %", percent(r.Saves, 2), "0.79")
	if !r.LatencyDiffer || r.LatencyKnown {
		t.Errorf("latency differs %v, known %v", r.LatencyDiffer, r.LatencyKnown)
	}
}

func TestMethod9PerUnitOfWork(t *testing.T) {
	r, err := estimate.Rank([]estimate.Setup{{Name: "L20x2", Hourly: cny("3.6"), PerSecond: dec("3200")}}, dec("10000"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "per 10k tokens", r.Rows[0].PerUnits.Amount(), "0.003125")
}

func TestMethod9EffectiveCost(t *testing.T) {
	for total, want := range map[string]string{"4601.40": "19.17", "26932.90": "112.22"} {
		m, err := cny(total).Div(dec("240"))
		money(t, "per useful GPU-hour", m, err, want)
	}
}

func TestSetupsAreRankedByWorkNotByHour(t *testing.T) {
	r, err := estimate.Rank([]estimate.Setup{
		{Name: "cheap hours", Hourly: cny("10"), Cards: dec("1"), PerSecond: dec("1")},
		{Name: "cheap work", Hourly: cny("30"), Cards: dec("2"), PerSecond: dec("6"), Useful: dec("0.75")},
	}, dec("3600"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "first", r.Rows[0].Name+" "+r.Rows[0].PerUnits.Rounded(2)+" "+r.Rows[0].PerGPUHour.Rounded(2), "cheap work 6.67 20.00")
	equal(t, "second is dearer by %", percent(r.Rows[1].Dearer, 0), "50")
	if _, err := estimate.Rank([]estimate.Setup{{Hourly: cny("1"), PerSecond: dec("1")},
		{Hourly: billing.MustMoney("1", "USD"), PerSecond: dec("1")}}, dec("1")); err == nil {
		t.Error("two currencies are ranked")
	}
}

func Test6_2InfiniBandAgainstRoCE(t *testing.T) {
	ib := estimate.Upgrade{Premium: dec("0.35"), Cut: dec("0.068")}
	equal(t, "IB 6.8 % shorter", ib.CostRatio().Rounded(4), "1.2582")
	cut, err := estimate.CutOfSlower(dec("0.068"))
	equal(t, "RoCE 6.8 % longer", estimate.Upgrade{Premium: dec("0.35"), Cut: decimal(t, cut, err)}.CostRatio().Rounded(4), "1.2640")
	needs, err := ib.Needs()
	equal(t, "pays from %", percent(decimal(t, needs, err), 2), "25.93")
	for _, c := range []struct {
		communication string
		moe           bool
		cut           string
		want          estimate.Link
	}{
		{"", false, "0.068", estimate.LinkCheap},
		{"", true, "0.068", estimate.LinkMeasure},
		{"0.20", true, "0.068", estimate.LinkCheap}, // no network saves more than there is
		{"0.40", true, "0.30", estimate.LinkFast},
	} {
		var share billing.Decimal
		if c.communication != "" {
			share = dec(c.communication)
		}
		got, err := estimate.Upgrade{Premium: dec("0.35"), Cut: dec(c.cut)}.Network(share, c.moe)
		if err != nil || got != c.want {
			t.Errorf("communication %q, moe %v, cut %s: %q, %v", c.communication, c.moe, c.cut, got, err)
		}
	}
}

func Test6_2TensorTimesPipelineNeeds32(t *testing.T) {
	if n := estimate.CardsNeeded(4, 8, 0); n != 32 {
		t.Errorf("TP4 x PP8 needs %d", n)
	}
}

// Section 6.3: loading 7 min -> 45 s at 8 % more, where loading is 15 to 20 % of the time.
func TestSection6_3DataAccelerator(t *testing.T) {
	speedup, err := dec("420").Div(dec("45"), 18)
	equal(t, "speedup", decimal(t, speedup, err).Rounded(2), "9.33")
	for share, want := range map[string]string{"0.15": "0.9354", "0.20": "0.8871"} {
		cut, err := estimate.CutOfShare(dec(share), speedup)
		u := estimate.Upgrade{Premium: dec("0.08"), Cut: decimal(t, cut, err)}
		equal(t, "cost at "+share, u.CostRatio().Rounded(4), want)
	}
	needs, err := estimate.Upgrade{Premium: dec("0.08")}.Needs()
	equal(t, "pays from a cut of %", percent(decimal(t, needs, err), 2), "7.41")
}

func Test6_4Utilisation(t *testing.T) {
	b, err := estimate.AtUtilisation(dec("28"), dec("0.70"), dec("0.95"), cny("16"))
	money(t, "saves", b.Saves, err, "117.89")
	equal(t, "hours", b.Hours.Rounded(2), "20.63")
	share, err := dec("0.70").Div(dec("0.95"), 18)
	equal(t, "of the time %", percent(decimal(t, share, err), 2), "73.68")
}

// Section 2.2: four of C's eight cards for 28 h.
func TestSection2_2FourCardsAgainstEight(t *testing.T) {
	four, err := cny("16").Mul(dec("28"))
	money(t, "4 cards", four, err, "448.00")
	eight, err := cny("32").Mul(dec("28"))
	money(t, "8 cards", eight, err, "896.00")
	s, err := estimate.Scaling(estimate.Setup{Cards: dec("4"), PerSecond: dec("10")}, estimate.Setup{Cards: dec("8"), PerSecond: dec("18")})
	equal(t, "left per card", decimal(t, s, err).String(), "0.9")
}

func Test3_4TransferTime(t *testing.T) {
	for _, c := range []struct {
		gb                    string
		line                  estimate.Line
		seconds, hours, waits string
	}{
		{"10", estimate.Line{Mbps: dec("5")}, "16000", "4.44", "3911.11"},
		{"80", estimate.MegabytesPerSecond(dec("5")), "16000", "4.44", "3911.11"},
		{"80", estimate.MegabytesPerSecond(dec("100")), "800", "0.22", "195.56"},
	} {
		s, err := c.line.Seconds(dec(c.gb))
		equal(t, "seconds", decimal(t, s, err).String(), c.seconds)
		h, err := s.Div(dec("3600"), 18)
		equal(t, "hours", decimal(t, h, err).Rounded(2), c.hours)
		waits, err := c.line.Waiting(dec(c.gb), cny("880"))
		money(t, "waiting", waits, err, c.waits)
	}
	minutes, err := dec("800").Div(dec("60"), 18)
	equal(t, "minutes", decimal(t, minutes, err).Rounded(2), "13.33")
}
