package huawei

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// product is what is asked a price for, per hour.
type product struct {
	region, service, kind, spec string
	gib                         int64 // disks
}

var errMeasure = errors.New("an amount in a unit that is not known")

// priceLife is how long a price is taken as known.
const priceLife = 24 * time.Hour

// ratingBatch is how many products are asked for at once.
const ratingBatch = 100

const rateOnDemand = "huawei: ask on-demand prices"

// demandBody is a product as the rating API wants it.
func demandBody(id string, of product) map[string]any {
	m := map[string]any{"id": id, "cloud_service_type": of.service, "resource_type": of.kind, "resource_spec": of.spec, "region": of.region,
		"usage_factor": "Duration", "usage_value": 1, "usage_measure_id": 4, "subscription_num": 1} // 4 is an hour
	if of.gib > 0 {
		m["resource_size"], m["size_measure_id"] = of.gib, 17 // GB
	}
	return m
}

// rate asks for prices per hour; what Huawei has none for is left out.
func (a *account) rate(ctx context.Context, p project, of []product) (map[product]billing.Money, error) {
	out := map[product]billing.Money{}
	for from := 0; from < len(of); from += ratingBatch {
		some := of[from:min(from+ratingBatch, len(of))]
		err := a.rateSome(ctx, p, some, out)
		if k := billing.KindOf(err); len(some) > 1 && (k == billing.Invalid || k == billing.Missing) {
			for _, one := range some { // one that is not sold spoils the others
				if err = a.rateSome(ctx, p, []product{one}, out); err != nil && billing.KindOf(err) != k {
					return nil, err
				}
			}
			err = nil
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (a *account) rateSome(ctx context.Context, p project, of []product, out map[product]billing.Money) error {
	infos := make([]map[string]any, len(of))
	for i, one := range of {
		infos[i] = demandBody(strconv.Itoa(i+1), one)
	}
	k := call{op: rateOnDemand, service: bss, method: http.MethodPost, path: "/v2/bills/ratings/on-demand-resources",
		body: map[string]any{"project_id": p.id, "inquiry_precision": 1, "product_infos": infos}}
	var answer ratingAnswer
	if err := a.api.read(ctx, k, &answer); err != nil {
		return err
	}
	if answer.Results == nil {
		return garbled(k.op, "the answer lacks its prices")
	}
	for _, line := range *answer.Results {
		i, err := strconv.Atoi(line.ID)
		if err != nil || i < 1 || i > len(of) {
			return garbled(k.op, "a price for what was not asked")
		}
		if m := a.price(line.Amount, line.Measure, answer.Currency); m.Known() {
			out[of[i-1]] = m
		}
	}
	return nil
}

// price reads a price. Huawei has nothing for nothing: a missing, zero or negative price is unknown.
func (a *account) price(n, measure json.Number, currency string) billing.Money {
	m, err := a.money(n, measure, currency)
	if err != nil || m.Sign() <= 0 {
		return billing.Money{}
	}
	return m
}

// money reads an amount in the unit that its measure names: 1 whole units, 2 tenths, 3 hundredths. A missing amount is
// unknown; a measure that is none of these is an error.
func (a *account) money(n, measure json.Number, currency string) (billing.Money, error) {
	c := a.currency
	if currency != "" {
		var err error
		if c, err = billing.ParseCurrency(currency); err != nil {
			return billing.Money{}, err
		}
	}
	m, err := httpx.Money(n, c)
	if err != nil || !m.Known() {
		return m, err
	}
	switch measure {
	case "1", "":
		return m, nil
	case "2":
		return m.Div(billing.DecimalFromInt(10))
	case "3":
		return m.Div(billing.DecimalFromInt(100))
	}
	return billing.Money{}, errMeasure
}

// pricesOf gives prices per hour for a listing. They are no reason for it to fail: what cannot be asked stays as last
// known, or unknown.
func (a *account) pricesOf(ctx context.Context, p project, of []product) (map[product]billing.Money, error) {
	out := map[product]billing.Money{}
	var ask []product
	asked := map[product]bool{}
	a.mu.Lock()
	for _, one := range of {
		known, ok := a.prices[one]
		if known.value.Known() {
			out[one] = known.value
		}
		if !(ok && known.fresh(a.now(), priceLife)) && !asked[one] {
			asked[one] = true
			ask = append(ask, one)
		}
	}
	a.mu.Unlock()
	if len(ask) == 0 {
		return out, nil
	}
	got, err := a.rate(ctx, p, ask)
	if err != nil {
		return out, ctx.Err()
	}
	a.notePrices(ask, got)
	for one, m := range got {
		out[one] = m
	}
	return out, nil
}

func (a *account) notePrices(asked []product, got map[product]billing.Money) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range asked {
		a.prices[one] = kept[billing.Money]{a.now(), got[one]}
	}
}

// listed is a rate at Huawei's price for this account.
func listed(m billing.Money) billing.Rate {
	if !m.Known() {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: m, Source: billing.RateList}
}
