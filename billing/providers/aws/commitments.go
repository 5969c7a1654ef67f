package aws

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// blockEnds is how long before a capacity block's end AWS starts to terminate its machines.
const blockEnds = 30 * time.Minute

// Commitments lists savings plans, and the reserved instances and capacity blocks of GPU types, that have not ended.
func (a *account) Commitments(ctx context.Context) iter.Seq2[billing.Commitment, error] {
	return func(yield func(billing.Commitment, error) bool) {
		plans, err := a.plans(ctx)
		if err != nil {
			yield(billing.Commitment{}, err)
			return
		}
		for _, c := range plans {
			if !yield(c, nil) {
				return
			}
		}
		regions, err := a.allRegions(ctx)
		if err != nil {
			yield(billing.Commitment{}, err)
			return
		}
		for _, region := range regions {
			for _, list := range []func(context.Context, string) ([]billing.Commitment, error){a.reserved, a.blocks} {
				found, err := list(ctx, region)
				if err != nil {
					yield(billing.Commitment{}, err)
					return
				}
				for _, c := range found {
					if !yield(c, nil) {
						return
					}
				}
			}
		}
	}
}

// reserved lists reserved instances; there are no pages. They end without renewing themselves.
func (a *account) reserved(ctx context.Context, region string) ([]billing.Commitment, error) {
	out, err := a.ec2(region).DescribeReservedInstances(ctx, &ec2.DescribeReservedInstancesInput{})
	if err != nil {
		return nil, failed(ctx, "aws: list reserved instances", err)
	}
	var list []billing.Commitment
	for _, r := range out.ReservedInstances {
		if r.State != types.ReservedInstanceStateActive || !a.watchesType(string(r.InstanceType)) {
			continue
		}
		list = append(list, billing.Commitment{
			ID:           aws.ToString(r.ReservedInstancesId),
			Name:         fmt.Sprintf("%d × %s, %s, reserved", aws.ToInt32(r.InstanceCount), r.InstanceType, region),
			ExpiresAt:    aws.ToTime(r.End).UTC(),
			RenewsItself: billing.No,
		})
	}
	return list, nil
}

// blocks lists capacity blocks, with the instant at which their machines begin to go.
func (a *account) blocks(ctx context.Context, region string) ([]billing.Commitment, error) {
	const op = "aws: list capacity reservations"
	client := a.ec2(region)
	all, err := walk(ctx, op, func(token *string) ([]types.CapacityReservation, *string, error) {
		out, err := client.DescribeCapacityReservations(ctx, &ec2.DescribeCapacityReservationsInput{MaxResults: aws.Int32(1000), NextToken: token})
		if err != nil {
			return nil, nil, err
		}
		return out.CapacityReservations, out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	var list []billing.Commitment
	for _, r := range all {
		ends := aws.ToTime(r.EndDate).UTC().Add(-blockEnds)
		if r.ReservationType != types.CapacityReservationTypeCapacityBlock || r.EndDate == nil || !ends.After(a.now()) || blockOver(r.State) {
			continue
		}
		list = append(list, billing.Commitment{
			ID:           aws.ToString(r.CapacityReservationId),
			Name:         fmt.Sprintf("%d × %s, %s, capacity block", aws.ToInt32(r.TotalInstanceCount), aws.ToString(r.InstanceType), region),
			ExpiresAt:    ends,
			RenewsItself: billing.No,
		})
	}
	return list, nil
}

func blockOver(s types.CapacityReservationState) bool {
	switch s {
	case types.CapacityReservationStateExpired, types.CapacityReservationStateCancelled, types.CapacityReservationStateFailed,
		types.CapacityReservationStatePaymentFailed, types.CapacityReservationStateUnsupported:
		return true
	}
	return false
}

func (a *account) watchesType(typ string) bool { return a.watched.Everything() || hasGPU(typ) }
