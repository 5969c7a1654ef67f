package runpod

import (
	"context"
	"iter"
	"slices"
	"strings"

	"gpuspend/billing"
)

// volumes lists network volumes and joins them with what they are mounted on, for RunPod does not tell.
func (a *account) volumes(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		volumes, err := all(a.api.volumes(ctx))
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		u, err := a.uses(ctx)
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		for _, v := range volumes {
			if !yield(v.resource(u), nil) {
				return
			}
		}
	}
}

// uses says which pods and endpoints use each volume.
type uses struct {
	of      map[string][]string
	partial bool // the key may not read all that can use a volume
}

// uses reads every pod and endpoint. A key that may read only one of the two proves no volume to be free.
func (a *account) uses(ctx context.Context) (uses, error) {
	u := uses{of: map[string][]string{}}
	for p, err := range a.api.pods(ctx) {
		if billing.KindOf(err) == billing.Denied {
			u.partial = true
			break
		}
		if err != nil {
			return u, err
		}
		for _, id := range p.networkVolumes() {
			u.add(id, p.thing())
		}
	}
	for e, err := range a.api.endpoints(ctx) {
		if billing.KindOf(err) == billing.Denied {
			u.partial = true
			break
		}
		if err != nil {
			return u, err
		}
		for _, id := range e.NetworkVolumes {
			u.add(id, e.ID)
		}
	}
	return u, nil
}

func (u uses) add(volume, user string) {
	if !slices.Contains(u.of[volume], user) {
		u.of[volume] = append(u.of[volume], user)
	}
}

func (v volume) resource(u uses) billing.Resource {
	r := billing.Resource{
		Ref:        billing.ResourceRef{Kind: billing.KindDisk, ID: v.ID},
		Name:       v.Name,
		Zone:       v.DataCenter,
		Type:       v.Type,
		State:      billing.StateUnattached,
		Billed:     billing.Yes,
		Mode:       billing.ModeOnDemand,
		SizeGiB:    decimal(v.Size),
		AttachedTo: u.of[v.ID],
		HoldsData:  billing.Yes,
	}
	switch {
	case len(r.AttachedTo) > 0:
		r.State = billing.StateAttached
	case u.partial:
		r.State = billing.StateUnknown
	}
	if v.Type == "STANDARD" { // the price of HIGH_PERFORMANCE stands in the console only
		r.Rate = derived(networkStorage(r.SizeGiB))
	}
	return r
}

// endpoints lists serverless endpoints.
func (a *account) endpoints(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		for e, err := range a.api.endpoints(ctx) {
			if err != nil {
				yield(billing.Resource{}, err)
				return
			}
			if !yield(e.resource(), nil) {
				return
			}
		}
	}
}

// resource puts an endpoint into our words. Workers kept ready bill all the time, at a rate that depends on the card
// that each of them got, which this list does not say.
func (e endpoint) resource() billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindEndpoint, ID: e.ID},
		Name:        e.Name,
		Type:        e.Type,
		State:       billing.StateAvailable,
		VendorState: "min workers " + e.Workers.Min.String(),
		Mode:        billing.ModeOnDemand,
		CreatedAt:   instant(e.CreatedAt),
		HoldsData:   billing.No,
		AtZero:      billing.FateInterrupted,
	}
	if decimal(e.Workers.Min).Sign() > 0 {
		r.State, r.Billed = billing.StateRunning, billing.Yes
	}
	if e.GPU != nil {
		r.Type = strings.Join(e.GPU.Pools, "+")
	}
	return r
}
