package ledger

import (
	"context"
	"slices"
	"time"

	"gpuspend/billing"
)

// Forecast is what a month comes to, in one currency and gross: what was used until now, what was paid ahead in it, and
// for the time left what complete days came to. Least and Most are from the cheaper and the dearer half of those days.
type Forecast struct {
	Currency billing.Currency
	ToDate   billing.Money // used until now, today as far as it goes
	Fixed    billing.Money // of ToDate: paid ahead by the month or the year, which does not grow with the days
	Least    billing.Money // unknown without a complete day
	Most     billing.Money
	Days     int // complete days that it rests on
}

// forecastDays is how many complete days a forecast looks back on: two weeks, so that weekends weigh what they weigh.
const forecastDays = 14

// MonthEnd forecasts the month of now, in its zone. Days that were neither billed nor seen whole, and today, are no
// complete days. Filters leave a part of it.
func MonthEnd(ctx context.Context, book Book, now time.Time, zone *time.Location, where ...Filter) ([]Forecast, error) {
	local := now.In(zone)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone)
	month := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, zone)
	end := month.AddDate(0, 1, 0)
	from := earlier(month, today.AddDate(0, 0, -forecastDays))
	r, err := Answer(ctx, book, Question{From: from, To: nextDay(today, zone), Zone: zone, By: []Cut{ByDay, ByMode}, View: Gross, Now: now, Where: where})
	if err != nil {
		return nil, err
	}
	if err := onlyHoles(ctx, book, &r); err != nil {
		return nil, err
	}
	var out []Forecast
	for _, t := range r.Totals {
		f, err := monthEnd(r, t.Currency, month, today, now, end)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func monthEnd(r Report, c billing.Currency, month, today, now, end time.Time) (Forecast, error) {
	f := Forecast{Currency: c, ToDate: billing.ZeroMoney(c), Fixed: billing.ZeroMoney(c)}
	perDay := map[string]billing.Money{}
	first := month.Format(time.DateOnly)
	for _, row := range r.Rows {
		if row.Currency != c {
			continue
		}
		sum, err := plus(row.Amount, row.Accrued)
		if err != nil || !sum.Known() {
			continue
		}
		fixed := PaidAhead(billing.Mode(row.Keys[1]))
		if row.Keys[0] >= first {
			if f.ToDate, err = f.ToDate.Add(sum); err != nil {
				return f, err
			}
			if fixed {
				f.Fixed, err = f.Fixed.Add(sum)
			}
		}
		if err == nil && !fixed {
			perDay[row.Keys[0]], err = plus(perDay[row.Keys[0]], sum)
		}
		if err != nil {
			return f, err
		}
	}
	var days []billing.Money
	for d := today.AddDate(0, 0, -forecastDays); d.Before(today); d = nextDay(d, today.Location()) {
		if m, ok := perDay[d.Format(time.DateOnly)]; ok && whole(r, billing.Period{Start: d, End: nextDay(d, today.Location())}) {
			days = append(days, m)
		}
	}
	if f.Days = len(days); f.Days == 0 {
		return f, nil
	}
	slices.SortFunc(days, func(x, y billing.Money) int { n, _ := x.Cmp(y); return n }) // of one currency
	half := (len(days) + 1) / 2
	var err error
	if f.Least, err = further(f.ToDate, days[:half], end.Sub(now)); err != nil {
		return f, err
	}
	f.Most, err = further(f.ToDate, days[len(days)-half:], end.Sub(now))
	return f, err
}

// onlyHoles leaves the gaps that make a day incomplete: where a cloud is watched, its late bill is none.
func onlyHoles(ctx context.Context, book Book, r *Report) error {
	covered, err := book.Coverage(ctx)
	r.Missing = slices.DeleteFunc(r.Missing, func(g Gap) bool {
		return !g.Unseen && slices.ContainsFunc(covered, func(c Covered) bool { return c.Name == g.Account && c.Polled })
	})
	return err
}

// whole says that nothing of a day is missing: its bill has come, or it was watched throughout.
func whole(r Report, day billing.Period) bool {
	return !slices.ContainsFunc(r.Missing, func(g Gap) bool { return g.From.Before(day.End) && g.To.After(day.Start) })
}

// further adds the mean of some days for the time that is left.
func further(sum billing.Money, days []billing.Money, left time.Duration) (billing.Money, error) {
	total := billing.ZeroMoney(sum.Currency())
	for _, d := range days {
		var err error
		if total, err = total.Add(d); err != nil {
			return total, err
		}
	}
	more, err := total.MulRatio(int64(left/time.Second), int64(len(days))*int64(24*time.Hour/time.Second))
	if err != nil {
		return more, err
	}
	return sum.Add(more)
}
