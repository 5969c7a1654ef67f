package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

func (a *account) volumes(ctx context.Context, op, region string, ids []string) ([]types.Volume, error) {
	client := a.ec2(region)
	return walk(ctx, op, func(token *string) ([]types.Volume, *string, error) {
		in := &ec2.DescribeVolumesInput{VolumeIds: ids, NextToken: token}
		if len(ids) == 0 {
			in.MaxResults = aws.Int32(500)
		}
		out, err := client.DescribeVolumes(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Volumes, out.NextToken, nil
	})
}

func (a *account) listVolumes(ctx context.Context, region string) ([]billing.Resource, error) {
	list, err := a.volumes(ctx, "aws: list volumes", region, nil)
	if err != nil {
		return nil, err
	}
	machines, err := a.foreignMachines(ctx, region)
	if err != nil {
		return nil, err
	}
	foreign := a.unwatchedDisks(list, machines)
	a.note(region, disksSet, foreign)
	var out []billing.Resource
	for _, v := range list {
		if !foreign[aws.ToString(v.VolumeId)] {
			out = append(out, volumeResource(region, v))
		}
	}
	a.watched.Note(billing.Scope{Kind: billing.KindDisk, Region: region}, len(list), len(out))
	return out, nil
}

// machinesOf lists the machines that a volume is on.
func machinesOf(v types.Volume) []string {
	var ids []string
	for _, at := range v.Attachments {
		if id := aws.ToString(at.InstanceId); id != "" && at.State != types.VolumeAttachmentStateDetached {
			ids = append(ids, id)
		}
	}
	return ids
}

func volumeResource(region string, v types.Volume) billing.Resource {
	tags := tagsOf(v.Tags)
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindDisk, Region: region, ID: aws.ToString(v.VolumeId)},
		Name:        tags["Name"],
		Zone:        aws.ToString(v.AvailabilityZone),
		Type:        string(v.VolumeType),
		State:       volumeState(v.State),
		VendorState: string(v.State),
		Billed:      billing.Yes,
		Rate:        volumeRate(region, v),
		Mode:        billing.ModeOnDemand,
		CreatedAt:   aws.ToTime(v.CreateTime).UTC(),
		AttachedTo:  machinesOf(v),
		HoldsData:   billing.Yes,
		AtZero:      billing.FateKeeps,
		Managed:     managedBy(tags, v.Operator),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if v.Size != nil {
		r.SizeGiB = billing.DecimalFromInt(int64(*v.Size))
	}
	if id := aws.ToString(v.SnapshotId); id != "" {
		r.Sources = []string{id}
	}
	for _, at := range v.Attachments {
		r.GoesWith = r.GoesWith || aws.ToBool(at.DeleteOnTermination)
	}
	switch r.State {
	case billing.StateTerminated:
		r.Billed, r.Rate = billing.No, nothing()
	case billing.StateUnknown, billing.StateDeleting:
		r.Billed, r.Rate = billing.Unsure, billing.Rate{}
	}
	return r
}

func volumeState(s types.VolumeState) billing.State {
	switch s {
	case types.VolumeStateAvailable:
		return billing.StateUnattached
	case types.VolumeStateInUse:
		return billing.StateAttached
	case types.VolumeStateCreating:
		return billing.StateStarting
	case types.VolumeStateDeleting:
		return billing.StateDeleting
	case types.VolumeStateDeleted:
		return billing.StateTerminated
	}
	return billing.StateUnknown
}
