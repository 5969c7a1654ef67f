package huawei

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// Offers lists the flavors with GPUs or NPUs of each region, on demand and by the month, at this account's prices.
func (a *account) Offers(ctx context.Context, q billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		projects, err := a.allProjects(ctx, 0)
		if err != nil {
			yield(billing.Offer{}, err)
			return
		}
		seen := map[string]bool{}
		for _, p := range projects {
			if seen[p.region] { // prices are those of a region
				continue
			}
			seen[p.region] = true
			offers, err := a.offersIn(ctx, p, q)
			if err != nil {
				yield(billing.Offer{}, err)
				return
			}
			for _, o := range offers {
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}

func (a *account) offersIn(ctx context.Context, p project, q billing.OfferQuery) ([]billing.Offer, error) {
	flavors, err := a.readFlavors(ctx, p)
	if err != nil {
		return nil, err
	}
	var ask, monthly []product
	var sold []flavor
	for _, id := range slices.Sorted(maps.Keys(flavors)) {
		f := flavors[id]
		if g := f.gpu(); g.Model == "" || !f.sold() || q.GPU != "" && gpu.Canonical(q.GPU) != g.Model {
			continue
		}
		sold = append(sold, f)
		if f.charges("demand") {
			ask = append(ask, f.product(p.region))
		}
		if f.charges("period") {
			monthly = append(monthly, f.product(p.region))
		}
	}
	hourly, err := a.rate(ctx, p, ask)
	if err != nil {
		return nil, err
	}
	a.notePrices(ask, hourly)
	byMonth, err := a.rateMonths(ctx, p, monthly)
	if err != nil {
		return nil, err
	}
	var out []billing.Offer
	for _, f := range sold {
		of := f.product(p.region)
		if f.charges("demand") {
			out = append(out, f.offer(p.region, billing.ModeOnDemand, "hour", hourly[of]))
		}
		if f.charges("period") {
			out = append(out, f.offer(p.region, billing.ModeMonthly, "month", byMonth[of]))
		}
	}
	return out, nil
}

func (f flavor) product(region string) product {
	return product{region: region, service: serviceVM, kind: typeVM, spec: f.ID + ".linux"}
}

// sold says that a flavor is on sale, be it out of stock.
func (f flavor) sold() bool { return f.Extra.Status != "abandon" && f.Extra.Status != "obt" }

func (f flavor) charges(how string) bool {
	return f.Extra.Charge == "" || strings.Contains(f.Extra.Charge, how)
}

func (f flavor) offer(region string, mode billing.Mode, unit string, hourly billing.Money) billing.Offer {
	o := billing.Offer{
		Region: region, Type: f.ID, GPU: f.gpu(), Mode: mode, Low: hourly, High: hourly, Unit: unit,
		Excludes: []billing.Part{billing.PartDisk, billing.PartIP, billing.PartBandwidth}, Source: docOCE + "bcloud_01001.html",
	}
	if f.Extra.Status == "sellout" {
		o.Stock = "NONE"
	}
	return o
}

const rateMonthly = "huawei: ask monthly prices"

// rateMonths asks what products cost by the month, and gives it per hour. What Huawei has no price for is left out.
func (a *account) rateMonths(ctx context.Context, p project, of []product) (map[product]billing.Money, error) {
	out := map[product]billing.Money{}
	for from := 0; from < len(of); from += ratingBatch {
		some := of[from:min(from+ratingBatch, len(of))]
		err := a.rateSomeMonths(ctx, p, some, out)
		if k := billing.KindOf(err); k == billing.Missing {
			continue // none of them is sold so
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (a *account) rateSomeMonths(ctx context.Context, p project, of []product, out map[product]billing.Money) error {
	infos := make([]map[string]any, len(of))
	for i, one := range of {
		infos[i] = map[string]any{"id": strconv.Itoa(i + 1), "cloud_service_type": one.service, "resource_type": one.kind,
			"resource_spec": one.spec, "region": one.region, "period_type": 2, "period_num": 1, "subscription_num": 1} // 2 is a month
	}
	k := call{op: rateMonthly, service: bss, method: http.MethodPost, path: "/v2/bills/ratings/period-resources/subscribe-rate",
		body: map[string]any{"project_id": p.id, "product_infos": infos}}
	var answer periodAnswer
	if err := a.api.read(ctx, k, &answer); err != nil {
		return err
	}
	if answer.Official == nil || answer.Official.Results == nil {
		return garbled(k.op, "the answer lacks its prices")
	}
	for _, line := range *answer.Official.Results {
		i, err := strconv.Atoi(line.ID)
		if err != nil || i < 1 || i > len(of) {
			return garbled(k.op, "a price for what was not asked")
		}
		m := a.price(line.Official, line.Measure, answer.Currency)
		if !m.Known() {
			continue
		}
		if m, err = m.Div(billing.DecimalFromInt(monthHours)); err == nil {
			out[of[i-1]] = m
		}
	}
	return nil
}
