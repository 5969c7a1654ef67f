package main

import (
	"context"
	"fmt"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/bot"
	"gpuspend/storage"
)

// PriceWorld is what the demo has in place of the world's prices: its clouds' short names, their rows as people know
// them, what they charge beside the machine, and no list of real clouds.
type PriceWorld struct {
	Name   func(driver string) string
	Row    func(estimate.Row) estimate.Row
	Extras func(asOf time.Time) []estimate.Extra
	Titles map[string]string
}

// priceBook joins what there is to go by, in the order of trust: negotiated prices, offers that the clouds made when
// last read, imported lists, and the short list built in.
func priceBook(db *storage.DB, in installation, c Config) func(context.Context) (bot.Prices, error) {
	return func(ctx context.Context) (bot.Prices, error) {
		p := bot.Prices{Currency: c.Currency, Rates: map[billing.Currency]billing.Decimal{}, Names: map[string]string{}}
		for code, r := range c.Rates {
			p.Rates[billing.Currency(code)] = r.Rate
		}
		sheets := []estimate.Sheet{{Deals: c.deals()}}
		live, err := liveSheet(ctx, db, in, &p)
		if err != nil {
			return p, err
		}
		sheets = append(sheets, live)
		lists, err := db.Prices(ctx)
		if err != nil {
			return p, err
		}
		for _, l := range lists {
			sheets = append(sheets, l.Sheet())
		}
		if in.prices == nil {
			sheets = append(sheets, estimate.Builtin())
		} else {
			p.Names = in.prices.Titles
		}
		p.Book = estimate.NewBook(sheets...)
		return p, nil
	}
}

// liveSheet are the offers of the accounts, each cloud once, as of their last complete reading.
func liveSheet(ctx context.Context, db *storage.DB, in installation, p *bot.Prices) (estimate.Sheet, error) {
	var s estimate.Sheet
	accounts, err := db.Accounts(ctx)
	if err != nil {
		return s, err
	}
	var newest time.Time
	for _, a := range in.arranged(accounts) {
		if p.Currency == "" {
			p.Currency = a.Currency
		}
		offers, err := db.Offers(ctx, a.ID)
		if err != nil || len(offers) == 0 {
			if err != nil {
				return s, err
			}
			continue
		}
		readings, err := db.Readings(ctx, a.ID)
		if err != nil {
			return s, err
		}
		asOf := offersRead(readings)
		if asOf.After(newest) {
			newest = asOf
		}
		for _, o := range offers {
			s.Rows = append(s.Rows, in.row(a.Driver, o, asOf))
		}
	}
	if in.prices != nil {
		s.Extras = in.prices.Extras(newest)
	}
	return s, nil
}

// row is an offer as the book has it.
func (in installation) row(driver string, o billing.Offer, asOf time.Time) estimate.Row {
	if in.prices == nil {
		return estimate.RowOf(driver, o, in.drivers[driver].MonthHours, asOf)
	}
	return in.prices.Row(estimate.RowOf(in.prices.Name(driver), o, in.drivers[driver].MonthHours, asOf))
}

func offersRead(all []billing.Reading) time.Time {
	for _, r := range all {
		if r.Of == billing.ReadOffers {
			return r.CompleteAt
		}
	}
	return time.Time{}
}

// deals are the negotiated prices of a configuration that was checked.
func (c Config) deals() []estimate.Deal {
	var all []estimate.Deal
	for _, d := range c.Prices {
		deal := estimate.Deal{Provider: d.Provider, Region: d.Region, Type: d.Type, GPU: d.GPU, Mode: billing.Mode(d.Mode), Percent: d.Discount.Mul(billing.MustDecimal("0.01")),
			RefundFee: d.RefundFee.Mul(billing.MustDecimal("0.01")), Source: d.Source}
		deal.Price = moneyOf(d.Price, d.Currency)
		deal.Coupon = moneyOf(d.Coupon, d.Currency)
		deal.Renewal = moneyOf(d.Renewal, d.Currency)
		deal.Until, _ = time.Parse(time.DateOnly, d.Until) // checked; none for good
		if !deal.Until.IsZero() {
			deal.Until = deal.Until.AddDate(0, 0, 1) // its last day counts
		}
		all = append(all, deal)
	}
	return all
}

// moneyOf is an amount of the configuration; unknown where there is none.
func moneyOf(d billing.Decimal, c billing.Currency) billing.Money {
	if !d.Known() {
		return billing.Money{}
	}
	m, _, err := billing.ParseMoney(d.String(), c)
	if err != nil {
		return billing.Money{}
	}
	return m
}

// prices judges the negotiated prices.
func (k *checker) prices(list []PriceConfig) {
	for i, d := range list {
		path := fmt.Sprintf("prices[%d]", i)
		if d.Provider == "" {
			k.wrong(path+".provider", "say at which cloud")
		}
		if !d.Price.Known() && !d.Discount.Known() && !d.Coupon.Known() && !d.Renewal.Known() && !d.RefundFee.Known() {
			k.wrong(path, "nothing was negotiated: price, discount, coupon, renewal or refund_fee is needed")
		}
		if d.Price.Known() && d.GPU == "" {
			k.wrong(path+".gpu", "a price needs its card, such as A100-80G")
		}
		for _, x := range []struct {
			name string
			is   billing.Decimal
		}{{"price", d.Price}, {"coupon", d.Coupon}, {"renewal", d.Renewal}} {
			if x.is.Known() && x.is.Sign() <= 0 {
				k.wrong(path+"."+x.name, "%s is not above zero", x.is)
			}
			if x.is.Known() && d.Currency == "" {
				k.wrong(path+".currency", "%s needs its currency", x.name)
			}
		}
		for _, x := range []struct {
			name string
			is   billing.Decimal
		}{{"discount", d.Discount}, {"refund_fee", d.RefundFee}} {
			if x.is.Known() && (x.is.Sign() < 0 || x.is.Cmp(billing.DecimalFromInt(100)) >= 0) {
				k.wrong(path+"."+x.name, "%s is no percentage below 100", x.is)
			}
		}
		if _, err := time.Parse(time.DateOnly, d.Until); d.Until != "" && err != nil {
			k.wrong(path+".until", "%q is no day; write it like 2026-12-31", d.Until)
		}
	}
}
