package alibaba

import (
	"context"

	"gpuspend/billing"
)

func addressesCall(region string) call {
	return call{op: "alibaba: list EIPs", of: vpc(), region: region, action: "DescribeEipAddresses",
		query: params("RegionId", region, "PageSize", "100")}
}

func openAddresses(p *addressesAnswer) (*[]address, int) { return p.Addresses.Address, p.TotalCount }

func (a *account) listAddresses(ctx context.Context, region string) ([]billing.Resource, error) {
	k := addressesCall(region)
	list, err := whole(ctx, a, billing.Scope{Kind: billing.KindIP, Region: region}, k,
		count(ctx, a.api, k, "PageNumber", openAddresses))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	machines, err := a.machinesOf(ctx, region)
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, ip := range list {
		if a.watchesAddress(ip, machines) {
			out = append(out, a.addressResource(region, ip))
		}
	}
	a.watched.Note(billing.Scope{Kind: billing.KindIP, Region: region}, len(list), len(out))
	return out, nil
}

// watchesAddress decides for an address; one on a gateway or a load balancer has to do with no machine.
func (a *account) watchesAddress(ip address, machines machineSet) bool {
	tags := ip.tags()
	if ip.onService() {
		return a.watched.Tagged(tags)
	}
	var to []string
	if ip.onMachine() {
		to = []string{ip.InstanceID}
	}
	return a.watched.Attached(billing.KindIP, ip.ID, tags, to, machines.foreign)
}

func (ip address) onMachine() bool { return ip.InstanceType == "EcsInstance" && ip.InstanceID != "" }

func (ip address) onService() bool {
	switch ip.InstanceType {
	case "", "EcsInstance", "NetworkInterface":
		return ip.ServiceManaged != 0
	}
	return true
}

func (a *account) findAddress(ctx context.Context, ref billing.ResourceRef) (address, error) {
	k := addressesCall(ref.Region)
	k.op, k.query = "alibaba: find EIP", with(k.query, "AllocationId", ref.ID)
	list, err := all(count(ctx, a.api, k, "PageNumber", openAddresses))
	return single(k.op, list, err, func(ip address) bool { return ip.ID == ref.ID })
}

func (ip address) tags() map[string]string {
	if len(ip.Tags.Tag) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, t := range ip.Tags.Tag {
		out[t.Key] = t.Value
	}
	return out
}

// addressResource puts an EIP into our words. DescribePrice knows no EIPs, and of bandwidth only what is paid by traffic: its
// rate stays unknown.
func (a *account) addressResource(region string, ip address) billing.Resource {
	tags := ip.tags()
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindIP, Region: region, ID: ip.ID},
		Name:        orID(ip.Name, ip.IP),
		Type:        ip.InternetChargeType,
		State:       ip.state(),
		VendorState: ip.Status,
		Billed:      ip.billed(),
		Mode:        billing.ModeOnDemand,
		CreatedAt:   instant(ip.AllocationTime),
		HoldsData:   billing.No,
		AtZero:      billing.FateKeeps,
		Protected:   ip.DeletionProtection,
		Managed:     managedBy(tags),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if ip.Bandwidth != "" {
		r.Type += " " + ip.Bandwidth + " Mbps"
	}
	if ip.InstanceID != "" {
		r.AttachedTo = []string{ip.InstanceID}
	}
	if ip.ServiceManaged != 0 {
		r.Managed = orID(ip.InstanceType, "another product of Alibaba Cloud")
	}
	if ip.ChargeType == prePaid {
		r.Mode, r.ExpiresAt, r.NotReleasable = billing.ModeMonthly, expiry(ip.ExpiredTime), paidAhead(ip.called(), ip.ExpiredTime)
	}
	return r
}

func (ip address) state() billing.State {
	switch ip.Status {
	case "InUse":
		return billing.StateAttached
	case available:
		return billing.StateUnattached
	case "Releasing":
		return billing.StateDeleting
	}
	return billing.StateUnknown
}

// billed declares when an address costs: unbound always, bound for its bandwidth; by traffic it depends on the traffic,
// and in a bandwidth package the package is what costs.
func (ip address) billed() billing.Tri {
	switch {
	case ip.Status == available, ip.ChargeType == prePaid:
		return billing.Yes
	case ip.Status == "InUse" && ip.InternetChargeType == "PayByBandwidth" && ip.PackageID == "":
		return billing.Yes
	}
	return billing.Unsure
}

func (ip address) called() string { return orID(ip.Name, ip.ID) }
