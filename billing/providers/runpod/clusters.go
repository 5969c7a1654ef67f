package runpod

import (
	"cmp"
	"context"
	"iter"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// clusters lists Instant Clusters. RunPod gives no price for one: it costs what its pods do, so that those are read too,
// and the pods are no things of their own beside it.
func (a *account) clusters(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		list, err := all(a.api.clusters(ctx))
		var pods []pod
		if err == nil && len(list) > 0 {
			pods, err = all(a.api.pods(ctx))
		}
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		for _, c := range list {
			if !yield(c.resource(c.members(pods)), nil) {
				return
			}
		}
	}
}

func (c cluster) members(pods []pod) (mine []pod) {
	for _, p := range pods {
		if p.Cluster != nil && p.Cluster.ID == c.ID {
			mine = append(mine, p)
		}
	}
	return mine
}

// resource puts a cluster into our words. What its network costs stands in the bill only.
func (c cluster) resource(pods []pod) billing.Resource {
	nodes, cards := decimal(c.Compute.Pods), decimal(c.Compute.Cards)
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindCluster, ID: c.ID},
		Name:        c.Name,
		Zone:        c.DataCenterID,
		Type:        cmp.Or(nodes.String(), "?") + " x " + cmp.Or(cards.String(), "?") + " " + c.Compute.GPU,
		VendorState: c.Type,
		Mode:        billing.ModeOnDemand,
		GPU:         billing.GPU{Model: gpu.Canonical(c.Compute.GPU), Count: nodes.Mul(cards)},
		CreatedAt:   instant(c.CreatedAt),
		HoldsData:   billing.No,
		AtZero:      billing.FateLost,
	}
	r.State, r.Billed = c.standing(pods)
	if c.Summary.whole(pods) {
		r.Rate = together(pods)
	}
	for _, p := range pods {
		if p.holdsData() != billing.No {
			r.HoldsData = billing.Yes
		}
		r.Protected = r.Protected || p.Locked
	}
	if !c.Summary.whole(pods) {
		r.HoldsData = billing.Yes // of what was not seen nobody can tell
	}
	return r
}

// whole says that as many pods were seen as the cluster has.
func (s members) whole(pods []pod) bool {
	n := decimal(s.Total)
	return n.Known() && n.Sign() > 0 && n.Equal(billing.DecimalFromInt(int64(len(pods))))
}

// standing is the state of most consequence among the pods: one that runs makes the cluster run and cost.
func (c cluster) standing(pods []pod) (billing.State, billing.Tri) {
	at := map[billing.State]int{}
	billed := billing.No
	for _, p := range pods {
		at[p.state()]++
		switch p.billed() {
		case billing.Yes:
			billed = billing.Yes
		case billing.Unsure:
			billed = max(billed, billing.Unsure)
		}
	}
	switch {
	case at[billing.StateRunning] > 0:
		return billing.StateRunning, billing.Yes
	case at[billing.StateStarting] > 0, decimal(c.Summary.Total).Sign() == 0:
		return billing.StateStarting, max(billed, billing.Unsure)
	case len(pods) > 0 && at[billing.StateStopped] == len(pods) && c.Summary.whole(pods):
		return billing.StateStopped, billed
	}
	return billing.StateUnknown, max(billed, billing.Unsure)
}

// together adds the rates of pods; unknown as soon as one of them is.
func together(pods []pod) billing.Rate {
	var rates []billing.Money
	for _, p := range pods {
		rates = append(rates, p.rate().Hourly)
	}
	return derived(sum(rates...))
}

// cluster looks one cluster up with its pods.
func (a *account) cluster(ctx context.Context, id string) (billing.Resource, error) {
	c, err := a.api.cluster(ctx, id)
	if err != nil {
		return billing.Resource{}, err
	}
	pods, err := all(a.api.pods(ctx))
	return c.resource(c.members(pods)), err
}
