package storage_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// books is what a store should hold of one account: the lines of each billing account and month.
type books map[string][]billing.Charge

func periodOf(c billing.Charge) string {
	return c.BillingAccountID + c.BillingPeriod.Start.Format(" 2006-01")
}

// take does what an import should do, and says whether it should be refused as thin.
func (b books) take(rows []billing.Charge, im storage.Import) (thin bool) {
	delivered := books{}
	for _, c := range rows {
		delivered[periodOf(c)] = append(delivered[periodOf(c)], c)
	}
	for period, lines := range delivered {
		thin = thin || !im.Add && !im.Replace && 2*len(lines) < len(b[period])
	}
	if thin {
		return true
	}
	for period, lines := range delivered {
		if im.Add {
			lines = slices.Concat(b[period], lines)
		}
		b[period] = lines
	}
	return false
}

// sum adds up what belongs between two instants; charges of a day or longer begin at UTC midnights here.
func (b books) sum(from, to time.Time) string {
	sum := new(big.Rat)
	for _, lines := range b {
		for _, c := range lines {
			if (billing.Period{Start: from, End: to}).Contains(c.ChargePeriod.Start) {
				x, _ := new(big.Rat).SetString(c.BilledCost.Amount())
				sum.Add(sum, x)
			}
		}
	}
	return sum.FloatString(18)
}

// anyCharge draws a line of one of two billing accounts and two months.
func anyCharge(t *rapid.T) billing.Charge {
	month := rapid.SampledFrom([]string{"2026-10-01", "2026-11-01"}).Draw(t, "month")
	c := usage(day(month).Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "quarter"))*15*time.Minute),
		fmt.Sprintf("%d.%018d", rapid.IntRange(-3, 3).Draw(t, "units"), rapid.Uint64Range(0, 1e18-1).Draw(t, "rest")))
	c.BillingPeriod = billing.Period{Start: day(month), End: day(month).AddDate(0, 1, 0)}
	c.BillingAccountID = rapid.SampledFrom([]string{"b", "c"}).Draw(t, "billing account")
	c.ResourceID = rapid.SampledFrom([]string{"", "i-1", "i-2"}).Draw(t, "resource")
	c.ServiceName = rapid.SampledFrom([]string{"EC2", "S3"}).Draw(t, "service")
	if rapid.IntRange(0, 4).Draw(t, "whole") == 0 {
		start := c.ChargePeriod.Start.Truncate(24 * time.Hour)
		c.ChargePeriod = billing.Period{Start: start, End: start.Add(24 * time.Hour)}
	}
	return c
}

// TestAnyHistoryOfImports plays imports, replacements, additions, torn files and sweeps against books kept by hand, and
// compares answers from roll-ups, answers from lines, and the books.
func TestAnyHistoryOfImports(t *testing.T) {
	s := newShop(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		a, err := s.EnsureAccount(context.Background(), billing.Account{Name: fmt.Sprint("account ", n)})
		if err != nil {
			t.Fatal(err)
		}
		want := books{}
		for range rapid.IntRange(1, 5).Draw(t, "deliveries") {
			rows := rapid.SliceOfN(rapid.Custom(anyCharge), 1, 12).Draw(t, "rows")
			im := storage.Import{Account: a.ID, Source: billing.SourceFOCUS, Add: rapid.Bool().Draw(t, "add"), Replace: rapid.Bool().Draw(t, "replace")}
			torn := rapid.IntRange(0, 3).Draw(t, "torn") == 0
			im.Files = file(rows, 0)
			if torn {
				im.Files = file(rows, len(rows))
			}
			_, err := s.ImportCharges(context.Background(), im)
			if refused := torn || want.take(rows, im); refused != (err != nil) {
				t.Fatalf("%d rows, torn %t: %v", len(rows), torn, err)
			}
		}
		from, to := day("2026-10-01"), day("2026-12-01")
		for _, span := range [][2]time.Time{{from, to}, {from, day("2026-10-20")}, {day("2026-10-20"), to}} {
			for _, by := range [][]ledger.Cut{{ledger.ByAccount}, {ledger.ByAccount, ledger.ByDay}, {ledger.ByAccount, ledger.ByResource}} {
				if got, want := s.totalOf(t, a.Name, span, by), want.sum(span[0], span[1]); got != want {
					t.Fatalf("%v by %v is %s, want %s", span, by, got, want)
				}
			}
		}
	})
}

// totalOf adds up the rows of one account; the first cut is by account.
func (s shop) totalOf(t *rapid.T, account string, span [2]time.Time, by []ledger.Cut) string {
	rows, _, err := s.Billed(context.Background(), ledger.Question{From: span[0], To: span[1], Zone: time.UTC, By: by})
	if err != nil {
		t.Fatal(err)
	}
	sum := new(big.Rat)
	for _, r := range rows {
		if r.Keys[0] == account {
			x, _ := new(big.Rat).SetString(r.Billed.Amount())
			sum.Add(sum, x)
		}
	}
	return sum.FloatString(18)
}
