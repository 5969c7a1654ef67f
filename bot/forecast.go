package bot

import (
	"context"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// ForecastData answers forecast: gross, one row a currency. Least and Most are null without a complete day.
type ForecastData struct {
	Month string        `json:"month"`
	Rows  []ForecastRow `json:"rows"`
	// Changes set the complete days of the month beside the same days of the month before; empty where a day is missing.
	Changes []ChangeRow `json:"changes"`
}

// ChangeRow is the change in one currency, gross. Percent is null where there was nothing before.
type ChangeRow struct {
	Currency billing.Currency `json:"currency"`
	Days     int              `json:"days"`
	Now      *string          `json:"now"`
	Before   *string          `json:"before"`
	Percent  *string          `json:"percent"`
	Movers   []MoverRow       `json:"movers"`
}

// MoverRow is what changed most, a cloud's spend on one card; gpu is "" for what has none.
type MoverRow struct {
	Provider string  `json:"provider"`
	GPU      string  `json:"gpu"`
	Now      *string `json:"now"`
	Before   *string `json:"before"`
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

// changePercent is a change in whole percent, rounded away from zero at the half; "" where there was nothing before.
func changePercent(now, before billing.Money) string {
	by, err := now.Sub(before)
	if err != nil || before.Sign() <= 0 {
		return ""
	}
	x, y := billing.MustDecimal(by.Amount()), billing.MustDecimal(before.Amount())
	d, err := x.Mul(billing.DecimalFromInt(100)).Div(y, 4)
	if err != nil {
		return ""
	}
	return d.Rounded(0)
}

func changeRows(all []ledger.Change) []ChangeRow {
	rows := []ChangeRow{}
	for _, c := range all {
		row := ChangeRow{Currency: c.Currency, Days: c.Days, Now: amount(c.Now), Before: amount(c.Before), Movers: []MoverRow{}}
		if p := changePercent(c.Now, c.Before); p != "" {
			row.Percent = &p
		}
		for _, m := range c.Movers {
			row.Movers = append(row.Movers, MoverRow{m.Provider, m.GPU, amount(m.Now), amount(m.Before)})
		}
		rows = append(rows, row)
	}
	return rows
}

// changeLine says the change and who moved it.
func changeLine(p words.Printer, c ledger.Change) notify.Rich {
	var movers []string
	for _, m := range c.Movers {
		sign := "+"
		if m.By.Sign() < 0 {
			sign = "" // the amount has its own
		}
		movers = append(movers, strings.TrimSpace(m.Provider+" "+m.GPU)+" "+sign+p.Money(m.By))
	}
	key := "forecast.change"
	if len(movers) == 0 {
		key = "forecast.same"
	}
	by := changePercent(c.Now, c.Before)
	switch {
	case by == "":
		by = p.Text("forecast.new")
	case !strings.HasPrefix(by, "-"):
		by = "+" + by + " %"
	default:
		by += " %"
	}
	return p.Rich(key, "count", c.Days, "now", p.Money(c.Now), "before", p.Money(c.Before), "by", by, "movers", strings.Join(movers, " · "))
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
	changes, err := ledger.Changes(ctx, d.Book, r.Now, r.Zone)
	if err != nil {
		return Answer{}, err
	}
	data.Changes = changeRows(changes)
	for _, c := range changes {
		lines = append(lines, changeLine(p, c))
	}
	m := headed(p.Text("forecast.title", "date", last))
	if len(lines) == 0 {
		lines = append(lines, p.Rich("bot.cost.nothing"))
	}
	m.Blocks = append(m.Blocks, notify.Section(notify.Join("\n", lines...)))
	return Answer{Data: data, Message: m, Warnings: []string{}}, nil
}
