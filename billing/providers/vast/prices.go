package vast

import (
	"encoding/json"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// price reads a price per hour. Nothing costs nothing: a missing, zero or negative price is unknown.
func price(n json.Number) billing.Money {
	m, err := httpx.Money(n, usd)
	if err != nil || m.Sign() <= 0 {
		return billing.Money{}
	}
	return m
}

// rated is a rate with its source; unknown where the amount is.
func rated(m billing.Money, source billing.RateSource) billing.Rate {
	if !m.Known() {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: m, Source: source}
}

// storage is what the disk costs per hour: the cloud's own figure, else size by price per month.
func (i instance) storage() billing.Rate {
	if m := price(i.Storage); m.Known() {
		return rated(m, billing.RateVendor)
	}
	m, err := price(i.StoragePer).Mul(decimal(i.Disk))
	if err != nil {
		return billing.Rate{}
	}
	if m, err = m.Div(billing.DecimalFromInt(monthHours)); err != nil {
		return billing.Rate{}
	}
	return rated(m, billing.RateDerived)
}

// whole is what the instance costs per hour while it runs. dph_total holds the disk already; dph_base does not.
func (i instance) whole() billing.Rate {
	if m := price(i.Whole); m.Known() {
		return rated(m, billing.RateVendor)
	}
	m, err := price(i.Base).Add(i.storage().Hourly)
	if err != nil {
		return billing.Rate{}
	}
	return rated(m, billing.RateDerived)
}

// decimal reads a quantity; what is missing or negative (-1 stands for "not measured") is unknown.
func decimal(n json.Number) billing.Decimal {
	d, err := httpx.Decimal(n)
	if err != nil || d.Sign() < 0 {
		return billing.Decimal{}
	}
	return d
}

// instant reads unix seconds with a fraction, which is dropped; zero and nonsense are unknown.
func instant(n json.Number) time.Time {
	d := decimal(n)
	if s := d.Float64(); d.Known() && s >= 1 && s < 1<<40 {
		return time.Unix(int64(s), 0).UTC()
	}
	return time.Time{}
}
