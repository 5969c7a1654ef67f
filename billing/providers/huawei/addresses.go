package huawei

import (
	"cmp"
	"context"

	"gpuspend/billing"
)

// addresses lists the EIPs of a project, page after page until one is empty: the number that Huawei gives beside a list
// is not always that of the list.
func (a *account) addresses(ctx context.Context, p project) ([]address, error) {
	const op = "huawei: list EIPs"
	return walk(op, false, func(i address) string { return i.ID }, func(at place) (*[]address, int, error) {
		var page addressesAnswer
		q := with(params("limit", "2000"), "marker", at.last)
		err := a.api.read(ctx, call{op: op, service: vpc, in: p, path: "/v3/" + p.id + "/eip/publicips", query: q}, &page)
		return page.Addresses, -1, err
	})
}

func (a *account) address(ctx context.Context, p project, id string) (address, error) {
	const op = "huawei: get EIP"
	var answer addressAnswer
	if err := a.api.read(ctx, call{op: op, service: vpc, in: p, path: "/v3/" + p.id + "/eip/publicips/" + escape(id)}, &answer); err != nil {
		return address{}, err
	}
	if answer.Address == nil {
		return address{}, garbled(op, "the answer lacks the EIP")
	}
	return *answer.Address, about(op, id, answer.Address.ID)
}

func (a *account) listAddresses(ctx context.Context, p project) ([]billing.Resource, error) {
	all, err := a.addresses(ctx, p)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	m, err := a.machinesOf(ctx, p)
	if err != nil {
		return nil, err
	}
	var ours []address
	for _, i := range all {
		a.enterprise.note(i.ID, i.Enterprise)
		if a.watchesAddress(i, m) {
			ours = append(ours, i)
		}
	}
	a.watched.Note(p.scope(billing.KindIP), len(all), len(ours))
	return a.describeAddresses(ctx, p, ours, m)
}

// watchesAddress leaves out what gateways and load balancers have.
func (a *account) watchesAddress(i address, m machineSet) bool {
	switch i.BoundType {
	case "NATGW", "ELB", "VPN", "ELBV1":
		return a.watched.Tagged(pairs(i.Tags, "="))
	}
	return a.watched.Attached(billing.KindIP, i.ID, pairs(i.Tags, "="), i.attachedTo(m), m.foreign)
}

func (a *account) describeAddresses(ctx context.Context, p project, list []address, m machineSet) ([]billing.Resource, error) {
	some := false
	for _, i := range list {
		some = some || i.Billing != ""
	}
	orders, err := a.ordersFor(ctx, some)
	if err != nil {
		return nil, err
	}
	out := make([]billing.Resource, len(list))
	for n, i := range list {
		out[n] = i.resource(p, orders, m)
	}
	return out, nil
}

// attachedTo gives what an EIP is on: a machine where that can be told, else the port or gateway.
func (i address) attachedTo(m machineSet) []string {
	port := cmp.Or(i.Interfaces.Port, i.BoundTo)
	if id := cmp.Or(i.Interfaces.Device, m.port[port], i.Interfaces.Owner, i.BoundTo, port); id != "" {
		return []string{id}
	}
	return nil
}

// state: DOWN alone does not say that nothing has the EIP; nothing may be named that has it either.
func (i address) state(m machineSet) billing.State {
	switch {
	case len(i.attachedTo(m)) > 0 || i.BoundType != "":
		return billing.StateAttached
	case i.Status == "DOWN":
		return billing.StateUnattached
	case i.Status == "ACTIVE", i.Status == "ELB":
		return billing.StateAttached
	}
	return billing.StateUnknown
}

// resource puts an EIP into our words. What it costs is mostly its bandwidth, whose price is not read; by traffic, or in
// a shared bandwidth, a bound EIP may cost nothing by itself.
func (i address) resource(p project, orders map[string]order, m machineSet) billing.Resource {
	tags := pairs(i.Tags, "=")
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindIP, Region: p.region, ID: i.ID},
		Name:        cmp.Or(i.Alias, i.IP),
		Type:        i.Pool,
		State:       i.state(m),
		VendorState: i.Status,
		Mode:        billing.ModeOnDemand,
		CreatedAt:   instant(i.CreatedAt),
		AttachedTo:  i.attachedTo(m),
		GoesWith:    i.GoesAlong,
		HoldsData:   billing.No,
		Protected:   i.Lock != "",
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if i.Bandwidth.Share == "PER" && i.Bandwidth.Charge == "bandwidth" || r.State == billing.StateUnattached {
		r.Billed = billing.Yes
	}
	if i.Billing != "" {
		paidAhead(&r, orders)
	}
	return r
}
