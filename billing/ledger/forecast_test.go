package ledger

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"gpuspend/billing"
)

// daysOf is a bill of so much a day from a date on, all of it delivered.
func daysOf(from time.Time, sums ...string) *book {
	b := &book{covered: []Covered{{Account: 1, Name: "a", Billing: true, Through: from.AddDate(0, 0, len(sums))}}}
	for i, s := range sums {
		if s != "" {
			b.rows = append(b.rows, Row{Keys: []string{from.AddDate(0, 0, i).Format(time.DateOnly), "on_demand"}, Currency: "CNY", Billed: cny(s), Amount: cny(s)})
		}
	}
	return b
}

func forecast(t *testing.T, b *book, now time.Time) Forecast {
	t.Helper()
	all, err := MonthEnd(t.Context(), b, now, time.UTC)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0]
}

// A day that is not over is no day: the forecast rests on complete ones, and is a range where they differ.
func TestC26TodayIsNoCompleteDay(t *testing.T) {
	b := daysOf(day(1), "100", "100", "100", "100", "100", "100", "100", "34")
	f := forecast(t, b, day(8).Add(8*time.Hour))
	if f.Days != 7 || f.ToDate != cny("734") {
		t.Errorf("%+v", f)
	}
	// 22 days and 16 hours are left: 2,266.67 more
	if f.Least.Rounded(2) != "3000.67" || f.Most != f.Least {
		t.Errorf("%s to %s", f.Least, f.Most)
	}
}

// Weekends weigh what they weigh: with 100 on working days and 10 on the others, two weeks more of the same lie within the
// range, whether the forecast is made on a Friday or on a Monday.
func TestX24WeekendsAreInTheForecast(t *testing.T) {
	var sums []string
	for d := day(1); d.Before(day(31)); d = d.AddDate(0, 0, 1) {
		sums = append(sums, map[bool]string{true: "10", false: "100"}[d.Weekday() == time.Saturday || d.Weekday() == time.Sunday])
	}
	whole := cny("0")
	for _, s := range sums {
		whole, _ = whole.Add(cny(s))
	}
	for _, today := range []int{16, 20, 21, 23} {
		f := forecast(t, daysOf(day(1), sums[:today-1]...), day(today))
		low, err1 := f.Least.Cmp(whole)
		high, err2 := f.Most.Cmp(whole)
		if err1 != nil || err2 != nil || low > 0 || high < 0 || f.Days != 14 {
			t.Errorf("on the %d.: %s to %s of %d days, the month comes to %s", today, f.Least.Rounded(2), f.Most.Rounded(2), f.Days, whole.Amount())
		}
	}
}

// A hole is not a zero: the mean of 50, 52, nothing, 51 is 51.
func TestC27HoleDoesNotLowerTheForecast(t *testing.T) {
	f := forecast(t, daysOf(day(1), "50", "52", "", "51"), day(5))
	if f.Days != 3 || f.ToDate != cny("153") || f.Least.Rounded(2) != fmt.Sprintf("%.2f", 153+26*50.5) || f.Most.Rounded(2) != fmt.Sprintf("%.2f", 153+26*51.5) {
		t.Errorf("%+v", f)
	}
}

// The 1st has no complete day of its month, and none at all where nothing is older; on the last day what is left is the
// rest of today.
func TestC25FirstAndLastDayOfTheMonth(t *testing.T) {
	f := forecast(t, daysOf(day(1), "3"), day(1).Add(5*time.Minute))
	if f.Days != 0 || f.Least.Known() || f.Most.Known() || f.ToDate != cny("3") {
		t.Errorf("on the 1st: %+v", f)
	}
	f = forecast(t, daysOf(day(29), "24", "23.9"), day(30).Add(23*time.Hour+55*time.Minute))
	if f.Days != 1 || f.ToDate != cny("47.9") || f.Least.Rounded(4) != "47.9833" {
		t.Errorf("on the last: %+v", f)
	}
	for _, date := range []string{"2027-02-28", "2028-02-29", "2026-12-31", "2027-01-01"} {
		now, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		forecast(t, daysOf(now.AddDate(0, 0, -3), "1", "1", "1", "1"), now.Add(23*time.Hour+55*time.Minute))
	}
}

// What was paid ahead is in the month once, and never multiplied by its days.
func TestFixedChargesDoNotGrow(t *testing.T) {
	b := daysOf(day(1), "10", "10")
	b.rows = append(b.rows, Row{Keys: []string{"2026-11-01", string(billing.ModeMonthly)}, Currency: "CNY", Billed: cny("900"), Amount: cny("900")})
	if f := forecast(t, b, day(3)); f.Fixed != cny("900") || f.ToDate != cny("920") || f.Least != cny("1200") || f.Most != cny("1200") {
		t.Errorf("%+v", f)
	}
}

// The complete days of the month stand beside the same days of the one before, with what moved; a day that is missing on
// either side makes no saving, and the first of a month has nothing to say.
func TestChangesSetMonthsSideBySide(t *testing.T) {
	row := func(provider, gpu, sum string) Row {
		return Row{Keys: []string{provider, gpu}, Currency: "CNY", Billed: cny(sum), Amount: cny(sum)}
	}
	b := &twoMonths{now: []Row{row("RunPod", "H100", "300"), row("Alibaba Cloud", "A10", "50"), row("Vast.ai", "", "7")},
		before: []Row{row("RunPod", "H100", "100"), row("Alibaba Cloud", "A10", "80"), row("Vast.ai", "", "7")}, through: day(30)}
	got, err := Changes(t.Context(), b, day(4).Add(9*time.Hour), time.UTC)
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	c := got[0]
	if c.Days != 3 || c.Now != cny("357") || c.Before != cny("187") || len(c.Movers) != 2 || c.Movers[0].Provider != "RunPod" || c.Movers[0].By != cny("200") ||
		c.Movers[1].GPU != "A10" || c.Movers[1].By != cny("-30") {
		t.Errorf("%+v", c)
	}
	if want := []string{"2026-11-01", "2026-11-04", "2026-10-01", "2026-10-04"}; !slices.Equal(b.asked, want) {
		t.Errorf("asked for %v, want %v", b.asked, want)
	}
	if got, err := Changes(t.Context(), b, day(1).Add(time.Hour), time.UTC); err != nil || got != nil {
		t.Errorf("on the 1st: %v, %v", got, err)
	}
	b.through = day(3) // the bill of the third day is missing
	if got, err := Changes(t.Context(), b, day(4).Add(9*time.Hour), time.UTC); err != nil || got != nil {
		t.Errorf("with a day missing: %v, %v", got, err)
	}
}

// twoMonths answers for November and for the month before.
type twoMonths struct {
	now, before []Row
	through     time.Time
	asked       []string
}

func (b *twoMonths) Billed(_ context.Context, q Question) ([]Row, bool, error) {
	b.asked = append(b.asked, q.From.Format(time.DateOnly), q.To.Format(time.DateOnly))
	if q.From.Month() == time.November {
		return b.now, false, nil
	}
	return b.before, false, nil
}

func (b *twoMonths) Metered(context.Context, billing.Period) ([]Metered, error) { return nil, nil }

func (b *twoMonths) Coverage(context.Context) ([]Covered, error) {
	return []Covered{{Account: 1, Name: "a", Billing: true, Through: b.through}}, nil
}
