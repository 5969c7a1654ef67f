package storage

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// count turns what a wallet's lifetime counter tells since the last time into charges. The day is swapped whole, so that
// a crash in between is made good by the next reading. A cloud with a billing API needs none of it.
func (d *DB) count(ctx context.Context, account billing.AccountID, b billing.Balance) error {
	if b.Mode != billing.Prepaid || !b.Spent.Known() || !ledger.Settled(b) {
		return nil
	}
	var api int
	var from int64
	if err := d.readers.QueryRowContext(ctx, `SELECT COALESCE(SUM(source = 'api'), 0),
		COALESCE(MAX(through), (SELECT MIN(read_at) FROM balances WHERE account_id = ?1 AND spent_nanos IS NOT NULL)) FROM coverage WHERE account_id = ?1`,
		account).Scan(&api, &from); err != nil {
		return fail("read the counter", err)
	}
	if api > 0 || stamp(b.ReadAt.Truncate(max(b.Settles, time.Millisecond))) <= from {
		return nil
	}
	for day := fromStamp(from).UTC().Truncate(24 * time.Hour); !day.After(b.ReadAt); day = day.Add(24 * time.Hour) {
		if err := d.countDay(ctx, account, day); err != nil {
			return err
		}
	}
	return nil
}

// countDay swaps the charges that begin on a UTC day. Those need the readings of the day and the next settled one.
func (d *DB) countDay(ctx context.Context, account billing.AccountID, day time.Time) error {
	const op = "count use"
	all, err := d.BalanceHistory(ctx, account, day)
	if err != nil {
		return err
	}
	end := slices.IndexFunc(all, func(b billing.Balance) bool {
		return b.ReadAt.Sub(day) >= 24*time.Hour && ledger.Settled(b)
	})
	if end >= 0 {
		all = all[:end+1]
	}
	accounts, err := d.Accounts(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(accounts, func(a billing.Account) bool { return a.ID == account })
	if i < 0 || len(all) == 0 {
		return nil
	}
	spans, err := d.Metered(ctx, billing.Period{Start: day, End: all[len(all)-1].ReadAt})
	if err != nil {
		return err
	}
	charges, through, err := ledger.Counted(accounts[i], all, spans)
	if err != nil || through.IsZero() {
		return fail(op, err)
	}
	im := Import{Account: account, Source: billing.SourceCounter}
	l, err := d.newLoader(ctx, im)
	if err != nil {
		return err
	}
	l.keyed = byUTCDay
	if err := l.loadWindow(ctx, billing.Period{Start: day, End: day.Add(24 * time.Hour)}, listed(charges)); err != nil {
		return l.abandon(ctx, err)
	}
	err = d.write(ctx, op, func(tx *sql.Tx) error {
		if err := l.flip(ctx, tx, im); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO coverage (account_id, source, through, read_at) VALUES (?, 'counter', ?, ?)
			ON CONFLICT DO UPDATE SET through = MAX(through, excluded.through), read_at = excluded.read_at`,
			account, stamp(through), stamp(all[len(all)-1].ReadAt))
		return err
	})
	if err != nil {
		return l.abandon(ctx, err)
	}
	_ = d.Sweep(ctx) // the day is in; what could not be cleared away now is at the next one
	return nil
}

// Falls lists the times since an instant when a lifetime counter went back, oldest first.
func (d *DB) Falls(ctx context.Context, since time.Time) ([]ledger.Step, error) {
	all, err := list(ctx, d.readers, scanStep, "SELECT "+stepColumns+" FROM wallet_steps WHERE at >= ? AND kind = 'fell' ORDER BY at, id", stamp(since))
	return all, fail("list falls of counters", err)
}
