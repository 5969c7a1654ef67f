package huawei

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"gpuspend/billing"
)

const listServers = "huawei: list machines"

// servers lists the machines of a project. Here the offset is the number of a page, beginning with 1.
func (a *account) servers(ctx context.Context, p project) ([]server, error) {
	return walk(listServers, true, func(s server) string { return s.ID }, func(at place) (*[]server, int, error) {
		var page serversAnswer
		q := params("limit", "1000", "offset", strconv.Itoa(at.pages+1), "enterprise_project_id", "all_granted_eps")
		err := a.api.read(ctx, call{op: listServers, service: ecs, in: p, path: "/v1/" + p.id + "/cloudservers/detail", query: q}, &page)
		return page.Servers, page.Count, err
	})
}

func (a *account) server(ctx context.Context, p project, id string) (server, error) {
	const op = "huawei: get machine"
	var answer serverAnswer
	if err := a.api.read(ctx, call{op: op, service: ecs, in: p, path: "/v1/" + p.id + "/cloudservers/" + escape(id)}, &answer); err != nil {
		return server{}, err
	}
	if answer.Server == nil {
		return server{}, garbled(op, "the answer lacks the machine")
	}
	return *answer.Server, about(op, id, answer.Server.ID)
}

func (a *account) listMachines(ctx context.Context, p project) ([]billing.Resource, error) {
	all, err := a.servers(ctx, p)
	if err != nil {
		return nil, err
	}
	a.noteMachines(p, all)
	var ours []server
	for _, s := range all {
		a.enterprise.note(s.ID, s.EnterpriseProj)
		if a.watches(s) {
			ours = append(ours, s)
		}
	}
	a.watched.Note(p.scope(billing.KindInstance), len(all), len(ours))
	return a.describeMachines(ctx, p, ours)
}

// lore is what several machines have to be described with.
type lore struct {
	flavors map[string]flavor
	orders  map[string]order
	prices  map[product]billing.Money
	groups  membership
	nothing billing.Money // zero, in the account's currency
}

func (a *account) describeMachines(ctx context.Context, p project, list []server) ([]billing.Resource, error) {
	if len(list) == 0 {
		return nil, nil
	}
	l := lore{nothing: billing.ZeroMoney(a.currency)}
	var err error
	if l.groups, err = a.memberships(ctx, p); err != nil {
		return nil, err
	}
	if l.flavors, err = a.flavorsOf(ctx, p); err != nil {
		return nil, err
	}
	var ask []product
	some := false
	for _, s := range list {
		some = some || s.Metadata.Charging == chargedAhead
		if s.Metadata.Charging == chargedOnDemand {
			ask = append(ask, s.product(p.region))
		}
	}
	if l.orders, err = a.ordersFor(ctx, some); err != nil {
		return nil, err
	}
	if l.prices, err = a.pricesOf(ctx, p, ask); err != nil {
		return nil, err
	}
	out := make([]billing.Resource, len(list))
	for i, s := range list {
		out[i] = s.resource(p, l)
	}
	return out, nil
}

// product is what a machine is priced as: flavor and operating system.
func (s server) product(region string) product {
	spec := s.Metadata.Spec
	if !strings.HasPrefix(spec, s.Flavor.ID+".") {
		spec = s.Flavor.ID + ".linux"
		if strings.EqualFold(s.Metadata.OS, "windows") {
			spec = s.Flavor.ID + ".win"
		}
	}
	return product{region: region, service: serviceVM, kind: typeVM, spec: spec}
}

func (s server) resource(p project, l lore) billing.Resource {
	tags := pairs(s.Tags, "=")
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindInstance, Region: p.region, ID: s.ID},
		Name:        s.Name,
		Zone:        s.Zone,
		Type:        s.Flavor.ID,
		State:       s.state(),
		VendorState: s.Status,
		Mode:        billing.ModeOnDemand,
		GPU:         s.gpu(),
		CreatedAt:   instant(s.Created),
		StartedAt:   instant(s.LaunchedAt),
		ExpiresAt:   instant(s.AutoTerminate),
		HoldsData:   billing.Yes, // the system disk goes with the machine
		Protected:   s.Locked,
		Managed:     managedBy(tags),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if g := l.groups.of[s.ID]; g != "" {
		r.Managed = "Auto Scaling group " + g
	} else if l.groups.unknown {
		r.NotReleasable = billing.Say("error.huawei.group_unknown", "name", called(r))
	}
	s.price(&r, l, p)
	if s.Metadata.Charging == chargedAhead {
		paidAhead(&r, l.orders)
	}
	return r
}

// price declares what a machine costs in its state, and what it would cost when stopped. Disks have lines of their own.
func (s server) price(r *billing.Resource, l lore, p project) {
	running := listed(l.prices[s.product(p.region)])
	if s.Metadata.Charging == chargedSpot {
		r.Mode, running = billing.ModeSpot, billing.Rate{}
	}
	stopCosts := chargedWhenStopped(s.Flavor.ID, l.flavors)
	if s.Metadata.Charging != chargedOnDemand {
		stopCosts = billing.Unsure // some spot machines are billed on, and the API does not tell them apart
	}
	switch stopCosts {
	case billing.Yes:
		r.StoppedRate = running
	case billing.No:
		r.StoppedRate = listed(l.nothing)
	}
	switch r.State {
	case billing.StateRunning, billing.StateStopping:
		r.Billed, r.Rate = billing.Yes, running
	case billing.StateStopped:
		r.Billed, r.Rate = stopCosts, r.StoppedRate
	case billing.StateTerminated:
		r.Billed = billing.No
	}
	if s.Metadata.Charging == "" {
		r.Mode = billing.ModeUnknown
	}
}

func (s server) state() billing.State {
	switch s.TaskState {
	case "deleting", "soft-deleting":
		return billing.StateDeleting
	case "powering-off":
		return billing.StateStopping
	case "powering-on", "spawning", "scheduling", "block_device_mapping", "networking":
		return billing.StateStarting
	}
	switch s.Status {
	case "BUILD", "REBUILD":
		return billing.StateStarting
	case "ACTIVE", "REBOOT", "HARD_REBOOT":
		return billing.StateRunning
	case "SHUTOFF":
		return billing.StateStopped
	case "SOFT_DELETED":
		return billing.StateRecoverable
	case "DELETED":
		return billing.StateTerminated
	}
	return billing.StateUnknown
}

// managedBy reads the marks of what would make a thing again, or break without it; "" for none.
func managedBy(tags map[string]string) string {
	for _, mark := range []struct{ key, what string }{
		{"CCE-Cluster-ID", "CCE cluster"},
		{"CCE-Dynamic-Provisioning-Node", "CCE node"},
		{"karpenter.sh/nodepool", "Karpenter node pool"},
		{"slurm-cluster", "Slurm cluster"},
	} {
		if id := tags[mark.key]; id != "" {
			return mark.what + " " + id
		}
	}
	return ""
}

// membership says which machines belong to Auto Scaling groups. Machines carry no mark of it.
type membership struct {
	of      map[string]string
	unknown bool // the key may not list the groups
}

// memberships reads the groups of a project and their members. A region without Auto Scaling has none.
func (a *account) memberships(ctx context.Context, p project) (membership, error) {
	m := membership{of: map[string]string{}}
	groups, err := a.groups(ctx, p)
	for _, g := range groups {
		var members []member
		if members, err = a.members(ctx, p, g.ID); err != nil {
			break
		}
		for _, one := range members {
			m.of[one.ID] = g.Name
		}
	}
	switch billing.KindOf(err) {
	case "", billing.Absent, billing.Missing:
		return m, nil
	case billing.Denied:
		m.unknown = true
		return m, nil
	}
	return m, err
}

func (a *account) groups(ctx context.Context, p project) ([]group, error) {
	const op = "huawei: list Auto Scaling groups"
	return walk(op, true, func(g group) string { return g.ID }, func(at place) (*[]group, int, error) {
		var page groupsAnswer
		q := params("limit", "100", "start_number", strconv.Itoa(at.items))
		err := a.api.read(ctx, call{op: op, service: scal, in: p, path: "/autoscaling-api/v1/" + p.id + "/scaling_group", query: q}, &page)
		return page.Groups, page.Total, err
	})
}

func (a *account) members(ctx context.Context, p project, of string) ([]member, error) {
	const op = "huawei: list members of an Auto Scaling group"
	if !plainID(of) {
		return nil, &billing.Error{Kind: billing.Invalid, Op: op, Err: errors.New("the group has no id")}
	}
	return walk(op, true, func(m member) string { return m.ID }, func(at place) (*[]member, int, error) {
		var page membersAnswer
		q := params("limit", "100", "start_number", strconv.Itoa(at.items))
		path := "/autoscaling-api/v1/" + p.id + "/scaling_group_instance/" + of + "/list"
		err := a.api.read(ctx, call{op: op, service: scal, in: p, path: path, query: q}, &page)
		return page.Members, page.Total, err
	})
}
