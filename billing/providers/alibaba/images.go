package alibaba

import (
	"context"

	"gpuspend/billing"
)

// imagesCall asks for images in every state: without it Alibaba shows those that are ready only.
func imagesCall(region string) call {
	return call{op: "alibaba: list images", of: ecs(), region: region, action: "DescribeImages",
		query: params("RegionId", region, "ImageOwnerAlias", "self", "PageSize", "100",
			"Status", "Creating,Waiting,Available,UnAvailable,CreateFailed")}
}

func openImages(p *imagesAnswer) (*[]image, int) { return p.Images.Image, p.TotalCount }

func (a *account) listImages(ctx context.Context, region string) ([]billing.Resource, error) {
	k := imagesCall(region)
	list, err := whole(ctx, a, billing.Scope{Kind: billing.KindImage, Region: region}, k,
		count(ctx, a.api, k, "PageNumber", openImages))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	foreign, err := a.foreignSnapshots(ctx, region)
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, i := range list {
		if a.watched.Tagged(i.Tags.all()) || !i.madeOf(foreign) {
			out = append(out, a.imageResource(region, i))
		}
	}
	a.watched.Note(billing.Scope{Kind: billing.KindImage, Region: region}, len(list), len(out))
	return out, nil
}

// foreignSnapshots are those of disks on machines that are not watched.
func (a *account) foreignSnapshots(ctx context.Context, region string) (map[string]bool, error) {
	if a.watched.Everything() {
		return nil, nil
	}
	keep, err := a.sourcesOf(ctx, region)
	if err != nil {
		return nil, err
	}
	list, err := all(walk(ctx, a.api, snapshotsCall(region), openSnapshots))
	if err != nil {
		return nil, err
	}
	foreign := map[string]bool{}
	for _, s := range list {
		foreign[s.ID] = !keep.watches(s.Tags.all(), s.SourceDiskID)
	}
	return foreign, nil
}

// madeOf says that an image was made of such snapshots.
func (i image) madeOf(snapshots map[string]bool) bool {
	for _, d := range i.Devices.Device {
		if snapshots[d.SnapshotID] {
			return true
		}
	}
	return false
}

func (a *account) findImage(ctx context.Context, ref billing.ResourceRef) (image, error) {
	k := imagesCall(ref.Region)
	k.op, k.query = "alibaba: find image", with(k.query, "ImageId", ref.ID)
	list, err := all(count(ctx, a.api, k, "PageNumber", openImages))
	return single(k.op, list, err, func(i image) bool { return i.ID == ref.ID })
}

// imageResource puts an image into our words. It costs nothing itself: its snapshots do, which it keeps from going.
func (a *account) imageResource(region string, i image) billing.Resource {
	tags := i.Tags.all()
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindImage, Region: region, ID: i.ID},
		Name:        i.Name,
		State:       billing.StateAvailable,
		VendorState: i.Status,
		Billed:      billing.No,
		Rate:        a.nothing(),
		Mode:        billing.ModeOnDemand,
		SizeGiB:     decimal(i.Size),
		CreatedAt:   instant(i.CreationTime),
		HoldsData:   billing.Yes,
		AtZero:      billing.FateKeeps,
		Managed:     managedBy(tags),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	for _, d := range i.Devices.Device {
		if d.SnapshotID != "" {
			r.Sources = append(r.Sources, d.SnapshotID)
		}
	}
	switch i.Status {
	case "Creating", "Waiting":
		r.State = billing.StateStarting
	case "UnAvailable", "CreateFailed":
		r.State = billing.StateUnknown
	}
	return r
}

func (i image) called() string { return orID(i.Name, i.ID) }
