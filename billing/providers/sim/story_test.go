//go:build !nodemo

package sim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
)

// seen is what the story says of a resource.
type seen struct {
	state  billing.State
	hourly string
	owner  string
	fate   billing.Fate
}

// TestStory holds the table of the package comment, whatever the seed is.
func TestStory(t *testing.T) {
	want := map[string]map[string]seen{
		a: {
			"train-a100-1":    {billing.StateRunning, "880", "ana", billing.FateKeeps},
			"infer-a10-2":     {billing.StateRunning, "9.5", "chen", billing.FateKeeps},
			"infer-asg-7f":    {billing.StateRunning, "9.5", "bo", billing.FateKeeps},
			"vault-1":         {billing.StateRunning, "1.2", "ana", billing.FateKeeps},
			"sweep-spot-2":    {billing.StateRunning, "96-144", "bo", billing.FateKeeps},
			"train-a10-1":     {billing.StateStopped, "0.040690104166666667", "chen", billing.FateKeeps},
			"ds-sft-current":  {billing.StateAttached, "0.833333333333333333", "ana", billing.FateKeeps},
			"d-eval-2":        {billing.StateAttached, "0.203450520833333333", "chen", billing.FateKeeps},
			"d-a10-1":         {billing.StateAttached, "0.416666666666666667", "chen", billing.FateKeeps},
			"ds-imagenet-old": {billing.StateUnattached, "0.416666666666666667", "", billing.FateKeeps},
			"scratch-uf6":     {billing.StateUnattached, "0.203450520833333333", "", billing.FateKeeps},
			"scratch-new":     {billing.StateUnattached, "0.081380208333333333", "ana", billing.FateKeeps},
			"eip-sh-01":       {billing.StateAttached, "0.2", "ana", billing.FateKeeps},
			"eip-sh-02":       {billing.StateAttached, "0.2", "chen", billing.FateKeeps},
			"eip-sh-04":       {billing.StateUnattached, "0.2", "", billing.FateKeeps},
			"snap-base":       {billing.StateAvailable, "0.01", "ana", billing.FateKeeps},
			"snap-old-1":      {billing.StateAvailable, "0.05", "", billing.FateKeeps},
			"snap-old-2":      {billing.StateAvailable, "0.02", "bo", billing.FateKeeps},
			"snap-legacy":     {billing.StateAvailable, "0.013333333333333333", "", billing.FateKeeps},
			"snap-eval-2a":    {billing.StateAvailable, "0.006666666666666667", "chen", billing.FateKeeps},
			"snap-eval-2b":    {billing.StateAvailable, "0.006666666666666667", "chen", billing.FateKeeps},
			"img-train-base":  {billing.StateAvailable, "0.01", "ana", billing.FateKeeps},
		},
		b: {
			"a100-month-1":   {billing.StateRunning, "111.111111111111111111", "ana", billing.FateKeeps},
			"npu-eval-1":     {billing.StateRunning, "28", "bo", billing.FateInterrupted},
			"npu-eval-1-sys": {billing.StateAttached, "0.040690104166666667", "bo", billing.FateKeeps},
			"d-pretrain-b":   {billing.StateAttached, "0.833333333333333333", "ana", billing.FateKeeps},
			"snap-pretrain":  {billing.StateAvailable, "0.025", "ana", billing.FateKeeps},
			"ip-b-1":         {billing.StateAttached, "0.2", "ana", billing.FateKeeps},
		},
		c: {
			"sft-07":       {billing.StateRunning, "14", "ana", billing.FateInterrupted},
			"notebook-3":   {billing.StateRunning, "3", "chen", billing.FateLost},
			"eval-batch-2": {billing.StateRunning, "8", "bo", billing.FateLost},
			"nv-ckpt-1":    {billing.StateAttached, "0.081380208333333333", "ana", billing.FateKeeps},
			"nv-exp-3":     {billing.StateUnattached, "0.081380208333333333", "", billing.FateKeeps},
		},
	}
	for seed := range uint64(8) {
		w, _ := begin(seed)
		for cloud, names := range want {
			got := map[string]seen{}
			for name, r := range inventory(t, open(t, w, cloud, false)) {
				hourly := r.Rate.Hourly.Amount()
				if r.Mode == billing.ModeSpot && between(r.Rate.Hourly, "96", "144") {
					hourly = "96-144"
				}
				got[name] = seen{r.State, hourly, r.Owner, r.AtZero}
				if r.Billed != billing.Yes || r.VendorState == "" {
					t.Errorf("%s: billed %d, the cloud says %q", name, r.Billed, r.VendorState)
				}
			}
			if diff := cmp.Diff(names, got, cmp.AllowUnexported(seen{})); diff != "" {
				t.Errorf("seed %d, %s (-want +got):\n%s", seed, cloud, diff)
			}
		}
	}
}

func between(m billing.Money, low, high string) bool {
	l, _ := m.Cmp(money(low))
	h, _ := m.Cmp(money(high))
	return l >= 0 && h <= 0
}

func TestStoryDetails(t *testing.T) {
	w, _ := begin(7)
	as, bs, cs := inventory(t, open(t, w, a, false)), inventory(t, open(t, w, b, false)), inventory(t, open(t, w, c, false))
	plan := bs["a100-month-1"]
	if got := plan.ExpiresAt.Format("Mon 2 Jan 15:04 MST"); got != "Sat 12 Dec 10:00 UTC" || plan.RenewsItself != billing.No {
		t.Errorf("the plan ends %s, renews itself: %d", got, plan.RenewsItself)
	}
	if plan.NotReleasable.Args["until"] != plan.ExpiresAt {
		t.Errorf("the plan's machine can be given back: %v", plan.NotReleasable)
	}
	if as["infer-asg-7f"].Managed != "Auto Scaling group asg-infer" || !as["vault-1"].Protected {
		t.Error("nothing is managed or protected")
	}
	if got := as["img-train-base"].Sources; len(got) != 1 || got[0] != as["snap-base"].Ref.ID {
		t.Errorf("the image is made from %v, want snap-base", got)
	}
	if got := cs["sft-07"].SafeOn; got != "nv-ckpt-1" {
		t.Errorf("the work of sft-07 is safe on %q", got)
	}
	for name, age := range map[string]time.Duration{"infer-a10-2": 6 * day, "snap-old-1": 120 * day, "snap-old-2": 97 * day, "eip-sh-04": 41 * day} {
		if got := story.Sub(as[name].CreatedAt); got != age {
			t.Errorf("%s is %v old, want %v", name, got, age)
		}
	}
	if !as["snap-legacy"].CreatedAt.IsZero() {
		t.Error("the age of snap-legacy is known")
	}
	if n := len(as) + len(bs) + len(cs); n != 33 {
		t.Errorf("%d resources", n)
	}
}

// TestBalances holds the balances told, for every start of the history, and that C's never falls below zero before.
func TestBalances(t *testing.T) {
	for _, days := range []int{1, 7, 40, 60} {
		at := &clock{story.Add(-time.Duration(days) * day)}
		w := sim.NewWorld(sim.Options{Start: at.at, Story: story, Now: at.now})
		for ; at.at.Before(story); at.pass(time.Hour) {
			for _, cloud := range []string{b, c} {
				if got := cash(t, open(t, w, cloud, false)); got.Sign() < 0 {
					t.Fatalf("%s at %v, %d days of history: %v", cloud, at.at, days, got)
				}
			}
		}
		at.at = story
		for cloud, want := range map[string]string{a: "186402.37", b: "9840.2", c: "143.2"} {
			if got := cash(t, open(t, w, cloud, false)); got.Amount() != want {
				t.Errorf("%s after %d days of history: %v, want %s", cloud, days, got, want)
			}
		}
	}
	w, _ := begin(1)
	for cloud, want := range map[string]billing.Balance{
		a: {Mode: billing.Postpaid, Credit: money("300000"), Settles: day},
		b: {Mode: billing.Prepaid, Minimum: money("100"), Settles: time.Hour},
		c: {Mode: billing.Prepaid, Minimum: money("10"), Settles: time.Hour},
	} {
		got, err := open(t, w, cloud, false).Balance(context.Background())
		if err != nil || got.Mode != want.Mode || got.Credit != want.Credit || got.Minimum != want.Minimum || got.Settles != want.Settles {
			t.Errorf("%s: %+v, error %v", cloud, got, err)
		}
	}
}

// TestRunwayIsShort holds what makes the demo's first warning: C lasts five to six hours.
func TestRunwayIsShort(t *testing.T) {
	w, _ := begin(1)
	p := open(t, w, c, false)
	var burn billing.Tally
	for _, r := range inventory(t, p) {
		if err := burn.Add(r.Rate.Hourly); err != nil {
			t.Fatal(err)
		}
	}
	left, _ := billing.ParseDecimal(cash(t, p).Amount())
	hourly, _ := billing.ParseDecimal(burn.In(cny).Amount())
	runway, err := left.Div(hourly, 2)
	if err != nil || runway.Cmp(billing.MustDecimal("5.25")) < 0 || runway.Cmp(billing.MustDecimal("6")) >= 0 {
		t.Errorf("%s at %s an hour lasts %s h (%v)", left, hourly, runway, err)
	}
}

// TestForgottenThingsHaveAHistory holds that somebody who polls sees a disk come off its machine, 29 and 12 days ago.
func TestForgottenThingsHaveAHistory(t *testing.T) {
	for name, since := range map[string]time.Duration{"ds-imagenet-old": 29 * day, "scratch-uf6": 12 * day, "scratch-new": 2 * day} {
		at := &clock{story.Add(-since - time.Minute)}
		w := sim.NewWorld(sim.Options{Story: story, Now: at.now})
		before := inventory(t, open(t, w, a, false))[name]
		at.pass(2 * time.Minute)
		after := inventory(t, open(t, w, a, false))[name]
		if before.State != billing.StateAttached || len(before.AttachedTo) != 1 || after.State != billing.StateUnattached || after.AttachedTo != nil {
			t.Errorf("%s: %s on %v, then %s on %v", name, before.State, before.AttachedTo, after.State, after.AttachedTo)
		}
	}
}

// TestPastRuns holds the articles' worked examples, as billed.
func TestPastRuns(t *testing.T) {
	w, _ := beginLong(3)
	for _, tt := range []struct{ cloud, name, want string }{
		{a, "train-a100-0", "26400"}, {b, "recsys-ft", "25200"}, {c, "lora-uf6", "448"}, {b, "a100-month-1", "80000"}, {c, "bw-50m", "600"},
	} {
		all := charges(t, open(t, w, tt.cloud, false), story.Add(-90*day), story)
		got := total(t, all, func(l billing.Charge) bool {
			return l.ResourceName == tt.name && (l.Part == billing.PartInstance || tt.name == "bw-50m")
		})
		if got.Amount() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
	voucher := total(t, charges(t, open(t, w, a, false), story.Add(-90*day), story), func(l billing.Charge) bool {
		return l.ChargeCategory == "Credit"
	})
	if voucher.Amount() != "-800" {
		t.Errorf("the voucher took %v off", voucher)
	}
}

func TestOffersNameTheirBook(t *testing.T) {
	w, _ := begin(1)
	prices := map[string]string{}
	for _, cloud := range []string{a, b, c} {
		for o, err := range open(t, w, cloud, false).Offers(context.Background(), billing.OfferQuery{GPU: "A100-80G"}) {
			if err != nil || o.Source != "demo book, article prices" || len(o.Excludes) != 4 {
				t.Errorf("%s: %+v, error %v", cloud, o, err)
			}
			prices[cloud+" "+o.GPU.Count.String()+" "+string(o.Mode)] = o.Low.Amount() + "-" + o.High.Amount() + "/" + o.Unit
		}
	}
	want := map[string]string{
		a + " 8 on_demand": "880-880/hour", a + " 8 spot": "96-144/hour", a + " 8 monthly": "80000-90000/month",
		b + " 8 on_demand": "840-840/hour", b + " 8 spot": "120-160/hour", b + " 8 monthly": "75000-85000/month",
		c + " 1 on_demand": "3-4/hour", c + " 8 on_demand": "24-32/hour", c + " 8 monthly": "50000-60000/month",
	}
	if diff := cmp.Diff(want, prices); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDriversAreHonest(t *testing.T) {
	w, _ := begin(1)
	for _, d := range w.Drivers() {
		p, err := d.Open(billing.Config{}, billing.Env{})
		if err != nil {
			t.Fatal(err)
		}
		for _, capability := range billing.Capabilities() {
			claim, known := d.Claims[capability]
			if !known || claim.Source == "" || claim.Note == "" || (claim.Can == billing.Yes) != billing.Has(p, capability) {
				t.Errorf("%s claims %+v of %s, has it: %t", d.Name, claim, capability, billing.Has(p, capability))
			}
		}
		if d.MonthHours != 720 || d.Currency != cny || !strings.HasPrefix(d.Console.TopUp, "https://") {
			t.Errorf("%s: %d hours, %s, %s", d.Name, d.MonthHours, d.Currency, d.Console.TopUp)
		}
	}
}
