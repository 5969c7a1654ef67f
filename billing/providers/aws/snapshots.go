package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// snapshots lists the account's own: without an owner AWS gives every public snapshot there is.
func (a *account) snapshots(ctx context.Context, op, region string, ids []string) ([]types.Snapshot, error) {
	client := a.ec2(region)
	return walk(ctx, op, func(token *string) ([]types.Snapshot, *string, error) {
		in := &ec2.DescribeSnapshotsInput{OwnerIds: []string{"self"}, SnapshotIds: ids, NextToken: token}
		if len(ids) == 0 {
			in.MaxResults = aws.Int32(1000)
		}
		out, err := client.DescribeSnapshots(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Snapshots, out.NextToken, nil
	})
}

func (a *account) listSnapshots(ctx context.Context, region string) ([]billing.Resource, error) {
	list, err := a.snapshots(ctx, "aws: list snapshots", region, nil)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	disks, err := a.foreignDisks(ctx, region)
	if err != nil {
		return nil, err
	}
	foreign := a.unwatchedSnapshots(list, disks)
	a.note(region, snapshotsSet, foreign)
	var out []billing.Resource
	for _, s := range list {
		if !foreign[aws.ToString(s.SnapshotId)] {
			out = append(out, snapshotResource(region, s))
		}
	}
	a.watched.Note(billing.Scope{Kind: billing.KindSnapshot, Region: region}, len(list), len(out))
	return out, nil
}

// copied is the volume that AWS names for snapshots that were copied: none.
const copied = "vol-ffffffff"

// snapshotResource puts a snapshot into our words. Its size is the full one, an upper bound of what is stored and
// billed; what it costs is in no API.
func snapshotResource(region string, s types.Snapshot) billing.Resource {
	tags := tagsOf(s.Tags)
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindSnapshot, Region: region, ID: aws.ToString(s.SnapshotId)},
		Name:        tags["Name"],
		Type:        string(s.StorageTier),
		State:       snapshotState(s.State),
		VendorState: string(s.State),
		Billed:      billing.Yes,
		Mode:        billing.ModeOnDemand,
		CreatedAt:   aws.ToTime(s.StartTime).UTC(),
		HoldsData:   billing.Yes,
		AtZero:      billing.FateKeeps,
		Managed:     managedBy(tags, nil),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if n := aws.ToInt64(s.FullSnapshotSizeInBytes); n > 0 {
		if gib, err := billing.DecimalFromInt(n).Div(billing.DecimalFromInt(1<<30), 6); err == nil {
			r.SizeGiB = gib
		}
	}
	if id := aws.ToString(s.VolumeId); id != "" && id != copied {
		r.Sources = []string{id}
	}
	if r.State == billing.StateUnknown {
		r.Billed = billing.Unsure
	}
	return r
}

func snapshotState(s types.SnapshotState) billing.State {
	switch s {
	case types.SnapshotStateCompleted:
		return billing.StateAvailable
	case types.SnapshotStatePending:
		return billing.StateStarting
	case types.SnapshotStateRecoverable, types.SnapshotStateRecovering:
		return billing.StateRecoverable // in the recycle bin, where it costs on
	}
	return billing.StateUnknown
}

// imagesOf lists the account's images that were made of a snapshot; they have to go first.
func (a *account) imagesOf(ctx context.Context, op, region, snapshot string) ([]types.Image, error) {
	return a.images(ctx, op, region, nil, types.Filter{Name: aws.String("block-device-mapping.snapshot-id"), Values: []string{snapshot}})
}
