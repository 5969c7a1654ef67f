package storage

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
)

var disks = billing.Scope{Kind: billing.KindDisk, Region: "eu"}

// disk is a resource in a state, at a rate that is known where one is given.
func disk(id string, s billing.State, rate string) billing.Resource {
	r := billing.Resource{Ref: billing.ResourceRef{Kind: billing.KindDisk, Region: "eu", ID: id}, State: s, VendorState: "v-" + string(s)}
	if rate != "" {
		r.Rate = billing.Rate{Hourly: billing.MustMoney(rate, "CNY"), Source: billing.RateVendor}
	}
	return r
}

func minute(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }

// observed is a fresh store and a function that hands it one listing of disks.
func observed(t testing.TB) (*DB, billing.AccountID, func(at time.Time, listed ...billing.Resource)) {
	db := openStore(t)
	id := account(t, db, "a")
	return db, id, func(at time.Time, listed ...billing.Resource) {
		t.Helper()
		must(t, db.Observe(context.Background(), id, disks, at, listed))
	}
}

func everything() billing.Period { return billing.Period{Start: t0, End: t0.AddDate(1, 0, 0)} }

func TestAbsentOnceMayComeBack(t *testing.T) {
	db, _, listing := observed(t)
	listing(minute(0), disk("d", billing.StateUnattached, "1"))
	listing(minute(1))
	h, err := db.Holding(t.Context(), 1)
	must(t, err)
	if !h.AbsentAt.Equal(minute(1)) || h.Gone() {
		t.Errorf("after one listing without it: absent %v, gone %v", h.AbsentAt, h.GoneAt)
	}
	listing(minute(2), disk("d", billing.StateUnattached, "1"))
	h, err = db.Holding(t.Context(), 1)
	must(t, err)
	if !h.AbsentAt.IsZero() || h.Gone() || !h.LastSeen.Equal(minute(2)) || !h.StateSince.Equal(minute(0)) {
		t.Errorf("back again: %+v", h)
	}
	spans, err := db.Spans(t.Context(), everything())
	must(t, err)
	if len(spans) != 1 || !spans[0].To.IsZero() || !spans[0].SeenTo.Equal(minute(2)) {
		t.Errorf("spans are %+v, want one that lasts", spans)
	}
}

func TestGoneIsAbsentTwice(t *testing.T) {
	db, _, listing := observed(t)
	listing(minute(0), disk("d", billing.StateUnattached, "1"))
	listing(minute(1))
	listing(minute(1).Add(moment - time.Millisecond)) // too soon to prove anything
	h, err := db.Holding(t.Context(), 1)
	must(t, err)
	if h.Gone() {
		t.Error("two listings at almost one time proved an absence")
	}
	listing(minute(2))
	listing(minute(3))
	h, err = db.Holding(t.Context(), 1)
	must(t, err)
	if !h.AbsentAt.Equal(minute(1)) || !h.GoneAt.Equal(minute(2)) {
		t.Errorf("absent %v, gone %v", h.AbsentAt, h.GoneAt)
	}
	spans, err := db.Spans(t.Context(), everything())
	must(t, err)
	if len(spans) != 1 || !spans[0].To.Equal(minute(1)) || !spans[0].SeenTo.Equal(minute(0)) {
		t.Errorf("spans are %+v, want one that ends with the first absence", spans)
	}
	listing(minute(4), disk("d", billing.StateUnattached, "1"))
	all, err := db.Holdings(t.Context(), true)
	must(t, err)
	if len(all) != 2 || all[0].Handle == all[1].Handle || all[1].Gone() || !all[1].FirstSeen.Equal(minute(4)) {
		t.Errorf("after its return: %+v, want a second generation", all)
	}
	living, err := db.Around(t.Context(), all[0].Account)
	must(t, err)
	if len(living) != 1 || living[0].ID != all[1].ID {
		t.Errorf("around: %+v, want the second generation alone", living)
	}
}

// A scope that was not read proves nothing, and neither does the listing of another.
func TestAbsenceIsJudgedInItsScope(t *testing.T) {
	db := openStore(t)
	id, other := account(t, db, "a"), account(t, db, "b")
	wide := billing.Scope{Kind: billing.KindDisk} // names no region and lists things of many
	must(t, db.Observe(t.Context(), id, wide, minute(0), []billing.Resource{disk("d", billing.StateUnattached, "")}))
	for i, s := range []billing.Scope{{Kind: billing.KindDisk, Region: "eu"}, {Kind: billing.KindSnapshot}, {Kind: billing.KindDisk, Project: "p"}} {
		for n := range 3 {
			must(t, db.Observe(t.Context(), id, s, minute(1+3*i+n), nil))
		}
	}
	for n := range 3 {
		must(t, db.Observe(t.Context(), other, wide, minute(20+n), nil))
	}
	h, err := db.Holding(t.Context(), 1)
	must(t, err)
	if !h.AbsentAt.IsZero() {
		t.Errorf("absent since %v", h.AbsentAt)
	}
	must(t, db.Observe(t.Context(), id, wide, minute(30), nil))
	must(t, db.Observe(t.Context(), id, wide, minute(31), nil))
	h, err = db.Holding(t.Context(), 1)
	must(t, err)
	if !h.Gone() {
		t.Error("not gone after two listings of its own scope")
	}
}

func TestChangesEndSpans(t *testing.T) {
	db, _, listing := observed(t)
	steps := []billing.Resource{
		disk("d", billing.StateAttached, "1"),
		disk("d", billing.StateAttached, "1"),
		disk("d", billing.StateAttached, "2"),
		disk("d", billing.StateAttached, ""), // unknown is another thing than 2, and than 0
		disk("d", billing.StateAttached, "0"),
		disk("d", billing.StateUnattached, "0"),
	}
	word, billed, mode := steps[5], steps[5], steps[5]
	word.VendorState = "in-use"
	billed.VendorState, billed.Billed = word.VendorState, billing.Yes
	mode.VendorState, mode.Billed, mode.Mode = word.VendorState, billing.Yes, billing.ModeMonthly
	steps = append(steps, word, billed, mode)
	for i, r := range steps {
		listing(minute(i), r)
	}
	got, err := db.Spans(t.Context(), everything())
	must(t, err)
	span := func(from, to, seen int, r billing.Resource) billing.Span {
		s := billing.Span{Resource: 1, From: minute(from), SeenTo: minute(seen), State: r.State, VendorState: r.VendorState, Billed: r.Billed, Rate: r.Rate, Mode: r.Mode}
		if to > 0 {
			s.To = minute(to)
		}
		return s
	}
	diff(t, "spans", []billing.Span{
		span(0, 2, 1, steps[0]), span(2, 3, 2, steps[2]), span(3, 4, 3, steps[3]), span(4, 5, 4, steps[4]), span(5, 6, 5, steps[5]),
		span(6, 7, 6, word), span(7, 8, 7, billed), span(8, 0, 8, mode),
	}, got)
	h, err := db.Holding(t.Context(), 1)
	must(t, err)
	if !h.StateSince.Equal(minute(5)) {
		t.Errorf("state since %v, want the change of state, not of rate", h.StateSince)
	}
	within, err := db.Spans(t.Context(), billing.Period{Start: minute(3), End: minute(4)})
	must(t, err)
	if len(within) != 1 || !within[0].From.Equal(minute(3)) {
		t.Errorf("spans that touch one minute: %+v", within)
	}
}

// Another thing made under the same id between two listings is another generation, or a release meant for the old one
// would meet the new.
func TestRemadeUnderTheSameID(t *testing.T) {
	db, _, listing := observed(t)
	made := func(at time.Time) billing.Resource {
		r := disk("d", billing.StateUnattached, "1")
		r.CreatedAt = at
		return r
	}
	listing(minute(10), made(minute(12))) // our clock is behind the cloud's
	listing(minute(11), made(minute(12)))
	listing(minute(13), made(minute(12)))
	all, err := db.Holdings(t.Context(), true)
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("%d generations of one thing", len(all))
	}
	listing(minute(20), made(minute(18)))
	all, err = db.Holdings(t.Context(), true)
	must(t, err)
	if len(all) != 2 || !all[0].GoneAt.Equal(minute(20)) || all[1].Gone() {
		t.Fatalf("generations are %+v", all)
	}
	spans, err := db.Spans(t.Context(), everything())
	must(t, err)
	if len(spans) != 2 || !spans[0].To.Equal(minute(18)) || !spans[1].From.Equal(minute(20)) {
		t.Errorf("spans are %+v", spans)
	}
}

func TestListingsOutOfOrder(t *testing.T) {
	db, id, listing := observed(t)
	listing(minute(100), disk("d", billing.StateUnattached, "1"))
	listing(minute(99)) // was under way at the same time and came in later
	h, err := db.Holding(t.Context(), 1)
	must(t, err)
	if !h.AbsentAt.IsZero() || !h.LastSeen.Equal(minute(100)) {
		t.Errorf("an older listing overwrote a newer one: %+v", h)
	}
	wantKind(t, db.Observe(t.Context(), id, disks, minute(10), nil), billing.Conflict, "error.clock_back")
}

func TestListingOfThingsWithoutID(t *testing.T) {
	db, id, listing := observed(t)
	listing(minute(0), disk("d", billing.StateUnattached, "1"))
	wantKind(t, db.Observe(t.Context(), id, disks, minute(1), []billing.Resource{disk("", billing.StateUnattached, "1")}), billing.Invalid, "")
	h, err := db.Holding(t.Context(), 1)
	must(t, err)
	if !h.LastSeen.Equal(minute(0)) || !h.AbsentAt.IsZero() {
		t.Errorf("a broken listing left its mark: %+v", h)
	}
	listing(minute(2), disk("d", billing.StateUnattached, "1"), disk("d", billing.StateAttached, "1"))
	h, err = db.Holding(t.Context(), 1)
	must(t, err)
	if h.State != billing.StateAttached {
		t.Errorf("listed twice: state is %s, want the last", h.State)
	}
}

// A listing of more than one transaction's worth.
func TestLongListing(t *testing.T) {
	db, id, listing := observed(t)
	long := make([]billing.Resource, observedAtOnce*2+1)
	for i := range long {
		long[i] = disk(fmt.Sprint("d-", i), billing.StateUnattached, "1")
	}
	listing(minute(0), long...)
	listing(minute(1), long[1:]...)
	listing(minute(2), long[1:]...)
	living, err := db.Around(t.Context(), id)
	must(t, err)
	if len(living) != len(long)-1 {
		t.Errorf("%d live, want %d", len(living), len(long)-1)
	}
	readings, err := db.Readings(t.Context(), id)
	must(t, err)
	diff(t, "readings", []billing.Reading{{Account: id, Of: billing.ReadInventory, Scope: disks, CompleteAt: minute(2), TriedAt: minute(2)}}, readings)
}

// generation is the model's view of one appearance.
type generation struct {
	id                  string
	first, last, absent int // minutes; absent is -1 while it is listed
	gone                int // -1 while it is not
	spans               []modelSpan
	state               billing.State
	since               int
}

type modelSpan struct {
	from, to, seen int // to is -1 while it lasts
	state          billing.State
	rate           string
}

// TestGenerations drives the store and a plain model through the same listings and compares all they know.
func TestGenerations(t *testing.T) {
	states := rapid.SampledFrom([]billing.State{billing.StateAttached, billing.StateUnattached})
	rates := rapid.SampledFrom([]string{"", "0", "1.5"})
	ids := []string{"d-1", "d-2", "d-3"}
	db := openStore(t)
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		id := accountOf(t, db, fmt.Sprint("account ", round))
		var model []*generation
		now := 0
		t.Repeat(map[string]func(*rapid.T){
			"list": func(t *rapid.T) {
				now += rapid.IntRange(1, 3).Draw(t, "minutes")
				var listed []billing.Resource
				for _, name := range ids {
					if rapid.Bool().Draw(t, "there") {
						listed = append(listed, disk(name, states.Draw(t, "state"), rates.Draw(t, "rate")))
					}
				}
				if err := db.Observe(context.Background(), id, disks, minute(now), listed); err != nil {
					t.Fatal(err)
				}
				model = follow(model, now, listed)
			},
			"list another scope": func(t *rapid.T) {
				now++
				if err := db.Observe(context.Background(), id, billing.Scope{Kind: billing.KindDisk, Region: "us"}, minute(now), nil); err != nil {
					t.Fatal(err)
				}
			},
			"fail": func(t *rapid.T) {
				now++
				err := db.RecordFailure(context.Background(), id, billing.ReadInventory, disks, minute(now), context.DeadlineExceeded)
				if err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) { compare(t, db, id, model) },
		})
	})
}

func accountOf(t *rapid.T, db *DB, name string) billing.AccountID {
	a, err := db.EnsureAccount(context.Background(), billing.Account{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// follow is what a listing means, said as plainly as possible.
func follow(model []*generation, now int, listed []billing.Resource) []*generation {
	for _, g := range model {
		there := slices.ContainsFunc(listed, func(r billing.Resource) bool { return r.Ref.ID == g.id })
		switch {
		case g.gone >= 0 || there:
		case g.absent < 0:
			g.absent = now
		default:
			g.gone = now
			g.spans[len(g.spans)-1].to = g.absent
		}
	}
	for _, r := range listed {
		rate := r.Rate.Hourly.Amount()
		i := slices.IndexFunc(model, func(g *generation) bool { return g.id == r.Ref.ID && g.gone < 0 })
		if i < 0 {
			model = append(model, &generation{id: r.Ref.ID, first: now, last: now, absent: -1, gone: -1, state: r.State, since: now,
				spans: []modelSpan{{now, -1, now, r.State, rate}}})
			continue
		}
		g := model[i]
		g.last, g.absent = now, -1
		if g.state != r.State {
			g.state, g.since = r.State, now
		}
		open := &g.spans[len(g.spans)-1]
		if open.state == r.State && open.rate == rate {
			open.seen = now
			continue
		}
		open.to = now
		g.spans = append(g.spans, modelSpan{now, -1, now, r.State, rate})
	}
	return model
}

func compare(t *rapid.T, db *DB, id billing.AccountID, model []*generation) {
	ctx := context.Background() // of this account alone: the store grows with every round
	all, err := list(ctx, db.readers, scanHolding, holdingQuery+" WHERE r.account_id = ? ORDER BY r.id", id)
	if err != nil {
		t.Fatal(err)
	}
	spans, err := list(ctx, db.readers, scanSpan, "SELECT "+spanColumns+
		" FROM resources r JOIN spans s ON s.resource_id = r.id WHERE r.account_id = ? ORDER BY s.resource_id, s.from_at, s.id", id)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(model) {
		t.Fatalf("%d generations, want %d", len(all), len(model))
	}
	for i, h := range all {
		g := model[i]
		own := slices.DeleteFunc(slices.Clone(spans), func(s billing.Span) bool { return s.Resource != h.ID })
		if got, want := shown(h, own), g.shown(); got != want {
			t.Fatalf("generation %d of %s:\n got %s\nwant %s", i, g.id, got, want)
		}
	}
}

func shown(h billing.Holding, spans []billing.Span) string {
	s := fmt.Sprint(h.Ref.ID, at(h.FirstSeen), at(h.LastSeen), at(h.AbsentAt), at(h.GoneAt), h.State, at(h.StateSince))
	for _, p := range spans {
		s += fmt.Sprint(" [", at(p.From), at(p.To), at(p.SeenTo), p.State, p.Rate.Hourly.Amount(), "]")
	}
	return s
}

func (g *generation) shown() string {
	s := fmt.Sprint(g.id, g.first, g.last, g.absent, g.gone, g.state, g.since)
	for _, p := range g.spans {
		s += fmt.Sprint(" [", p.from, p.to, p.seen, p.state, p.rate, "]")
	}
	return s
}

// at is a time as the model counts it.
func at(t time.Time) int {
	if t.IsZero() {
		return -1
	}
	return int(t.Sub(t0) / time.Minute)
}
