package watch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

func res(k billing.Kind, id string) (r billing.Resource) {
	r.Ref.Kind, r.Ref.ID = k, id
	return r
}

func fault(k billing.ErrorKind) error { return &billing.Error{Kind: k, Op: "cloud"} }

// bubble runs a started watcher for a while of fake time.
func bubble(t *testing.T, w *Watcher, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	before := time.Now()
	if err := w.Close(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(before); took > time.Second {
		t.Errorf("closing took %s", took)
	}
}

func TestPollReadsEverythingOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.resources = []billing.Resource{res(billing.KindInstance, "i-1"), res(billing.KindInstance, "i-2"), res(billing.KindDisk, "d-1")}
		changed := 0
		w := newWatcher(t, m, func(o *Options) { o.Changed = func(context.Context, billing.AccountID) { changed++ } }, account(1, c))
		if err := w.Poll(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		end := time.Now().UTC().Truncate(day).Add(day)
		window := end.Add(-31*day).Format("0102") + ".." + end.Format("0102")
		want := []string{"1 balance 7", "1 observe / 0", "1 observe instance/sh 2", "1 observe disk/sh 1", "1 charges " + window + " 0", "1 offers 1"}
		if diff := cmp.Diff(want, m.take()); diff != "" || changed != 1 {
			t.Errorf("%d changes; %s", changed, diff)
		}
		if m.listed[0].Ref.Account != 1 || m.bound[1] != "v-1" {
			t.Errorf("account not filled in: %+v, bound to %q", m.listed[0].Ref, m.bound[1])
		}
	})
}

func TestOneFailureStopsNothingElse(t *testing.T) {
	for _, op := range []string{"balance", "scopes", "list instance", "bill", "charges", "offers"} {
		t.Run(op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, c, other := newMemory(), newCloud(), newCloud()
				w := newWatcher(t, m, nil, account(1, c), account(2, other))
				if err := w.Poll(context.Background(), 1); err != nil {
					t.Fatal(err)
				}
				good := len(m.take())
				c.fail(op, fault(billing.Upstream))
				if err := w.Poll(context.Background(), 1); billing.KindOf(err) != billing.Upstream {
					t.Errorf("poll says %v", err)
				}
				lines := m.take()
				if n := count(lines, "1 failed"); n != 1 || len(lines) != good {
					t.Errorf("%d failures in %q", n, lines)
				}
				if err := w.Poll(context.Background(), 2); err != nil {
					t.Errorf("the other account: %v", err)
				}
			})
		})
	}
}

// Only a listing that came to its end, and names every thing of its kind once, is handed on.
func TestBadListingsAreNoListings(t *testing.T) {
	tests := []struct {
		name   string
		listed []billing.Resource
		err    error
		kind   billing.ErrorKind
	}{
		{"an error after two", []billing.Resource{res(billing.KindDisk, "d-1"), res(billing.KindDisk, "d-2")}, fault(billing.Limited), billing.Limited},
		{"listed twice", []billing.Resource{res(billing.KindDisk, "d-1"), res(billing.KindDisk, "d-1")}, nil, billing.Invalid},
		{"another kind", []billing.Resource{res("odd", "d-1")}, nil, billing.Invalid},
		{"no id", []billing.Resource{res(billing.KindDisk, "")}, nil, billing.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, c := newMemory(), newCloud()
				c.resources, c.errs["list disk"] = tt.listed, tt.err
				w := newWatcher(t, m, nil, account(1, c))
				err := w.Refresh(context.Background(), 1, billing.Scope{Kind: billing.KindDisk, Region: "sh"})
				if billing.KindOf(err) != tt.kind {
					t.Errorf("got %v", err)
				}
				if diff := cmp.Diff([]string{"1 failed inventory disk " + string(tt.kind)}, m.take()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		a := account(1, c)
		a.Schedule = Schedule{Inventory: 30 * time.Minute, Offers: -1}
		w := newWatcher(t, m, nil, a, account(3, nil))
		bubble(t, w, 24*time.Hour)
		got := map[string]int{}
		for _, op := range []string{"identify", "balance", "scopes", "list disk", "offers"} {
			got[op] = c.times(op)
		}
		want := map[string]int{"identify": 1, "balance": 288, "scopes": 48, "list disk": 48, "offers": 0}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if n := c.times("bill"); n != 24 {
			t.Errorf("the bill was read %d times", n)
		}
	})
}

func TestSpeedShortensIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		w := newWatcher(t, m, func(o *Options) { o.Speed = 60 }, account(1, c))
		bubble(t, w, 10*time.Minute)
		if n := c.times("balance"); n != 120 {
			t.Errorf("%d balances in ten hours at 60 times the speed", n)
		}
	})
}

// A reading that takes longer than its interval is not overlapped, and the next begins an interval after it ended.
func TestReadingsDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		a := account(1, c)
		a.Schedule = Schedule{Inventory: -1, Charges: -1, Offers: -1}
		w := newWatcher(t, m, nil, a)
		time.AfterFunc(2*time.Minute, func() { // identified by then
			c.mu.Lock()
			defer c.mu.Unlock()
			c.slow = 7 * time.Minute
		})
		bubble(t, w, 4*time.Hour)
		if c.most != 1 {
			t.Errorf("%d at once", c.most)
		}
		for i := 2; i < len(c.at["balance"]); i++ {
			if gap := c.at["balance"][i].Sub(c.at["balance"][i-1]); gap != 12*time.Minute {
				t.Errorf("%s after the one before, want 12 minutes", gap)
			}
		}
	})
}

func TestBackOff(t *testing.T) {
	tests := []struct {
		name string
		err  error
		gaps []time.Duration
	}{
		{"upstream", fault(billing.Upstream), []time.Duration{1, 2, 4, 8, 16, 30, 30}},
		{"nobody knows", errors.New("?"), []time.Duration{1, 2, 4}},
		{"auth", fault(billing.Auth), []time.Duration{60, 60}},
		{"denied", fault(billing.Denied), []time.Duration{60, 60}},
		{"limited", &billing.Error{Kind: billing.Limited, RetryAfter: 3 * time.Minute}, []time.Duration{3, 3, 3}},
		{"limited without a word", fault(billing.Limited), []time.Duration{1, 2, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, c := newMemory(), newCloud()
				c.errs["list disk"] = tt.err
				w := newWatcher(t, m, nil, account(1, c))
				bubble(t, w, 4*time.Hour)
				at := c.at["list disk"]
				for i, want := range tt.gaps {
					if got := at[i+1].Sub(at[i]); got != want*time.Minute {
						t.Errorf("attempt %d came %s after the one before, want %s", i+2, got, want*time.Minute)
					}
				}
				if n := c.times("list instance"); n != 16 {
					t.Errorf("the scope beside it was read %d times in four hours", n)
				}
			})
		})
	}
}

// A retry that takes longer than its pause is one retry.
func TestSlowRetriesAreNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.slow = 5 * time.Minute
		c.fail("balance", fault(billing.Upstream))
		a := account(1, c)
		a.Schedule = Schedule{Inventory: -1, Charges: -1, Offers: -1}
		w := newWatcher(t, m, nil, a)
		bubble(t, w, 3*time.Hour)
		for i := 1; i < len(c.at["balance"]); i++ {
			if gap, want := c.at["balance"][i].Sub(c.at["balance"][i-1]), 5*time.Minute+min(time.Minute<<(i-1), 30*time.Minute); gap != want {
				t.Errorf("attempt %d came %s after the one before, want %s", i+1, gap, want)
			}
		}
		if c.most != 1 {
			t.Errorf("%d at once", c.most)
		}
	})
}

func TestAfterAFailureTheScheduleGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.fail("balance", fault(billing.Upstream))
		w := newWatcher(t, m, nil, account(1, c))
		time.AfterFunc(10*time.Minute, func() { c.fail("balance", nil) })
		bubble(t, w, 2*time.Hour)
		lines := m.take()
		if n := count(lines, "1 balance"); n < 20 || n > 22 {
			t.Errorf("%d good balances: %q", n, lines)
		}
		if n := count(lines, "1 failed balance"); n != 4 {
			t.Errorf("%d failures", n)
		}
	})
}

// As long as nobody knows what there is to look at nothing is looked at; as soon as it is known everything is.
func TestScopesComeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.fail("scopes", fault(billing.Upstream))
		w := newWatcher(t, m, nil, account(1, c))
		time.AfterFunc(2*time.Minute, func() { c.fail("scopes", nil) })
		bubble(t, w, 5*time.Minute)
		lines := m.take()
		if count(lines, "1 failed inventory") != 2 || count(lines, "1 observe disk/sh") != 1 || count(lines, "1 observe / ") != 1 {
			t.Errorf("%q", lines)
		}
	})
}

func TestAnotherVendorAccountStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		m.bound[1] = "v-other"
		told := 0
		w := newWatcher(t, m, func(o *Options) { o.Changed = func(context.Context, billing.AccountID) { told++ } }, account(1, c))
		bubble(t, w, 24*time.Hour)
		if lines := m.take(); len(lines) != 0 || c.times("identify") != 1 || c.times("balance") != 0 || told == 0 {
			t.Errorf("stored %q, identified %d times, told %d times", lines, c.times("identify"), told)
		}
		if err := w.Poll(context.Background(), 1); billing.KindOf(err) != billing.Conflict {
			t.Errorf("poll says %v", err)
		}
	})
}

// Nothing is stored of an account that can't be identified.
func TestUnidentifiedStoresNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.errs["identify"] = fault(billing.Auth)
		w := newWatcher(t, m, nil, account(1, c))
		_ = w.Poll(context.Background(), 1)
		lines := m.take()
		if count(lines, "1 failed") != len(lines) || len(lines) != 4 || c.times("balance") != 0 {
			t.Errorf("%q", lines)
		}
		c.fail("identify", nil)
		if err := w.Poll(context.Background(), 1); err != nil {
			t.Error(err)
		}
	})
}

func TestPanicsAreFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.panics["balance"] = "token=s3cret"
		w := newWatcher(t, m, nil, account(1, c))
		err := w.Poll(context.Background(), 1)
		if billing.KindOf(err) != billing.Unknown || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("got %v", err)
		}
		if lines := m.take(); count(lines, "1 failed balance") != 1 || count(lines, "1 observe disk") != 1 {
			t.Errorf("%q", lines)
		}
	})
}

func TestHangingReadingsAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.hangs["balance"] = true
		w := newWatcher(t, m, nil, account(1, c))
		if err := w.Poll(context.Background(), 1); billing.KindOf(err) != billing.Upstream {
			t.Errorf("got %v", err)
		}
		if lines := m.take(); lines[0] != "1 failed balance  upstream" {
			t.Errorf("%q", lines)
		}
		bubble(t, w, time.Minute) // closing does not wait for it
	})
}

// An ended context is no failure of the cloud, and one who gives up does not spoil it for who joined.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.slow = time.Second
		w := newWatcher(t, m, nil, account(1, c))
		s := billing.Scope{Kind: billing.KindDisk, Region: "sh"}
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := w.Refresh(context.Background(), 1, s); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if c.times("list disk") != 1 {
			t.Errorf("five at once were %d listings", c.times("list disk"))
		}
		if err := w.Refresh(context.Background(), 1, s); err != nil || c.times("list disk") != 2 {
			t.Errorf("a later one is one of its own: %v, %d listings", err, c.times("list disk"))
		}
		short, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		all.Go(func() {
			if err := w.Refresh(short, 1, s); err == nil {
				t.Error("an ended context is no success")
			}
		})
		synctest.Wait()
		all.Go(func() {
			if err := w.Refresh(context.Background(), 1, s); err != nil {
				t.Errorf("joined: %v", err)
			}
		})
		all.Wait()
		lines := m.take()
		if count(lines, "1 failed") != 0 || count(lines, "1 observe disk") != 3 {
			t.Errorf("%q", lines)
		}
		if err := w.Refresh(context.Background(), 9, s); billing.KindOf(err) != billing.Absent {
			t.Errorf("nobody's account: %v", err)
		}
	})
}

func TestTheStoreFailingIsNoFailureOfTheCloud(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		m.fails = errors.New("disk full")
		w := newWatcher(t, m, nil, account(1, c))
		if err := w.Poll(context.Background(), 1); !errors.Is(err, m.fails) {
			t.Errorf("got %v", err)
		}
		if lines := m.take(); count(lines, "1 failed") != 0 {
			t.Errorf("%q", lines)
		}
	})
}

func TestApply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, kept, dropped, added := newMemory(), newCloud(), newCloud(), newCloud()
		w := newWatcher(t, m, nil, account(1, kept), account(2, dropped))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if err := w.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if err := w.Start(ctx); err == nil {
			t.Error("started twice")
		}
		time.Sleep(time.Hour)
		if err := w.Apply([]Account{account(1, kept), account(3, added)}); err != nil {
			t.Fatal(err)
		}
		n := dropped.times("balance")
		time.Sleep(time.Hour)
		if kept.times("identify") != 1 || kept.times("balance") != 24 {
			t.Errorf("who stays is not disturbed: identified %d times, %d balances", kept.times("identify"), kept.times("balance"))
		}
		if dropped.times("balance") != n || added.times("balance") != 12 {
			t.Errorf("dropped was read %d times more, added %d times", dropped.times("balance")-n, added.times("balance"))
		}
		changed := account(1, kept)
		changed.Schedule.Balance = time.Minute
		if err := w.Apply([]Account{changed}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got := kept.times("balance"); got != 84 {
			t.Errorf("a new schedule: %d balances", got)
		}
		if err := w.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestJitterIsTheSameEveryTime(t *testing.T) {
	w := newWatcher(t, newMemory(), nil)
	seen := map[time.Duration]bool{}
	for id := billing.AccountID(1); id <= 20; id++ {
		d := w.jitter(id, billing.ReadBalance, 5*time.Minute)
		if d != w.jitter(id, billing.ReadBalance, 5*time.Minute) || d < 0 || d > 30*time.Second {
			t.Errorf("account %d waits %s", id, d)
		}
		seen[d] = true
	}
	if len(seen) < 15 {
		t.Errorf("20 accounts wait %d different times", len(seen))
	}
}

func TestNewWantsItsNeeds(t *testing.T) {
	if _, err := New(Options{}); billing.KindOf(err) != billing.Invalid {
		t.Errorf("got %v", err)
	}
}
