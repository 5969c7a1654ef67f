package alibaba

import (
	"context"
	"encoding/json"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// priceKey is what a price depends on.
type priceKey struct {
	region, typ, zone string // zone for spot only
	spot, monthly     bool
	mbps              string // fixed bandwidth of a machine's own public address, "" for none
	disk, level, gib  string
}

type knownPrice struct {
	hourly billing.Money // unknown where Alibaba named none
	until  time.Time
}

// How long a price serves. A refusal is not asked for again at every poll, but soon enough once the key may.
const (
	priceLife   = 24 * time.Hour
	spotLife    = time.Hour
	refusalLife = time.Hour
)

// price gives what something costs per hour, unknown where Alibaba does not say. A price that can't be had keeps no list
// from being read: the last one serves on, and without one it is unknown.
func (a *account) price(ctx context.Context, k priceKey) (billing.Money, error) {
	now := a.now()
	a.mu.Lock()
	known, ok := a.prices[k]
	a.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.hourly, nil
	}
	hourly, err := a.askPrice(ctx, k)
	if ctx.Err() != nil {
		return billing.Money{}, err
	}
	life := priceLife
	switch {
	case err != nil && billing.KindOf(err).Retryable():
		return known.hourly, nil
	case err != nil:
		hourly, life = known.hourly, refusalLife
	case k.spot:
		life = spotLife
	}
	a.mu.Lock()
	a.prices[k] = knownPrice{hourly, now.Add(life)}
	a.mu.Unlock()
	return hourly, nil
}

// askPrice asks for one price. Old families take other system disks than new ones, and a machine's price names one.
func (a *account) askPrice(ctx context.Context, k priceKey) (billing.Money, error) {
	if k.disk != "" {
		return a.diskPrice(ctx, k)
	}
	var m billing.Money
	var err error
	for _, disk := range []string{"cloud_essd", "cloud_efficiency"} {
		if m, err = a.machinePrice(ctx, k, disk); err == nil || billing.KindOf(err).Retryable() || billing.KindOf(err) == billing.Denied {
			break
		}
	}
	return m, err
}

// machinePrice is a machine's price without its system disk, which has a line of its own: the total holds both.
func (a *account) machinePrice(ctx context.Context, k priceKey, systemDisk string) (billing.Money, error) {
	q := params("RegionId", k.region, "ResourceType", "instance", "InstanceType", k.typ, "Period", "1", "PriceUnit", "Hour",
		"SystemDisk.Category", systemDisk, "SystemDisk.Size", "40")
	if k.monthly {
		q.Set("PriceUnit", "Month")
	}
	if k.spot {
		q.Set("SpotStrategy", "SpotAsPriceGo")
		q.Set("ZoneId", k.zone)
	}
	if k.mbps != "" {
		q.Set("InternetChargeType", "PayByBandwidth")
		q.Set("InternetMaxBandwidthOut", k.mbps)
	}
	answer, err := a.api.price(ctx, call{op: "alibaba: get price", of: ecs(), region: k.region, action: "DescribePrice", query: q})
	if err != nil {
		return billing.Money{}, err
	}
	total, parts := billing.Money{}, map[string]billing.Money{}
	for _, d := range answer.PriceInfo.Price.Details.Detail {
		parts[d.Resource] = amount(d.TradePrice, answer.PriceInfo.Price.Currency)
	}
	total = parts["instanceType"]
	if k.mbps != "" {
		total = sum(total, parts["bandwidth"])
	}
	if k.monthly {
		return over(total, monthHours), nil
	}
	return total, nil
}

func (a *account) diskPrice(ctx context.Context, k priceKey) (billing.Money, error) {
	q := params("RegionId", k.region, "ResourceType", "disk", "PriceUnit", "Hour", "Period", "1",
		"DataDisk.1.Category", k.disk, "DataDisk.1.Size", k.gib)
	if k.level != "" {
		q.Set("DataDisk.1.PerformanceLevel", k.level)
	}
	answer, err := a.api.price(ctx, call{op: "alibaba: get disk price", of: ecs(), region: k.region, action: "DescribePrice", query: q})
	if err != nil {
		return billing.Money{}, err
	}
	return amount(answer.PriceInfo.Price.TradePrice, answer.PriceInfo.Price.Currency), nil
}

func (c *client) price(ctx context.Context, k call) (answer priceAnswer, err error) {
	return answer, c.read(ctx, k, &answer)
}

// amount reads a price. Nothing here is for nothing: a missing, zero or negative price is unknown.
func amount(n json.Number, currency string) billing.Money {
	c, err := billing.ParseCurrency(currency)
	if err != nil {
		return billing.Money{}
	}
	m, err := httpx.Money(n, c)
	if err != nil || m.Sign() <= 0 {
		return billing.Money{}
	}
	return m
}

// sum is unknown as soon as one of its parts is.
func sum(x, y billing.Money) billing.Money {
	if !x.Known() || !y.Known() {
		return billing.Money{}
	}
	m, err := x.Add(y)
	if err != nil {
		return billing.Money{}
	}
	return m
}

func over(m billing.Money, n int64) billing.Money {
	if !m.Known() {
		return m
	}
	m, err := m.Div(billing.DecimalFromInt(n))
	if err != nil {
		return billing.Money{}
	}
	return m
}

func rated(m billing.Money, source billing.RateSource) billing.Rate {
	if !m.Known() {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: m, Source: source}
}

// nothing is the rate of what costs nothing in its state. Its currency is that of the site.
func (a *account) nothing() billing.Rate {
	c := cny
	if a.site == international {
		c = "USD"
	}
	return billing.Rate{Hourly: billing.ZeroMoney(c), Source: billing.RateList}
}
