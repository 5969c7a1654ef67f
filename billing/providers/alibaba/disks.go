package alibaba

import (
	"context"
	"slices"

	"gpuspend/billing"
)

func disksCall(region string) call {
	return call{op: "alibaba: list disks", of: ecs(), region: region, action: "DescribeDisks",
		query: params("RegionId", region, "MaxResults", "500")}
}

func openDisks(p *disksAnswer) (*[]disk, string) { return p.Disks.Disk, p.NextToken }

func (a *account) listDisks(ctx context.Context, region string) ([]billing.Resource, error) {
	list, err := a.disks(ctx, region)
	if err != nil {
		return nil, err
	}
	machines, err := a.machinesOf(ctx, region)
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, d := range list {
		if !a.watchesDisk(d, machines) {
			continue
		}
		r, err := a.diskResource(ctx, region, d)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	a.watched.Note(billing.Scope{Kind: billing.KindDisk, Region: region}, len(list), len(out))
	return out, nil
}

// watchesDisk decides by the machines that a disk is on.
func (a *account) watchesDisk(d disk, machines machineSet) bool {
	return a.watched.Attached(billing.KindDisk, d.ID, d.Tags.all(), d.attachedTo(), machines.foreign)
}

// disks lists the disks of a region, those too that are not watched.
func (a *account) disks(ctx context.Context, region string) ([]disk, error) {
	k := disksCall(region)
	return whole(ctx, a, billing.Scope{Kind: billing.KindDisk, Region: region}, k, walk(ctx, a.api, k, openDisks))
}

func (a *account) findDisk(ctx context.Context, ref billing.ResourceRef) (disk, error) {
	k := disksCall(ref.Region)
	k.op, k.query = "alibaba: find disk", with(k.query, "DiskIds", idList(ref.ID))
	list, err := all(walk(ctx, a.api, k, openDisks))
	return single(k.op, list, err, func(d disk) bool { return d.ID == ref.ID })
}

// attachedTo lists the machines that a disk is on; one on several has them in its attachments only.
func (d disk) attachedTo() []string {
	var ids []string
	if d.InstanceID != "" {
		ids = append(ids, d.InstanceID)
	}
	for _, at := range d.Attachments.Attachment {
		if at.InstanceID != "" && !slices.Contains(ids, at.InstanceID) {
			ids = append(ids, at.InstanceID)
		}
	}
	return ids
}

func (a *account) diskResource(ctx context.Context, region string, d disk) (billing.Resource, error) {
	tags := d.Tags.all()
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindDisk, Region: region, ID: d.ID},
		Name:        d.Name,
		Zone:        d.Zone,
		Type:        d.Category,
		State:       d.state(),
		VendorState: d.Status,
		Billed:      billing.Yes,
		Mode:        billing.ModeOnDemand,
		SizeGiB:     decimal(d.Size),
		CreatedAt:   instant(d.CreationTime),
		AttachedTo:  d.attachedTo(),
		GoesWith:    d.DeleteWithInstance && len(d.attachedTo()) > 0,
		HoldsData:   billing.Yes,
		AtZero:      a.fate(d.ChargeType),
		Managed:     managedBy(tags),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if r.AtZero == billing.FateInterrupted {
		r.AtZero = billing.FateKeeps // for two weeks, while its machine stands still
	}
	if d.PerformanceLevel != "" {
		r.Type += " " + d.PerformanceLevel
	}
	if d.SourceSnapshotID != "" {
		r.Sources = []string{d.SourceSnapshotID}
	}
	if d.ChargeType == prePaid {
		r.Mode, r.ExpiresAt, r.NotReleasable = billing.ModeMonthly, expiry(d.ExpiredTime), paidAhead(d.called(), d.ExpiredTime)
		return r, nil
	}
	hourly, err := a.price(ctx, priceKey{region: region, disk: d.Category, level: d.PerformanceLevel, gib: d.Size.String()})
	r.Rate = rated(hourly, billing.RateList)
	return r, err
}

func (d disk) state() billing.State {
	switch d.Status {
	case inUse, "Attaching", "ReIniting":
		return billing.StateAttached
	case available:
		return billing.StateUnattached
	case "Creating":
		return billing.StateStarting
	}
	return billing.StateUnknown // Detaching too: it is both
}

func (d disk) called() string { return orID(d.Name, d.ID) }
