package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// sheet is a bill in memory; it breaks after a row where told to.
type sheet struct {
	rows    []billing.Charge
	breakAt int // 0: never
	next    int
}

func (s *sheet) Read(c *billing.Charge) error {
	if s.breakAt > 0 && s.next == s.breakAt {
		return errors.New("bill.csv, line 7: torn")
	}
	if s.next == len(s.rows) {
		return io.EOF
	}
	*c = s.rows[s.next]
	s.next++
	return nil
}

func file(rows []billing.Charge, breakAt int) []storage.ChargeFile {
	return []storage.ChargeFile{{Name: "bill.csv", Open: func() (storage.ChargeReader, error) {
		return &sheet{rows: rows, breakAt: breakAt}, nil
	}}}
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// usage is one hour's charge in November 2026 of billing account "b".
func usage(at time.Time, amount string) billing.Charge {
	return billing.Charge{Provider: "AWS", BillingAccountID: "b", ServiceName: "EC2", Part: billing.PartInstance,
		BillingPeriod: billing.Period{Start: day("2026-11-01"), End: day("2026-12-01")},
		ChargePeriod:  billing.Period{Start: at, End: at.Add(time.Hour)}, ChargeCategory: "Usage",
		BilledCost: billing.MustMoney(amount, "USD")}
}

// lined gives lines as a poll does.
func lined(rows []billing.Charge) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		for _, c := range rows {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func hours(n int, amount string) []billing.Charge {
	rows := make([]billing.Charge, n)
	for i := range rows {
		rows[i] = usage(day("2026-11-01").Add(time.Duration(i)*time.Hour), amount)
	}
	return rows
}

type shop struct {
	*storage.DB
	account billing.AccountID
}

func newShop(t testing.TB) shop {
	ctx := context.Background()
	now := func() time.Time { return day("2026-12-02") }
	db, err := storage.Open(ctx, filepath.Join(t.TempDir(), "x.db"), storage.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	a, err := db.EnsureAccount(ctx, billing.Account{Name: "payer"})
	if err != nil {
		t.Fatal(err)
	}
	return shop{db, a.ID}
}

func (s shop) take(o storage.Import) (storage.ImportSummary, error) {
	o.Account = s.account
	if o.Source == "" {
		o.Source = billing.SourceFOCUS
	}
	return s.ImportCharges(context.Background(), o)
}

// total is what the store says of a span, by the given cuts, as one exact number.
func (s shop) total(t interface{ Fatal(...any) }, from, to time.Time, zone *time.Location, by ...ledger.Cut) string {
	rows, _, err := s.Billed(context.Background(), ledger.Question{From: from, To: to, Zone: zone, By: by, Now: to})
	if err != nil {
		t.Fatal(err)
	}
	sum := new(big.Rat)
	for _, r := range rows {
		x, _ := new(big.Rat).SetString(r.Billed.Amount())
		sum.Add(sum, x)
	}
	return sum.FloatString(18)
}

func (s shop) november(t *testing.T) string {
	t.Helper()
	return s.total(t, day("2026-11-01"), day("2026-12-01"), time.UTC)
}

func exact(s string) string {
	x, _ := new(big.Rat).SetString(s)
	return x.FloatString(18)
}

func TestImportTwiceChangesNothing(t *testing.T) {
	s := newShop(t)
	for range 2 {
		if _, err := s.take(storage.Import{Files: file(hours(48, "0.1"), 0)}); err != nil {
			t.Fatal(err)
		}
		if got := s.november(t); got != exact("4.8") {
			t.Errorf("November is %s, want 4.8", got)
		}
	}
}

func TestAddAppends(t *testing.T) {
	s := newShop(t)
	for range 2 {
		if _, err := s.take(storage.Import{Files: file(hours(48, "0.1"), 0), Add: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.november(t); got != exact("9.6") {
		t.Errorf("November is %s, want 9.6", got)
	}
}

func TestDeliveryThatBreaksChangesNothing(t *testing.T) {
	s := newShop(t)
	if _, err := s.take(storage.Import{Files: file(hours(48, "0.1"), 0)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.take(storage.Import{Files: file(hours(700, "9"), 600)}); err == nil {
		t.Fatal("a torn file was taken")
	}
	if got := s.november(t); got != exact("4.8") {
		t.Errorf("November is %s after a torn delivery, want 4.8", got)
	}
}

func TestStrayRowDoesNotWipeAMonth(t *testing.T) {
	s := newShop(t)
	if _, err := s.take(storage.Import{Files: file(hours(48, "0.1"), 0)}); err != nil {
		t.Fatal(err)
	}
	december := usage(day("2026-12-01"), "5")
	december.BillingPeriod = billing.Period{Start: day("2026-12-01"), End: day("2027-01-01")}
	rows := append(hours(23, "7"), december)
	var thin *storage.ThinError
	_, err := s.take(storage.Import{Files: file(rows, 0)})
	if !errors.As(err, &thin) || thin.Parts[0].Rows != 23 || thin.Parts[0].Replaced != 48 {
		t.Fatalf("23 rows over 48 gave %v", err)
	}
	if got := s.total(t, day("2026-11-01"), day("2027-01-01"), time.UTC); got != exact("4.8") {
		t.Errorf("the refused delivery left %s, want 4.8: nothing of it may be taken over", got)
	}
	if _, err := s.take(storage.Import{Files: file(rows, 0), Replace: true}); err != nil {
		t.Fatal(err)
	}
	if got := s.total(t, day("2026-11-01"), day("2027-01-01"), time.UTC); got != exact("166") {
		t.Errorf("with Replace it is %s, want 166", got)
	}
	if _, err := s.take(storage.Import{Files: file(hours(12, "7"), 0)}); err != nil {
		t.Errorf("12 rows over 23 are half and more: %v", err)
	}
}

func TestVendorDatesOfWholeCharges(t *testing.T) {
	s := newShop(t)
	c := usage(time.Time{}, "24")
	c.BillingPeriod = billing.Period{Start: day("2026-10-31").Add(16 * time.Hour), End: day("2026-11-30").Add(16 * time.Hour)}
	c.ChargePeriod = billing.Period{Start: day("2026-11-04").Add(16 * time.Hour), End: day("2026-11-05").Add(16*time.Hour - time.Second)}
	if _, err := s.take(storage.Import{Files: file([]billing.Charge{c}, 0)}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"UTC", "Asia/Shanghai", "America/Los_Angeles", "Asia/Kathmandu"} {
		zone, _ := time.LoadLocation(name)
		from := time.Date(2026, 11, 5, 0, 0, 0, 0, zone)
		for _, by := range [][]ledger.Cut{nil, {ledger.ByDay}, {ledger.ByResource}} {
			if got := s.total(t, from, from.AddDate(0, 0, 1), zone, by...); got != exact("24") {
				t.Errorf("%s: 5 November by %v is %s, want 24: a day of the vendor's keeps his date", name, by, got)
			}
		}
	}
}

func TestOneSourceCountsPerDay(t *testing.T) {
	s := newShop(t)
	ctx := context.Background()
	window := billing.Period{Start: day("2026-11-01"), End: day("2026-11-04")}
	err := s.RecordCharges(ctx, s.account, window, day("2026-11-04"), billing.Coverage{Through: day("2026-11-04")}, lined(hours(72, "1")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.take(storage.Import{Files: file(hours(24, "2"), 0)}); err != nil {
		t.Fatal(err)
	}
	// 1 November has a FOCUS file, which counts before the API; the days after it have the API alone.
	if got := s.november(t); got != exact("96") {
		t.Errorf("November is %s, want 48 of the file and 48 of the API", got)
	}
}

func TestPolledWindowIsSwappedWhole(t *testing.T) {
	s := newShop(t)
	ctx := context.Background()
	window := billing.Period{Start: day("2026-11-01"), End: day("2026-11-03")}
	poll := func(rows []billing.Charge) error {
		return s.RecordCharges(ctx, s.account, window, day("2026-11-03"), billing.Coverage{Through: day("2026-11-03")}, lined(rows))
	}
	if err := poll(hours(48, "1")); err != nil {
		t.Fatal(err)
	}
	if err := poll(hours(24, "1")); err != nil { // 2 November was taken back
		t.Fatal(err)
	}
	if got := s.november(t); got != exact("24") {
		t.Errorf("November is %s, want 24", got)
	}
	if err := poll(hours(72, "1")); billing.KindOf(err) != billing.Invalid {
		t.Errorf("a charge outside the window gave %v", err)
	}
	if got := s.november(t); got != exact("24") {
		t.Errorf("November is %s after a refused window, want 24", got)
	}
	if at, err := s.Watermark(ctx, s.account); err != nil || !at.Equal(day("2026-11-03")) {
		t.Errorf("watermark %s, %v", at, err)
	}
}

func TestAnySplitAddsUp(t *testing.T) {
	s := newShop(t)
	var rows []billing.Charge
	for i := range 500 {
		at := day("2026-10-20").Add(time.Duration(i*i%50_000) * 15 * time.Minute)
		c := usage(at, fmt.Sprintf("%d.%018d", i%7-3, i*7919))
		if i%5 == 0 {
			c.ChargePeriod.End = at.Add(24 * time.Hour)
		}
		rows = append(rows, c)
	}
	if _, err := s.take(storage.Import{Files: file(rows, 0)}); err != nil {
		t.Fatal(err)
	}
	cuts := [][]ledger.Cut{nil, {ledger.ByDay}, {ledger.ByService}, {ledger.ByResource}, {ledger.ByDay, ledger.ByPart}}
	zones := []string{"UTC", "Asia/Shanghai", "Asia/Kathmandu", "America/Los_Angeles", "Australia/Lord_Howe", "Europe/Berlin"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := func(d int) time.Time { return time.Date(2026, 10, 15+d, 0, 0, 0, 0, zone) }
		a := rapid.IntRange(0, 60).Draw(t, "from")
		b := rapid.IntRange(a, 60).Draw(t, "middle")
		c := rapid.IntRange(b, 60).Draw(t, "to")
		by := rapid.SampledFrom(cuts).Draw(t, "by")
		left, right, whole := s.total(t, at(a), at(b), zone, by...), s.total(t, at(b), at(c), zone, by...), s.total(t, at(a), at(c), zone)
		x, _ := new(big.Rat).SetString(left)
		y, _ := new(big.Rat).SetString(right)
		if got := x.Add(x, y).FloatString(18); got != whole {
			t.Fatalf("%s and %s are %s, the whole is %s", left, right, got, whole)
		}
	})
}

func TestOverflowNamesItself(t *testing.T) {
	s := newShop(t)
	rows := []billing.Charge{usage(day("2026-11-01"), "9000000000"), usage(day("2026-11-01"), "9000000000")}
	if _, err := s.take(storage.Import{Files: file(rows, 0)}); !errors.Is(err, billing.ErrOverflow) {
		t.Errorf("two amounts that no longer fit gave %v", err)
	}
	if got := s.november(t); got != exact("0") {
		t.Errorf("November is %s, want nothing of it", got)
	}
}

func TestOverflowOfAnAnswerNamesTheQuestion(t *testing.T) {
	for _, by := range [][]ledger.Cut{nil, {ledger.ByService}, {ledger.ByDay}, {ledger.ByResource}} {
		s := newShop(t)
		rows := []billing.Charge{usage(day("2026-11-01"), "9000000000"), usage(day("2026-11-02").Add(time.Hour), "9000000000")}
		if _, err := s.take(storage.Import{Files: file(rows, 0)}); err != nil {
			t.Fatal(err)
		}
		zone := time.FixedZone("", -12*3600) // both on one local day
		_, _, err := s.Billed(t.Context(), ledger.Question{From: day("2026-10-31").Add(12 * time.Hour), To: day("2026-12-01").Add(12 * time.Hour), Zone: zone, By: by})
		if len(by) > 0 && by[0] == ledger.ByDay {
			if err != nil {
				t.Errorf("by day each fits: %v", err)
			}
			continue
		}
		if !errors.Is(err, billing.ErrOverflow) || billing.KindOf(err) != billing.Invalid || !strings.Contains(err.Error(), "2026-10-31") {
			t.Errorf("by %v: %v, want an overflow that names the span", by, err)
		}
	}
}

func TestCutsThatAreNotThere(t *testing.T) {
	s := newShop(t)
	_, _, err := s.Billed(t.Context(), ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), Zone: time.UTC, By: []ledger.Cut{"colour"}})
	if billing.KindOf(err) != billing.Invalid {
		t.Errorf("a cut by colour gave %v", err)
	}
}

func TestThinDeliveryNamesEveryPeriod(t *testing.T) {
	s := newShop(t)
	two := func(n int) []billing.Charge {
		rows := hours(n, "1")
		for _, c := range hours(n, "1") {
			c.BillingAccountID = "z"
			c.BillingPeriod = billing.Period{Start: day("2026-10-31").Add(16 * time.Hour), End: day("2026-11-30").Add(16*time.Hour - time.Second)}
			rows = append(rows, c)
		}
		return rows
	}
	if _, err := s.take(storage.Import{Files: file(two(9), 0)}); err != nil {
		t.Fatal(err)
	}
	_, err := s.take(storage.Import{Files: file(two(4), 0)})
	const want = "import: nothing was taken over, for the delivery holds fewer than half of the rows that are stored for " +
		"2026-11 of billing account b (4 rows, 9 stored), 2026-11 of billing account z (4 rows, 9 stored)"
	if err == nil || err.Error() != want || billing.KindOf(err) != billing.Conflict || billing.SayOf(err).Key != "error.delivery_thin" {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Purchases are billed for terms that lie ahead, which says nothing about how far the bill reaches.
func TestCoverageOfAFile(t *testing.T) {
	s := newShop(t)
	year := usage(day("2026-11-03"), "1000")
	year.ChargeCategory, year.ChargePeriod.End = "Purchase", day("2027-11-03")
	if _, err := s.take(storage.Import{Files: file(append(hours(24, "1"), year), 0)}); err != nil {
		t.Fatal(err)
	}
	all, err := s.Coverage(t.Context())
	if err != nil || len(all) != 1 || !all[0].Through.Equal(day("2026-11-03")) || !all[0].Billing {
		t.Errorf("%+v, %v: want it to reach to the purchase's start", all, err)
	}
}

func TestPeriodWithoutAnEnd(t *testing.T) {
	s := newShop(t)
	rows := hours(3, "1")
	for i := range rows {
		rows[i].BillingPeriod.End = time.Time{}
	}
	sum, err := s.take(storage.Import{Files: file(rows, 0)})
	if err != nil || sum.Parts[0].When() != "2026-11" {
		t.Errorf("%+v, %v", sum, err)
	}
}
