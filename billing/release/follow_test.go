package release

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
)

func TestJobsAreFollowed(t *testing.T) {
	failed := billing.Receipt{Failed: billing.Say("error.huawei.job", "code", "Ecs.0110")}
	for _, tt := range []struct {
		name   string
		takes  time.Duration
		follow func() (billing.Receipt, error)
		after  time.Duration
		state  State
		why    string
		say    string
	}{
		{"a job that failed is a failure with its reason", time.Hour, func() (billing.Receipt, error) { return failed, nil }, 3 * time.Minute, Failed, "release.failed.refused", "error.huawei.job"},
		{"a finished job proves nothing alone", time.Hour, func() (billing.Receipt, error) { return billing.Receipt{Done: true}, nil }, 10 * time.Minute, Verifying, "", ""},
		{"a job that goes on is waited for", time.Hour, func() (billing.Receipt, error) { return billing.Receipt{}, nil }, 10 * time.Minute, Verifying, "", ""},
		{"a job that is unknown speaks against nothing", 5 * time.Minute, func() (billing.Receipt, error) { return billing.Receipt{}, &billing.Error{Kind: billing.Missing} }, 10 * time.Minute, Done, "release.done.gone", ""},
		{"a job that cannot be asked after", 5 * time.Minute, func() (billing.Receipt, error) { return failed, errors.New("down") }, 10 * time.Minute, Done, "release.done.gone", ""},
		{"a panic speaks against nothing", 5 * time.Minute, func() (billing.Receipt, error) { panic("token=s3cret") }, 10 * time.Minute, Done, "release.done.gone", ""},
		{"what listings show counts for more than a failed job", 0, func() (billing.Receipt, error) { return failed, nil }, 5 * time.Minute, Done, "release.done.gone", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, disk("d-1"))
				w.cloud.job, w.cloud.follow, w.cloud.takes = "job-1", tt.follow, tt.takes
				e := w.engine()
				a := choose(t, e, 1, billing.VerbDelete)
				approve(t, e, a.ID)
				runs(e, tt.after)
				got := w.now(a.ID)
				if got.State != tt.state || got.Why.Key != tt.why || got.Job != "job-1" || w.cloud.deletes != 1 {
					t.Errorf("%+v, %d orders", got, w.cloud.deletes)
				}
				if say, _ := got.Why.Args["say"].(billing.Text); say.Key != tt.say {
					t.Errorf("reason %+v, want %s", got.Why.Args["say"], tt.say)
				}
				if asked := w.cloud.follows > 0; asked != (tt.takes > 0) {
					t.Errorf("asked after the job: %t", asked)
				}
			})
		})
	}
}

func TestOrdersWithoutAJobAreNotFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.cloud.takes = time.Hour
		w.cloud.follow = func() (billing.Receipt, error) { return billing.Receipt{}, nil }
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		runs(e, 5*time.Minute)
		if w.cloud.follows != 0 {
			t.Errorf("%d questions after no job", w.cloud.follows)
		}
	})
}
