package words

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
	"gpuspend/notify/rules"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// golden compares a message, as people read it, with the file of its name.
func golden(t *testing.T, name string, m notify.Message) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	got := readable(m)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\nRun go test -update to take it over.", path, diff)
	}
}

// readable draws a message with plain letters: *bold*, `code`, [buttons].
func readable(m notify.Message) string {
	var b strings.Builder
	b.WriteString("push: " + m.Push + "\n")
	for _, block := range m.Blocks {
		switch block.Kind {
		case notify.BlockDivider:
			b.WriteString("---\n")
		case notify.BlockActions:
			b.WriteString(buttons(block.Buttons) + "\n")
		default:
			b.WriteString(marked(block.Text))
			if len(block.Menu) > 0 {
				b.WriteString("   ▾ " + buttons(block.Menu))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func marked(r notify.Rich) string {
	return strings.NewReplacer(string(notify.BoldStart), "*", string(notify.BoldEnd), "*", string(notify.CodeStart), "`",
		string(notify.CodeEnd), "`").Replace(string(r))
}

func buttons(all []notify.Button) string {
	var out []string
	for _, b := range all {
		out = append(out, "["+b.Label+" = "+b.Action+b.URL+" "+b.Value+"]")
	}
	return strings.Join(out, " ")
}

// told runs a rule and keeps the worst step of each thing, as the pipeline does.
func told(t *testing.T, v notify.View, names ...string) []billing.Finding {
	t.Helper()
	last := map[billing.ResourceID]int{}
	var out []billing.Finding
	for _, r := range rules.All() {
		for _, name := range names {
			if r.Name != name {
				continue
			}
			for _, f := range r.Find(v) {
				if i, ok := last[f.Resource]; ok && f.Severity > billing.SeverityHeld {
					out[i] = f
				} else if !ok {
					last[f.Resource] = len(out)
					out = append(out, f)
				}
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("%v found nothing", names)
	}
	return out
}

func TestGoldenMessages(t *testing.T) {
	arrived := scene.RunPod(scene.Night())
	arrived.Balance.Cash = scene.USD("238.40")
	arrived.Arrived = notify.Arrival{At: scene.Night().Add(-3 * time.Minute), Amount: scene.USD("200")}
	unpriced := scene.RunPod(scene.Night())
	unpriced.Holdings[1].Rate = billing.Rate{}
	down := scene.RunPod(scene.Night())
	down.Readings = []billing.Reading{{Account: 2, Of: billing.ReadBalance, CompleteAt: scene.Night().Add(-3 * time.Hour),
		TriedAt: scene.Night(), ErrorKind: billing.Auth, FailingSince: scene.Night().Add(-2 * time.Hour)}}
	off := scene.RunPod(scene.Night())
	off.Holdings[1].State, off.Holdings[1].StateSince = billing.StateStopped, scene.Night().Add(-50*time.Hour)
	off.Holdings[1].Owner = "team-eval"
	demo := scene.View(scene.Night(), scene.RunPod(scene.Night()))
	demo.Source = "demo book, article prices"

	tests := []struct {
		name  string
		v     notify.View
		rules []string
	}{
		{"balance", scene.View(scene.Night(), scene.RunPod(scene.Night())), []string{"balance"}},
		{"balance_arrived", scene.View(scene.Night(), arrived), []string{"balance"}},
		{"balance_unpriced", scene.View(scene.Night(), unpriced), []string{"balance"}},
		{"balance_demo", demo, []string{"balance"}},
		{"forgotten", scene.View(scene.Morning(), scene.Alibaba(scene.Morning())),
			[]string{"forgotten_disk", "forgotten_ip", "forgotten_snapshot"}},
		{"expiry", scene.View(scene.Morning(), ending(scene.Morning())), []string{"expiry"}},
		{"stopped", scene.View(scene.Night(), off), []string{"stopped"}},
		{"unreachable", scene.View(scene.Night(), down), []string{"unreachable"}},
		{"expiry_wiped", scene.View(scene.Morning(), wiped(scene.Morning())), []string{"expiry"}},
		{"drift", scene.View(scene.Morning(), drifting(scene.Morning())), []string{"drift"}},
		{"counter", scene.View(scene.Morning(), drifting(scene.Morning())), []string{"counter"}},
		{"budget_ahead", budgeted("2210.5", "4820"), []string{"budget"}},
		{"budget_over", budgeted("5012.34", "7300"), []string{"budget"}},
		{"unexplained", scene.View(scene.Morning(), scene.AutoDL(scene.Morning())), []string{"unexplained"}},
		{"unreachable_part", scene.View(scene.Morning(), scene.Alibaba(scene.Morning())), []string{"unreachable"}},
	}
	for _, tt := range tests {
		for _, lang := range Languages() {
			m, err := Writer{book(t)}.Write(tt.v, lang, told(t, tt.v, tt.rules...))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name+"."+lang, m)
			checkShape(t, tt.name+"."+lang, lang, m, tt.name == "forgotten")
		}
	}
}

// budgeted has a budget of CN¥5,000 a month.
func budgeted(spent, expected string) notify.View {
	v := scene.View(scene.Morning())
	v.Budgets = []notify.BudgetView{{Name: "team-sft", Limit: scene.CNY("5000"), Spent: scene.CNY(spent), Expected: scene.CNY(expected), Days: 14,
		Month: time.Date(2026, 12, 1, 0, 0, 0, 0, scene.Shanghai()), Ends: time.Date(2027, 1, 1, 0, 0, 0, 0, scene.Shanghai())}}
	return v
}

// drifting has a day whose bill says more than the meter, and a counter that went back.
func drifting(now time.Time) notify.AccountView {
	a := scene.AutoDL(now)
	a.Drifts = []ledger.Drift{{Account: a.ID, Day: now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -2), Currency: "CNY",
		Billed: scene.CNY("412.5"), Accrued: scene.CNY("120"), AccruedMost: scene.CNY("120")}}
	a.Falls = []ledger.Step{{Account: a.ID, At: now.Add(-time.Hour), Kind: ledger.StepFell, Amount: scene.CNY("103.96")}}
	return a
}

// wiped has a machine that is off and will be deleted.
func wiped(now time.Time) notify.AccountView {
	a := scene.AutoDL(now)
	off := &a.Holdings[0]
	off.Name, off.State, off.Billed, off.HoldsData = "a100-lora-3", billing.StateStopped, billing.No, billing.Yes
	off.Rate, off.ExpiresAt, off.RenewsItself = off.StoppedRate, now.Add(15*time.Hour), billing.No
	return a
}

// ending has a plan that ends, one that renews itself, and a voucher.
func ending(now time.Time) notify.AccountView {
	a := scene.Alibaba(now)
	plan := scene.Priced(scene.Thing(a, 41, billing.KindInstance, "a10-month-1", billing.StateRunning, now.Add(-500*time.Hour)),
		scene.CNY("3213.99"), "")
	plan.Mode, plan.ExpiresAt, plan.RenewsItself = billing.ModeMonthly, now.Add(10*24*time.Hour), billing.No
	again := plan
	again.ID, again.Name, again.RenewsItself, again.ExpiresAt = 42, "a10-month-2", billing.Yes, now.Add(6*24*time.Hour)
	a.Holdings = []billing.Holding{plan, again}
	a.Balance.Vouchers = []billing.Voucher{{ID: "v1", Remaining: scene.CNY("50"), ExpiresAt: now.Add(60 * time.Hour)}}
	return a
}

// Rules 1 and 2 of the model messages: the push line decides alone, and no more than twelve lines come before buttons.
func checkShape(t *testing.T, name, lang string, m notify.Message, list bool) {
	t.Helper()
	if n := len([]rune(m.Push)); lang == English && n > 80 {
		t.Errorf("%s: push line of %d letters: %s", name, n, m.Push)
	}
	if n := width(m.Push); lang == Chinese && n > 72 {
		t.Errorf("%s: push line of %d columns: %s", name, n, m.Push)
	}
	n := 0
	for _, b := range m.Blocks {
		if b.Kind == notify.BlockActions {
			break
		}
		n += strings.Count(b.Text.String(), "\n") + 1
	}
	if n > 12 && !list {
		t.Errorf("%s: %d lines before the buttons", name, n)
	}
}

func TestGoldenOver(t *testing.T) {
	full := scene.RunPod(scene.Night())
	full.Balance.Cash = scene.USD("1000")
	v := scene.View(scene.Night(), full, scene.Alibaba(scene.Night()))
	was := notify.Message{Push: "🔴 RunPod runs dry at 06:43, before work starts. $22.85 short of 10:00."}
	for _, rule := range []string{"balance", "forgotten_disk", "stopped", "expiry", "unexplained", "unreachable"} {
		for _, lang := range Languages() {
			m, err := Writer{book(t)}.Over(v, lang, notify.Alert{Rule: rule, Account: 2, FiredAt: scene.Night().Add(-time.Hour)}, was)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "over_"+rule+"."+lang, m)
			checkShape(t, rule, lang, m, false)
		}
	}
}
