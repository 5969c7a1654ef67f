package lambda

import (
	"context"
	"iter"
	"maps"
	"slices"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// Offers lists what each instance type costs, once for each region that has some now, and once without a region and
// with the stock NONE where no region has. Types without a GPU are left out.
func (a *account) Offers(ctx context.Context, q billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return listed(func() ([]billing.Offer, error) {
		all, err := a.api.types(ctx)
		var out []billing.Offer
		for _, name := range slices.Sorted(maps.Keys(all)) {
			entry := all[name]
			o := entry.Type.offer(name)
			if o.GPU.Model == "" || q.GPU != "" && o.GPU.Model != gpu.Canonical(q.GPU) {
				continue
			}
			if len(entry.Regions) == 0 {
				out = append(out, o)
			}
			for _, r := range entry.Regions {
				o.Region, o.Stock = r.Name, "" // some, not how many
				out = append(out, o)
			}
		}
		return out, err
	})
}

func (t instanceType) offer(name string) billing.Offer {
	hourly := t.price()
	return billing.Offer{
		Type:   name,
		GPU:    t.cards(),
		Mode:   billing.ModeOnDemand,
		Low:    hourly,
		High:   hourly,
		Unit:   "hour",
		Stock:  "NONE",
		Source: docAPI,
	}
}
