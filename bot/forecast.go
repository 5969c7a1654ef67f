package bot

import (
	"context"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// ForecastData answers forecast: gross, one row a currency. Least and Most are null without a complete day.
type ForecastData struct {
	Month string        `json:"month"`
	Rows  []ForecastRow `json:"rows"`
}

// ForecastRow is what the month comes to in one currency. Fixed is the part of ToDate that was paid ahead.
type ForecastRow struct {
	Currency     billing.Currency `json:"currency"`
	ToDate       *string          `json:"to_date"`
	Fixed        *string          `json:"fixed"`
	Least        *string          `json:"least"`
	Most         *string          `json:"most"`
	CompleteDays int              `json:"complete_days"`
}

// forecast says what the month comes to.
func forecast(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) > 0 {
		return Answer{}, unclear(r.Print, "bot.words.none", "forecast", "word", strings.Join(r.Words, " "), "command", "forecast")
	}
	all, err := ledger.MonthEnd(ctx, d.Book, r.Now, r.Zone)
	if err != nil {
		return Answer{}, err
	}
	p, local := r.Print, r.Now.In(r.Zone)
	last := p.Date(time.Date(local.Year(), local.Month()+1, 0, 12, 0, 0, 0, r.Zone))
	data := ForecastData{Month: local.Format("2006-01"), Rows: []ForecastRow{}}
	var lines []notify.Rich
	for _, f := range all {
		data.Rows = append(data.Rows, ForecastRow{Currency: f.Currency, ToDate: amount(f.ToDate), Fixed: amount(f.Fixed), Least: amount(f.Least),
			Most: amount(f.Most), CompleteDays: f.Days})
		key := "forecast.line"
		if f.Days == 0 {
			key = "forecast.no_day"
		}
		lines = append(lines, p.Rich(key, "todate", p.Money(f.ToDate), "least", p.Money(f.Least), "most", p.Money(f.Most), "count", f.Days))
		if f.Fixed.Sign() != 0 {
			lines = append(lines, p.Rich("forecast.fixed", "fixed", p.Money(f.Fixed)))
		}
	}
	m := headed(p.Text("forecast.title", "date", last))
	if len(lines) == 0 {
		lines = append(lines, p.Rich("bot.cost.nothing"))
	}
	m.Blocks = append(m.Blocks, notify.Section(notify.Join("\n", lines...)))
	return Answer{Data: data, Message: m, Warnings: []string{}}, nil
}
