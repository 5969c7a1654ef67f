package alibaba

import (
	"context"
	"slices"
	"strings"

	"gpuspend/billing"
)

func instancesCall(region string) call {
	return call{op: "alibaba: list instances", of: ecs(), region: region, action: "DescribeInstances",
		query: params("RegionId", region, "MaxResults", "100")}
}

func openInstances(p *instancesAnswer) (*[]instance, string) {
	return p.Instances.Instance, p.NextToken
}

// instances lists the machines of a region, those too that are not watched.
func (a *account) instances(ctx context.Context, region string) ([]instance, error) {
	k := instancesCall(region)
	return whole(ctx, a, billing.Scope{Kind: billing.KindInstance, Region: region}, k, walk(ctx, a.api, k, openInstances))
}

func (a *account) listInstances(ctx context.Context, region string) ([]billing.Resource, error) {
	list, err := a.instances(ctx, region)
	if err != nil {
		return nil, err
	}
	a.noteMachines(region, list)
	var out []billing.Resource
	for _, i := range list {
		if !a.watches(i) {
			continue
		}
		r, err := a.instanceResource(ctx, region, i)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	a.watched.Note(billing.Scope{Kind: billing.KindInstance, Region: region}, len(list), len(out))
	return out, nil
}

func (a *account) findInstance(ctx context.Context, ref billing.ResourceRef) (instance, error) {
	k := instancesCall(ref.Region)
	k.op, k.query = "alibaba: find instance", with(k.query, "InstanceIds", idList(ref.ID))
	list, err := all(walk(ctx, a.api, k, openInstances))
	return single(k.op, list, err, func(i instance) bool { return i.ID == ref.ID })
}

// single picks the one thing that was asked for out of a list. An empty list says that it is not visible, never that it
// is gone.
func single[T any](op string, list []T, err error, is func(T) bool) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], nil
	}
	if len(list) > 0 {
		return none, garbled(op, "the answer is about another thing")
	}
	return none, &billing.Error{Kind: billing.Missing, Op: op}
}

// instanceResource puts a machine into our words. Its rate is the machine alone: disks have lines of their own.
func (a *account) instanceResource(ctx context.Context, region string, i instance) (billing.Resource, error) {
	tags := i.Tags.all()
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindInstance, Region: region, ID: i.ID},
		Name:        i.Name,
		Zone:        i.Zone,
		Type:        i.Type,
		State:       i.state(),
		VendorState: i.vendorState(),
		Billed:      i.billed(),
		Mode:        i.mode(),
		GPU:         gpuOf(i.Type, i.GPUSpec, decimal(i.GPUAmount)),
		CreatedAt:   instant(i.CreationTime),
		StartedAt:   instant(i.StartTime),
		HoldsData:   billing.Yes,
		AtZero:      a.fate(i.ChargeType),
		Protected:   i.DeletionProtection,
		Managed:     managedBy(tags),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	r.NotReleasable = i.notReleasable()
	hourly, err := a.price(ctx, i.priceKey(region))
	if err != nil {
		return r, err
	}
	full := rated(hourly, billing.RateList)
	switch {
	case i.ChargeType == prePaid:
		full.Source = rated(hourly, billing.RateDerived).Source
		r.Rate, r.StoppedRate = full, full
		r.ExpiresAt = expiry(i.ExpiredTime)
		if r.RenewsItself, err = a.renews(ctx, i.ID); err != nil {
			return r, err
		}
	case i.Status == stopped && i.StoppedMode == stopCharging:
		r.Rate, r.StoppedRate = a.nothing(), a.nothing()
	case i.keepsBilling():
		r.Rate, r.StoppedRate = full, full
	default:
		r.Rate, r.StoppedRate = full, a.nothing()
	}
	return r, nil
}

// priceKey is what the machine's price depends on. An address of its own that is paid by bandwidth belongs to the
// machine's price; an EIP has a line of its own.
func (i instance) priceKey(region string) priceKey {
	k := priceKey{region: region, typ: i.Type, spot: i.mode() == billing.ModeSpot, monthly: i.ChargeType == prePaid}
	if k.spot {
		k.zone = i.Zone
	}
	if i.BandwidthChargedBy == "PayByBandwidth" && i.EIP.AllocationID == "" && decimal(i.BandwidthOut).Sign() > 0 {
		k.mbps = i.BandwidthOut.String()
	}
	return k
}

func (i instance) state() billing.State {
	switch i.Status {
	case "Pending", "Starting":
		return billing.StateStarting
	case running:
		return billing.StateRunning
	case "Stopping":
		return billing.StateStopping
	case stopped:
		return billing.StateStopped
	}
	return billing.StateUnknown
}

// vendorState has the word that decides about money beside the state.
func (i instance) vendorState() string {
	if i.Status == stopped && i.StoppedMode != "" {
		return i.Status + ", " + i.StoppedMode
	}
	return i.Status
}

// billed declares which states cost. A stopped machine costs as before unless Alibaba says StopCharging of it: that the
// mode was asked for proves nothing, because Alibaba ignores it without an error where it does not offer it.
func (i instance) billed() billing.Tri {
	switch {
	case i.ChargeType == prePaid:
		return billing.Yes
	case i.Status == running, i.Status == "Starting", i.Status == "Stopping":
		return billing.Yes
	case i.Status == stopped && i.StoppedMode == stopCharging:
		return billing.No
	case i.Status == stopped && (i.StoppedMode == keepCharging || i.StoppedMode == notApplicable):
		return billing.Yes
	}
	return billing.Unsure
}

func (i instance) mode() billing.Mode {
	switch {
	case i.ChargeType == prePaid:
		return billing.ModeMonthly
	case i.SpotStrategy != "" && i.SpotStrategy != "NoSpot":
		return billing.ModeSpot
	case i.ChargeType == postPaid:
		return billing.ModeOnDemand
	}
	return billing.ModeUnknown
}

// keepsBilling says that stopping saves nothing: Alibaba's economical mode is not for machines with local disks, nor for
// the classic network, nor for what is paid ahead.
func (i instance) keepsBilling() bool {
	return i.ChargeType != postPaid || i.NetworkType == "classic" || localDisks(family(i.Type))
}

// localDisks knows the families whose disks are in the machine: i and d with a number, gn5 and re6p.
func localDisks(family string) bool {
	f := strings.TrimPrefix(family, "ebm")
	if f == "gn5" || strings.HasPrefix(f, "re6p") {
		return true
	}
	return len(f) > 1 && (f[0] == 'i' || f[0] == 'd') && f[1] >= '0' && f[1] <= '9'
}

// fate is what happens at a balance of zero: on the China site pay-as-you-go machines stop after a day and their disks
// wait for another two weeks; the international site sends an invoice.
func (a *account) fate(chargeType string) billing.Fate {
	if chargeType == prePaid || a.site == international {
		return billing.FateKeeps
	}
	return billing.FateInterrupted
}

// notReleasable says why a machine must be left alone; zero for no reason.
func (i instance) notReleasable() billing.Text {
	if i.ChargeType == prePaid {
		return paidAhead(i.called(), i.ExpiredTime)
	}
	for _, l := range i.Locks.LockReason {
		// a machine locked for security loses even the disks that it is told to keep
		if strings.EqualFold(l.LockReason, "security") {
			return billing.Say("error.alibaba.locked", "name", i.called(), "reason", "security")
		}
	}
	return billing.Text{}
}

func paidAhead(name, until string) billing.Text {
	if at := expiry(until); !at.IsZero() {
		return billing.Say("error.alibaba.paid_ahead_until", "name", name, "until", at)
	}
	return billing.Say("error.alibaba.paid_ahead", "name", name)
}

func (i instance) called() string { return orID(i.Name, i.ID) }

func orID(name, id string) string {
	if name == "" {
		return id
	}
	return name
}
