package aws

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/sieve"
)

// images lists the account's own, disabled and deprecated ones too: they keep their snapshots all the same.
func (a *account) images(ctx context.Context, op, region string, ids []string, filters ...types.Filter) ([]types.Image, error) {
	client := a.ec2(region)
	return walk(ctx, op, func(token *string) ([]types.Image, *string, error) {
		in := &ec2.DescribeImagesInput{Owners: []string{"self"}, ImageIds: ids, Filters: filters, NextToken: token,
			IncludeDisabled: aws.Bool(true), IncludeDeprecated: aws.Bool(true)}
		if len(ids) == 0 {
			in.MaxResults = aws.Int32(1000)
		}
		out, err := client.DescribeImages(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Images, out.NextToken, nil
	})
}

func (a *account) listImages(ctx context.Context, region string) ([]billing.Resource, error) {
	list, err := a.images(ctx, "aws: list images", region, nil)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	foreign, err := a.foreignSnapshots(ctx, region)
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, i := range list {
		r := imageResource(region, i)
		if a.watched.Tagged(r.Tags) || !sieve.Each(r.Sources, foreign) {
			out = append(out, r)
		}
	}
	a.watched.Note(billing.Scope{Kind: billing.KindImage, Region: region}, len(list), len(out))
	return out, nil
}

// imageResource puts an AMI into our words. It costs nothing itself: its snapshots do, which it keeps from going.
func imageResource(region string, i types.Image) billing.Resource {
	tags := tagsOf(i.Tags)
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindImage, Region: region, ID: aws.ToString(i.ImageId)},
		Name:        orID(tags["Name"], aws.ToString(i.Name)),
		State:       billing.StateUnknown,
		VendorState: string(i.State),
		Billed:      billing.No,
		Rate:        nothing(),
		Mode:        billing.ModeOnDemand,
		CreatedAt:   instant(aws.ToString(i.CreationDate)),
		HoldsData:   billing.Yes,
		AtZero:      billing.FateKeeps,
		Protected:   keptImage(aws.ToString(i.DeregistrationProtection)),
		Managed:     managedBy(tags, nil),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	for _, d := range i.BlockDeviceMappings {
		if d.Ebs != nil && aws.ToString(d.Ebs.SnapshotId) != "" {
			r.Sources = append(r.Sources, *d.Ebs.SnapshotId)
		}
	}
	switch i.State {
	case types.ImageStateAvailable, types.ImageStateDisabled:
		r.State = billing.StateAvailable
	case types.ImageStatePending:
		r.State = billing.StateStarting
	case types.ImageStateDeregistered:
		r.State = billing.StateTerminated
	}
	return r
}

// keptImage reads the protection, which is a text: "disabled", "enabled", "enabled-with-cooldown", or the end of a
// cooldown that still protects.
func keptImage(s string) bool { return s != "" && !strings.EqualFold(s, "disabled") }

// instant reads a time; what is missing or no time is unknown.
func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
