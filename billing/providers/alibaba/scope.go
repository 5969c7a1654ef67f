package alibaba

import (
	"context"
	"strings"
	"time"
)

// watched decides what is looked at. An account of Alibaba Cloud may hold a whole company: only what has to do with GPUs
// is ours unless the configuration says otherwise.
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

func (w watched) machine(i instance) bool { return w.tagged(i.Tags.all()) || i.hasGPU() }

// attached decides for what hangs on machines. What hangs on nothing is watched: nobody can tell any more what it was
// made for, and forgotten disks are the very thing to find.
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

// machineSet is which machines a region has, and which of them are watched.
type machineSet struct {
	at              time.Time
	listed, watched map[string]bool
}

// fresh is how long a set of machines serves the other kinds of its region.
const fresh = time.Minute

// machinesOf lists the machines of a region, for what hangs on them. Where everything is watched nobody has to know.
func (a *account) machinesOf(ctx context.Context, region string) (machineSet, error) {
	if a.watched.everything {
		return machineSet{}, nil
	}
	a.mu.Lock()
	m, ok := a.machines[region]
	a.mu.Unlock()
	if ok && a.now().Sub(m.at) < fresh {
		return m, nil
	}
	list, err := a.instances(ctx, region)
	if err != nil {
		return machineSet{}, err
	}
	return a.noteMachines(region, list), nil
}

func (a *account) noteMachines(region string, list []instance) machineSet {
	m := machineSet{at: a.now(), listed: map[string]bool{}, watched: map[string]bool{}}
	for _, i := range list {
		m.listed[i.ID] = true
		m.watched[i.ID] = a.watched.machine(i)
	}
	a.mu.Lock()
	a.machines[region] = m
	a.mu.Unlock()
	return m
}

// managedBy reads the marks of what would make a thing again, or break without it; "" for none.
func managedBy(tags map[string]string) string {
	for _, mark := range []struct{ key, what string }{
		{"acs:autoscaling:scalingGroupId", "Auto Scaling group"},
		{"ack.alibabacloud.com/nodepool-id", "ACK node pool"},
		{"ack.aliyun.com", "ACK cluster"},
		{"karpenter.sh/nodepool", "Karpenter node pool"},
		{"acs:emr:clusterId", "EMR cluster"},
		{"acs:ros:stackId", "ROS stack"},
	} {
		if id := tags[mark.key]; id != "" {
			return mark.what + " " + id
		}
	}
	return ""
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
