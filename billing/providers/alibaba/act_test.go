package alibaba

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

func TestStopThatIsIgnoredIsNoStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(testNow)
		f.deafStop = true
		a := overFake(t, f)
		r, err := a.Stop(context.Background(), billing.Act{Verb: billing.VerbStop, Ref: hangzhou(billing.KindInstance, "i-train")})
		if err != nil || r.Done || r.RequestID == "" {
			t.Errorf("stop gives %+v, %v; a machine that goes on costing is not stopped", r, err)
		}
		m := pick(t, list(t, a, billing.KindInstance), "i-train")
		if n, err := m.Rate.Hourly.Cmp(m.StoppedRate.Hourly); m.State != billing.StateStopped || m.Billed != billing.Yes || err != nil || n <= 0 {
			t.Errorf("it is %s, billed %d at %v, of %v when stopped", m.State, m.Billed, m.Rate.Hourly, m.StoppedRate.Hourly)
		}
	})
}

func TestStopIsReadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(testNow)
		a := overFake(t, f)
		r, err := a.Stop(context.Background(), billing.Act{Verb: billing.VerbStop, Ref: hangzhou(billing.KindInstance, "i-train")})
		if err != nil || !r.Done || !strings.Contains(f.queries["StopInstance"], "StoppedMode=StopCharging") {
			t.Errorf("stop gives %+v, %v with %s", r, err, f.queries["StopInstance"])
		}
	})
}

func TestRehearse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			verb billing.Verb
			ref  billing.ResourceRef
			want billing.ErrorKind
		}{
			{billing.VerbStop, hangzhou(billing.KindInstance, "i-train"), ""},
			{billing.VerbDelete, hangzhou(billing.KindInstance, "i-train"), ""},
			{billing.VerbDelete, hangzhou(billing.KindImage, "m-base"), ""},
			{billing.VerbDelete, hangzhou(billing.KindInstance, "i-sub"), billing.Conflict},
			{billing.VerbDelete, hangzhou(billing.KindDisk, "d-left"), billing.Absent},
			{billing.VerbDelete, hangzhou(billing.KindIP, "eip-left"), billing.Absent},
		} {
			f := newFake(testNow)
			a := overFake(t, f)
			if err := a.Rehearse(context.Background(), billing.Act{Verb: tt.verb, Ref: tt.ref}); billing.KindOf(err) != tt.want {
				t.Errorf("%s %s: %v, want %q", tt.verb, tt.ref.ID, err, tt.want)
			}
			if len(f.instances) != 11 || len(f.images) != 4 || f.instances[0]["Status"] != running {
				t.Errorf("%s %s was no rehearsal", tt.verb, tt.ref.ID)
			}
		}
	})
}

func TestDryRunPassesByItsErrorOnly(t *testing.T) {
	k := call{op: "x", of: ecs(), region: "cn-hangzhou", action: "DeleteInstances"}
	if err := overFake(t, files{"DeleteInstances": "400 DeleteInstance.dryrun-pass.json"}).api.rehearse(context.Background(), k, httpx.Read); err != nil {
		t.Errorf("a passed dry run: %v", err)
	}
	success := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"RequestId":"r"}`) })
	if err := overFake(t, success).api.rehearse(context.Background(), k, httpx.Read); billing.KindOf(err) != billing.Unknown {
		t.Errorf("a plain success: %v, want Unknown", err)
	}
}

func TestReleaseIsPrecise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(testNow)
		a := overFake(t, f)
		act := billing.Act{Verb: billing.VerbDelete, Ref: hangzhou(billing.KindInstance, "i-train"), Token: strings.Repeat("t", 100)}
		r, err := a.Release(context.Background(), act)
		if err != nil || r.Done || r.RequestID != "473469C7-AA6F" {
			t.Errorf("release gives %+v, %v", r, err)
		}
		q := f.queries["DeleteInstances"]
		if !strings.Contains(q, "Force=true") || !strings.Contains(q, "ClientToken=") || strings.Contains(q, "TerminateSubscription") || strings.Contains(q, "InstanceId.2") {
			t.Errorf("sent %s", q)
		}
		f.instances = append(f.instances, machine("cn-hangzhou", "i-idle", "ecs.gn7i-c8g1.2xlarge", 1, "NVIDIA A10", "Status", stopped, "StoppedMode", stopCharging))
		act.Ref.ID = "i-idle"
		if _, err := a.Release(context.Background(), act); err != nil || strings.Contains(f.queries["DeleteInstances"], "Force") {
			t.Errorf("a stopped machine was forced: %s, %v", f.queries["DeleteInstances"], err)
		}
	})
}

func TestLockedMachineIsLeftAlone(t *testing.T) {
	f := newFake(testNow)
	f.instances[0]["OperationLocks"] = map[string]any{"LockReason": []any{map[string]any{"LockReason": "security"}}}
	_, err := overFake(t, f).Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: hangzhou(billing.KindInstance, "i-train")})
	if billing.SayOf(err).Key != "error.alibaba.locked" || slices.Contains(f.asked, "DeleteInstances") {
		t.Errorf("%v; it would lose the disks that it is told to keep", err)
	}
}

func TestImageGoesBeforeItsSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(testNow)
		a := overFake(t, f)
		snapshot := billing.Act{Verb: billing.VerbDelete, Ref: hangzhou(billing.KindSnapshot, "s-image")}
		if _, err := a.Release(context.Background(), snapshot); billing.SayOf(err).Key != "error.alibaba.snapshot_image" {
			t.Errorf("%v, want that the image goes first", err)
		}
		if _, err := a.Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: hangzhou(billing.KindImage, "m-base")}); err != nil {
			t.Fatal(err)
		}
		pick(t, list(t, a, billing.KindSnapshot), "s-image") // survives, and costs
		if _, err := a.Release(context.Background(), snapshot); err != nil {
			t.Error(err)
		}
	})
}

func TestMissingIDIsNoSuccess(t *testing.T) {
	f := newFake(testNow)
	_, err := overFake(t, f).Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: hangzhou(billing.KindDisk, "d-never")})
	if billing.KindOf(err) != billing.Missing || slices.Contains(f.asked, "DeleteDisk") {
		t.Errorf("%v after %v; Alibaba would say yes", err, f.asked)
	}
}

func TestStatesThatRefuseARelease(t *testing.T) {
	f := newFake(testNow)
	f.snapshots[0]["Usage"] = "disk"
	f.addresses[0]["Status"] = "Associating"
	f.disks[1]["Status"] = "Creating"
	a := overFake(t, f)
	for say, ref := range map[string]billing.ResourceRef{
		"error.alibaba.snapshot_disk": hangzhou(billing.KindSnapshot, "s-1"),
		"error.alibaba.address_state": hangzhou(billing.KindIP, "eip-left"),
		"error.alibaba.disk_state":    hangzhou(billing.KindDisk, "d-left"),
	} {
		_, err := a.Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: ref})
		if billing.KindOf(err) != billing.Conflict || billing.SayOf(err).Key != say {
			t.Errorf("%s: %v, want %s", ref.ID, err, say)
		}
	}
}
