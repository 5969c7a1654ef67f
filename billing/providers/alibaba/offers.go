package alibaba

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// recent is how far back spot prices are read; Alibaba sets them anew every few minutes to hours.
const recent = 6 * time.Hour

// Offers lists what GPU machines cost, on demand and spot, in each zone. Spot history gives both prices at one request a
// type; every type in every region would be thousands, so that it is the configured regions or those with GPU machines.
func (a *account) Offers(ctx context.Context, q billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		regions, err := a.gpuRegions(ctx)
		if err != nil {
			yield(billing.Offer{}, err)
			return
		}
		for _, region := range regions {
			for t, err := range a.api.gpuTypes(ctx, region) {
				var offers []billing.Offer
				g := gpuOf(t.ID, t.GPUSpec, decimal(t.GPUAmount))
				if err == nil && g.Model != "" && (q.GPU == "" || gpu.Canonical(q.GPU) == g.Model) {
					offers, err = a.offersOf(ctx, region, t.ID, g)
				}
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
}

// gpuRegions are the configured regions, else those in which the account has GPU machines.
func (a *account) gpuRegions(ctx context.Context) ([]string, error) {
	if len(a.regions) > 0 {
		return a.regions, nil
	}
	everywhere, err := a.allRegions(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, region := range everywhere {
		list, err := a.instances(ctx, region)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, instance.hasGPU) {
			out = append(out, region)
		}
	}
	return out, nil
}

func (c *client) gpuTypes(ctx context.Context, region string) iter.Seq2[instanceType, error] {
	k := call{op: "alibaba: list GPU types", of: ecs(), region: region, action: "DescribeInstanceTypes",
		query: params("MinimumGPUAmount", "1", "MaxResults", "100")}
	return walk(ctx, c, k, func(p *typesAnswer) (*[]instanceType, string) { return p.Types.Type, p.NextToken })
}

// offersOf makes two offers a zone of the newest prices of a type.
func (a *account) offersOf(ctx context.Context, region, typ string, g billing.GPU) ([]billing.Offer, error) {
	newest, currency, err := a.api.spotPrices(ctx, region, typ, a.now())
	if err != nil {
		return nil, err
	}
	var out []billing.Offer
	for _, p := range newest {
		for _, o := range []struct {
			mode  billing.Mode
			price json.Number
		}{{billing.ModeOnDemand, p.OriginPrice}, {billing.ModeSpot, p.SpotPrice}} {
			m := amount(o.price, currency)
			out = append(out, billing.Offer{
				Region: p.Zone, Type: typ, GPU: g, Mode: o.mode, Low: m, High: m, Unit: "hour",
				Excludes: []billing.Part{billing.PartDisk, billing.PartBandwidth, billing.PartIP},
				Source:   docECS + "describespotpricehistory",
			})
		}
	}
	return out, nil
}

// spotPrices reads the newest price of a type in each zone.
func (c *client) spotPrices(ctx context.Context, region, typ string, now time.Time) ([]spotPrice, string, error) {
	k := call{op: "alibaba: get spot prices", of: ecs(), region: region, action: "DescribeSpotPriceHistory", query: params(
		"RegionId", region, "NetworkType", "vpc", "InstanceType", typ,
		"StartTime", now.UTC().Add(-recent).Format("2006-01-02T15:04:05Z"), "EndTime", now.UTC().Format("2006-01-02T15:04:05Z"))}
	newest, currency := map[string]spotPrice{}, ""
	for offset, n := 0, 0; n < maxPages; n++ {
		var page spotAnswer
		if err := c.read(ctx, k, &page); err != nil {
			return nil, "", err
		}
		if page.Prices.Price == nil {
			return nil, "", garbled(k.op, "the answer lacks its list")
		}
		currency = orID(page.Currency, currency)
		for _, p := range *page.Prices.Price {
			if old, ok := newest[p.Zone]; !ok || instant(old.Timestamp).Before(instant(p.Timestamp)) {
				newest[p.Zone] = p
			}
		}
		if len(*page.Prices.Price) == 0 || page.NextOffset <= offset {
			break
		}
		offset = page.NextOffset
		k.query = with(k.query, "Offset", strconv.Itoa(offset))
	}
	var out []spotPrice
	for _, p := range newest {
		out = append(out, p)
	}
	slices.SortFunc(out, func(x, y spotPrice) int {
		if x.Zone < y.Zone {
			return -1
		}
		return 1
	})
	return out, currency, nil
}
