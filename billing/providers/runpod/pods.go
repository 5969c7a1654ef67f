package runpod

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// pods lists the pods that stand alone; those of a cluster are part of it.
func (a *account) pods(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		pods, err := all(a.api.pods(ctx))
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		pods = slices.DeleteFunc(pods, func(p pod) bool { return p.Cluster != nil })
		names, err := a.volumeNames(ctx, pods)
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		for _, p := range pods {
			if !yield(p.resource(names), nil) {
				return
			}
		}
	}
}

// volumeNames reads what the network volumes of some pods are called. A key that may not read volumes leaves them with
// their ids.
func (a *account) volumeNames(ctx context.Context, pods []pod) (map[string]string, error) {
	if !slices.ContainsFunc(pods, func(p pod) bool { return len(p.Mounts.Network) > 0 }) {
		return nil, nil
	}
	volumes, err := all(a.api.volumes(ctx))
	if err != nil && billing.KindOf(err) != billing.Denied {
		return nil, err
	}
	names := map[string]string{}
	for _, v := range volumes {
		names[v.ID] = v.Name
	}
	return names, nil
}

// resource puts a pod into our words. Region stays empty: the data centre is unknown until a pod is placed, and what
// names a thing must not change.
func (p pod) resource(volumes map[string]string) billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindInstance, ID: p.ID},
		Name:        p.Name,
		Zone:        p.DataCenterID,
		State:       p.state(),
		VendorState: p.Status,
		Billed:      p.billed(),
		Rate:        p.rate(),
		StoppedRate: p.stoppedRate(),
		Mode:        billing.ModeOnDemand,
		CreatedAt:   instant(p.CreatedAt),
		StartedAt:   instant(p.StartedAt),
		HoldsData:   p.holdsData(),
		Protected:   p.Locked,
	}
	if p.GPU != nil {
		r.Type = p.GPU.ID
		r.GPU = billing.GPU{Model: gpu.Canonical(p.GPU.ID), Count: decimal(cmp.Or(p.GPU.Count, "1"))} // 1 is RunPod's default
	} else if p.CPU != nil {
		r.Type = p.CPU.ID
	}
	if p.Cluster != nil {
		r.Managed = "cluster " + p.Cluster.ID
	}
	r.AtZero, r.SafeOn = billing.FateLost, ""
	if ids := p.networkVolumes(); len(ids) > 0 {
		r.AtZero, r.SafeOn = billing.FateInterrupted, cmp.Or(volumes[ids[0]], ids[0])
	}
	return r
}

func (p pod) state() billing.State {
	switch p.Status {
	case podProvisioning, podStarting:
		return billing.StateStarting
	case podRunning:
		return billing.StateRunning
	case podExited:
		return billing.StateStopped
	case podTerminated:
		return billing.StateTerminated
	}
	return billing.StateUnknown // ERROR too: it may be stopped or not
}

// billed declares which states cost. While a pod starts, RunPod's own cost tells whether it is billed.
func (p pod) billed() billing.Tri {
	switch p.Status {
	case podRunning:
		return billing.Yes
	case podTerminated:
		return billing.No
	case podExited:
		if p.Mounts.Persistent != nil {
			return billing.Yes
		}
		return billing.No
	}
	if price(p.Cost).Known() {
		return billing.Yes
	}
	return billing.Unsure
}

// rate is what the pod costs in its state. RunPod's cost leaves the disks out, and is 0.0 for a stopped pod although its
// volume disk goes on at the double rate.
func (p pod) rate() billing.Rate {
	switch p.Status {
	case podTerminated:
		return billing.Rate{Hourly: billing.ZeroMoney(usd), Source: billing.RateVendor}
	case podExited:
		return derived(storage(p.persistent(), volumeStopped))
	}
	disks := sum(storage(decimal(p.Disk), containerDisk), storage(p.persistent(), volumeRunning))
	total := sum(price(p.Cost), disks)
	if total.Known() && disks.Sign() == 0 {
		return billing.Rate{Hourly: total, Source: billing.RateVendor}
	}
	return derived(total)
}

// stoppedRate is what would go on after a stop; unknown where RunPod offers no stop.
func (p pod) stoppedRate() billing.Rate {
	if p.Status != podExited && !slices.Contains(p.Actions, "stop") {
		return billing.Rate{}
	}
	return derived(storage(p.persistent(), volumeStopped))
}

// persistent is the size of the pod's own volume disk in GB, 0 where it has none.
func (p pod) persistent() billing.Decimal {
	if p.Mounts.Persistent == nil {
		return billing.DecimalFromInt(0)
	}
	return decimal(p.Mounts.Persistent.Size)
}

// thing is the id of what is listed for the pod: itself, or its cluster.
func (p pod) thing() string {
	if p.Cluster != nil {
		return p.Cluster.ID
	}
	return p.ID
}

func (p pod) networkVolumes() []string {
	var ids []string
	for _, m := range p.Mounts.Network {
		ids = append(ids, m.VolumeID)
	}
	return ids
}

// holdsData says whether deleting the pod can lose data: its volume disk goes with it, its container disk was emptied
// when it stopped, and beside a network volume nobody can tell.
func (p pod) holdsData() billing.Tri {
	switch {
	case p.Mounts.Persistent != nil:
		return billing.Yes
	case p.Status == podExited || p.Status == podTerminated:
		return billing.No
	case len(p.Mounts.Network) > 0:
		return billing.Unsure
	}
	return billing.Yes
}
