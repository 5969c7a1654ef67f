package rules

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
)

// names lists what was found, with the reason.
func names(r Report) []string {
	var out []string
	for _, w := range r.Found {
		out = append(out, w.Name+" "+string(w.Reason))
	}
	return out
}

// The scene of the model message: three things, one young, one kept, one snapshot that an image uses, and snapshots of
// another region that nobody could look at.
func TestWastedOfTheModelMessage(t *testing.T) {
	r := Wasted(scene.View(scene.Morning(), scene.Alibaba(scene.Morning())))
	if diff := cmp.Diff([]string{"ds-imagenet-old unattached", "scratch-uf6 unattached", "eip-sh-04 unbound"}, names(r)); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if got := r.Total.In("CNY").Rounded(2); got != "547.80" {
		t.Errorf("total %s a month, want 547.80", got)
	}
	if got := r.Paid.In("CNY").Rounded(2); got != "436.13" {
		t.Errorf("paid %s while unused, want 436.13", got)
	}
	if r.Younger != 1 || len(r.Kept) != 1 || r.InUse != 1 {
		t.Errorf("left out: %d younger, %d kept, %d in use, want one each", r.Younger, len(r.Kept), r.InUse)
	}
	if len(r.NotRead) != 1 || r.NotRead[0].Scopes[0].Kind != billing.KindSnapshot {
		t.Errorf("not read: %+v", r.NotRead)
	}
}

// Each kind's rule, at its edges. Case C37: what has no known age, or a keep, is never eligible.
func TestWasteEdgesC37(t *testing.T) {
	ago := func(d time.Duration) time.Time { return scene.Morning().Add(-d) }
	disk := func(change func(*billing.Holding)) billing.Holding {
		a := scene.RunPod(scene.Morning())
		h := scene.Thing(a, 1, billing.KindDisk, "x", billing.StateUnattached, ago(30*day))
		h.Rate.Hourly = scene.USD("0.10")
		if change != nil {
			change(&h)
		}
		return h
	}
	snapshot := func(change func(*billing.Holding)) billing.Holding {
		return disk(func(h *billing.Holding) {
			h.Ref.Kind, h.State, h.CreatedAt = billing.KindSnapshot, billing.StateAvailable, ago(91*day)
			if change != nil {
				change(h)
			}
		})
	}
	tests := []struct {
		name string
		h    billing.Holding
		want bool
	}{
		{"a disk unattached for 30 days", disk(nil), true},
		{"exactly 7 days", disk(func(h *billing.Holding) { h.StateSince = ago(7 * day) }), true},
		{"a minute less", disk(func(h *billing.Holding) { h.StateSince = ago(7*day - time.Minute) }), false},
		{"created years ago, unattached just now", disk(func(h *billing.Holding) { h.CreatedAt, h.StateSince = ago(999*day), ago(time.Hour) }), false},
		{"attached", disk(func(h *billing.Holding) { h.State = billing.StateAttached }), false},
		{"in a state nobody knows", disk(func(h *billing.Holding) { h.State = billing.StateUnknown }), false},
		{"gone", disk(func(h *billing.Holding) { h.GoneAt = ago(time.Hour) }), false},
		{"free", disk(func(h *billing.Holding) { h.Rate.Hourly = scene.USD("0") }), false},
		{"not billed", disk(func(h *billing.Holding) { h.Billed = billing.No }), false},
		{"without a price", disk(func(h *billing.Holding) { h.Rate = billing.Rate{} }), true},
		{"kept for good", disk(func(h *billing.Holding) { h.Keep = billing.Keep{By: "U1"} }), false},
		{"kept until yesterday", disk(func(h *billing.Holding) { h.Keep = billing.Keep{By: "U1", Until: ago(day)} }), true},
		{"a snapshot of 91 days", snapshot(nil), true},
		{"a snapshot of 89 days", snapshot(func(h *billing.Holding) { h.CreatedAt = ago(89 * day) }), false},
		{"created unknown, first seen yesterday", snapshot(func(h *billing.Holding) { h.CreatedAt, h.FirstSeen = time.Time{}, ago(day) }), false},
		{"created in the future", snapshot(func(h *billing.Holding) { h.CreatedAt, h.FirstSeen = scene.Morning().Add(day), ago(day) }), false},
		{"an image", disk(func(h *billing.Holding) { h.Ref.Kind = billing.KindImage }), false},
		{"an address bound to nothing", disk(func(h *billing.Holding) { h.Ref.Kind = billing.KindIP }), true},
		{"a running machine", disk(func(h *billing.Holding) { h.Ref.Kind, h.State = billing.KindInstance, billing.StateRunning }), false},
	}
	for _, tt := range tests {
		a := scene.RunPod(scene.Morning())
		a.Holdings = []billing.Holding{tt.h}
		if got := len(Wasted(scene.View(scene.Morning(), a)).Found) == 1; got != tt.want {
			t.Errorf("%s: waste is %t", tt.name, got)
		}
	}
}

// A snapshot is not called unused while the images that may use it were never listed.
func TestSnapshotWaitsForImages(t *testing.T) {
	a := scene.Alibaba(scene.Morning())
	a.Holdings = a.Holdings[5:6] // the snapshot, without the image that uses it
	a.Readings = []billing.Reading{{Of: billing.ReadInventory, Scope: billing.Scope{Kind: billing.KindImage}, ErrorKind: billing.Denied}}
	if r := Wasted(scene.View(scene.Morning(), a)); len(r.Found) != 0 || r.Unsure != 1 {
		t.Errorf("found %v, unsure %d", names(r), r.Unsure)
	}
	a.Readings[0].CompleteAt, a.Readings[0].ErrorKind = scene.Morning(), ""
	if r := Wasted(scene.View(scene.Morning(), a)); len(r.Found) != 1 {
		t.Errorf("found %v though no image uses it", names(r))
	}
}

// Case C06: 42 disks, three kept and two young, are one sum of 37.
func TestManyDisksC06(t *testing.T) {
	a := scene.RunPod(scene.Morning())
	a.Holdings = nil
	for i := range 42 {
		age := time.Duration(40+i*35) * day
		if i >= 40 {
			age = 3 * day
		}
		h := scene.Thing(a, billing.ResourceID(i+1), billing.KindDisk, fmt.Sprintf("d-%02d", i), billing.StateUnattached, scene.Morning().Add(-age))
		h.Rate.Hourly = billing.MustMoney(fmt.Sprintf("0.%03d", i+1), "USD")
		if i < 3 {
			h.Keep = billing.Keep{By: "U1"}
		}
		a.Holdings = append(a.Holdings, h)
	}
	r := Wasted(scene.View(scene.Morning(), a))
	if len(r.Found) != 37 || len(r.Kept) != 3 || r.Younger != 2 {
		t.Fatalf("%d found, %d kept, %d young", len(r.Found), len(r.Kept), r.Younger)
	}
	for i := 1; i < len(r.Found); i++ {
		if c, err := r.Found[i-1].Monthly.Cmp(r.Found[i].Monthly); err != nil || c < 0 {
			t.Fatalf("%s stands before %s", r.Found[i-1].Monthly, r.Found[i].Monthly)
		}
	}
}

// Case C02: off and still billed is listed after an hour with its disks, and a message after a day from the floor on.
func TestStoppedC02(t *testing.T) {
	off := func(since time.Duration, hourly string) notify.AccountView {
		a := scene.Alibaba(scene.Morning())
		h := scene.Machine(a, 51, "infer", hourly, "A10", 1)
		h.State, h.StateSince = billing.StateStopped, scene.Morning().Add(-since)
		a.Holdings = []billing.Holding{h}
		return a
	}
	tests := []struct {
		name   string
		a      notify.AccountView
		change func(*notify.AccountView)
		want   []string
	}{
		{"59 minutes", off(59*time.Minute, "1"), nil, nil},
		{"an hour", off(time.Hour, "1"), nil, []string{" info"}},
		{"a day", off(day, "1"), nil, []string{" warning"}},
		{"a day, below CN¥1", off(day, "0.04"), nil, []string{" info"}},
		{"no price is not free", off(day, "1"), func(a *notify.AccountView) { a.Holdings[0].Rate = billing.Rate{} }, []string{" warning"}},
		{"deallocated: not billed", off(day, "1"), func(a *notify.AccountView) { a.Holdings[0].Billed = billing.No }, nil},
		{"paid ahead", off(day, "1"), func(a *notify.AccountView) { a.Holdings[0].Mode = billing.ModeMonthly }, nil},
		{"not billed, but its disk is", off(day, "1"), func(a *notify.AccountView) {
			a.Holdings[0].Billed = billing.No
			d := scene.Thing(*a, 52, billing.KindDisk, "data", billing.StateAttached, scene.Morning().Add(-9*day))
			d.AttachedTo, d.Rate.Hourly = []string{a.Holdings[0].Ref.ID}, scene.CNY("0.25")
			a.Holdings = append(a.Holdings, d)
		}, []string{" warning"}},
	}
	for _, tt := range tests {
		if tt.change != nil {
			tt.change(&tt.a)
		}
		if diff := cmp.Diff(tt.want, scopes(findStopped(scene.View(scene.Morning(), tt.a)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestUnreachable(t *testing.T) {
	fails := func(of billing.ReadingOf, k billing.ErrorKind, since time.Duration) billing.Reading {
		return billing.Reading{Of: of, ErrorKind: k, FailingSince: scene.Morning().Add(-since), TriedAt: scene.Morning(),
			CompleteAt: scene.Morning().Add(-since - time.Minute)}
	}
	good := billing.Reading{Of: billing.ReadBalance, CompleteAt: scene.Morning(), TriedAt: scene.Morning()}
	tests := []struct {
		name     string
		readings []billing.Reading
		want     []string
	}{
		{"all good", []billing.Reading{good}, nil},
		{"nothing read yet", nil, nil},
		{"fails for 20 minutes", []billing.Reading{fails(billing.ReadBalance, billing.Upstream, 20*time.Minute)}, nil},
		{"fails for 40 minutes", []billing.Reading{fails(billing.ReadBalance, billing.Upstream, 40*time.Minute)}, []string{"part warning", "account warning"}},
		{"a part of it", []billing.Reading{good, fails(billing.ReadInventory, billing.Upstream, time.Hour)}, []string{"part warning"}},
		{"a key refused just now", []billing.Reading{fails(billing.ReadBalance, billing.Auth, time.Second)}, []string{"part warning", "account warning"}},
		{"a permission missing", []billing.Reading{good, fails(billing.ReadInventory, billing.Denied, time.Second)}, []string{"part warning"}},
		{"the cloud has no such thing", []billing.Reading{good, fails(billing.ReadCharges, billing.Absent, time.Hour)}, nil},
		{"offers do not count", []billing.Reading{good, fails(billing.ReadOffers, billing.Upstream, 9*time.Hour)}, nil},
	}
	for _, tt := range tests {
		a := scene.RunPod(scene.Morning())
		a.Readings = tt.readings
		if diff := cmp.Diff(tt.want, scopes(findUnreachable(scene.View(scene.Morning(), a)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// An account whose token turned out to be another's says so at once.
func TestStoppedAccountIsUnreachable(t *testing.T) {
	a := scene.RunPod(scene.Morning())
	a.Stopped = billing.Say("account.other")
	found := findUnreachable(scene.View(scene.Morning(), a))
	if len(found) != 2 || found[0].Facts.(UnreachableFacts).Why.Key != "account.other" || !found[1].Mutes {
		t.Errorf("found %+v", found)
	}
}
