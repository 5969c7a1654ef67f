package huawei

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// written lists the writes that reached a fake.
func written(f *fake) int { return len(f.jobs) }

// Both flags are sent, and both say no, whatever their defaults are: the fake, like the test of the body, wants them.
func TestDeletionSaysWhatElseGoes(t *testing.T) {
	p := project{"cn-north-4", north}
	for kind, want := range map[billing.Kind]string{
		billing.KindInstance: `POST /v1/` + north + `/cloudservers/delete {"delete_publicip":false,"delete_volume":false,"servers":[{"id":"x-1"}]}`,
		billing.KindDisk:     `DELETE /v2/` + north + `/cloudvolumes/x-1 null`,
		billing.KindSnapshot: `DELETE /v2/` + north + `/cloudsnapshots/x-1 null`,
		billing.KindImage:    `DELETE /v2/images/x-1 {"delete_backup":false}`,
		billing.KindIP:       `DELETE /v1/` + north + `/publicips/x-1 null`,
	} {
		k := deletion("test", p, ref(kind, "x-1"))
		body, err := json.Marshal(k.body)
		if got := k.method + " " + k.path + " " + string(body); err != nil || got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

func TestRefusalsGiveTheReason(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ref    billing.ResourceRef
		change func(f *fake)
		want   string
	}{
		{"paid ahead", ref(billing.KindInstance, "srv-month"), nil, "error.huawei.paid_ahead_until"},
		{"a disk paid ahead", ref(billing.KindDisk, "vol-month"), nil, "error.huawei.paid_ahead_until"},
		{"an EIP paid ahead", ref(billing.KindIP, "ip-month"), nil, "error.huawei.paid_ahead_until"},
		{"in an Auto Scaling group", ref(billing.KindInstance, "srv-asg"), nil, "error.managed"},
		{"in a CCE cluster", ref(billing.KindInstance, "srv-cce"), nil, "error.managed"},
		{"groups out of reach", ref(billing.KindInstance, "srv-train"), func(f *fake) {
			f.refuse["/scaling_group"] = func() fakeFail { return fakeFail{403, `{"error":{"code":"AS.0003"}}`} }
		}, "error.huawei.group_unknown"},
		{"locked", ref(billing.KindInstance, "srv-lock"), nil, "error.protected"},
		{"attached", ref(billing.KindDisk, "vol-data"), nil, "error.in_use"},
		{"a status alone frees no disk", ref(billing.KindDisk, "vol-data"), func(f *fake) { find(f.volumes[north], "vol-data")["status"] = "error" }, "error.in_use"},
		{"a disk in between", ref(billing.KindDisk, "vol-left"), func(f *fake) { find(f.volumes[north], "vol-left")["status"] = "backing-up" }, "error.huawei.state"},
		{"with a snapshot", ref(billing.KindDisk, "vol-snapped"), nil, "error.huawei.has_snapshots"},
		{"a backup's snapshot", ref(billing.KindSnapshot, "snap-auto"), nil, "error.managed"},
		{"a snapshot being made", ref(billing.KindSnapshot, "snap-a"), func(f *fake) { f.snaps[north][0]["status"] = "creating" }, "error.huawei.state"},
		{"a protected image", ref(billing.KindImage, "img-kept"), nil, "error.protected"},
		{"an EIP that is DOWN and bound", ref(billing.KindIP, "ip-down"), nil, "error.in_use"},
		{"a frozen EIP", ref(billing.KindIP, "ip-free"), func(f *fake) { f.ips[north][0]["status"] = "FREEZED" }, "error.huawei.state"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			a, f := overFake(t)
			if tt.change != nil {
				tt.change(f)
			}
			_, err := a.Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: tt.ref})
			if billing.KindOf(err) != billing.Conflict || billing.SayOf(err).Key != tt.want || written(f) > 0 {
				t.Errorf("%v, %q after %d writes, want %s before any", err, billing.SayOf(err).Key, written(f), tt.want)
			}
		})
	}
}

func TestRegionWithoutAutoScaling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, f := overFake(t)
		f.refuse["/scaling_group"] = func() fakeFail { return fakeFail{404, `{"error_code":"APIGW.0101"}`} }
		if r := listOf(t, a, billing.KindInstance)["srv-train"]; !r.NotReleasable.IsZero() || r.Managed != "" {
			t.Errorf("%+v", r)
		}
	})
}

func TestWhatIsGoingIsNotOrderedAgain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ref    billing.ResourceRef
		change func(f *fake)
	}{
		{"in the recycle bin", ref(billing.KindInstance, "srv-off"), func(f *fake) { f.servers[north][2]["status"] = "SOFT_DELETED" }},
		{"being deleted", ref(billing.KindInstance, "srv-off"), func(f *fake) { f.servers[north][2]["OS-EXT-STS:task_state"] = "deleting" }},
		{"a disk being deleted", ref(billing.KindDisk, "vol-left"), func(f *fake) { f.volumes[north][3]["status"] = "deleting" }},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			a, f := overFake(t)
			tt.change(f)
			r, err := a.Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: tt.ref})
			if err != nil || r.Done || written(f) > 0 {
				t.Errorf("%+v, %v, %d writes", r, err, written(f))
			}
		})
	}
}

func TestActsAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		f := newFake(func() time.Time { return testNow().Add(time.Since(began)) })
		a := over(t, billing.Env{Transport: fixture.Over(f), Now: f.now})
		r, err := a.Stop(context.Background(), billing.Act{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "srv-train")})
		if err != nil || r.Job != "ecs/cn-north-4/"+north+"/job-1" || r.RequestID != "req-1" || r.Done {
			t.Fatalf("%+v, %v", r, err)
		}
		if r, err = a.Follow(context.Background(), r); err != nil || r.Done {
			t.Errorf("at once: %+v, %v", r, err)
		}
		time.Sleep(time.Minute)
		if r, err = a.Follow(context.Background(), r); err != nil || !r.Done {
			t.Errorf("a minute later: %+v, %v", r, err)
		}
		r, err = a.Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: ref(billing.KindDisk, "vol-left")})
		if err != nil || !strings.HasPrefix(r.Job, "evs/") {
			t.Errorf("a disk's job is asked for at EVS: %+v, %v", r, err)
		}
	})
}

func TestJobs(t *testing.T) {
	const id = "70a599e0-31e7-49b7-b260-868f441e862b"
	receipt := billing.Receipt{Job: "ecs/cn-north-4/" + north + "/" + id}
	for _, tt := range []struct {
		name, body string
		done       bool
		failed     any // the code of the job's failure
		kind       billing.ErrorKind
	}{
		{"the documented example", "", true, nil, ""},
		{"failed", `{"job_id":"` + id + `","status":"FAIL","error_code":"Ecs.0110","fail_reason":"no"}`, false, "Ecs.0110", ""},
		{"failed without a code", `{"job_id":"` + id + `","status":"FAIL"}`, false, "without a code", ""},
		{"a part failed", `{"job_id":"` + id + `","status":"SUCCESS","entities":{"sub_jobs":[{"status":"FAIL","error_code":"Ecs.0100"}]}}`, false, "Ecs.0100", ""},
		{"no status", `{"job_id":"` + id + `"}`, false, nil, billing.Invalid},
		{"of another job", `{"job_id":"other","status":"SUCCESS"}`, false, nil, billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			if r := route(s, "/v1/"+north+"/jobs/"+id); tt.body == "" {
				r.File(200, "ShowJob.json")
			} else {
				r.Answer(200, tt.body)
			}
			got, err := over(t, billing.Env{Transport: s}).Follow(context.Background(), receipt)
			if got.Done != tt.done || got.Failed.Args["code"] != tt.failed || billing.KindOf(err) != tt.kind || got.Job != receipt.Job {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for _, job := range []string{"", "x", "ecs/../" + north + "/1", "iam/cn-north-4/" + north + "/1", "ecs/cn-north-4/" + north + "/a%2Fb"} {
		if _, err := over(t, billing.Env{}).Follow(context.Background(), billing.Receipt{Job: job}); billing.KindOf(err) != billing.Invalid {
			t.Errorf("job %q: %v", job, err)
		}
	}
}

func TestDocumentedOrder(t *testing.T) {
	s := fixture.New(t, "testdata")
	p := project{"cn-north-4", north}
	s.Expect("POST /v1/"+north+"/cloudservers/delete").Header("X-Project-Id", north).
		JSON(`{"servers":[{"id":"x-1"}],"delete_publicip":false,"delete_volume":false}`).File(200, "DeleteServers.json")
	r, err := over(t, billing.Env{Transport: s}).api.write(context.Background(), deletion("test", p, ref(billing.KindInstance, "x-1")))
	if err != nil || r.Done || r.Job != "ecs/cn-north-4/"+north+"/70a599e0-31e7-49b7-b260-868f441e862b" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestIDsThatAreNoneReachNoPath(t *testing.T) {
	a := over(t, billing.Env{Transport: fixture.New(t, "testdata")}) // expects no request
	for _, id := range []string{"", "..", "a/b", "a?b", "a%2Fb"} {
		if _, err := a.Find(context.Background(), ref(billing.KindInstance, id)); billing.KindOf(err) != billing.Missing {
			t.Errorf("%q: %v", id, err)
		}
	}
}
