package alibaba

import (
	"context"
	"errors"

	"gpuspend/billing"
)

// Find looks one resource up. Alibaba answers with an empty list for what is gone and, at some actions, for what the key
// may not see.
func (a *account) Find(ctx context.Context, ref billing.ResourceRef) (billing.Resource, error) {
	if !regionID.MatchString(ref.Region) {
		return billing.Resource{}, &billing.Error{Kind: billing.Invalid, Op: "alibaba: find " + string(ref.Kind),
			Err: errors.New("no such region")}
	}
	t, err := a.look(ctx, ref)
	t.resource.Ref.Account = ref.Account
	return t.resource, err
}

// thing is a resource as it was just read, with what would be sent to release it and what speaks against that.
type thing struct {
	resource billing.Resource
	machine  *instance    // for machines
	against  billing.Text // why it can't be deleted in this state; zero for nothing
	delete   call
	dry      bool // whether Alibaba can rehearse the deletion
}

// look reads one thing afresh.
func (a *account) look(ctx context.Context, ref billing.ResourceRef) (thing, error) {
	switch ref.Kind {
	case billing.KindInstance:
		return a.lookInstance(ctx, ref)
	case billing.KindDisk:
		return a.lookDisk(ctx, ref)
	case billing.KindSnapshot:
		return a.lookSnapshot(ctx, ref)
	case billing.KindImage:
		return a.lookImage(ctx, ref)
	case billing.KindIP:
		return a.lookAddress(ctx, ref)
	}
	return thing{}, absent("alibaba: find "+string(ref.Kind), ref)
}

func (a *account) lookInstance(ctx context.Context, ref billing.ResourceRef) (thing, error) {
	i, err := a.findInstance(ctx, ref)
	if err != nil {
		return thing{}, err
	}
	r, err := a.instanceResource(ctx, ref.Region, i)
	t := thing{resource: r, machine: &i, dry: true, delete: order("alibaba: delete instance", ecs(), ref, "DeleteInstances",
		"RegionId", ref.Region, "InstanceId.1", ref.ID)}
	if i.Status != stopped { // without it Alibaba deletes stopped machines only
		t.delete.query.Set("Force", "true")
	}
	if err == nil && !a.watches(i) {
		t.against = billing.Say("error.alibaba.unwatched", "name", i.called())
	}
	return t, err
}

func (a *account) lookDisk(ctx context.Context, ref billing.ResourceRef) (thing, error) {
	d, err := a.findDisk(ctx, ref)
	if err != nil {
		return thing{}, err
	}
	r, err := a.diskResource(ctx, ref.Region, d)
	t := thing{resource: r, delete: order("alibaba: delete disk", ecs(), ref, "DeleteDisk", "DiskId", ref.ID)}
	if d.Status != available {
		t.against = billing.Say("error.alibaba.disk_state", "name", d.called(), "state", d.Status)
	}
	return t, err
}

func (a *account) lookSnapshot(ctx context.Context, ref billing.ResourceRef) (thing, error) {
	s, err := a.findSnapshot(ctx, ref)
	if err != nil {
		return thing{}, err
	}
	chains := map[string]link{}
	if s.LinkID != "" {
		if chains, err = a.chains(ctx, ref.Region, s.LinkID); err != nil {
			return thing{}, err
		}
	}
	t := thing{resource: a.snapshotResource(ref.Region, s, chains),
		delete: order("alibaba: delete snapshot", ecs(), ref, "DeleteSnapshot", "SnapshotId", ref.ID)}
	switch {
	case s.inImage():
		t.against = billing.Say("error.alibaba.snapshot_image", "name", s.called())
	case s.inDisk():
		t.against = billing.Say("error.alibaba.snapshot_disk", "name", s.called())
	}
	return t, nil
}

func (a *account) lookImage(ctx context.Context, ref billing.ResourceRef) (thing, error) {
	i, err := a.findImage(ctx, ref)
	if err != nil {
		return thing{}, err
	}
	t := thing{resource: a.imageResource(ref.Region, i), dry: true,
		delete: order("alibaba: delete image", ecs(), ref, "DeleteImage", "RegionId", ref.Region, "ImageId", ref.ID)}
	if i.Usage == "instance" {
		t.against = billing.Say("error.alibaba.image_in_use", "name", i.called())
	}
	return t, nil
}

func (a *account) lookAddress(ctx context.Context, ref billing.ResourceRef) (thing, error) {
	ip, err := a.findAddress(ctx, ref)
	if err != nil {
		return thing{}, err
	}
	t := thing{resource: a.addressResource(ref.Region, ip),
		delete: order("alibaba: release EIP", vpc(), ref, "ReleaseEipAddress", "RegionId", ref.Region, "AllocationId", ref.ID)}
	if ip.Status != available && ip.InstanceID == "" {
		t.against = billing.Say("error.alibaba.address_state", "name", ip.called(), "state", ip.Status)
	}
	return t, nil
}

func order(op string, of product, ref billing.ResourceRef, action string, pairs ...string) call {
	return call{op: op, of: of, region: ref.Region, action: action, query: params(pairs...)}
}
