package huawei

import (
	"context"
	"strings"
	"time"

	"gpuspend/billing"
)

// watched decides what is looked at. An account of Huawei Cloud may hold a whole company: only what has to do with GPUs
// and NPUs is ours unless the configuration says otherwise.
type watched struct {
	everything bool
	key, value string // a tag that makes anything watched; value "" fits every value
}

func newWatched(scope, tag string) watched {
	w := watched{everything: scope == watchAll}
	w.key, w.value, _ = strings.Cut(strings.TrimSpace(tag), "=")
	return w
}

// tagged says that something is watched whatever it is or hangs on.
func (w watched) tagged(tags map[string]string) bool {
	if w.everything {
		return true
	}
	v, ok := tags[w.key]
	return ok && w.key != "" && (w.value == "" || v == w.value)
}

func (w watched) machine(s server) bool { return w.tagged(pairs(s.Tags, "=")) || s.accelerated() }

// attached decides for what hangs on machines. What hangs on nothing is watched: nobody can tell any more what it was
// made for, and forgotten disks are the very thing to find. So is what hangs on a machine that is not listed.
func (w watched) attached(tags map[string]string, to []string, m machineSet) bool {
	if len(to) == 0 || w.tagged(tags) {
		return true
	}
	for _, id := range to {
		if m.watched[id] || !m.listed[id] {
			return true
		}
	}
	return false
}

// sees says whether a thing that was looked up would be listed; machines that lost their tag are not.
func (a *account) sees(r billing.Resource) bool {
	return r.Ref.Kind != billing.KindInstance || a.watched.tagged(r.Tags) || r.GPU.Model != "" || r.GPU.Count.Sign() > 0
}

// machineSet is which machines a project has, and what of others goes with them.
type machineSet struct {
	listed, watched map[string]bool
	goes            map[string]bool   // disks that are deleted with their machine
	port            map[string]string // network ports, each with its machine
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
	m := machineSet{listed: map[string]bool{}, watched: map[string]bool{}, goes: map[string]bool{}, port: map[string]string{}}
	for _, s := range list {
		m.listed[s.ID], m.watched[s.ID] = true, a.watched.machine(s)
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
