package alibaba

import (
	"context"
	"strings"
	"time"

	"gpuspend/billing"
)

// watches decides for a machine.
func (a *account) watches(i instance) bool { return a.watched.Machine(i.ID, i.Tags.all(), i.hasGPU()) }

// Remember and LeftOut are those of the sieve.
func (a *account) Remember(refs []billing.ResourceRef) { a.watched.Remember(refs) }
func (a *account) LeftOut(s billing.Scope) int         { return a.watched.LeftOut(s) }

// machineSet is which machines of a region are not watched.
type machineSet struct {
	at      time.Time
	foreign map[string]bool
}

// fresh is how long a set of machines serves the other kinds of its region.
const fresh = time.Minute

// machinesOf lists the machines of a region, for what hangs on them. Where everything is watched nobody has to know.
func (a *account) machinesOf(ctx context.Context, region string) (machineSet, error) {
	if a.watched.Everything() {
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
	m := machineSet{at: a.now(), foreign: map[string]bool{}}
	for _, i := range list {
		m.foreign[i.ID] = !a.watches(i)
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
