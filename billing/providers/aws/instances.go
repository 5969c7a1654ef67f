package aws

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// instances lists machines of a region: all, or those with the ids. AWS takes no page size beside ids.
func (a *account) instances(ctx context.Context, op, region string, ids []string, filters ...types.Filter) ([]types.Instance, error) {
	client := a.ec2(region)
	return walk(ctx, op, func(token *string) ([]types.Instance, *string, error) {
		in := &ec2.DescribeInstancesInput{InstanceIds: ids, Filters: filters, NextToken: token}
		if len(ids) == 0 {
			in.MaxResults = aws.Int32(1000)
		}
		out, err := client.DescribeInstances(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		var list []types.Instance
		for _, r := range out.Reservations {
			list = append(list, r.Instances...)
		}
		return list, out.NextToken, nil
	})
}

func (a *account) listInstances(ctx context.Context, region string) ([]billing.Resource, error) {
	list, err := a.instances(ctx, "aws: list instances", region, nil)
	if err != nil {
		return nil, err
	}
	a.note(region, machinesSet, a.unwatchedMachines(list))
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

// instanceResource puts a machine into our words. Its rate is the machine alone: volumes have lines of their own.
func (a *account) instanceResource(ctx context.Context, region string, i types.Instance) (billing.Resource, error) {
	tags := tagsOf(i.Tags)
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindInstance, Region: region, ID: aws.ToString(i.InstanceId)},
		Name:        tags["Name"],
		Type:        string(i.InstanceType),
		State:       stateOf(i),
		VendorState: vendorState(i),
		Billed:      billedOf(i),
		Mode:        modeOf(i),
		GPU:         gpuOf(string(i.InstanceType)),
		CreatedAt:   createdAt(i),
		StartedAt:   aws.ToTime(i.LaunchTime).UTC(),
		HoldsData:   billing.Yes,
		AtZero:      billing.FateKeeps,
		Managed:     managedBy(tags, i.Operator),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if i.Placement != nil {
		r.Zone = aws.ToString(i.Placement.AvailabilityZone)
	}
	if r.Billed == billing.No {
		r.Rate = nothing()
	} else {
		r.Rate = onDemand(region, i)
	}
	r.StoppedRate = nothing()
	if prepaid(i) {
		r.StoppedRate = billing.Rate{}
		r.NotReleasable = billing.Say("error.aws.capacity_block", "name", orID(r.Name, r.Ref.ID))
	}
	if over(i) {
		return r, nil
	}
	locked, err := a.attribute(ctx, region, r.Ref.ID, types.InstanceAttributeNameDisableApiTermination)
	if billing.KindOf(err) == billing.Denied {
		err = nil // whoever releases asks again, and is refused then
	}
	r.Protected = locked
	return r, err
}

// attribute reads one lock of a machine; DescribeInstances does not show them.
func (a *account) attribute(ctx context.Context, region, id string, name types.InstanceAttributeName) (bool, error) {
	out, err := a.ec2(region).DescribeInstanceAttribute(ctx, &ec2.DescribeInstanceAttributeInput{InstanceId: aws.String(id), Attribute: name})
	if err != nil {
		return false, failed(ctx, "aws: read attribute "+string(name), err)
	}
	v := out.DisableApiTermination
	if name == types.InstanceAttributeNameDisableApiStop {
		v = out.DisableApiStop
	}
	if v == nil || v.Value == nil {
		return false, garbled("aws: read attribute "+string(name), "the answer lacks the attribute")
	}
	return *v.Value, nil
}

func nameOf(i types.Instance) types.InstanceStateName {
	if i.State == nil {
		return ""
	}
	return i.State.Name
}

// over says that a machine is terminated or about to be; AWS lists it for another hour.
func over(i types.Instance) bool {
	s := nameOf(i)
	return s == types.InstanceStateNameTerminated || s == types.InstanceStateNameShuttingDown
}

func stateOf(i types.Instance) billing.State {
	switch nameOf(i) {
	case types.InstanceStateNamePending:
		return billing.StateStarting
	case types.InstanceStateNameRunning:
		return billing.StateRunning
	case types.InstanceStateNameStopping:
		return billing.StateStopping
	case types.InstanceStateNameStopped:
		return billing.StateStopped
	case types.InstanceStateNameShuttingDown:
		return billing.StateDeleting
	case types.InstanceStateNameTerminated:
		return billing.StateTerminated
	}
	return billing.StateUnknown
}

// vendorState has AWS's word, with the reason where AWS gives one: it holds the time of the stop.
func vendorState(i types.Instance) string {
	s := string(nameOf(i))
	if at := stoppedAt(i); !at.IsZero() {
		s += " since " + at.Format(time.RFC3339)
	}
	return s
}

var transition = regexp.MustCompile(`\((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:GMT|UTC)\)$`)

// stoppedAt is when a stopped machine was stopped. It stands in a text that may be empty.
func stoppedAt(i types.Instance) time.Time {
	m := transition.FindStringSubmatch(aws.ToString(i.StateTransitionReason))
	if m == nil || nameOf(i) != types.InstanceStateNameStopped {
		return time.Time{}
	}
	at, err := time.Parse(time.DateTime, m[1])
	if err != nil {
		return time.Time{}
	}
	return at
}

// billedOf declares which states cost: running only, and stopping where the memory is being written to disk. What is
// paid ahead costs in every state until it is over.
func billedOf(i types.Instance) billing.Tri {
	hibernates := i.HibernationOptions != nil && aws.ToBool(i.HibernationOptions.Configured)
	switch s := nameOf(i); {
	case s == types.InstanceStateNameTerminated:
		return billing.No
	case prepaid(i), s == types.InstanceStateNameRunning:
		return billing.Yes
	case s == types.InstanceStateNameStopping && hibernates:
		return billing.Unsure
	case s == types.InstanceStateNamePending, s == types.InstanceStateNameStopping, s == types.InstanceStateNameStopped,
		s == types.InstanceStateNameShuttingDown:
		return billing.No
	}
	return billing.Unsure
}

// modeOf says how a machine is paid for; no word means on demand. A reservation or a savings plan applies to the bill,
// not to a machine, and does not show here.
func modeOf(i types.Instance) billing.Mode {
	switch i.InstanceLifecycle {
	case "":
		return billing.ModeOnDemand
	case types.InstanceLifecycleTypeSpot:
		return billing.ModeSpot
	case types.InstanceLifecycleTypeScheduled, types.InstanceLifecycleTypeCapacityBlock:
		return billing.ModeReserved
	}
	return billing.ModeUnknown
}

func prepaid(i types.Instance) bool {
	return i.InstanceLifecycle == types.InstanceLifecycleTypeCapacityBlock
}

// createdAt is the attachment of the root volume, which is made with the machine: the launch time that AWS gives is the
// last start's.
func createdAt(i types.Instance) time.Time {
	for _, d := range i.BlockDeviceMappings {
		if d.Ebs != nil && aws.ToString(d.DeviceName) == aws.ToString(i.RootDeviceName) && d.Ebs.AttachTime != nil {
			return d.Ebs.AttachTime.UTC()
		}
	}
	return time.Time{}
}

// storeBacked says that a machine has no root volume, so that it cannot be stopped.
func storeBacked(i types.Instance) bool {
	return strings.EqualFold(string(i.RootDeviceType), string(types.DeviceTypeInstanceStore))
}
