package storage

import (
	"context"
	"database/sql"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// NoteDrift compares the last days (UTC) with their bills and keeps what it finds. A day that was billed anew is
// compared anew.
func (d *DB) NoteDrift(ctx context.Context, now time.Time, days int) error {
	today := now.UTC().Truncate(24 * time.Hour)
	for n := 1; n <= days; n++ {
		all, err := ledger.DriftOf(ctx, d, today.AddDate(0, 0, -n))
		if err != nil {
			return err
		}
		if len(all) == 0 {
			continue
		}
		if err := d.write(ctx, "note drift", func(tx *sql.Tx) error { return noteDrift(ctx, tx, all) }); err != nil {
			return err
		}
	}
	return nil
}

func noteDrift(ctx context.Context, tx *sql.Tx, all []ledger.Drift) error {
	for _, f := range all {
		args := []any{f.Account, stamp(f.Day), string(f.Currency)}
		for _, m := range []billing.Money{f.Billed, f.Accrued, f.AccruedMost} {
			nanos, rest := m.Parts()
			args = append(args, nanos, rest)
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO drifts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", append(args, f.Open)...); err != nil {
			return err
		}
	}
	return nil
}

// Drifts lists what was kept of the days since an instant, the oldest first.
func (d *DB) Drifts(ctx context.Context, since time.Time) ([]ledger.Drift, error) {
	all, err := list(ctx, d.readers, scanDrift, `SELECT account_id, day, currency, billed_nanos, billed_rest, accrued_nanos, accrued_rest,
		most_nanos, most_rest, open FROM drifts WHERE day >= ? ORDER BY day, account_id, currency`, stamp(since))
	return all, fail("list drifts", err)
}

func scanDrift(r row) (f ledger.Drift, err error) {
	var sums [3]pair
	if err = r.Scan(&f.Account, when{&f.Day}, &f.Currency, &sums[0].nanos, &sums[0].rest, &sums[1].nanos, &sums[1].rest,
		&sums[2].nanos, &sums[2].rest, &f.Open); err != nil {
		return f, err
	}
	for i, into := range []*billing.Money{&f.Billed, &f.Accrued, &f.AccruedMost} {
		if *into, err = billing.MoneyFromParts(sums[i].nanos, sums[i].rest, f.Currency); err != nil {
			return f, err
		}
	}
	return f, nil
}
