package notify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// world runs the pipeline over a story: views at instants, and restarts.
type world struct {
	t       *testing.T
	log     *paper
	channel *channel
	admin   *channel
	now     time.Time
	p       *notify.Pipeline
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, log: &paper{}, channel: &channel{}, admin: &channel{}, now: scene.Night()}
	w.restart()
	return w
}

// restart makes a new pipeline: all that is remembered is in the log.
func (w *world) restart() {
	w.t.Helper()
	book, err := words.New()
	if err != nil {
		w.t.Fatal(err)
	}
	w.p, err = notify.New(notify.Options{
		Rules: rules.All(), Log: w.log, Writer: words.Writer{Book: book}, Now: func() time.Time { return w.now },
		Routes:    []notify.Route{{Name: "ops", Receiver: "slack", Target: "C1", Lang: "en"}},
		Fallback:  notify.Route{Name: "admin", Receiver: "admin", Target: "D1", Lang: "en"},
		Receivers: map[string]notify.Receiver{"slack": w.channel, "admin": w.admin},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// judge looks at accounts at the present instant and sends what is due.
func (w *world) judge(accounts ...notify.AccountView) {
	w.t.Helper()
	w.look(scene.View(w.now, accounts...))
}

func (w *world) look(v notify.View) {
	w.t.Helper()
	if err := w.p.Judge(context.Background(), v); err != nil {
		w.t.Fatal(err)
	}
	w.deliver()
}

func (w *world) deliver() {
	w.t.Helper()
	if _, err := w.p.Deliver(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) wait(d time.Duration) { w.now = w.now.Add(d) }

// expect checks how many messages were posted and edited so far, and what the last push line has.
func (w *world) expect(posted, edited int, push string) {
	w.t.Helper()
	if len(w.channel.posted) != posted || len(w.channel.edited) != edited {
		w.t.Fatalf("%s: %d posted, %d edited, want %d and %d\n%s", w.now.Format("Mon 15:04"), len(w.channel.posted),
			len(w.channel.edited), posted, edited, w.pushes())
	}
	last := w.lastPush()
	if !strings.Contains(last, push) {
		w.t.Fatalf("%s: push line %q lacks %q", w.now.Format("Mon 15:04"), last, push)
	}
}

func (w *world) lastPush() string {
	var last notify.Letter
	for _, l := range append(append([]notify.Letter{}, w.channel.posted...), w.channel.edited...) {
		if l.ID > last.ID {
			last = l
		}
	}
	return last.Message.Push
}

func (w *world) pushes() string {
	var b strings.Builder
	for _, l := range w.channel.posted {
		fmt.Fprintf(&b, "posted %d: %s\n", l.ID, l.Message.Push)
	}
	for _, l := range w.channel.edited {
		fmt.Fprintf(&b, "edited %d: %s\n", l.ID, l.Message.Push)
	}
	return b.String()
}

// prepaid is a RunPod account with one pod at a burn and a balance.
func prepaid(at time.Time, cash, burn string) notify.AccountView {
	a := scene.RunPod(at)
	pod := scene.Machine(a, 22, "notebook-3", burn, "L40S", 1)
	pod.AtZero = billing.FateLost
	a.Balance.Cash = scene.USD(cash)
	a.Holdings = []billing.Holding{pod}
	return a
}

// Case C03: idle overnight on prepaid, found only through the balance.
func TestBalanceOvernightC03(t *testing.T) {
	w := newWorld(t)
	w.now = time.Date(2026, 12, 1, 23, 0, 0, 0, scene.Shanghai())
	w.judge(prepaid(w.now, "11.20", "1.50"))
	w.expect(1, 0, "06:28")
	text := body(w.channel.posted[0].Message)
	for _, want := range []string{"notebook-3", "everything on it", "smallest top-up is $10.00"} {
		if !strings.Contains(text, want) {
			t.Errorf("the message lacks %q:\n%s", want, text)
		}
	}

	w.now = time.Date(2026, 12, 2, 6, 0, 0, 0, scene.Shanghai())
	w.judge(prepaid(w.now, "0.70", "1.50")) // through the last step
	posted := len(w.channel.posted)
	w.wait(5 * time.Minute)
	topped := prepaid(w.now, "10.58", "1.50")
	topped.Arrived = notify.Arrival{At: w.now, Amount: scene.USD("10")}
	w.judge(topped)
	w.expect(posted, 1, "$10.00 arrived at 06:05. RunPod now lasts until 13:08.")
	if strings.Contains(w.pushes(), "again") {
		t.Errorf("recovered was said with a runway under 24 hours:\n%s", w.pushes())
	}
}

// Case C03: a fall through several steps between two polls is one message, of the worst.
func TestFallThroughStepsIsOneMessageC03(t *testing.T) {
	w := newWorld(t)
	w.now = time.Date(2026, 12, 2, 11, 0, 0, 0, scene.Shanghai())
	w.judge(prepaid(w.now, "90", "1"))
	w.expect(0, 0, "")
	w.wait(5 * time.Minute)
	w.judge(prepaid(w.now, "1", "1"))
	w.expect(1, 0, "12:05")
	if firing := len(w.log.alerts); firing != 3 {
		t.Errorf("%d alerts fire, want the three steps", firing)
	}
	w.wait(5 * time.Minute)
	w.judge(prepaid(w.now, "0.9", "1"))
	w.expect(1, 0, "12:05")
}

// Case C30: under the $20 step for 48 hours with noise; once, and again only after it was above 24.
func TestStepIsSaidOnceC30(t *testing.T) {
	w := newWorld(t)
	at := func(cash string) notify.View {
		v := scene.View(w.now, prepaid(w.now, cash, "0.01"))
		v.Settings.BalanceFloors = map[string][]billing.Money{"runpod-main": {scene.USD("20"), scene.USD("10")}}
		return v
	}
	for i := range 48 * 12 {
		w.look(at([]string{"19.9", "20.1"}[i%2]))
		if i == 200 {
			w.restart()
		}
		w.wait(5 * time.Minute)
	}
	w.expect(1, 0, "$19.90 left, below your floor of $20.00")
	w.look(at("9.5"))
	w.expect(2, 0, "below your floor of $10.00") // the next lower step
	w.look(at("23.9"))
	w.expect(2, 1, "") // the lower step is over, the upper one is not re-armed
	w.look(at("24.1"))
	w.expect(2, 2, "🟢")
	w.wait(time.Hour)
	w.look(at("19"))
	w.expect(3, 2, "$19.00 left")
}

// Case C27: a hole in what is read ends nothing.
func TestUnknownNeverResolvesC27(t *testing.T) {
	w := newWorld(t)
	w.judge(scene.RunPod(w.now))
	w.expect(1, 0, "runs dry")
	blind := scene.RunPod(w.now)
	blind.Balance.Cash = billing.Money{}
	w.judge(blind)
	unpriced := scene.RunPod(w.now)
	for i := range unpriced.Holdings {
		unpriced.Holdings[i].Rate = billing.Rate{}
	}
	w.judge(unpriced)
	w.judge() // the account is not in the view at all
	w.expect(1, 0, "runs dry")
	for _, a := range w.log.alerts {
		if a.State != notify.Firing {
			t.Errorf("%s is %s", a.Fingerprint, a.State)
		}
	}
}

// Case C33: nothing counts as said before the receiver said so.
func TestDeliveryC33(t *testing.T) {
	w := newWorld(t)
	w.channel.answers = []error{failure(billing.Limited, 30*time.Second), failure(billing.Upstream, 0)}
	w.judge(scene.RunPod(w.now))
	w.deliver() // 30 s are not over
	if w.channel.tries != 1 {
		t.Fatalf("%d tries before Retry-After was over", w.channel.tries)
	}
	w.wait(29 * time.Second)
	w.deliver()
	if w.channel.tries != 1 {
		t.Fatalf("%d tries 29 s after it was told to wait 30", w.channel.tries)
	}
	w.wait(2 * time.Second)
	w.restart()
	w.deliver() // 503
	if !w.log.letters[0].DeliveredAt.IsZero() {
		t.Fatal("a failed send counts as delivered")
	}
	w.wait(time.Minute)
	w.restart()
	w.deliver()
	w.deliver()
	w.expect(1, 0, "runs dry")
	if got := w.log.letters[0].DeliveredAt; !got.Equal(w.now) {
		t.Errorf("delivered at %s, want %s", got, w.now)
	}
}

// Case C33: a channel that is gone sends the message to the fallback, which learns of it.
func TestChannelGoneC33(t *testing.T) {
	w := newWorld(t)
	w.channel.answers = []error{failure(billing.Missing, 0)}
	w.judge(scene.RunPod(w.now))
	w.deliver()
	w.deliver()
	if len(w.channel.posted) != 0 || len(w.admin.posted) != 1 {
		t.Fatalf("%d to the channel, %d to the fallback", len(w.channel.posted), len(w.admin.posted))
	}
	if text := body(w.admin.posted[0].Message); !strings.Contains(text, "ops") || !strings.Contains(text, "runs dry") {
		t.Errorf("the fallback is not told what and where:\n%s", text)
	}
	if w.log.letters[0].Failed != "missing" {
		t.Errorf("the letter's end is %q", w.log.letters[0].Failed)
	}
}

// A crash between sending and recording may repeat a message, and never loses it.
func TestCrashBeforeRecord(t *testing.T) {
	w := newWorld(t)
	w.log.deaf = true
	if err := w.p.Judge(context.Background(), scene.View(w.now, scene.RunPod(w.now))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.p.Deliver(context.Background()); err == nil {
		t.Fatal("a delivery that could not be recorded is content")
	}
	w.log.deaf = false
	w.restart()
	w.deliver()
	w.deliver()
	w.expect(2, 0, "runs dry")
}

// Case C34: one cause, many victims, one message.
func TestOneCauseManyVictimsC34(t *testing.T) {
	w := newWorld(t)
	a := scene.RunPod(w.now)
	a.Balance.Cash = scene.USD("100000")
	a.Readings = nil
	a.Holdings = nil
	for i := range 43 {
		disk := scene.Thing(a, billing.ResourceID(100+i), billing.KindDisk, fmt.Sprintf("disk-%d", i), billing.StateUnattached,
			w.now.Add(-30*24*time.Hour))
		disk.Rate = billing.Rate{Hourly: scene.USD("0.1")}
		a.Holdings = append(a.Holdings, disk)
		a.Readings = append(a.Readings, billing.Reading{Account: a.ID, Of: billing.ReadInventory, TriedAt: w.now, CompleteAt: w.now.Add(-time.Hour),
			Scope: billing.Scope{Kind: billing.KindDisk, Region: fmt.Sprintf("r%d", i)}, ErrorKind: billing.Auth, FailingSince: w.now})
	}
	w.judge(a)
	w.expect(1, 0, "can't be read: its key is refused")
	if text := body(w.channel.posted[0].Message); !strings.Contains(text, "39 more") {
		t.Errorf("the message does not count what is not read:\n%s", text)
	}
	for range 10 {
		w.wait(15 * time.Minute)
		w.judge(a)
	}
	w.expect(1, 0, "can't be read")

	// The key works again: that is an edit, and the rest is told now.
	for i := range a.Readings {
		a.Readings[i].ErrorKind, a.Readings[i].CompleteAt = "", w.now
	}
	w.judge(a)
	if len(w.channel.posted) != 2 || len(w.channel.edited) != 1 {
		t.Fatalf("after the key works:\n%s", w.pushes())
	}
}

// Case X27: a snooze outlives a change of figures.
func TestSnoozeKeepsX27(t *testing.T) {
	w := newWorld(t)
	w.judge(scene.RunPod(w.now))
	for i := range w.log.alerts {
		w.log.alerts[i].SnoozedTill = w.now.Add(3 * time.Hour)
	}
	for _, cash := range []string{"37.11", "36.05", "35.2"} {
		w.wait(15 * time.Minute)
		a := scene.RunPod(w.now)
		a.Balance.Cash = scene.USD(cash)
		w.judge(a)
	}
	w.expect(1, 0, "runs dry")
	w.wait(3 * time.Hour)
	a := scene.RunPod(w.now)
	a.Balance.Cash = scene.USD("12")
	w.judge(a)
	w.expect(2, 0, "runs dry") // the snooze is over and it still holds
	w.wait(time.Minute)
	w.judge(a)
	w.expect(2, 0, "runs dry")
}

// Somebody is on it: the next step that is no more severe is an edit, a more severe one is a message.
func TestTakenIsNotCalledAgain(t *testing.T) {
	w := newWorld(t)
	w.now = time.Date(2026, 12, 1, 23, 0, 0, 0, scene.Shanghai())
	w.judge(prepaid(w.now, "11.20", "1.50")) // before work starts: urgent
	for i := range w.log.alerts {
		w.log.alerts[i].TakenBy = "U1"
	}
	w.wait(2 * time.Hour)
	w.judge(prepaid(w.now, "8.20", "1.50")) // under six hours: urgent, too
	w.expect(1, 1, "06:28")
}

// What can wait is said when the night ends, once, though it was seen all night; what can't is said at once.
func TestTheNightIsQuiet(t *testing.T) {
	w := newWorld(t)
	broke := prepaid(w.now, "3", "6.96")
	disks := scene.RunPod(w.now)
	disks.ID, disks.Name, disks.Balance, disks.Readings = 9, "disks", billing.Balance{}, nil
	old := scene.Thing(disks, 900, billing.KindDisk, "old", billing.StateUnattached, w.now.Add(-30*24*time.Hour))
	old.Rate = billing.Rate{Hourly: scene.USD("0.1")}
	disks.Holdings = []billing.Holding{old}
	look := func() {
		v := scene.View(w.now, broke, disks)
		v.Hours = notify.WorkingDays()
		w.look(v)
	}
	for w.now.In(scene.Shanghai()).Hour() < 7 {
		look()
		w.wait(15 * time.Minute)
	}
	w.expect(1, 0, "dry")
	for range 8 {
		w.wait(15 * time.Minute)
		look()
	}
	w.expect(2, 0, "nobody uses")
	if at := w.channel.posted[1].CreatedAt.In(scene.Shanghai()).Format("15:04"); at != "08:12" {
		t.Errorf("the disk is told at %s", at)
	}
}

// Unused things are one message, edited while it is there and told anew after a week at the earliest.
func TestForgottenIsOneMessage(t *testing.T) {
	w := newWorld(t)
	a := scene.Alibaba(w.now)
	a.Readings = nil
	w.judge(a)
	w.expect(1, 0, "3 things nobody uses cost CN¥547.80 a month")
	w.wait(24 * time.Hour)
	a.Holdings = a.Holdings[1:] // the dearest was released; what is left stays in the message
	w.judge(a)
	w.expect(1, 1, "2 things nobody uses cost CN¥189.40 a month")
	w.wait(5 * 24 * time.Hour) // the young disk is old enough: within the week an edit
	w.judge(a)
	w.expect(1, 2, "3 things nobody uses cost CN¥224.40 a month")
	w.wait(8 * 24 * time.Hour)
	more := scene.Priced(scene.Thing(a, 39, billing.KindDisk, "another", billing.StateUnattached, w.now.Add(-8*24*time.Hour)), scene.CNY("90"), "")
	a.Holdings = append(a.Holdings, more)
	w.judge(a)
	w.expect(2, 2, "4 things nobody uses cost CN¥314.40 a month")
	a.Holdings = nil
	w.judge(a)
	w.expect(2, 3, "✅")
}

// Below the money floor nothing is pushed.
func TestForgottenBelowFloorIsQuiet(t *testing.T) {
	w := newWorld(t)
	a := scene.Alibaba(w.now)
	a.Readings = nil
	a.Holdings = a.Holdings[2:] // the address alone: CN¥14.40
	w.judge(a)
	w.expect(0, 0, "")
	if len(w.log.alerts) != 0 {
		t.Errorf("%d alerts", len(w.log.alerts))
	}
}

// body is all that a message says.
func body(m notify.Message) string {
	var b strings.Builder
	for _, x := range m.Blocks {
		b.WriteString(x.Text.String() + "\n")
	}
	return b.String()
}

// Case C34: a place gets ten posts an hour, then the rest in one; what is urgent always passes.
func TestFloodIsPutTogetherC34(t *testing.T) {
	w := newWorld(t)
	refused := func(n int) notify.AccountView {
		a := scene.RunPod(w.now)
		a.ID, a.Name = billing.AccountID(100+n), fmt.Sprintf("pod-%02d", n)
		a.Balance.Cash = scene.USD("100000")
		a.Readings = []billing.Reading{{Account: a.ID, Of: billing.ReadBalance, ErrorKind: billing.Auth, FailingSince: w.now}}
		return a
	}
	var accounts []notify.AccountView
	for n := range 25 {
		accounts = append(accounts, refused(n))
	}
	w.judge(accounts...)
	w.expect(11, 0, "15 more warnings")
	w.wait(10 * time.Minute)
	accounts = append(accounts, refused(25), refused(26), scene.RunPod(w.now))
	w.judge(accounts...)
	w.expect(13, 0, "2 more warnings")
	if !strings.Contains(w.channel.posted[11].Message.Push, "runs dry") {
		t.Errorf("what is urgent did not pass by itself:\n%s", w.pushes())
	}
}

// A message that can't be made keeps its own alert back, and nobody else's.
func TestOneBadMessageBlocksNoOther(t *testing.T) {
	w := newWorld(t)
	strange := notify.Rule{Name: "strange", Find: func(notify.View) []billing.Finding {
		return []billing.Finding{{Rule: "strange", Account: 2, Severity: billing.SeverityWarning, Facts: 42}}
	}}
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	w.p, err = notify.New(notify.Options{Rules: append([]notify.Rule{strange}, rules.All()...), Log: w.log, Writer: words.Writer{Book: book},
		Now: func() time.Time { return w.now }, Routes: []notify.Route{{Name: "ops", Receiver: "slack"}},
		Receivers: map[string]notify.Receiver{"slack": w.channel}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.p.Judge(context.Background(), scene.View(w.now, scene.RunPod(w.now))); err == nil || !strings.Contains(err.Error(), "strange") {
		t.Errorf("the fault is told as %v", err)
	}
	w.deliver()
	w.expect(1, 0, "runs dry")
	for _, a := range w.log.alerts {
		if a.Rule == "strange" {
			t.Error("an alert fires whose message was never made")
		}
	}
}

// Routes hear what was chosen for them, each in its language.
func TestRoutesAndLanguages(t *testing.T) {
	w := newWorld(t)
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	w.p, err = notify.New(notify.Options{Rules: rules.All(), Log: w.log, Writer: words.Writer{Book: book}, Now: func() time.Time { return w.now },
		Routes: []notify.Route{{Name: "money", Receiver: "slack", Lang: "zh"}, {Name: "all", Receiver: "admin", Lang: "en"}},
		Choose: func(f billing.Finding, all []notify.Route) []notify.Route {
			if f.Rule == "balance" {
				return all
			}
			return all[1:]
		},
		Receivers: map[string]notify.Receiver{"slack": w.channel, "admin": w.admin}})
	if err != nil {
		t.Fatal(err)
	}
	a := scene.Alibaba(w.now)
	a.Readings = nil
	w.judge(scene.RunPod(w.now), a)
	if len(w.channel.posted) != 1 || !strings.Contains(w.channel.posted[0].Message.Push, "撑不到上班") {
		t.Errorf("money heard:\n%s", w.pushes())
	}
	if len(w.admin.posted) != 2 {
		t.Errorf("all heard %d messages, want the balance and the disks", len(w.admin.posted))
	}
	w.p.Reroute(nil, notify.Route{})
	w.wait(time.Hour)
	gone := scene.RunPod(w.now)
	gone.Balance.Cash = scene.USD("0.10")
	w.judge(gone, a)
	if len(w.channel.posted)+len(w.channel.edited) != 1 {
		t.Errorf("without routes something was sent:\n%s", w.pushes())
	}
}
