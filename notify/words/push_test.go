package words

import (
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
	"gpuspend/notify/rules"
)

// Rule 1 of the model messages, under the worst names and sums: the push line fits, and still says when and how much.
func TestPushLinesFitTheirPhone(t *testing.T) {
	long := strings.Repeat("very-long-name-of-a-thing-", 5)
	chinese := strings.Repeat("很长的资源名字", 8)
	for _, name := range []string{long, chinese, "x"} {
		a := scene.RunPod(scene.Night())
		a.Name, a.Driver.Title = name, name
		a.Balance.Cash = scene.USD("1234567.89")
		a.Holdings[0].Rate.Hourly = scene.USD("987654.32")
		a.Balance.Minimum = scene.USD("10")
		for i := range a.Holdings {
			a.Holdings[i].Name = name
		}
		off := scene.Machine(a, 51, name, "12345.67", "H100", 8)
		off.State, off.StateSince = billing.StateStopped, scene.Night().Add(-100*time.Hour)
		plan := scene.Machine(a, 52, name, "12345.67", "H100", 8)
		plan.Mode, plan.ExpiresAt = billing.ModeYearly, scene.Night().Add(70*time.Hour)
		disk := scene.Thing(a, 53, billing.KindDisk, name, billing.StateUnattached, scene.Night().Add(-1000*time.Hour))
		disk.Rate.Hourly = scene.USD("99999.99")
		a.Holdings = append(a.Holdings, off, plan, disk)
		a.Readings = []billing.Reading{{Of: billing.ReadBalance, ErrorKind: billing.Denied, FailingSince: scene.Night()}}
		a.Drain = ledger.Drain{Period: billing.Period{Start: scene.Night().Add(-90 * time.Minute), End: scene.Night()},
			Taken: scene.USD("1234567.89"), Explained: scene.USD("987654.32"), Rest: scene.USD("246913.57")}
		two := a
		two.ID, two.Name, two.Balance.Cash = 9, name+"2", scene.USD("-1")
		v := scene.View(scene.Night(), a, two)
		v.Settings.BalanceFloors = map[string][]billing.Money{name: {scene.USD("9999999.99")}}
		for _, r := range rules.All() {
			for _, f := range r.Find(v) {
				for _, lang := range Languages() {
					m, err := Writer{book(t)}.Write(v, lang, []billing.Finding{f})
					if err != nil {
						t.Fatal(err)
					}
					checkShape(t, r.Name+" "+f.Scope, lang, m, false)
				}
			}
		}
	}
}

// Rule 2: what happens and when, what is lost, what helps, why, as of.
func TestOrderOfABalanceWarning(t *testing.T) {
	v := scene.View(scene.Night(), scene.RunPod(scene.Night()))
	for lang, order := range map[string][]string{
		English: {"runs dry at 06:43", "If nobody acts", "everything on them", "What helps", "until about 11:01", "Not enough alone",
			"5.38/h", "keeps running", "Balance read 01:12"},
		Chinese: {"06:43 用完", "没人处理", "全部丢失", "可以这样做", "11:01", "单靠它不够", "5.38/小时", "一直开着", "读取于 01:12"},
	} {
		m, err := Writer{book(t)}.Write(v, lang, told(t, v, "balance"))
		if err != nil {
			t.Fatal(err)
		}
		text := readable(m)
		for _, part := range order {
			_, rest, ok := strings.Cut(text, part)
			if !ok {
				t.Fatalf("%s: %q is missing or too early:\n%s", lang, part, readable(m))
			}
			text = rest
		}
	}
}

// Case C06: one message, dearest first, ten rows and a count of the rest.
func TestManyRowsC06(t *testing.T) {
	a := scene.RunPod(scene.Morning())
	a.Holdings = nil
	for i := range 37 {
		h := scene.Thing(a, billing.ResourceID(i+1), billing.KindDisk, "d", billing.StateUnattached, scene.Morning().Add(-40*24*time.Hour))
		h.Rate.Hourly = scene.USD("0.1")
		a.Holdings = append(a.Holdings, h)
	}
	v := scene.View(scene.Morning(), a)
	m, err := Writer{book(t)}.Write(v, English, told(t, v, "forgotten_disk"))
	if err != nil {
		t.Fatal(err)
	}
	text := readable(m)
	if !strings.Contains(m.Push, "37 things") || !strings.Contains(text, "and 27 more") || strings.Contains(text, "*11  d*") {
		t.Errorf("got:\n%s", text)
	}
}

// Case C20: two currencies stand side by side and are never added.
func TestTwoCurrenciesC20(t *testing.T) {
	pod := scene.RunPod(scene.Morning())
	volume := scene.Thing(pod, 61, billing.KindFilesystem, "nv-exp-3", billing.StateUnattached, scene.Morning().Add(-18*24*time.Hour))
	volume.Rate.Hourly, volume.SizeGiB = scene.USD("0.01917808219178082"), billing.MustDecimal("200")
	pod.Holdings = []billing.Holding{volume}
	v := scene.View(scene.Morning(), scene.Alibaba(scene.Morning()), pod)
	group := told(t, v, "forgotten_disk", "forgotten_ip")
	for lang, want := range map[string]string{
		English: "🧹 4 things nobody uses cost CN¥547.80 + $14.00 a month",
		Chinese: "🧹 4 项闲置资源，每月白花 ¥547.80 + $14.00",
	} {
		m, err := Writer{book(t)}.Write(v, lang, group)
		if err != nil {
			t.Fatal(err)
		}
		if m.Push != want {
			t.Errorf("%s: %q, want %q", lang, m.Push, want)
		}
	}
}

// Case C17: what has no price makes a sum a lower bound.
func TestForgottenWithoutPriceC17(t *testing.T) {
	a := scene.Alibaba(scene.Morning())
	a.Holdings[1].Rate = billing.Rate{}
	v := scene.View(scene.Morning(), a)
	m, err := Writer{book(t)}.Write(v, English, told(t, v, "forgotten_disk", "forgotten_ip"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "🧹 3 things nobody uses cost at least CN¥372.80 a month"; m.Push != want {
		t.Errorf("%q, want %q", m.Push, want)
	}
	if !strings.Contains(readable(m), "*unknown*") {
		t.Errorf("the thing without a price has one:\n%s", readable(m))
	}
}

// No message offers to release anything in a read-only account.
func TestReadOnlyAccountsHaveNoReleaseButton(t *testing.T) {
	for _, release := range []bool{true, false} {
		a, b := scene.RunPod(scene.Night()), scene.Alibaba(scene.Night())
		a.Release, b.Release = release, release
		v := scene.View(scene.Night(), a, b)
		found := false
		for _, name := range []string{"balance", "forgotten_disk"} {
			m, err := Writer{book(t)}.Write(v, English, told(t, v, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range m.Blocks {
				for _, button := range append(append([]notify.Button{}, block.Menu...), block.Buttons...) {
					found = found || button.Action == actRelease
				}
			}
		}
		if found != release {
			t.Errorf("release allowed %t: a release button %t", release, found)
		}
	}
}

func TestAstrayAndHeld(t *testing.T) {
	for _, lang := range Languages() {
		w := Writer{book(t)}
		if got := w.Astray(lang, notify.Route{Name: "slack:C9"}).Text.String(); !strings.Contains(got, "slack:C9") {
			t.Errorf("%s: %q does not name the route", lang, got)
		}
		if got := readable(w.Held(lang, []string{"one thing", "another"})); !strings.Contains(got, "one thing") || !strings.Contains(got, "2") {
			t.Errorf("%s: %q loses what was held", lang, got)
		}
	}
}

// An effect that reaches years ahead is said without a date.
func TestFarEffectHasNoDate(t *testing.T) {
	a := scene.RunPod(scene.Night())
	a.Holdings = a.Holdings[:1]
	little := scene.Thing(a, 25, billing.KindDisk, "d", billing.StateAttached, scene.Night())
	little.Rate.Hourly = scene.USD("0.001")
	a.Holdings = append(a.Holdings, little)
	v := scene.View(scene.Night(), a)
	for lang, want := range map[string]string{English: "it lasts for more than 60 days.", Chinese: "还能用 60 天以上"} {
		m, err := Writer{book(t)}.Write(v, lang, told(t, v, "balance"))
		if err != nil {
			t.Fatal(err)
		}
		if text := readable(m); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in\n%s", lang, want, text)
		}
	}
}
