package storage

import (
	"testing"

	"gpuspend/billing"
)

// A disk once on a GPU machine stays known for it after it was detached and put on another one, also after the store was
// opened anew; one that was on another machine all along is not.
func TestWasOnAGPUMachineIsKept(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "a")
	machines := billing.Scope{Kind: billing.KindInstance}
	machine := func(name, gpu string) billing.Resource {
		return billing.Resource{Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: name}, State: billing.StateRunning, GPU: billing.GPU{Model: gpu}}
	}
	on := func(name string, to ...string) billing.Resource {
		d := disk(name, billing.StateAttached, "")
		d.Ref.Region, d.AttachedTo = "", to
		return d
	}
	must(t, db.Observe(t.Context(), id, machines, minute(0), []billing.Resource{machine("train", "A100-80G"), machine("web", "")}))
	must(t, db.Observe(t.Context(), id, disks, minute(0), []billing.Resource{on("moved", "train"), on("other", "web"), on("loose")}))
	must(t, db.Observe(t.Context(), id, disks, minute(1), []billing.Resource{on("moved"), on("other", "web"), on("loose")}))
	must(t, db.Observe(t.Context(), id, disks, minute(2), []billing.Resource{on("moved", "web"), on("other", "web"), on("loose")}))
	refs, err := db.Served(t.Context(), id)
	must(t, err)
	got := map[string]bool{}
	for _, r := range refs {
		got[string(r.Kind)+" "+r.ID] = true
	}
	if len(got) != 2 || !got["instance train"] || !got["disk moved"] {
		t.Errorf("kept %v, want the machine and the disk that was on it", got)
	}
}

// What was left out stands beside the reading, and a failure leaves it.
func TestLeftOutStaysWithItsReading(t *testing.T) {
	db, id, listing := observed(t)
	listing(minute(0))
	must(t, db.RecordLeftOut(t.Context(), id, disks, 2310))
	must(t, db.RecordFailure(t.Context(), id, billing.ReadInventory, disks, minute(1), &billing.Error{Kind: billing.Upstream}))
	got, err := db.Readings(t.Context(), id)
	must(t, err)
	if len(got) != 1 || got[0].LeftOut != 2310 || !got[0].Failing() {
		t.Errorf("%+v", got)
	}
}
