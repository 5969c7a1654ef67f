package storage

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// telling is a charge in which every text says the name of its field, and every number is another.
func telling(t *testing.T) billing.Charge {
	var c billing.Charge
	n := 0
	populate(t, reflect.ValueOf(&c).Elem(), &n)
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.String {
			v.Field(i).SetString("the " + v.Type().Field(i).Name)
		}
	}
	return c
}

type once struct{ left []billing.Charge }

func (o *once) Read(c *billing.Charge) error {
	if len(o.left) == 0 {
		return io.EOF
	}
	*c, o.left = o.left[0], o.left[1:]
	return nil
}

func imported(t *testing.T, db *DB, charges ...billing.Charge) {
	t.Helper()
	_, err := db.ImportCharges(t.Context(), Import{Account: account(t, db, "payer"), Source: billing.SourceFOCUS,
		Files: []ChargeFile{{Open: func() (ChargeReader, error) { return &once{charges}, nil }}}})
	must(t, err)
}

func count(t *testing.T, db *DB, table string) (n int) {
	t.Helper()
	must(t, db.readers.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n))
	return n
}

func TestNoColumnOfAChargeIsForgotten(t *testing.T) {
	c := telling(t)
	db := openStore(t)
	imported(t, db, c)
	rows, err := list(context.Background(), db.readers, func(r row) (string, error) {
		var s string
		return s, r.Scan(&s)
	}, `SELECT json_array(p.billing_account, p.period_start, p.period_end, i.currency, i.category, i.class, i.resource, i.resource_name, i.details,
		l.provider, l.service, l.part, l.region, l.owner, l.project, l.gpu, l.mode, c.start_at, c.end_at,
		c.billed_nanos, c.effective_nanos, c.list_nanos, c.contracted_nanos, c.pricing_quantity, c.consumed_quantity, c.commitment_quantity)
		FROM charges c JOIN items i ON i.id = c.item_id JOIN labels l ON l.id = i.label_id JOIN parts p ON p.id = c.part_id`)
	must(t, err)
	kept := rows[0]
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		var want string
		switch f := v.Field(i).Interface().(type) {
		case billing.Money:
			n, _ := f.Parts()
			want = encode(n)
		case billing.Decimal:
			want = `"` + f.String()
		case billing.Period:
			want = encode(stamp(f.Start)) + "," + encode(stamp(f.End))
		default:
			want = v.Field(i).String()
		}
		if !strings.Contains(strings.ReplaceAll(kept, `\"`, `"`), want) {
			t.Errorf("%s (%s) is not stored:\n%s", v.Type().Field(i).Name, want, kept)
		}
	}
}

func TestItemsAreToldApartByEveryText(t *testing.T) {
	c := telling(t)
	v := reflect.ValueOf(&c).Elem()
	plain := itemOf(&c, 1)
	for i := range v.NumField() {
		if v.Field(i).Kind() != reflect.String || v.Type().Field(i).Name == "BillingAccountID" { // that one makes the part
			continue
		}
		old := v.Field(i).String()
		v.Field(i).SetString("another")
		if itemOf(&c, 1) == plain {
			t.Errorf("charges that differ in %s are one item", v.Type().Field(i).Name)
		}
		v.Field(i).SetString(old)
	}
	if itemOf(&c, 2) == plain {
		t.Error("an item of two parts would be swept with the first")
	}
}

func TestEqualLinesShareTheirItem(t *testing.T) {
	c := telling(t)
	later := c
	later.ChargePeriod = between("2026-11-05T00:00:00Z", "2026-11-05T01:00:00Z")
	later.BilledCost, later.PricingQuantity = billing.MustMoney("7", "CNY"), billing.MustDecimal("3")
	other := c
	other.ResourceID = "another"
	db := openStore(t)
	imported(t, db, c, c, later, other)
	if charges, items := count(t, db, "charges"), count(t, db, "items"); charges != 4 || items != 2 {
		t.Errorf("%d charges of %d items, want 4 of 2", charges, items)
	}
}

func TestNothingShowsBeforeItIsLive(t *testing.T) {
	db := openStore(t)
	im := Import{Account: account(t, db, "payer"), Source: billing.SourceFOCUS}
	l, err := db.newLoader(t.Context(), im)
	must(t, err)
	must(t, l.loadFiles(t.Context(), []ChargeFile{{Open: func() (ChargeReader, error) { return &once{[]billing.Charge{telling(t)}}, nil }}}))
	if n := count(t, db, "spend_days"); n != 1 {
		t.Fatalf("%d sums are written, want 1", n)
	}
	for _, by := range [][]ledger.Cut{nil, {ledger.ByDay}, {ledger.ByResource}} {
		q := ledger.Question{From: t0.AddDate(0, -1, 0), To: t0.AddDate(0, 1, 0), Zone: time.UTC, By: by}
		rows, _, err := db.Billed(t.Context(), q)
		must(t, err)
		if len(rows) > 0 {
			t.Errorf("by %v a delivery shows before it is live: %v", by, rows)
		}
	}
	_, err = l.goLive(t.Context(), im)
	must(t, err)
	rows, _, err := db.Billed(t.Context(), ledger.Question{From: t0.AddDate(0, -1, 0), To: t0.AddDate(0, 1, 0), Zone: time.UTC})
	must(t, err)
	if len(rows) != 1 {
		t.Errorf("after it went live there are %d rows, want 1: the test proves nothing", len(rows))
	}
}
