package bot

import (
	"slices"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// Rate is a dated exchange rate that somebody configured: units of To for one unit of From.
type Rate struct {
	From, To     billing.Currency
	Rate         billing.Decimal
	Source, Date string
}

// ApproxData is one total over currencies. It is shown beside the totals and never in place of them.
type ApproxData struct {
	Currency billing.Currency `json:"currency"`
	Amount   string           `json:"amount"` // delivered and accrued
	Rates    []RateRow        `json:"rates"`
}

// RateRow is a rate that a total was made with.
type RateRow struct {
	From   billing.Currency `json:"from"`
	Rate   string           `json:"rate"`
	Source string           `json:"source"`
	Date   string           `json:"date"`
}

// approx adds totals of several currencies up in one. There is none where a currency has no rate, or there is but one
// currency and that is the one shown.
func approx(rates []Rate, totals []ledger.Row) *ApproxData {
	if len(rates) == 0 || len(totals) < 2 {
		return nil
	}
	to := rates[0].To
	sum := billing.ZeroMoney(to)
	data := ApproxData{Currency: to, Rates: []RateRow{}}
	for _, t := range totals {
		for _, m := range []billing.Money{t.Amount, t.Accrued} {
			if !m.Known() {
				continue
			}
			if m.Currency() != to {
				i := slices.IndexFunc(rates, func(r Rate) bool { return r.From == m.Currency() })
				if i < 0 {
					return nil
				}
				row := RateRow{From: rates[i].From, Rate: rates[i].Rate.String(), Source: rates[i].Source, Date: rates[i].Date}
				if !slices.Contains(data.Rates, row) {
					data.Rates = append(data.Rates, row)
				}
				m = inCurrency(m, rates[i])
			}
			var err error
			if sum, err = sum.Add(m); err != nil {
				return nil
			}
		}
	}
	data.Amount = sum.Amount()
	return &data
}

// inCurrency converts an amount; unknown where the product is too large.
func inCurrency(m billing.Money, r Rate) billing.Money {
	m, err := m.Mul(r.Rate)
	if err != nil {
		return billing.Money{}
	}
	m, _, err = billing.ParseMoney(m.Amount(), r.To)
	if err != nil {
		return billing.Money{}
	}
	return m
}

// approxLine says the total with each rate, its source and its day.
func approxLine(p words.Printer, a *ApproxData) notify.Block {
	var rates []string
	for _, r := range a.Rates {
		rates = append(rates, p.Text("cost.rate", "from", string(r.From), "rate", r.Rate, "source", r.Source, "date", r.Date))
	}
	sum, _, err := billing.ParseMoney(a.Amount, a.Currency)
	if err != nil {
		return notify.Block{}
	}
	return notify.Context(p.Rich("cost.approx", "sum", p.Money(sum), "rates", strings.Join(rates, "; ")))
}
