package storage

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gpuspend/billing"
)

// querier is what a pool and a transaction have in common.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// row is one row to be scanned.
type row interface{ Scan(to ...any) error }

// list runs a query and scans every row.
func list[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	return listInto(ctx, q, nil, scan, query, args...)
}

// listInto appends every row, for lists whose length is known.
func listInto[T any](ctx context.Context, q querier, all []T, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		t, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// changed runs a statement and says how many rows it met.
func changed(ctx context.Context, tx *sql.Tx, query string, args ...any) (int64, error) {
	r, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// stamp is a time that must be there, as a column holds it.
func stamp(t time.Time) int64 { return t.UnixMilli() }

// stampOrNull is a time for which zero means none.
func stampOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// fromStamp is the time of a column that is never NULL.
func fromStamp(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// fromMillis reads what stamp wrote.
func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// when scans a time; NULL is the zero time.
type when struct{ to *time.Time }

// Scan serves database/sql.
func (w when) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*w.to = time.Time{}
	case int64:
		*w.to = fromMillis(v)
	default:
		return fmt.Errorf("%v is no time", v)
	}
	return nil
}

// decimal scans a Decimal; the empty text is an unknown one.
type decimal struct{ to *billing.Decimal }

// Scan serves database/sql.
func (d decimal) Scan(v any) error {
	s, err := textOf(v)
	if err != nil {
		return err
	}
	*d.to, err = parseDecimal(s)
	return err
}

// textOf reads a TEXT column, which the driver may hand over as either.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	return "", fmt.Errorf("%v is no text", v)
}

func parseDecimal(s string) (billing.Decimal, error) {
	if s == "" {
		return billing.Decimal{}, nil
	}
	return billing.ParseDecimal(s)
}

// parts is the two columns of a Money; its currency stands in a third. NULL is unknown.
type parts struct{ nanos, rest sql.NullInt64 }

func (p parts) money(c string) (billing.Money, error) {
	if !p.nanos.Valid {
		return billing.Money{}, nil
	}
	return billing.MoneyFromParts(p.nanos.Int64, p.rest.Int64, billing.Currency(c))
}

// partsOf takes an amount apart.
func partsOf(m billing.Money) parts {
	n, r := m.Parts()
	return parts{sql.NullInt64{Int64: n, Valid: m.Known()}, sql.NullInt64{Int64: r, Valid: m.Known()}}
}

// nanosAndRest gives an amount's two columns, NULL for an unknown one.
func nanosAndRest(m billing.Money) (nanos, rest any) {
	if !m.Known() {
		return nil, nil
	}
	n, r := m.Parts()
	return n, r
}

// oneCurrency finds the currency of amounts that share one column for it: "" where none is known.
func oneCurrency(ms ...billing.Money) (billing.Currency, error) {
	var c billing.Currency
	for _, m := range ms {
		if !m.Known() || m.Currency() == c {
			continue
		}
		if c != "" {
			return "", fmt.Errorf("%s and %s in one record: %w", c, m.Currency(), billing.ErrCurrencies)
		}
		c = m.Currency()
	}
	return c, nil
}
