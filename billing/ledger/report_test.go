package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuspend/billing"
)

// book is a Book of what a test wrote down.
type book struct {
	rows    []Row
	whole   bool
	spans   []Metered
	covered []Covered
	err     error
	asked   billing.Period
}

func (b *book) Billed(context.Context, Question) ([]Row, bool, error) { return b.rows, b.whole, b.err }
func (b *book) Coverage(context.Context) ([]Covered, error)           { return b.covered, nil }
func (b *book) Metered(_ context.Context, p billing.Period) ([]Metered, error) {
	b.asked = p
	return b.spans, nil
}

func day(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }

// span is a machine of account 1 that ran from one time to another, seen to its end.
func span(id billing.ResourceID, rate string, from, to time.Time) Metered {
	m := Metered{AccountID: 1, Account: "a", Provider: "Cloud A", Part: billing.PartInstance, VendorID: fmt.Sprint("i-", id)}
	m.Resource, m.From, m.To, m.SeenTo, m.State, m.Billed = id, from, to, to, billing.StateRunning, billing.Yes
	if rate != "" {
		m.Rate.Hourly = cny(rate)
	}
	return m
}

// show writes a report's rows as lines: keys, currency, billed, accrued, unpriced.
func show(rows []Row) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%d", strings.Join(r.Keys, ","), r.Currency, r.Billed.Amount(), r.Accrued.Amount(), r.Unpriced))
	}
	return strings.Join(lines, "\n")
}

func answer(t *testing.T, b *book, q Question) Report {
	t.Helper()
	r, err := Answer(context.Background(), b, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnswer(t *testing.T) {
	polled := Covered{Account: 1, Name: "a", Currency: "CNY", Polled: true, Billing: true, Through: day(29), ReadAt: day(30).Add(10 * time.Hour)}
	now := day(30).Add(12 * time.Hour)
	change := func(m Metered, f func(*Metered)) Metered { f(&m); return m }
	tests := []struct {
		name   string
		book   book
		by     []Cut
		rows   string
		totals string
		gaps   []Gap
	}{
		{name: "billed to the 29th, metered from there to now",
			book: book{rows: []Row{{Keys: []string{"instance"}, Currency: "CNY", Billed: cny("100")}},
				covered: []Covered{polled}, spans: []Metered{span(1, "2", day(1), now)}},
			by: []Cut{ByPart}, rows: "instance|CNY|100|72|0", totals: "|CNY|100|72|0",
			gaps: []Gap{{Account: "a", From: day(29), To: now}}},
		{name: "unknown is not zero on either side",
			book: book{rows: []Row{{Keys: []string{"disk"}, Currency: "CNY", Billed: cny("0")}},
				covered: []Covered{polled}, spans: []Metered{span(1, "2", day(29), day(30))}},
			by: []Cut{ByPart}, rows: "instance|CNY||48|0\ndisk|CNY|0||0", totals: "|CNY|0|48|0",
			gaps: []Gap{{Account: "a", From: day(29), To: now}}},
		{name: "a cloud without a bill is metered from first sight and lacks nothing",
			book: book{covered: []Covered{{Account: 1, Name: "a", Polled: true}}, spans: []Metered{span(1, "1", day(2), day(3))}},
			rows: "|CNY||24|0", totals: "|CNY||24|0"},
		{name: "an account without coverage is metered, too",
			book: book{spans: []Metered{span(1, "1", day(2), day(3))}}, rows: "|CNY||24|0", totals: "|CNY||24|0"},
		{name: "an account that is not polled has no meter",
			book: book{covered: []Covered{{Account: 1, Name: "a", Billing: true, Through: day(30)}}, spans: []Metered{span(1, "1", day(2), day(3))}},
			gaps: []Gap{{Account: "a", From: day(30), To: now}}},
		{name: "not billed, paid ahead",
			book: book{spans: []Metered{
				change(span(1, "1", day(2), day(3)), func(m *Metered) { m.Billed = billing.No }),
				change(span(2, "1", day(2), day(3)), func(m *Metered) { m.Mode = billing.ModeYearly })}}},
		{name: "a missing price is counted, once a resource",
			book: book{covered: []Covered{{Account: 1, Name: "a", Currency: "CNY", Polled: true}}, spans: []Metered{
				span(1, "1", day(2), day(3)), span(2, "", day(2), day(3)), span(2, "", day(3), day(4)),
				change(span(3, "5", day(2), day(3)), func(m *Metered) { m.Billed = billing.Unsure })}},
			by: []Cut{ByDay}, rows: "2026-11-02|CNY||24|2\n2026-11-03|CNY|||1", totals: "|CNY||24|2"},
		{name: "what was not seen is no accrual but a gap",
			book: book{covered: []Covered{{Account: 1, Name: "a", Polled: true}}, spans: []Metered{
				change(span(1, "1", day(2), time.Time{}), func(m *Metered) { m.SeenTo = day(3) }),
				change(span(2, "1", day(2), time.Time{}), func(m *Metered) { m.SeenTo = day(4) })}},
			rows: "|CNY||73.5|0", totals: "|CNY||73.5|0",
			gaps: []Gap{{Account: "a", From: day(3).Add(Blind), To: now, Unseen: true}}},
		{name: "what runs runs until now",
			book: book{covered: []Covered{{Account: 1, Name: "a", Polled: true}}, spans: []Metered{
				change(span(1, "4", day(30), time.Time{}), func(m *Metered) { m.SeenTo = now.Add(-15 * time.Minute) })}},
			rows: "|CNY||48|0", totals: "|CNY||48|0"},
		{name: "greatest first within a currency, currencies apart",
			book: book{rows: []Row{
				{Keys: []string{"x"}, Currency: "USD", Billed: billing.MustMoney("9", "USD")}, {Keys: []string{"y"}, Currency: "CNY", Billed: cny("1")},
				{Keys: []string{"z"}, Currency: "CNY", Billed: cny("-3")}, {Keys: []string{"w"}, Currency: "CNY", Billed: cny("1")}}},
			by: []Cut{ByService}, rows: "w|CNY|1||0\ny|CNY|1||0\nz|CNY|-3||0\nx|USD|9||0", totals: "|CNY|-1||0\n|USD|9||0"},
		{name: "all labels of a span",
			book: book{spans: []Metered{change(span(1, "1", day(2), day(3)), func(m *Metered) {
				m.Service, m.Region, m.Owner, m.Project, m.GPU, m.Mode = "s", "r", "o", "p", "A100-80G", billing.ModeSpot
			})}},
			by:   []Cut{ByProvider, ByAccount, ByService, ByPart, ByRegion, ByResource, ByOwner, ByProject, ByGPU, ByMode, ByDay},
			rows: "Cloud A,a,s,instance,r,i-1,o,p,A100-80G,spot,2026-11-02|CNY||24|0", totals: "|CNY||24|0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := answer(t, &tt.book, Question{From: day(1), To: day(31), By: tt.by, Now: now})
			if diff := cmp.Diff(tt.rows, show(r.Rows)); diff != "" {
				t.Errorf("rows: %s", diff)
			}
			if diff := cmp.Diff(tt.totals, show(r.Totals)); diff != "" {
				t.Errorf("totals: %s", diff)
			}
			if diff := cmp.Diff(tt.gaps, r.Missing); diff != "" {
				t.Errorf("missing: %s", diff)
			}
		})
	}
}

func TestAnswerCutsByLocalDays(t *testing.T) {
	kathmandu, err := time.LoadLocation("Asia/Kathmandu") // +05:45
	if err != nil {
		t.Skip("no zone data: ", err)
	}
	b := &book{spans: []Metered{span(1, "8", day(2), day(3))}}
	q := Question{From: time.Date(2026, 11, 1, 0, 0, 0, 0, kathmandu), To: time.Date(2026, 11, 30, 0, 0, 0, 0, kathmandu), Zone: kathmandu, By: []Cut{ByDay}, Now: day(30)}
	if diff := cmp.Diff("2026-11-02|CNY||146|0\n2026-11-03|CNY||46|0", show(answer(t, b, q).Rows)); diff != "" {
		t.Error(diff)
	}
	q.From, q.To, q.By = time.Date(2026, 11, 3, 0, 0, 0, 0, kathmandu), time.Date(2026, 11, 4, 0, 0, 0, 0, kathmandu), nil
	if diff := cmp.Diff("|CNY||46|0", show(answer(t, b, q).Totals)); diff != "" {
		t.Error(diff)
	}
}

func TestNextDay(t *testing.T) {
	for _, tt := range []struct{ zone, at, want string }{
		{"UTC", "2026-11-02T23:59:00Z", "2026-11-03T00:00:00Z"},
		{"America/New_York", "2026-11-01T12:00:00Z", "2026-11-02T05:00:00Z"}, // 25 hours long
		{"Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"},     // no midnight: clocks jump to 1:00
		{"America/Havana", "2026-03-07T12:00:00Z", "2026-03-08T05:00:00Z"},   // the same
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Skip("no zone data: ", err)
		}
		at, _ := time.Parse(time.RFC3339, tt.at)
		if got := nextDay(at, zone).UTC().Format(time.RFC3339); got != tt.want {
			t.Errorf("%s: the day after %s begins %s, want %s", tt.zone, tt.at, got, tt.want)
		}
	}
}

// A sum is the same, to the last digit, however a question cuts it.
func TestAccrualAddsUp(t *testing.T) {
	zone := time.FixedZone("odd", 5*3600+45*60)
	rapid.Check(t, func(t *rapid.T) {
		moment := func(name string) time.Time {
			return day(1).Add(time.Duration(rapid.Int64Range(0, int64(20*24*time.Hour)).Draw(t, name)))
		}
		var b book
		for i := range rapid.IntRange(1, 5).Draw(t, "spans") {
			from, to := moment("from"), moment("to")
			if to.Before(from) {
				from, to = to, from
			}
			b.spans = append(b.spans, span(billing.ResourceID(i), fmt.Sprintf("%d.%07d", rapid.IntRange(0, 999).Draw(t, "rate"), rapid.IntRange(0, 9999999).Draw(t, "rest")), from, to))
		}
		at := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, zone) }
		mid := rapid.IntRange(2, 20).Draw(t, "mid")
		whole := askAt(t, &b, zone, at(1), at(25), day(30))
		left, right := askAt(t, &b, zone, at(1), at(mid), day(30)), askAt(t, &b, zone, at(mid), at(25), day(30))
		if sum, _ := plus(left, right); sum != whole {
			t.Fatalf("%s and %s are not %s", left, right, whole)
		}
		if days := askAt(t, &b, zone, at(1), at(25), day(30), ByDay, ByResource); days != whole {
			t.Fatalf("by day %s, whole %s", days, whole)
		}
	})
}

func askAt(t *rapid.T, b *book, zone *time.Location, from, to, now time.Time, by ...Cut) (sum billing.Money) {
	r, err := Answer(context.Background(), b, Question{From: from, To: to, Zone: zone, By: by, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		sum, _ = plus(sum, row.Accrued)
	}
	if len(r.Totals) > 0 && r.Totals[0].Accrued != sum {
		t.Fatalf("total %s, rows %s", r.Totals[0].Accrued, sum)
	}
	return sum
}

func TestAnswerOverflowNamesTheQuestion(t *testing.T) {
	b := &book{rows: []Row{{Keys: []string{"a"}, Currency: "CNY", Billed: cny("9000000000")}, {Keys: []string{"b"}, Currency: "CNY", Billed: cny("9000000000")}}}
	_, err := Answer(context.Background(), b, Question{From: day(1), To: day(3), By: []Cut{ByService}, Now: day(3)})
	if !errors.Is(err, billing.ErrOverflow) || billing.KindOf(err) != billing.Invalid || !strings.Contains(err.Error(), "2026-11-01 to 2026-11-03 by [service]") {
		t.Errorf("got %v", err)
	}
	b = &book{err: errors.New("disk gone")}
	if _, err := Answer(context.Background(), b, Question{From: day(1), To: day(3), Now: day(3)}); !errors.Is(err, b.err) {
		t.Errorf("the book's error: got %v", err)
	}
}

func TestAnswerAsksTheMeterOnlyForThePast(t *testing.T) {
	b := &book{}
	answer(t, b, Question{From: day(1), To: day(30), Now: day(10)})
	if b.asked != (billing.Period{Start: day(1), End: day(10)}) {
		t.Errorf("asked for %v", b.asked)
	}
	b = &book{covered: []Covered{{Account: 1, Name: "a", Billing: true}}}
	if r := answer(t, b, Question{From: day(20), To: day(30), Now: day(10)}); len(r.Missing) != 0 || !b.asked.Start.IsZero() {
		t.Errorf("the future lacks nothing: %v", r.Missing)
	}
}

func TestAsOfIsTheNewestReading(t *testing.T) {
	b := &book{covered: []Covered{{Account: 1, Name: "a", Polled: true, ReadAt: day(9)}, {Account: 2, Name: "b", ReadAt: day(8)}},
		spans: []Metered{span(1, "1", day(9), day(10))}}
	if r := answer(t, b, Question{From: day(1), To: day(30), Now: day(20)}); !r.AsOf.Equal(day(10)) {
		t.Errorf("as of %s", r.AsOf)
	}
}

func TestJoined(t *testing.T) {
	p := func(a, b int) billing.Period { return billing.Period{Start: day(a), End: day(b)} }
	got := joined([]billing.Period{p(5, 6), p(1, 3), p(2, 4), p(4, 5), p(8, 9)})
	if !slices.Equal(got, []billing.Period{p(1, 6), p(8, 9)}) {
		t.Errorf("got %v", got)
	}
}

func TestAccrueOverflows(t *testing.T) {
	if _, err := accrue(billing.MustMoney("9000000000", "CNY"), day(1), day(3)); !errors.Is(err, billing.ErrOverflow) {
		t.Errorf("got %v", err)
	}
	m, err := accrue(cny("1"), day(1), day(1))
	if err != nil || m != cny("0") {
		t.Errorf("no time at all: %s, %v", m, err)
	}
}
