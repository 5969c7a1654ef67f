package bot_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/release"
	"gpuspend/bot"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

var (
	shanghai  = time.FixedZone("Asia/Shanghai", 8*3600)
	wednesday = time.Date(2026, 12, 2, 10, 5, 0, 0, shanghai)
	day       = 24 * time.Hour
)

const (
	operatorID = "U0OP"
	viewerID   = "U0VIEW"
	team       = "T0OURS"
)

func operator() bot.Person {
	return bot.Person{ID: operatorID, Team: team, Name: "op", Standing: bot.Member}
}

func viewer() bot.Person {
	return bot.Person{ID: viewerID, Team: team, Name: "vi", Standing: bot.Member}
}

func cny(s string) billing.Money { return billing.MustMoney(s, "CNY") }

func usd(s string) billing.Money { return billing.MustMoney(s, "USD") }

func holding(id int64, account billing.AccountID, handle string, k billing.Kind, name string, s billing.State, hourly billing.Money, since time.Duration) billing.Holding {
	return billing.Holding{ID: billing.ResourceID(id), Handle: handle, Account: account, FirstSeen: wednesday.Add(-since), LastSeen: wednesday,
		StateSince: wednesday.Add(-since), Resource: billing.Resource{Ref: billing.ResourceRef{Account: account, Kind: k, Region: "cn-shanghai", ID: "id-" + name},
			Name: name, State: s, Billed: billing.Yes, Rate: billing.Rate{Hourly: hourly, Source: billing.RateVendor}, Mode: billing.ModeOnDemand}}
}

// view is a small installation: a prepaid cloud that runs dry today, one with forgotten disks, and imported bills.
func view() notify.View {
	machine := holding(1, 1, "r-7k2f", billing.KindInstance, "infer-a10-2", billing.StateRunning, cny("9.5"), 6*day)
	machine.GPU = billing.GPU{Model: "A10", Count: billing.DecimalFromInt(1)}
	machine.Owner = "team-eval"
	disk := holding(2, 2, "r-aaaa", billing.KindDisk, "ds-imagenet-old", billing.StateUnattached, cny("0.497777777777777777"), 29*day)
	disk.SizeGiB = billing.DecimalFromInt(1024)
	snapshot := holding(3, 2, "r-bbbb", billing.KindSnapshot, "snap-old", billing.StateAvailable, cny("0.05"), 200*day)
	unpriced := holding(4, 2, "r-cccc", billing.KindIP, "eip-*sh*-04", billing.StateUnattached, billing.Money{}, 41*day)
	monthly := holding(5, 2, "r-dddd", billing.KindInstance, "a10-month-1", billing.StateRunning, cny("5"), 20*day)
	monthly.Mode, monthly.ExpiresAt, monthly.RenewsItself = billing.ModeMonthly, wednesday.Add(10*day), billing.No
	good := func(of billing.ReadingOf, k billing.Kind) billing.Reading {
		return billing.Reading{Of: of, Scope: billing.Scope{Kind: k}, CompleteAt: wednesday.Add(-8 * time.Minute), TriedAt: wednesday.Add(-8 * time.Minute)}
	}
	v := notify.View{Now: wednesday, Zone: shanghai, Hours: notify.WorkingDays(), Settings: notify.Defaults()}
	v.Accounts = []notify.AccountView{
		{Account: billing.Account{ID: 1, Name: "compute-c", Driver: "sim", Provider: "Compute C", Currency: "CNY"}, Release: true,
			Driver:   billing.Driver{Title: "Compute C", MonthHours: 720},
			Balance:  billing.Balance{ReadAt: wednesday.Add(-5 * time.Minute), Mode: billing.Prepaid, Cash: cny("38.40")},
			Outlook:  ledger.Outlook{Burn: cny("9.5"), EmptyAt: wednesday.Add(4*time.Hour + 2*time.Minute), Runway: 4*time.Hour + 2*time.Minute},
			Holdings: []billing.Holding{machine}, Readings: []billing.Reading{good(billing.ReadBalance, ""), good(billing.ReadInventory, billing.KindInstance)}},
		{Account: billing.Account{ID: 2, Name: "cloud-a", Driver: "sim", Provider: "Cloud A", Currency: "CNY"}, Release: true,
			Driver:   billing.Driver{Title: "Cloud A", MonthHours: 720},
			Balance:  billing.Balance{ReadAt: wednesday.Add(-4 * time.Minute), Mode: billing.Postpaid, Cash: cny("3052.18")},
			Outlook:  ledger.Outlook{Burn: cny("0.55"), Unpriced: 1},
			Holdings: []billing.Holding{disk, snapshot, unpriced, monthly},
			Readings: []billing.Reading{good(billing.ReadBalance, ""), good(billing.ReadInventory, billing.KindDisk), good(billing.ReadInventory, billing.KindImage)}},
		{Account: billing.Account{ID: 3, Name: "imported", Provider: "AWS", Currency: "USD"}},
	}
	return v
}

// book is a ledger with fixed figures.
type book struct{ asked []ledger.Question }

func (b *book) Billed(_ context.Context, q ledger.Question) ([]ledger.Row, bool, error) {
	b.asked = append(b.asked, q)
	keys := func(s string) []string {
		out := make([]string, len(q.By))
		for i := range out {
			out[i] = s
		}
		return out
	}
	return []ledger.Row{{Keys: keys("Cloud A"), Currency: "CNY", Billed: cny("486.200000000000000001")}, {Keys: keys(""), Currency: "USD", Billed: usd("151.44")}}, true, nil
}

func (b *book) Metered(context.Context, billing.Period) ([]ledger.Metered, error) { return nil, nil }

func (b *book) Coverage(context.Context) ([]ledger.Covered, error) {
	return []ledger.Covered{{Account: 2, Name: "cloud-a", Currency: "CNY", Polled: true, Billing: true, Through: wednesday.Add(-30 * time.Hour), ReadAt: wednesday.Add(-time.Hour)}}, nil
}

// engine plans a stop and a delete for everything, and keeps what was ordered.
type engine struct {
	proposed []release.Proposal
	approved []release.ActionID
	decided  []string // who approved or declined, and what
	second   bool
	stop     *release.Option // instead of the usual stop
	owner    string
	refused  billing.Text
	fails    error
}

func (e *engine) Plan(_ context.Context, id billing.ResourceID) (release.Plan, error) {
	_, h, _ := view().Holding(id)
	p := release.Plan{Holding: h, Account: "compute-c", Provider: "Compute C", Fingerprint: "fp", Today: cny("7074.00"), ReadAt: wednesday.Add(-40 * time.Second)}
	p.Second = e.second
	if e.owner != "" {
		p.Holding.Owner = e.owner
	}
	if p.Refused = e.refused; !p.Refused.IsZero() {
		return p, nil
	}
	kept := holding(9, 1, "r-eeee", billing.KindDisk, "d-eval-2", billing.StateAttached, cny("0.243055555555555555"), 6*day)
	p.Options = []release.Option{
		{Verb: billing.VerbStop, Saves: cny("6840.00"), StillBills: cny("234.00"), Stays: []billing.Holding{kept}, MayNotReturn: true},
		{Verb: billing.VerbDelete, Saves: cny("6875.00"), StillBills: cny("199.00"), Goes: []billing.Holding{h}, Stays: []billing.Holding{kept}, Typed: h.Name, Export: release.Exports()}}
	if e.stop != nil {
		p.Options[0] = *e.stop
	}
	return p, nil
}

func (e *engine) Propose(_ context.Context, p release.Proposal) (release.Action, error) {
	if e.fails != nil {
		return release.Action{}, e.fails
	}
	e.proposed = append(e.proposed, p)
	return release.Action{ID: release.ActionID(len(e.proposed))}, nil
}

func (e *engine) Approve(_ context.Context, id release.ActionID, who release.Person) (release.Action, error) {
	if e.fails != nil {
		return release.Action{}, e.fails
	}
	e.approved = append(e.approved, id)
	e.decided = append(e.decided, who.ID+" approves")
	return release.Action{ID: id, Name: "infer-a10-2", By: release.Person{ID: viewerID, Name: "vi"}, State: release.Approved}, nil
}

func (e *engine) Decline(_ context.Context, id release.ActionID, who release.Person) (release.Action, error) {
	e.decided = append(e.decided, who.ID+" declines")
	return release.Action{ID: id, Name: "infer-a10-2", By: release.Person{ID: viewerID, Name: "vi"}, State: release.Declined}, nil
}

func (e *engine) Open(context.Context) ([]release.Action, error) { return nil, nil }

// notes keeps what people said about resources and alerts.
type notes struct {
	kept    []billing.Keep
	marks   []billing.Mark
	taken   []string
	snoozed []time.Time
	on      string // the balance's alerts are taken
	heard   bool   // every letter arrived
}

func (n *notes) KeepResource(_ context.Context, _ billing.ResourceID, k billing.Keep, _ string) error {
	n.kept = append(n.kept, k)
	return nil
}

func (n *notes) PutMark(_ context.Context, m billing.Mark) (billing.Mark, error) {
	n.marks = append(n.marks, m)
	return m, nil
}

func (n *notes) Marks(context.Context) ([]billing.Mark, error) { return n.marks, nil }

func (n *notes) EndMark(context.Context, int64, string, time.Time) error {
	n.marks = nil
	return nil
}

func (n *notes) Unkeep(context.Context, billing.ResourceID, time.Time) error { return nil }

// Alerts are two steps of one balance, a stopped machine's, and one that is over.
func (n *notes) Alerts(context.Context, time.Time) ([]notify.Alert, error) {
	at := wednesday.Add(-time.Hour)
	if n.on != "" {
		var all []notify.Alert
		for _, scope := range []string{"before", "24h", "6h"} {
			all = append(all, notify.Alert{Fingerprint: n.on + scope, Rule: "balance", Account: 1, State: notify.Firing, TakenBy: viewerID, FiredAt: at})
		}
		return all, nil
	}
	return []notify.Alert{
		{ID: 1, Fingerprint: "balance/1/0/before", Rule: "balance", Account: 1, Scope: "before", Severity: billing.SeverityWarning, State: notify.Firing, FiredAt: at},
		{ID: 2, Fingerprint: "balance/1/0/24h", Rule: "balance", Account: 1, Scope: "24h", Severity: billing.SeverityUrgent, State: notify.Firing, FiredAt: at},
		{ID: 3, Fingerprint: "forgotten_disk/2/2/", Rule: "forgotten_disk", Account: 2, Resource: 2, Severity: billing.SeverityWarning, State: notify.Firing,
			FiredAt: at, SnoozedTill: wednesday.Add(4 * time.Hour), SnoozedWhy: "being copied"},
		{ID: 4, Fingerprint: "stopped/1/1/", Rule: "stopped", Account: 1, Resource: 1, Severity: billing.SeverityWarning, State: notify.Resolved, ResolvedAt: at},
	}, nil
}

func (n *notes) Undelivered(context.Context, time.Time) ([]notify.Letter, error) {
	if n.heard {
		return nil, nil
	}
	return []notify.Letter{{Route: notify.Route{Name: "slack:C0OLD"}, Message: notify.Message{Push: "🔴 Compute C runs dry at 14:07"}, CreatedAt: wednesday,
		Tries: 1, Failed: string(billing.Missing)}, {Route: notify.Route{Name: "ops"}, Message: notify.Message{Push: "🟠 disks"}, CreatedAt: wednesday, Tries: 3}}, nil
}

func (n *notes) Take(_ context.Context, print, user, _ string, _ time.Time) error {
	n.taken = append(n.taken, print+" "+user)
	return nil
}

func (n *notes) Snooze(_ context.Context, _ string, till time.Time, _, _, _ string, _ time.Time) error {
	n.snoozed = append(n.snoozed, till)
	return nil
}

type installation struct {
	*bot.Desk
	engine *engine
	notes  *notes
	book   *book
}

func install(t testing.TB) installation {
	t.Helper()
	w, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	in := installation{engine: &engine{}, notes: &notes{}, book: &book{}}
	in.Desk = &bot.Desk{Prices: func(context.Context) (bot.Prices, error) { return bot.Prices{Book: priceBook(), Currency: "CNY"}, nil },
		Look: func(context.Context) (notify.View, error) { return view(), nil }, Book: in.book, Engine: in.engine, Keeper: in.notes, Marker: in.notes,
		Alerts: in.notes, Words: w, Zone: shanghai, Lang: "en", Now: func() time.Time { return wednesday },
		Roles: bot.Roles{Team: team, Acting: bot.Acting{Operators: []string{operatorID}}, Viewers: []string{viewerID}, Groups: []string{"S0GPU"}, Channels: []string{"C0GPU"}}}
	return in
}

// says asks as somebody and gives the answer as plain text.
func (in installation) says(t *testing.T, p bot.Person, line string) (bot.Answer, string) {
	t.Helper()
	a, err := in.Ask(t.Context(), bot.Request{Words: bot.Split(line), Person: p, Place: bot.Place{Channel: "C0OTHER"}})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return a, bot.Plain(a.Message, 100)
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
}

func lacks(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, w := range unwanted {
		if strings.Contains(text, w) {
			t.Errorf("%q is in:\n%s", w, text)
		}
	}
}

// everything that an installation must not tell to those who may not look.
func secrets() []string {
	var out []string
	for _, a := range view().Accounts {
		out = append(out, a.Name)
		for _, h := range a.Holdings {
			out = append(out, h.Name, h.Handle)
		}
	}
	return slices.Concat(out, []string{operatorID, viewerID, "38.40"})
}

func looks(v notify.View) bot.Look {
	return func(context.Context) (notify.View, error) { return v, nil }
}
