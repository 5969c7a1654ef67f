package aws

import (
	"context"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

const listPage = "https://aws.amazon.com/ec2/pricing/on-demand/"

// Offers lists spot prices of Linux in every zone of the regions looked at, and list prices on demand where they are
// known.
func (a *account) Offers(ctx context.Context, q billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		regions, err := a.allRegions(ctx)
		if err != nil {
			yield(billing.Offer{}, err)
			return
		}
		for _, region := range regions {
			list, err := a.spot(ctx, region, q.GPU)
			if err != nil {
				yield(billing.Offer{}, err)
				return
			}
			for _, o := range append(list, onDemandOffers(region, q.GPU)...) {
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}

func onDemandOffers(region, model string) []billing.Offer {
	var list []billing.Offer
	for _, typ := range typesOf(model) {
		if r := typeRate(region, typ); r.Hourly.Known() {
			list = append(list, offer(region, typ, billing.ModeOnDemand, r.Hourly, listPage))
		}
	}
	return list
}

func offer(region, typ string, mode billing.Mode, m billing.Money, source string) billing.Offer {
	return billing.Offer{Region: region, Type: typ, GPU: gpuOf(typ), Mode: mode, Low: m, High: m, Unit: "hour", Source: source,
		Excludes: []billing.Part{billing.PartDisk, billing.PartIP, billing.PartBandwidth}}
}

// spot reads the newest price of each type and zone. AWS gives the last change before the start too, however old.
func (a *account) spot(ctx context.Context, region, model string) ([]billing.Offer, error) {
	const op = "aws: list spot prices"
	client, now := a.ec2(region), a.now().UTC()
	var want []types.InstanceType
	for _, typ := range typesOf(model) {
		want = append(want, types.InstanceType(typ))
	}
	if len(want) == 0 {
		return nil, nil
	}
	all, err := walk(ctx, op, func(token *string) ([]types.SpotPrice, *string, error) {
		out, err := client.DescribeSpotPriceHistory(ctx, &ec2.DescribeSpotPriceHistoryInput{InstanceTypes: want, NextToken: token,
			ProductDescriptions: []string{linux}, StartTime: aws.Time(now), EndTime: aws.Time(now), MaxResults: aws.Int32(1000)})
		if err != nil {
			return nil, nil, err
		}
		return out.SpotPriceHistory, out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	type place struct{ typ, zone string }
	newest := map[place]time.Time{}
	for _, p := range all {
		at := place{string(p.InstanceType), aws.ToString(p.AvailabilityZone)}
		if t := aws.ToTime(p.Timestamp); t.After(newest[at]) {
			newest[at] = t
		}
	}
	var list []billing.Offer
	for _, p := range all {
		at := place{string(p.InstanceType), aws.ToString(p.AvailabilityZone)}
		m, _, err := billing.ParseMoney(aws.ToString(p.SpotPrice), usd)
		if err != nil || m.Sign() <= 0 || !aws.ToTime(p.Timestamp).Equal(newest[at]) {
			continue
		}
		delete(newest, at)
		list = append(list, offer(at.zone, at.typ, billing.ModeSpot, m, docEC2+"DescribeSpotPriceHistory.html"))
	}
	return list, nil
}
