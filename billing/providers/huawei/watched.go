package huawei

import (
	"context"
	"strings"
	"time"

	"gpuspend/billing"
)

// watches decides for a machine.
func (a *account) watches(s server) bool {
	return a.watched.Machine(s.ID, pairs(s.Tags, "="), s.accelerated())
}

// watchesDisk decides by the machines that a disk is on.
func (a *account) watchesDisk(v volume, m machineSet) bool {
	return a.watched.Attached(billing.KindDisk, v.ID, v.Tags, v.attachedTo(), m.foreign)
}

// Remember and LeftOut are those of the sieve.
func (a *account) Remember(refs []billing.ResourceRef) { a.watched.Remember(refs) }
func (a *account) LeftOut(s billing.Scope) int         { return a.watched.LeftOut(s) }

// sees says whether a thing that was looked up would be listed; machines that lost their tag are not.
func (a *account) sees(r billing.Resource) bool {
	return r.Ref.Kind != billing.KindInstance || a.watched.Machine(r.Ref.ID, r.Tags, r.GPU.Model != "" || r.GPU.Count.Sign() > 0)
}

// scope is one kind of a project.
func (p project) scope(k billing.Kind) billing.Scope {
	return billing.Scope{Kind: k, Region: p.region, Project: p.id}
}

// machineSet is which machines of a project are not watched, and what of others goes with machines.
type machineSet struct {
	foreign map[string]bool
	goes    map[string]bool   // disks that are deleted with their machine
	port    map[string]string // network ports, each with its machine
}

// near is how long what was read for one kind serves the others of its project.
const near = time.Minute

// machinesOf tells the machines of a project, for what hangs on them.
func (a *account) machinesOf(ctx context.Context, p project) (machineSet, error) {
	a.mu.Lock()
	m := a.machines[p]
	a.mu.Unlock()
	if m.fresh(a.now(), near) {
		return m.value, nil
	}
	list, err := a.servers(ctx, p)
	if err != nil {
		return machineSet{}, err
	}
	return a.noteMachines(p, list), nil
}

func (a *account) noteMachines(p project, list []server) machineSet {
	m := machineSet{foreign: map[string]bool{}, goes: map[string]bool{}, port: map[string]string{}}
	for _, s := range list {
		m.foreign[s.ID] = !a.watches(s)
		for _, v := range s.Volumes {
			m.goes[v.ID] = v.DeleteOnTerminate == "true" || v.BootIndex == "0"
		}
		for _, network := range s.Addresses {
			for _, at := range network {
				m.port[at.Port] = s.ID
			}
		}
	}
	delete(m.port, "")
	a.mu.Lock()
	a.machines[p] = kept[machineSet]{a.now(), m}
	a.mu.Unlock()
	return m
}

// disksOf tells the disks of a project, for snapshots of them.
func (a *account) disksOf(ctx context.Context, p project) (map[string]volume, error) {
	a.mu.Lock()
	v := a.volumes[p]
	a.mu.Unlock()
	if v.fresh(a.now(), near) {
		return v.value, nil
	}
	list, err := a.disks(ctx, p)
	if err != nil {
		return nil, err
	}
	return a.noteDisks(p, list), nil
}

func (a *account) noteDisks(p project, list []volume) map[string]volume {
	byID := map[string]volume{}
	for _, v := range list {
		byID[v.ID] = v
	}
	a.mu.Lock()
	a.volumes[p] = kept[map[string]volume]{a.now(), byID}
	a.mu.Unlock()
	return byID
}

// named finds a tag whatever its case.
func named(tags map[string]string, key string) string {
	if v, ok := tags[key]; ok {
		return v
	}
	for k, v := range tags {
		if strings.EqualFold(k, key) {
			return v
		}
	}
	return ""
}
