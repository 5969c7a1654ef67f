package aws

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/sieve"
)

// Find looks one resource up. AWS answers "not found" for what is gone, for another region's and for another account's.
func (a *account) Find(ctx context.Context, ref billing.ResourceRef) (billing.Resource, error) {
	t, err := a.look(ctx, "aws: find "+string(ref.Kind), ref)
	t.resource.Ref.Account = ref.Account
	return t.resource, err
}

// thing is a resource as it was just read.
type thing struct {
	resource billing.Resource
	machine  types.Instance // for machines
	foreign  bool           // has to do with no machine that is watched
}

// look reads one thing afresh.
func (a *account) look(ctx context.Context, op string, ref billing.ResourceRef) (thing, error) {
	if !regionName(ref.Region) {
		return thing{}, &billing.Error{Kind: billing.Invalid, Op: op, Err: errors.New("no such region")}
	}
	switch ref.Kind {
	case billing.KindInstance:
		return a.lookInstance(ctx, op, ref)
	case billing.KindDisk:
		list, err := a.volumes(ctx, op, ref.Region, []string{ref.ID})
		v, err := single(op, ref.ID, list, err, func(v types.Volume) *string { return v.VolumeId })
		return thing{resource: volumeResource(ref.Region, v)}, err
	case billing.KindSnapshot:
		list, err := a.snapshots(ctx, op, ref.Region, []string{ref.ID})
		s, err := single(op, ref.ID, list, err, func(s types.Snapshot) *string { return s.SnapshotId })
		return thing{resource: snapshotResource(ref.Region, s)}, err
	case billing.KindImage:
		list, err := a.images(ctx, op, ref.Region, []string{ref.ID})
		i, err := single(op, ref.ID, list, err, func(i types.Image) *string { return i.ImageId })
		return thing{resource: imageResource(ref.Region, i)}, err
	case billing.KindIP:
		list, err := a.addresses(ctx, op, ref.Region, []string{ref.ID})
		ip, err := single(op, ref.ID, list, err, func(ip types.Address) *string { return ip.AllocationId })
		service := ip.AssociationId != nil && aws.ToString(ip.InstanceId) == ""
		return thing{resource: addressResource(ref.Region, ip), foreign: service && !a.watched.Tagged(tagsOf(ip.Tags))}, err
	}
	return thing{}, absent(op, ref)
}

func (a *account) lookInstance(ctx context.Context, op string, ref billing.ResourceRef) (thing, error) {
	list, err := a.instances(ctx, op, ref.Region, []string{ref.ID})
	i, err := single(op, ref.ID, list, err, func(i types.Instance) *string { return i.InstanceId })
	if err != nil {
		return thing{}, err
	}
	r, err := a.instanceResource(ctx, ref.Region, i)
	return thing{resource: r, machine: i, foreign: !a.watches(i)}, err
}

// single picks the one thing that was asked for. An empty list says that it is not visible, never that it is gone.
func single[T any](op, id string, list []T, err error, of func(T) *string) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	if n := slices.IndexFunc(list, func(v T) bool { return aws.ToString(of(v)) == id }); n >= 0 {
		return list[n], nil
	}
	if len(list) > 0 {
		return none, garbled(op, "the answer is about another thing")
	}
	return none, &billing.Error{Kind: billing.Missing, Op: op}
}

// mayChange refuses what AWS would refuse, or worse, would do: with the reason.
func (t thing) mayChange(op string) error {
	r := t.resource
	name := orID(r.Name, r.Ref.ID)
	switch {
	case t.foreign:
		return conflict(op, billing.Say("error.aws.unwatched", "name", name))
	case r.Managed != "":
		return conflict(op, billing.Say("error.managed", "name", name, "by", r.Managed))
	case !r.NotReleasable.IsZero():
		return conflict(op, r.NotReleasable)
	}
	return nil
}

// Stop ends a machine's compute charges and keeps its volumes.
func (a *account) Stop(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	const op = "aws: stop instance"
	done, err := a.mayStop(ctx, op, act.Ref)
	if err != nil || done {
		return billing.Receipt{Done: done}, err
	}
	return billing.Receipt{}, a.stop(ctx, op, act.Ref, false)
}

func (a *account) stop(ctx context.Context, op string, ref billing.ResourceRef, dry bool) error {
	_, err := a.ec2(ref.Region).StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: []string{ref.ID}, DryRun: aws.Bool(dry)})
	return failed(ctx, op, err)
}

// mayStop looks at a machine right before; done says that it is stopped.
func (a *account) mayStop(ctx context.Context, op string, ref billing.ResourceRef) (done bool, err error) {
	if ref.Kind != billing.KindInstance {
		return false, absent(op, ref)
	}
	t, err := a.look(ctx, op, ref)
	if err != nil {
		return false, err
	}
	if err := t.mayChange(op); err != nil {
		return false, err
	}
	name := orID(t.resource.Name, ref.ID)
	switch {
	case t.resource.State == billing.StateStopped:
		return true, nil
	case t.resource.State != billing.StateRunning, storeBacked(t.machine):
		return false, conflict(op, billing.Say("error.no_stop", "name", name, "state", string(nameOf(t.machine))))
	}
	locked, err := a.attribute(ctx, ref.Region, ref.ID, types.InstanceAttributeNameDisableApiStop)
	if err == nil && locked {
		err = conflict(op, billing.Say("error.protected", "name", name))
	}
	return false, err
}

// Release gives a resource back. Everything is read right before; protection is never lifted, nothing is detached or
// forced. AWS's yes proves nothing: only later listings do.
func (a *account) Release(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	op := "aws: delete " + string(act.Ref.Kind)
	over, err := a.mayGo(ctx, op, act.Ref)
	if err != nil || over {
		return billing.Receipt{}, err
	}
	return billing.Receipt{}, a.delete(ctx, op, act.Ref, false)
}

// delete sends one id: in a list, one bad id spares them all.
func (a *account) delete(ctx context.Context, op string, ref billing.ResourceRef, dry bool) error {
	client, id, try := a.ec2(ref.Region), aws.String(ref.ID), aws.Bool(dry)
	var err error
	switch ref.Kind {
	case billing.KindInstance:
		_, err = client.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{ref.ID}, DryRun: try})
	case billing.KindDisk:
		_, err = client.DeleteVolume(ctx, &ec2.DeleteVolumeInput{VolumeId: id, DryRun: try})
	case billing.KindSnapshot:
		_, err = client.DeleteSnapshot(ctx, &ec2.DeleteSnapshotInput{SnapshotId: id, DryRun: try})
	case billing.KindImage:
		_, err = client.DeregisterImage(ctx, &ec2.DeregisterImageInput{ImageId: id, DryRun: try})
	case billing.KindIP:
		_, err = client.ReleaseAddress(ctx, &ec2.ReleaseAddressInput{AllocationId: id, DryRun: try})
	default:
		return absent(op, ref)
	}
	return failed(ctx, op, err)
}

// mayGo looks at a thing right before; over says that it is on its way out and needs no request.
func (a *account) mayGo(ctx context.Context, op string, ref billing.ResourceRef) (over bool, err error) {
	t, err := a.look(ctx, op, ref)
	if err != nil {
		return false, err
	}
	if t.resource.State == billing.StateDeleting || t.resource.State == billing.StateTerminated {
		return true, nil
	}
	if t.foreign, err = a.isForeign(ctx, t); err != nil {
		return false, err
	}
	if err := t.mayChange(op); err != nil {
		return false, err
	}
	name := orID(t.resource.Name, ref.ID)
	locked := t.resource.Protected
	if ref.Kind == billing.KindInstance { // once more and strictly: a look tolerates a key that may not read it
		if locked, err = a.attribute(ctx, ref.Region, ref.ID, types.InstanceAttributeNameDisableApiTermination); err != nil {
			return false, err
		}
	}
	if locked {
		return false, conflict(op, billing.Say("error.protected", "name", name))
	}
	return false, a.notInUse(ctx, op, t)
}

// isForeign says that a thing has to do with no machine that is watched.
func (a *account) isForeign(ctx context.Context, t thing) (bool, error) {
	r := t.resource
	if t.foreign || a.watched.Tagged(r.Tags) {
		return t.foreign, nil
	}
	switch r.Ref.Kind {
	case billing.KindDisk:
		machines, err := a.foreignMachines(ctx, r.Ref.Region)
		return !a.watched.Attached(r.Ref.Kind, r.Ref.ID, r.Tags, r.AttachedTo, machines), err
	case billing.KindSnapshot:
		disks, err := a.foreignDisks(ctx, r.Ref.Region)
		return sieve.Each(r.Sources, disks), err
	case billing.KindImage:
		snapshots, err := a.foreignSnapshots(ctx, r.Ref.Region)
		return sieve.Each(r.Sources, snapshots), err
	}
	return false, nil
}

// notInUse makes sure that nothing hangs on what is about to be deleted. AWS refuses most of it too, but not an AMI that
// machines were started from.
func (a *account) notInUse(ctx context.Context, op string, t thing) error {
	r := t.resource
	by := ""
	switch r.Ref.Kind {
	case billing.KindDisk, billing.KindIP:
		if len(r.AttachedTo) > 0 {
			by = r.AttachedTo[0]
		}
		if by == "" && r.State != billing.StateUnattached {
			return conflict(op, billing.Say("error.aws.state", "name", orID(r.Name, r.Ref.ID), "state", r.VendorState))
		}
	case billing.KindSnapshot:
		images, err := a.imagesOf(ctx, op, r.Ref.Region, r.Ref.ID)
		if err != nil {
			return err
		}
		if len(images) > 0 {
			by = aws.ToString(images[0].ImageId)
		}
	case billing.KindImage:
		list, err := a.instances(ctx, op, r.Ref.Region, nil, types.Filter{Name: aws.String("image-id"), Values: []string{r.Ref.ID}})
		if err != nil {
			return err
		}
		for _, i := range list {
			if !over(i) {
				by = aws.ToString(i.InstanceId)
			}
		}
	}
	if by == "" {
		return nil
	}
	return conflict(op, billing.Say("error.in_use", "name", orID(r.Name, r.Ref.ID), "by", by))
}

// Rehearse asks AWS whether it would take an act. Its yes is about permission only, so that the state is looked at too.
func (a *account) Rehearse(ctx context.Context, act billing.Act) error {
	var over bool
	var err error
	op := "aws: rehearse " + string(act.Verb) + " of " + string(act.Ref.Kind)
	try := a.delete
	if act.Verb == billing.VerbStop {
		try = a.stop
		over, err = a.mayStop(ctx, op, act.Ref)
	} else {
		over, err = a.mayGo(ctx, op, act.Ref)
	}
	if err != nil || over {
		return err
	}
	switch err := try(ctx, op, act.Ref, true); {
	case errors.Is(err, errWouldPass):
		return nil
	case err == nil: // no dry run answers so; whether it was one is unknown
		return &billing.Error{Kind: billing.Unknown, Op: op, Say: billing.Say("error.aws.not_dry"), Err: errors.New("a dry run was answered like an act")}
	default:
		return err
	}
}

func conflict(op string, say billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: say, Err: errors.New("refused before sending: " + say.Key)}
}

func absent(op string, ref billing.ResourceRef) error {
	return &billing.Error{Kind: billing.Absent, Op: op, Err: errors.New("not offered for a " + string(ref.Kind))}
}
