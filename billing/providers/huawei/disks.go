package huawei

import (
	"context"
	"strconv"
	"strings"

	"gpuspend/billing"
)

const listVolumes = "huawei: list disks"

// disks lists the disks of a project, page after page until one is empty: pages begin after a disk, so that a list that
// moves loses none.
func (a *account) disks(ctx context.Context, p project) ([]volume, error) {
	return walk(listVolumes, false, func(v volume) string { return v.ID }, func(at place) (*[]volume, int, error) {
		var page volumesAnswer
		q := with(params("limit", "1000"), "marker", at.last)
		err := a.api.read(ctx, call{op: listVolumes, service: evs, in: p, path: "/v2/" + p.id + "/cloudvolumes/detail", query: q}, &page)
		return page.Volumes, -1, err
	})
}

func (a *account) disk(ctx context.Context, p project, id string) (volume, error) {
	const op = "huawei: get disk"
	var answer volumeAnswer
	if err := a.api.read(ctx, call{op: op, service: evs, in: p, path: "/v2/" + p.id + "/cloudvolumes/" + escape(id)}, &answer); err != nil {
		return volume{}, err
	}
	if answer.Volume == nil {
		return volume{}, garbled(op, "the answer lacks the disk")
	}
	return *answer.Volume, about(op, id, answer.Volume.ID)
}

func (a *account) listDisks(ctx context.Context, p project) ([]billing.Resource, error) {
	all, err := a.disks(ctx, p)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	a.noteDisks(p, all)
	m, err := a.machinesOf(ctx, p)
	if err != nil {
		return nil, err
	}
	var ours []volume
	for _, v := range all {
		a.enterprise.note(v.ID, v.Enterprise)
		if a.watchesDisk(v, m) {
			ours = append(ours, v)
		}
	}
	a.watched.Note(p.scope(billing.KindDisk), len(all), len(ours))
	return a.describeDisks(ctx, p, ours, m)
}

func (a *account) describeDisks(ctx context.Context, p project, list []volume, m machineSet) ([]billing.Resource, error) {
	var ask []product
	some := false
	for _, v := range list {
		some = some || v.paidAhead()
		if of, ok := v.product(p.region); ok {
			ask = append(ask, of)
		}
	}
	orders, err := a.ordersFor(ctx, some)
	if err != nil {
		return nil, err
	}
	prices, err := a.pricesOf(ctx, p, ask)
	if err != nil {
		return nil, err
	}
	out := make([]billing.Resource, len(list))
	for i, v := range list {
		out[i] = v.resource(p, orders, prices, m)
	}
	return out, nil
}

func (v volume) paidAhead() bool { return v.Metadata.OrderID != "" }

// product is what a disk is priced as; not ok for those whose price depends on more than type and size.
func (v volume) product(region string) (product, bool) {
	gib, err := strconv.ParseInt(v.Size.String(), 10, 64)
	if err != nil || gib <= 0 || v.paidAhead() || strings.HasSuffix(v.Type, "2") {
		return product{}, false
	}
	return product{region: region, service: serviceVolume, kind: typeVolume, spec: v.Type, gib: gib}, true
}

func (v volume) attachedTo() []string {
	var ids []string
	for _, at := range v.Attachments {
		if at.ServerID != "" {
			ids = append(ids, at.ServerID)
		}
	}
	return ids
}

// resource puts a disk into our words. Huawei does not say when a disk was detached: its time of change only bounds it.
func (v volume) resource(p project, orders map[string]order, prices map[product]billing.Money, m machineSet) billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindDisk, Region: p.region, ID: v.ID},
		Name:        v.Name,
		Zone:        v.Zone,
		Type:        v.Type,
		State:       v.state(),
		VendorState: v.Status,
		Billed:      billing.Unsure,
		Mode:        billing.ModeOnDemand,
		SizeGiB:     decimal(v.Size),
		CreatedAt:   instant(v.CreatedAt),
		AttachedTo:  v.attachedTo(),
		GoesWith:    m.goes[v.ID],
		HoldsData:   billing.Yes,
		Managed:     managedBy(v.Tags),
		Owner:       named(v.Tags, "owner"),
		Project:     named(v.Tags, "project"),
		Tags:        v.Tags,
	}
	if r.State == billing.StateAttached || r.State == billing.StateUnattached {
		r.Billed = billing.Yes
	}
	if of, ok := v.product(p.region); ok {
		r.Rate = listed(prices[of])
	}
	if v.paidAhead() {
		paidAhead(&r, orders)
	}
	return r
}

// state goes by the attachments as well: a disk that somebody has is not free whatever its status says.
func (v volume) state() billing.State {
	switch v.Status {
	case "deleting":
		return billing.StateDeleting
	case "creating", "downloading":
		return billing.StateStarting
	case "in-use", "attaching", "detaching":
		return billing.StateAttached
	case "available", "error", "error_extending", "error_restoring", "error_rollbacking": // those that EVS deletes
		if len(v.Attachments) > 0 {
			return billing.StateAttached
		}
		return billing.StateUnattached
	}
	return billing.StateUnknown
}
