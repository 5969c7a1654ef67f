package huawei

import (
	"context"
	"strconv"
	"strings"

	"gpuspend/billing"
)

// snapshots lists the legacy snapshots of a project, or of one disk. Here the offset counts items.
func (a *account) snapshots(ctx context.Context, p project, ofDisk string) ([]snapshot, error) {
	const op = "huawei: list snapshots"
	return walk(op, false, func(s snapshot) string { return s.ID }, func(at place) (*[]snapshot, int, error) {
		var page snapshotsAnswer
		q := with(params("limit", "1000", "offset", strconv.Itoa(at.items)), "volume_id", ofDisk)
		err := a.api.read(ctx, call{op: op, service: evs, in: p, path: "/v2/" + p.id + "/cloudsnapshots/detail", query: q}, &page)
		return page.Snapshots, -1, err
	})
}

func (a *account) snapshot(ctx context.Context, p project, id string) (snapshot, error) {
	const op = "huawei: get snapshot"
	var answer snapshotAnswer
	if err := a.api.read(ctx, call{op: op, service: evs, in: p, path: "/v2/" + p.id + "/cloudsnapshots/" + escape(id)}, &answer); err != nil {
		return snapshot{}, err
	}
	if answer.Snapshot == nil {
		return snapshot{}, garbled(op, "the answer lacks the snapshot")
	}
	return *answer.Snapshot, about(op, id, answer.Snapshot.ID)
}

func (a *account) listSnapshots(ctx context.Context, p project) ([]billing.Resource, error) {
	all, err := a.snapshots(ctx, p, "")
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, s := range all {
		ours, err := a.ofOurs(ctx, p, s.VolumeID)
		if err != nil {
			return nil, err
		}
		if ours {
			out = append(out, s.resource(p))
		}
	}
	a.watched.Note(p.scope(billing.KindSnapshot), len(all), len(out))
	return out, nil
}

// ofOurs says whether a disk is one that is watched; what was made of disks that are gone, or may not be seen, is.
func (a *account) ofOurs(ctx context.Context, p project, disk string) (bool, error) {
	if a.watched.Everything() {
		return true, nil
	}
	disks, err := a.disksOf(ctx, p)
	var m machineSet
	if err == nil {
		m, err = a.machinesOf(ctx, p)
	}
	if billing.KindOf(err) == billing.Denied {
		return true, nil
	}
	v, there := disks[disk]
	return err == nil && (!there || a.watchesDisk(v, m)), err
}

// resource puts a snapshot into our words. What it costs is not in the API: legacy ones are free in many regions.
func (s snapshot) resource(p project) billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindSnapshot, Region: p.region, ID: s.ID},
		Name:        s.Name,
		State:       billing.StateUnknown,
		VendorState: s.Status,
		Mode:        billing.ModeOnDemand,
		SizeGiB:     decimal(s.Size),
		CreatedAt:   instant(s.CreatedAt),
		HoldsData:   billing.Yes,
	}
	switch s.Status {
	case "available", "error": // those that EVS deletes
		r.State = billing.StateAvailable
	case "deleting":
		r.State = billing.StateDeleting
	case "creating":
		r.State = billing.StateStarting
	}
	if s.VolumeID != "" {
		r.Sources = []string{s.VolumeID}
	}
	if strings.HasPrefix(s.Name, "autobk_snapshot_") {
		r.Managed = "Cloud Backup"
	}
	return r
}
