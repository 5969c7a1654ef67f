package storage_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

func machine(id, name, tag string) billing.Resource {
	return billing.Resource{Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: id}, Name: name, Owner: tag, State: billing.StateRunning, Billed: billing.Yes}
}

// owners are the owners of an account's bill, from roll-ups; they must be those of the lines, sum for sum.
func (s shop) owners(t interface{ Fatal(...any) }, account string) map[string]string {
	got := map[string]string{}
	var sums [2]map[string]billing.Money
	for i, by := range [][]ledger.Cut{{ledger.ByOwner}, {ledger.ByOwner, ledger.ByResource}, {ledger.ByOwner, ledger.ByDay}} {
		rows, _, err := s.Billed(context.Background(), ledger.Question{From: day("2026-09-01"), To: day("2027-02-01"), Zone: time.FixedZone("", 20700), By: by,
			Where: []ledger.Filter{{By: ledger.ByAccount, Values: []string{account}}}})
		if err != nil {
			t.Fatal(err)
		}
		sum := map[string]billing.Money{}
		for _, r := range rows {
			m, err := r.Amount.Add(sum[r.Keys[0]])
			if err != nil {
				m = r.Amount
			}
			sum[r.Keys[0]] = m
		}
		if i == 0 {
			sums[0] = sum
		} else if fmt.Sprint(sum) != fmt.Sprint(sums[0]) {
			t.Fatal(fmt.Sprintf("by %v: %v, want %v", by, sum, sums[0]))
		}
	}
	for k, m := range sums[0] {
		got[k] = m.Amount()
	}
	return got
}

func (s shop) observe(t *testing.T, at time.Time, list ...billing.Resource) {
	t.Helper()
	if err := s.Observe(t.Context(), s.account, billing.Scope{Kind: billing.KindInstance}, at, list); err != nil {
		t.Fatal(err)
	}
}

func (s shop) setOwners(t *testing.T, o ledger.Owners) {
	t.Helper()
	if err := s.SetOwners(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := s.Reattribute(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A claim holds for what was charged before, and for the next machine of that name; a tag and a name come before it, the
// account's default after it.
func TestClaimLasts(t *testing.T) {
	s := newShop(t)
	ctx := t.Context()
	lines := hours(3, "1")
	for i, id := range []string{"i-1", "i-2", "i-3"} {
		lines[i].ResourceID = id
	}
	s.observe(t, day("2026-11-01"), machine("i-1", "scratch", ""), machine("i-3", "other", "tagged"))
	must(s.take(storage.Import{Files: file(lines, 0)}))
	if got := s.owners(t, "payer"); got[""] != "2" || got["tagged"] != "1" {
		t.Fatalf("before: %v", got)
	}
	all, err := s.Holdings(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Claim(ctx, all[0].ID, "ana", "U1", "T", day("2026-11-02")); err != nil {
		t.Fatal(err)
	}
	s.observe(t, day("2026-11-03"), machine("i-2", "scratch", ""))
	s.observe(t, day("2026-11-04"), machine("i-2", "scratch", ""))
	if err := s.Reattribute(ctx); err != nil {
		t.Fatal(err)
	}
	if got := s.owners(t, "payer"); got["ana"] != "2" || got["tagged"] != "1" || got[""] != "" {
		t.Errorf("after the claim: %v", got)
	}
	all, _ = s.Holdings(ctx, false)
	if len(all) != 1 || all[0].Owner != "ana" {
		t.Errorf("the next machine of the name: %v", all)
	}
	s.setOwners(t, ledger.Owners{Table: map[string]string{"scr*": "bo"}, Accounts: map[string]string{"payer": "ops"}})
	if got := s.owners(t, "payer"); got["bo"] == "" || got["tagged"] != "1" {
		t.Errorf("a name comes before a claim: %v", got)
	}
}

// Who has left keeps what was his; what comes later falls to the next in order.
func TestDeactivatedFallsBack(t *testing.T) {
	s := newShop(t)
	ctx := t.Context()
	s.setOwners(t, ledger.Owners{Pattern: `^(\w+)-`, Accounts: map[string]string{"payer": "ops"}, People: map[string]string{"U1": "ana"}})
	s.observe(t, day("2026-11-01"), machine("i-1", "ana-1", ""))
	line := hours(2, "1")
	line[0].ResourceID, line[1].ResourceID = "i-1", "i-1"
	must(s.take(storage.Import{Files: file(line[:1], 0)}))
	if err := s.RememberPerson(ctx, storage.Person{Team: "T", ID: "U1", Standing: "deactivated"}); err != nil {
		t.Fatal(err)
	}
	s.setOwners(t, ledger.Owners{Pattern: `^(\w+)-`, Accounts: map[string]string{"payer": "ops"}, People: map[string]string{"U1": "ana", "U2": "bo"}})
	must(s.take(storage.Import{Files: file(line[1:], 0), Add: true}))
	if got := s.owners(t, "payer"); got["ana"] != "1" || got["ops"] != "1" {
		t.Errorf("%v", got)
	}
	if _, err := s.Owners(ctx); err != nil {
		t.Error(err)
	}
}

// Whatever mappings come and go, whatever is imported between, roll-ups say what the lines say, and owners are those of
// the last mapping.
func TestAnyHistoryOfMappings(t *testing.T) {
	s := newShop(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		a, err := s.EnsureAccount(context.Background(), billing.Account{Name: fmt.Sprint("account ", n)})
		if err != nil {
			t.Fatal(err)
		}
		var last ledger.Owners
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "import") {
				rows := rapid.SliceOfN(rapid.Custom(anyViewed), 1, 12).Draw(t, "rows")
				must(s.ImportCharges(context.Background(), storage.Import{Account: a.ID, Source: billing.SourceFOCUS, Add: true, Files: file(rows, 0)}))
			}
			last = ledger.Owners{Table: map[string]string{}, Accounts: map[string]string{a.Name: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "default")}}
			if err := s.SetOwners(context.Background(), last); err != nil {
				t.Fatal(err)
			}
			if err := s.Reattribute(context.Background()); err != nil {
				t.Fatal(err)
			}
			for owner := range s.owners(t, a.Name) {
				if owner != last.Accounts[a.Name] {
					t.Fatalf("%q owns something, after %v", owner, last)
				}
			}
		}
	})
	if w := s.Stats().LongestWrite; w > 500*time.Millisecond {
		t.Errorf("a write took %v", w)
	}
}
