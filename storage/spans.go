package storage

import (
	"context"
	"database/sql"
	"time"

	"gpuspend/billing"
)

// sameSpan says that nothing changed of what a span records.
func sameSpan(was, is billing.Resource) bool {
	return was.State == is.State && was.VendorState == is.VendorState && was.Billed == is.Billed && was.Rate == is.Rate && was.Mode == is.Mode
}

// beginSpan opens a span at the time of the listing.
func (l listing) beginSpan(ctx context.Context, tx *sql.Tx, id billing.ResourceID, r billing.Resource) error {
	nanos, rest := nanosAndRest(r.Rate.Hourly)
	_, err := tx.ExecContext(ctx, `
		INSERT INTO spans (resource_id, from_at, seen_to, state, vendor_state, billed, rate_nanos, rate_rest, currency, rate_source, mode)
		VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
		id, stamp(l.at), r.State, r.VendorState, r.Billed, nanos, rest, r.Rate.Hourly.Currency(), r.Rate.Source, r.Mode)
	return err
}

// endSpan closes the open span of a resource; it never ends before it began.
func endSpan(ctx context.Context, tx *sql.Tx, id billing.ResourceID, at time.Time) error {
	_, err := tx.ExecContext(ctx, "UPDATE spans SET to_at = max(from_at, ?) WHERE resource_id = ? AND to_at IS NULL", stamp(at), id)
	return err
}

// spanColumns are read by spanRow, in this order.
const spanColumns = "s.resource_id, s.from_at, s.to_at, s.seen_to, s.state, s.vendor_state, s.billed, s.rate_nanos, s.rate_rest, s.currency, s.rate_source, s.mode"

// spanRow is where spanColumns go.
type spanRow struct {
	billing.Span
	rate     parts
	currency string
}

func (s *spanRow) columns() []any {
	return []any{&s.Resource, when{&s.From}, when{&s.To}, when{&s.SeenTo}, &s.State, &s.VendorState, &s.Billed,
		&s.rate.nanos, &s.rate.rest, &s.currency, &s.Rate.Source, &s.Mode}
}

func (s *spanRow) span() (_ billing.Span, err error) {
	s.Rate.Hourly, err = s.rate.money(s.currency)
	return s.Span, err
}

func scanSpan(r row) (billing.Span, error) {
	var s spanRow
	if err := r.Scan(s.columns()...); err != nil {
		return billing.Span{}, err
	}
	return s.span()
}

// SpansOf lists the spans of one account that touch a period, of resources gone as well.
func (d *DB) SpansOf(ctx context.Context, account billing.AccountID, p billing.Period) ([]billing.Span, error) {
	all, err := list(ctx, d.readers, scanSpan, "SELECT "+spanColumns+` FROM resources r CROSS JOIN spans s ON s.resource_id = r.id
		WHERE r.account_id = ? AND s.from_at < ? AND (s.to_at IS NULL OR s.to_at > ?) ORDER BY s.id`, account, stamp(p.End), stamp(p.Start))
	return all, fail("list spans", err)
}

// Spans lists the spans that touch a period, of resources gone as well, by resource and time. They are not cut to it.
// The open span of a resource that was absent once and may come back lasts until that is known.
func (d *DB) Spans(ctx context.Context, p billing.Period) ([]billing.Span, error) {
	all, err := list(ctx, d.readers, scanSpan, "SELECT "+spanColumns+` FROM spans s
		WHERE s.from_at < ? AND (s.to_at IS NULL OR s.to_at > ?) ORDER BY s.resource_id, s.from_at, s.id`, stamp(p.End), stamp(p.Start))
	return all, fail("list spans", err)
}
