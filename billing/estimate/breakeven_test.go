package estimate_test

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

func against(t *testing.T, prepaid, hourly, used string) estimate.BreakEven {
	t.Helper()
	var d billing.Decimal
	if used != "" {
		d = billing.MustDecimal(used)
	}
	b, err := estimate.Prepaid{Price: cny(prepaid), Mode: "monthly"}.Against(cny(hourly), d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func Test1_5MonthlyAgainstTheRuleOfThumb(t *testing.T) {
	r, err := estimate.MonthlyRatio(cny("80000"), cny("90000"), cny("880"), 720)
	if err != nil {
		t.Fatal(err)
	}
	hundred := billing.DecimalFromInt(100)
	equal(t, "ratio", r.Low.Mul(hundred).Rounded(2)+"-"+r.High.Mul(hundred).Rounded(2), "12.63-14.20")
	if !r.Outside {
		t.Error("12.63 % passes for 30 to 50 %")
	}
	if r, _ := estimate.MonthlyRatio(cny("42000"), cny("42000"), cny("145.83"), 720); r.Outside {
		t.Error("40 % is outside")
	}
}

func Test1_6CMonthlyNeverPays(t *testing.T) {
	low, high := against(t, "50000", "32", "700"), against(t, "60000", "24", "700")
	equal(t, "break-even", low.Hours.Rounded(2)+" "+high.Hours.Rounded(2), "1562.50 2500.00")
	equal(t, "verdict", string(low.Verdict+" "+high.Verdict), "never never")
}

func Test2_3BreakEven(t *testing.T) {
	for _, c := range [][3]string{{"80000", "880", "90.91"}, {"90000", "880", "102.27"}, {"75000", "840", "89.29"}, {"85000", "840", "101.19"}} {
		equal(t, c[0]+"/"+c[1], against(t, c[0], c[1], "").Hours.Rounded(2), c[2])
	}
}

func Test2_4VerdictForHours(t *testing.T) {
	b := against(t, "42000", "145.83", "250")
	equal(t, "break-even", b.Hours.Rounded(2), "288.01")
	equal(t, "at 250 h", string(b.Verdict)+" "+b.Hourly.Rounded(2), "hourly 36457.50")
	b = against(t, "42000", "145.83", "300")
	equal(t, "at 300 h", string(b.Verdict)+" "+b.Hourly.Rounded(2), "monthly 43749.00")
	equal(t, "hours unknown", string(against(t, "42000", "145.83", "").Verdict), "unknown")
}

func TestMethod5BreakEven(t *testing.T) {
	b := against(t, "42000", "145.83", "")
	equal(t, "hours", b.Hours.Rounded(2), "288.01")
	equal(t, "share of 720", b.Share.Mul(billing.DecimalFromInt(100)).Rounded(1), "40.0")
	equal(t, "reference A", against(t, "80000", "880", "").Hours.Rounded(2), "90.91")
	spot, err := estimate.SpotHourly(cny("120"), example())
	if err != nil {
		t.Fatal(err)
	}
	b, err = estimate.Prepaid{Price: cny("80000")}.Against(spot, billing.Decimal{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "with spot as the alternative", b.Hours.Rounded(2), "590.25")
	equal(t, "factor", shown(example().Factor(), 6), "1.129471")
}

func TestMethod5WholeMonths(t *testing.T) {
	const day = 24 * time.Hour
	p := estimate.Prepaid{Price: cny("80000"), Mode: "monthly"}
	cash, err := p.Cash(45 * day)
	money(t, "45 days", cash, err, "160000.00")
	for d, want := range map[time.Duration]int{0: 0, time.Hour: 1, 30 * day: 1, 30*day + 1: 2, 90 * day: 3} {
		if got := estimate.WholeMonths(d); got != want {
			t.Errorf("%v are %d months, want %d", d, got, want)
		}
	}
}

func TestRenewalsRefundsAndLongTerms(t *testing.T) {
	const day = 24 * time.Hour
	p := estimate.Prepaid{Price: cny("60000"), Mode: "monthly", Renewal: cny("80000")}
	cash, err := p.Cash(90 * day)
	money(t, "first price once, renewals after", cash, err, "220000.00")
	back, err := p.Refund(10 * day)
	if err != nil || back.Known() {
		t.Errorf("refund without a known fee: %s, %v", back, err)
	}
	year := estimate.Prepaid{Price: cny("600000"), Mode: "yearly", RefundFee: billing.MustDecimal("0.1")}
	cash, err = year.Cash(45 * day)
	money(t, "a year for 45 days", cash, err, "600000.00")
	back, err = year.Refund(45 * day)
	money(t, "ten months come back less a tenth", back, err, "450000.00")
	b, err := year.Against(cny("880"), billing.MustDecimal("100"))
	money(t, "a month of the year", b.Prepaid, err, "50000.00")
	equal(t, "verdict", string(b.Verdict), "yearly")
}

func TestWeeksAndQuarters(t *testing.T) {
	week := estimate.Prepaid{Mode: "weekly", Price: cny("7000"), RefundFee: billing.MustDecimal("0")}
	m, err := week.Monthly()
	money(t, "a week for a month", m, err, "30000.00")
	m, err = week.Cash(15 * 24 * time.Hour)
	money(t, "15 days are three weeks", m, err, "21000.00")
	quarter := estimate.Prepaid{Mode: "quarterly", Price: cny("210000"), RefundFee: billing.MustDecimal("0.2")}
	m, err = quarter.Refund(40 * 24 * time.Hour)
	money(t, "one of three months comes back", m, err, "56000.00")
}

// Never hangs on the cloud's own month: 730 hours at one, 672 at another.
func TestMonthLengths(t *testing.T) {
	for hours, want := range map[int]estimate.Verdict{730: estimate.VerdictUnknown, 720: estimate.VerdictNever, 672: estimate.VerdictNever} {
		b, err := estimate.Prepaid{Price: cny("725"), MonthHours: hours}.Against(cny("1"), billing.Decimal{})
		if err != nil || b.Verdict != want {
			t.Errorf("a month of %d hours: %s, %v", hours, b.Verdict, err)
		}
	}
	b, err := estimate.Prepaid{Price: cny("16074.24"), MonthHours: 672}.Against(cny("23.92"), billing.Decimal{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Vultr", b.Hours.String()+" "+b.Share.String(), "672 1")
}

func TestBreakEvenNeverMixesCurrenciesNorDividesByNothing(t *testing.T) {
	p := estimate.Prepaid{Price: cny("80000")}
	for _, hourly := range []billing.Money{{}, billing.ZeroMoney("CNY"), billing.MustMoney("880", "USD")} {
		if b, err := p.Against(hourly, billing.Decimal{}); err == nil {
			t.Errorf("against %s: %+v", hourly, b)
		}
	}
}

func Test5_2LockPremium(t *testing.T) {
	useful := billing.MustDecimal("336")
	lock := estimate.Lock{Premium: billing.MustDecimal("0.15"), Effective: billing.MustDecimal("0.97")}
	cost, err := lock.Cost(cny("1.00"), useful)
	money(t, "lock", cost, err, "398.35")
	per := func(total billing.Money) string {
		d, err := estimate.PerCost(useful, total)
		if err != nil {
			t.Fatal(err)
		}
		return d.Rounded(4)
	}
	equal(t, "lock, hours for money", per(cost), "0.8435")
	base := cny("100.8")
	for share, want := range map[string]string{"0.35": "2.1667", "0.22": "2.6000"} {
		total, err := estimate.RetryTotal(base, billing.MustDecimal(share))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "spot, hours for money at "+share, per(total), want)
	}
}

// The check under section 5 of the facts: a retry share that is lost time, too.
func TestSection5CostAndFinish(t *testing.T) {
	for effective, want := range map[string][2]string{"0.78": {"430.77", "17.95"}, "0.65": {"516.92", "21.54"}, "0.97": {"346.39", "14.43"}} {
		h, err := estimate.Wall(billing.MustDecimal("336"), billing.MustDecimal(effective))
		if err != nil {
			t.Fatal(err)
		}
		days, err := h.Div(billing.DecimalFromInt(24), 18)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "effective "+effective, h.Rounded(2)+" "+days.Rounded(2), want[0]+" "+want[1])
	}
}

func TestMethod9Goodput(t *testing.T) {
	h, err := estimate.Wall(billing.MustDecimal("30"), billing.MustDecimal("0.97"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "wall", h.Rounded(2), "30.93")
}
