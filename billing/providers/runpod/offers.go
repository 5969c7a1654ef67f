package runpod

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
	"gpuspend/billing/providers/internal/httpx"
)

// tier is one of RunPod's two clouds: its own data centres, and other people's machines.
type tier struct {
	name  string // as a query parameter
	label string
	sells func(g gpuType) bool
	price func(g gpuType) json.Number
}

func tiers() []tier {
	return []tier{
		{"SECURE", "secure cloud", func(g gpuType) bool { return g.Secure }, func(g gpuType) json.Number { return g.Price.Secure }},
		{"COMMUNITY", "community cloud", func(g gpuType) bool { return g.Community }, func(g gpuType) json.Number { return g.Price.Community }},
	}
}

// Offers lists what one card costs, for each tier and data centre. Stock differs between the tiers, so that each is
// asked for. Several cards cost as many times the price.
func (a *account) Offers(ctx context.Context, q billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		for _, t := range tiers() {
			for g, err := range a.api.gpus(ctx, t.name) {
				if err != nil {
					yield(billing.Offer{}, err)
					return
				}
				if q.GPU != "" && gpu.Canonical(q.GPU) != gpu.Canonical(g.ID) {
					continue
				}
				for _, o := range t.offers(g) {
					if !yield(o, nil) {
						return
					}
				}
			}
		}
	}
}

// offers makes one offer a data centre, or a single one where RunPod names none.
func (t tier) offers(g gpuType) []billing.Offer {
	if !t.sells(g) {
		return nil
	}
	hourly := price(t.price(g))
	o := billing.Offer{
		Type:     g.ID + ", " + t.label,
		GPU:      billing.GPU{Model: gpu.Canonical(g.ID), Count: billing.DecimalFromInt(1)},
		Mode:     billing.ModeOnDemand,
		Low:      hourly,
		High:     hourly,
		Unit:     "hour",
		Stock:    g.Availability,
		Excludes: []billing.Part{billing.PartDisk},
		Source:   docSpec,
	}
	if len(g.DataCenters) == 0 {
		return []billing.Offer{o}
	}
	var out []billing.Offer
	for _, d := range g.DataCenters {
		o.Region, o.Stock = d.ID, d.Availability
		out = append(out, o)
	}
	return out
}

// Utilisation gives the present value of each running pod for which RunPod has one; it keeps no history, so that a
// period that does not reach to now holds nothing.
func (a *account) Utilisation(ctx context.Context, p billing.Period) iter.Seq2[billing.Sample, error] {
	return func(yield func(billing.Sample, error) bool) {
		now := a.now().UTC()
		if now.Before(p.Start) || now.After(p.End) {
			return
		}
		pods, err := all(a.api.pods(ctx))
		if err != nil {
			yield(billing.Sample{}, err)
			return
		}
		for _, s := range samples(pods) {
			s.At = now
			if !yield(s, nil) {
				return
			}
		}
	}
}

// samples gives one sample a pod, and one a cluster with the cards of all its pods: a cluster of which a pod says
// nothing has none.
func samples(pods []pod) []billing.Sample {
	var out []billing.Sample
	at, silent := map[string]int{}, map[string]bool{}
	for _, p := range pods {
		s, ok := p.sample()
		switch i, begun := at[s.Ref.ID]; {
		case !ok:
			silent[s.Ref.ID] = true
		case begun:
			out[i].GPU = append(out[i].GPU, s.GPU...)
			out[i].CPU = 0 // of several machines there is no single one
		default:
			at[s.Ref.ID] = len(out)
			out = append(out, s)
		}
	}
	return slices.DeleteFunc(out, func(s billing.Sample) bool { return silent[s.Ref.ID] })
}

// sample reads how busy the cards are; not ok where RunPod does not say.
func (p pod) sample() (s billing.Sample, ok bool) {
	s.Ref = billing.ResourceRef{Kind: billing.KindInstance, ID: p.ID}
	if p.Cluster != nil {
		s.Ref = billing.ResourceRef{Kind: billing.KindCluster, ID: p.Cluster.ID}
	}
	if p.Runtime == nil || len(p.Runtime.GPUs) == 0 {
		return s, false
	}
	for _, g := range p.Runtime.GPUs {
		d, err := httpx.Decimal(g.Util)
		if err != nil || !d.Known() {
			return s, false
		}
		s.GPU = append(s.GPU, d.Float64())
	}
	if p.Runtime.CPU == nil {
		return s, true
	}
	if d := decimal(p.Runtime.CPU.Util); d.Known() {
		s.CPU = d.Float64()
	}
	return s, true
}
