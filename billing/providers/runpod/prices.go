package runpod

import (
	"encoding/json"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// RunPod's list prices of storage, USD per GB and month; the API gives none. Source: docBilling.
const (
	containerDisk  = "0.10" // only while the pod runs
	volumeRunning  = "0.10"
	volumeStopped  = "0.20"
	networkFirst   = "0.07" // the first TB of a network volume
	networkBeyond  = "0.05"
	networkFirstGB = 1000
)

// storage is what some GB cost per hour; unknown where the size is.
func storage(gb billing.Decimal, perMonth string) billing.Money {
	if !gb.Known() {
		return billing.Money{}
	}
	return known(billing.MustMoney(perMonth, usd).Mul(gb)).over(monthHours)
}

// networkStorage is what a standard network volume costs per hour.
func networkStorage(gb billing.Decimal) billing.Money {
	limit := billing.DecimalFromInt(networkFirstGB)
	if gb.Cmp(limit) <= 0 {
		return storage(gb, networkFirst)
	}
	return sum(storage(limit, networkFirst), storage(gb.Sub(limit), networkBeyond))
}

// amount is money on its way through a reckoning: a step that fails makes the result unknown.
type amount struct{ billing.Money }

func known(m billing.Money, err error) amount {
	if err != nil {
		return amount{}
	}
	return amount{m}
}

func (a amount) over(n int64) billing.Money {
	if !a.Known() {
		return billing.Money{}
	}
	return known(a.Div(billing.DecimalFromInt(n))).Money
}

// sum adds amounts; it is unknown as soon as one of them is.
func sum(all ...billing.Money) billing.Money {
	total := billing.ZeroMoney(usd)
	for _, m := range all {
		if !m.Known() {
			return billing.Money{}
		}
		total = known(total.Add(m)).Money
	}
	return total
}

// derived is a rate that we reckoned from list prices.
func derived(m billing.Money) billing.Rate {
	if !m.Known() {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: m, Source: billing.RateDerived}
}

// price reads a price per hour. RunPod has nothing for nothing: a missing, zero or negative price is unknown.
func price(n json.Number) billing.Money {
	m, err := httpx.Money(n, usd)
	if err != nil || m.Sign() <= 0 {
		return billing.Money{}
	}
	return m
}

func decimal(n json.Number) billing.Decimal {
	d, err := httpx.Decimal(n)
	if err != nil || d.Sign() < 0 {
		return billing.Decimal{}
	}
	return d
}

// instant reads a time; what is missing or no time is unknown.
func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
