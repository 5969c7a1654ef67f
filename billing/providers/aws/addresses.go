package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// addresses lists Elastic IPs. AWS gives them all at once: there are no pages.
func (a *account) addresses(ctx context.Context, op, region string, ids []string) ([]types.Address, error) {
	out, err := a.ec2(region).DescribeAddresses(ctx, &ec2.DescribeAddressesInput{AllocationIds: ids})
	if err != nil {
		return nil, failed(ctx, op, err)
	}
	return out.Addresses, nil
}

func (a *account) listAddresses(ctx context.Context, region string) ([]billing.Resource, error) {
	list, err := a.addresses(ctx, "aws: list addresses", region, nil)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	machines, err := a.foreignMachines(ctx, region)
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, ip := range list {
		if a.watchesAddress(ip, machines) {
			out = append(out, addressResource(region, ip))
		}
	}
	a.watched.Note(billing.Scope{Kind: billing.KindIP, Region: region}, len(list), len(out))
	return out, nil
}

// watchesAddress decides for an address; one on a gateway or a load balancer has to do with no machine.
func (a *account) watchesAddress(ip types.Address, machines map[string]bool) bool {
	switch id := aws.ToString(ip.InstanceId); {
	case a.watched.Tagged(tagsOf(ip.Tags)):
		return true
	case id != "":
		return a.watched.Attached(billing.KindIP, aws.ToString(ip.AllocationId), nil, []string{id}, machines)
	}
	return aws.ToString(ip.AssociationId) == "" && ip.ServiceManaged == ""
}

func addressResource(region string, ip types.Address) billing.Resource {
	tags := tagsOf(ip.Tags)
	r := billing.Resource{
		Ref:       billing.ResourceRef{Kind: billing.KindIP, Region: region, ID: aws.ToString(ip.AllocationId)},
		Name:      orID(tags["Name"], aws.ToString(ip.PublicIp)),
		State:     billing.StateUnattached,
		Billed:    billing.Yes,
		Rate:      listed(addressHour),
		Mode:      billing.ModeOnDemand,
		HoldsData: billing.No,
		AtZero:    billing.FateKeeps,
		Managed:   managedBy(tags, nil),
		Owner:     named(tags, "owner"),
		Project:   named(tags, "project"),
		Tags:      tags,
	}
	if aws.ToString(ip.AssociationId) != "" {
		r.State = billing.StateAttached
	}
	if id := orID(aws.ToString(ip.InstanceId), aws.ToString(ip.NetworkInterfaceId)); id != "" {
		r.AttachedTo = []string{id}
	}
	if ip.ServiceManaged != "" {
		r.Managed = "AWS (" + string(ip.ServiceManaged) + ")"
	}
	if aws.ToString(ip.PublicIpv4Pool) != amazonAddresses { // an address that the account brought itself
		r.Billed, r.Rate = billing.Unsure, billing.Rate{}
	}
	return r
}
