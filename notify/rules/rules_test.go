package rules

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
)

const day = 24 * time.Hour

// scopes lists what a rule found as scope and severity.
func scopes(findings []billing.Finding) []string {
	var out []string
	for _, f := range findings {
		name := map[billing.Severity]string{billing.SeverityHeld: "held", billing.SeverityInfo: "info",
			billing.SeverityWarning: "warning", billing.SeverityUrgent: "urgent"}[f.Severity]
		out = append(out, f.Scope+" "+name)
	}
	return out
}

func TestBalance(t *testing.T) {
	noon := time.Date(2026, 12, 2, 12, 0, 0, 0, scene.Shanghai())   // Wednesday, work
	friday := time.Date(2026, 12, 4, 18, 0, 0, 0, scene.Shanghai()) // before the weekend
	tests := []struct {
		name   string
		now    time.Time
		change func(*notify.AccountView, *notify.Settings)
		cash   string // at a burn of 6.96/h
		want   []string
	}{
		{"plenty", noon, nil, "1000", nil},
		{"it ends tonight, before work starts", scene.Night(), nil, "38.40", []string{"24h warning", "work urgent", "6h urgent"}},
		{"it ends in the morning, 7.5 h ahead", scene.Night(), nil, "52", []string{"24h warning", "work urgent", "6h held"}},
		{"23 h at noon end after tomorrow's work began", noon, nil, "160", []string{"24h warning", "work held", "6h held"}},
		{"between a step and where it re-arms", noon, nil, "300", []string{"24h held", "work held"}},
		{"over the weekend", friday, nil, "400", []string{"work urgent"}},
		{"used up", noon, nil, "-3", []string{"24h warning", "work urgent", "6h urgent"}},
		{"postpaid: a low balance stops nothing", noon,
			func(a *notify.AccountView, _ *notify.Settings) { a.Balance.Mode = billing.Postpaid }, "1", nil},
		{"never read", noon, func(a *notify.AccountView, _ *notify.Settings) { a.Balance = billing.Balance{} }, "1", nil},
		{"nothing has a price: nobody can tell", noon, func(a *notify.AccountView, _ *notify.Settings) {
			for i := range a.Holdings {
				a.Holdings[i].Rate = billing.Rate{}
			}
		}, "1000", []string{"24h held", "work held", "6h held"}},
		{"a rate that began 10 minutes ago starts nothing beyond 6 h", scene.Night(), began(10 * time.Minute), "52", []string{"24h held", "work held", "6h held"}},
		{"one that held half an hour does", scene.Night(), began(30 * time.Minute), "52", []string{"24h warning", "work urgent", "6h held"}},
		{"below 6 h it counts at once", scene.Night(), began(time.Minute), "38.40", []string{"24h warning", "work urgent", "6h urgent"}},
		{"nothing runs", noon, func(a *notify.AccountView, _ *notify.Settings) { a.Holdings = nil }, "1", nil},
		{"below a floor", noon, floors("2000", "500"), "1000", []string{"floor USD 2000 warning"}},
		{"not above a floor by a fifth yet", noon, floors("900", "500"), "1000", []string{"floor USD 900 held"}},
		{"a floor in another currency says nothing", noon, func(_ *notify.AccountView, s *notify.Settings) {
			s.BalanceFloors = map[string][]billing.Money{"runpod-main": {scene.CNY("9000")}}
		}, "1000", []string{"floor CNY 9000 held"}},
		{"half a day of one's own", noon, func(_ *notify.AccountView, s *notify.Settings) {
			s.BalanceSteps = []time.Duration{36 * time.Hour}
		}, "200", []string{"36h warning", "work held"}},
	}
	for _, tt := range tests {
		a := scene.RunPod(tt.now)
		a.Balance.Cash = scene.USD(tt.cash)
		settings := notify.Defaults()
		if tt.change != nil {
			tt.change(&a, &settings)
		}
		v := scene.View(tt.now, a)
		v.Settings = settings
		if diff := cmp.Diff(tt.want, scopes(findBalance(v))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// began lets everything that runs have begun so long ago.
func began(ago time.Duration) func(*notify.AccountView, *notify.Settings) {
	return func(a *notify.AccountView, _ *notify.Settings) {
		for i := range a.Holdings {
			a.Holdings[i].StateSince = scene.Night().Add(-ago)
		}
	}
}

func floors(all ...string) func(*notify.AccountView, *notify.Settings) {
	return func(_ *notify.AccountView, s *notify.Settings) {
		s.BalanceFloors = map[string][]billing.Money{}
		for _, f := range all {
			s.BalanceFloors["runpod-main"] = append(s.BalanceFloors["runpod-main"], scene.USD(f))
		}
	}
}

// The figures of the model message: what is short, what a top-up buys, what stopping buys, and who loses what.
func TestBalanceFactsOfTheModelMessage(t *testing.T) {
	v := scene.View(scene.Night(), scene.RunPod(scene.Night()))
	found := findBalance(v)
	f := found[len(found)-1]
	facts := f.Facts.(BalanceFacts)
	clock := func(at time.Time) string { return at.In(scene.Shanghai()).Format("15:04") }
	got := []string{clock(facts.EmptyAt), facts.Short.Amount(), clock(facts.Start), facts.Burn.Amount(),
		facts.Runway.Truncate(time.Minute).String()}
	if diff := cmp.Diff([]string{"06:43", "22.85", "10:00", "6.96", "5h31m0s"}, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	top := f.Remedies[0]
	if top.Kind != billing.RemedyTopUp || top.Amount != scene.USD("30") || clock(top.Until) != "11:01" || !top.Enough {
		t.Errorf("top-up: %+v", top)
	}
	stop := facts.Stops[1]
	if stop.Name != "notebook-3" || stop.Gains.Truncate(time.Minute) != 46*time.Minute || clock(stop.Until) != "07:29" || stop.Enough {
		t.Errorf("stop: %+v", stop)
	}
	names := func(vs []Victim) (out []string) {
		for _, v := range vs {
			out = append(out, v.Name+v.SafeOn)
		}
		return out
	}
	if diff := cmp.Diff([]string{"notebook-3", "eval-batch-2"}, names(facts.Lost)); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sft-07nv-ckpt-1"}, names(facts.Interrupted)); diff != "" {
		t.Errorf("interrupted (-want +got):\n%s", diff)
	}
}

// Nothing may be stopped in an account that is read-only, nor what somebody keeps.
func TestStopsAreOfferedOnlyWhereTheyMay(t *testing.T) {
	a := scene.RunPod(scene.Night())
	a.Holdings[0].Keep = billing.Keep{By: "U1"}
	offered := func(a notify.AccountView) (out []string) {
		for _, f := range findBalance(scene.View(scene.Night(), a)) {
			for _, s := range f.Facts.(BalanceFacts).Stops {
				out = append(out, s.Name)
			}
		}
		return slices.Compact(slices.Sorted(slices.Values(out)))
	}
	if diff := cmp.Diff([]string{"eval-batch-2", "notebook-3"}, offered(a)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a.Release = false
	if got := offered(a); got != nil {
		t.Errorf("a read-only account offers to stop %v", got)
	}
}

func TestRoundTopUp(t *testing.T) {
	tests := []struct{ short, least, want string }{
		{"22.85", "10", "30"}, {"3", "", "10"}, {"10", "10", "10"}, {"51", "", "100"}, {"301", "", "500"}, {"1057.07", "", "1500"}, {"14", "", "15"}, {"2", "25", "30"},
		{"0", "10", ""}, {"-5", "", ""},
	}
	for _, tt := range tests {
		var least billing.Money
		if tt.least != "" {
			least = scene.USD(tt.least)
		}
		if got := round(scene.USD(tt.short), least).Amount(); got != tt.want {
			t.Errorf("short of %s, at least %s: %s, want %s", tt.short, tt.least, got, tt.want)
		}
	}
}

// TEST 8.5 of the pricing facts: 1,000 at 880 an hour are 68 minutes; a threshold of 2 hours is crossed.
func TestBalancePricingFacts85(t *testing.T) {
	now := time.Date(2026, 12, 2, 12, 0, 0, 0, scene.Shanghai())
	a := scene.RunPod(now)
	a.Account.Currency = "CNY"
	a.Balance.Cash, a.Balance.Minimum = scene.CNY("1000"), billing.Money{}
	a.Holdings = []billing.Holding{scene.Machine(a, 21, "train", "880", "A100-80G", 8)}
	v := scene.View(now, a)
	v.Settings.BalanceSteps = []time.Duration{2 * time.Hour}
	found := findBalance(v)
	if len(found) == 0 || found[0].Scope != "2h" && found[len(found)-1].Scope != "2h" {
		t.Fatalf("found %v", scopes(found))
	}
	if got := found[0].Facts.(BalanceFacts).Runway.Truncate(time.Minute); got != 68*time.Minute {
		t.Errorf("runway %s, want 68 min", got)
	}
}

func TestExpiry(t *testing.T) {
	off := func(h *billing.Holding) {
		h.State, h.Mode, h.HoldsData = billing.StateStopped, billing.ModeOnDemand, billing.Yes
	}
	tests := []struct {
		name   string
		left   time.Duration
		change func(*billing.Holding)
		want   []string
	}{
		{"far off", 20 * day, nil, nil},
		{"about to come near", 14*day + time.Hour, nil, []string{"14d held"}},
		{"two weeks", 14 * day, nil, []string{"14d warning"}},
		{"three days", 3 * day, nil, []string{"14d warning", "3d warning"}},
		{"the last day", 20 * time.Hour, nil, []string{"14d warning", "3d warning", "1d warning"}},
		{"the last day of somebody's data", 20 * time.Hour, func(h *billing.Holding) { h.HoldsData = billing.Yes },
			[]string{"14d warning", "3d warning", "1d urgent"}},
		{"renews itself: told once, with its price", 6 * day, func(h *billing.Holding) { h.RenewsItself = billing.Yes }, []string{"7d warning"}},
		{"renews itself, far off", 10 * day, func(h *billing.Holding) { h.RenewsItself = billing.Yes }, nil},
		{"off, and deleted after a while: not told at each switch-off", 14 * day, off, nil},
		{"off, and deleted in three days", 3 * day, off, []string{"3d warning"}},
		{"off, and deleted on the last day", 20 * time.Hour, off, []string{"3d warning", "1d urgent"}},
		{"kept", day, func(h *billing.Holding) { h.Keep = billing.Keep{By: "U1"} }, nil},
		{"past", -time.Hour, nil, nil},
		{"no date", 0, func(h *billing.Holding) { h.ExpiresAt = time.Time{} }, nil},
	}
	for _, tt := range tests {
		a := scene.Alibaba(scene.Morning())
		h := scene.Thing(a, 41, billing.KindInstance, "a10-month-1", billing.StateRunning, scene.Morning().Add(-20*day))
		h.Mode, h.RenewsItself, h.ExpiresAt = billing.ModeMonthly, billing.No, scene.Morning().Add(tt.left)
		if tt.change != nil {
			tt.change(&h)
		}
		a.Holdings = []billing.Holding{h}
		if diff := cmp.Diff(tt.want, scopes(findExpiry(scene.View(scene.Morning(), a)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestVouchersExpire(t *testing.T) {
	a := scene.RunPod(scene.Morning())
	a.Holdings = nil
	a.Balance.Vouchers = []billing.Voucher{
		{ID: "spent", Remaining: scene.USD("0"), ExpiresAt: scene.Morning().Add(day)},
		{ID: "eternal", Remaining: scene.USD("5")},
		{ID: "v1", Remaining: scene.USD("5"), ExpiresAt: scene.Morning().Add(2 * day)},
	}
	want := []string{"voucher:v1 14d warning", "voucher:v1 3d warning", "voucher:v1 1d held"}
	if diff := cmp.Diff(want, scopes(findExpiry(scene.View(scene.Morning(), a)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the table and the README say is what the program does (case C29).
func TestDefaultsAreAsDocumentedC29(t *testing.T) {
	d := notify.Defaults()
	numbers := regexp.MustCompile(`\d+(?:\.\d+)?`)
	days := func(d time.Duration) string { return strconv.Itoa(int(d / day)) }
	hours := func(d time.Duration) string { return strconv.Itoa(int(d / time.Hour)) }
	floor := []string{d.ForgottenPush[0].Amount(), d.ForgottenPush[1].Amount()}
	want := map[string][]string{
		"balance":            {hours(d.BalanceSteps[0]), hours(d.BalanceSteps[1]), hours(urgentRunway), strconv.Itoa(int(ledger.Holds / time.Minute))},
		"budget":             {strconv.Itoa(budgetPart), "100"},
		"counter":            {"2"},
		"expiry":             {days(d.ExpirySteps[0]), days(d.ExpirySteps[1]), days(d.ExpirySteps[2]), days(d.RenewalStep)},
		"forgotten_disk":     append([]string{days(d.DiskAge)}, floor...),
		"forgotten_ip":       append([]string{days(d.DiskAge)}, floor...),
		"forgotten_snapshot": append([]string{days(d.SnapshotAge)}, floor...),
		"stopped":            {hours(d.StoppedAge), hours(d.StoppedPush), d.StoppedFloor[0].Amount(), d.StoppedFloor[1].Amount()},
		"drift":              {"5", d.DriftFrom[0].Amount(), d.DriftFrom[1].Amount(), "7"},
		"unexplained":        {d.DrainStep[0].Amount(), d.DrainStep[1].Amount()},
		"unreachable":        {strconv.Itoa(int(d.UnreachableFor / time.Minute))},
	}
	for _, r := range All() {
		if diff := cmp.Diff(want[r.Name], numbers.FindAllString(r.Default, -1)); diff != "" {
			t.Errorf("%s: %q (-compiled +documented):\n%s", r.Name, r.Default, diff)
		}
	}
	if d.RearmTime != day || d.RearmPercent != 20 {
		t.Errorf("re-arming: %s and %d %%", d.RearmTime, d.RearmPercent)
	}
}
