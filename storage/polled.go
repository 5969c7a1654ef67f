package storage

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"iter"
	"time"

	"gpuspend/billing"
)

// RecordCharges swaps the charges of one polled window of whole UTC days. They are asked for once, and written beside
// what is live as they come, so that a long bill is never held whole; an error among them ends the window, which then
// changes nothing. Days of the window without a line are swapped too: they are delivered and empty. It fails with an
// Invalid error for a window of other times, or a charge that lies outside it.
func (d *DB) RecordCharges(ctx context.Context, account billing.AccountID, p billing.Period, at time.Time, cov billing.Coverage, charges iter.Seq2[billing.Charge, error]) error {
	const op = "record charges"
	if stamp(p.Start)%dayMillis != 0 || stamp(p.End)%dayMillis != 0 {
		return fault(billing.Invalid, op, fmt.Errorf("%s to %s is not whole UTC days", p.Start, p.End), billing.Text{})
	}
	im := Import{Account: account, Source: billing.SourceAPI}
	if !p.Start.Before(p.End) { // nothing was delivered since; that was read, too
		return d.write(ctx, op, func(tx *sql.Tx) error { return delivered(ctx, tx, account, at, cov) })
	}
	l, err := d.newLoader(ctx, im)
	if err != nil {
		return err
	}
	l.keyed = byUTCDay
	if err := l.loadWindow(ctx, p, charges); err != nil {
		return l.abandon(ctx, err)
	}
	err = d.write(ctx, op, func(tx *sql.Tx) error {
		if err := l.flip(ctx, tx, im); err != nil {
			return err
		}
		return delivered(ctx, tx, account, at, cov)
	})
	if err != nil {
		return l.abandon(ctx, err)
	}
	_ = d.Sweep(ctx) // the window is in; what could not be cleared away now is at the next one
	return nil
}

func (l *loader) loadWindow(ctx context.Context, p billing.Period, charges iter.Seq2[billing.Charge, error]) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	for start := p.Start.UTC(); start.Before(p.End); start = start.Add(24 * time.Hour) {
		if _, err := l.part(utcDay(start)); err != nil {
			return fail("record charges", err)
		}
	}
	l.patience = polledPatience
	return l.loadFiles(ctx, []ChargeFile{{Open: func() (ChargeReader, error) { return newPolled(p, charges), nil }}})
}

// listed gives charges that are there already.
func listed(charges []billing.Charge) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		for _, c := range charges {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// polledPatience is how long a transaction waits for more of a polled bill: other accounts are written meanwhile, and a
// cloud's next page takes longer.
const polledPatience = 2 * time.Millisecond

// polled is a polled bill as something that can be read.
type polled struct {
	window billing.Period
	next   func() (billing.Charge, error, bool)
	stop   func()
}

func newPolled(p billing.Period, charges iter.Seq2[billing.Charge, error]) *polled {
	next, stop := iter.Pull2(charges)
	return &polled{p, next, stop}
}

// Read gives the next charge.
func (r *polled) Read(into *billing.Charge) error {
	c, err, ok := r.next()
	switch {
	case !ok:
		return io.EOF
	case err != nil:
		return err
	case !r.window.Contains(c.ChargePeriod.Start):
		return fault(billing.Invalid, "record charges", fmt.Errorf("a charge that starts at %s lies outside the window that was read",
			c.ChargePeriod.Start.UTC().Format(time.RFC3339)), billing.Text{})
	}
	*into = c
	return nil
}

// Close ends the asking.
func (r *polled) Close() error {
	r.stop()
	return nil
}

// delivered notes how far the cloud has delivered, and that its bill was read.
func delivered(ctx context.Context, tx *sql.Tx, account billing.AccountID, at time.Time, cov billing.Coverage) error {
	if !cov.Through.IsZero() {
		if _, err := tx.ExecContext(ctx, `INSERT INTO coverage (account_id, source, through, provisional, read_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET through = MAX(through, excluded.through), provisional = excluded.provisional, read_at = excluded.read_at`,
			account, billing.SourceAPI, stamp(cov.Through), stampOrNull(cov.Provisional), stamp(at)); err != nil {
			return err
		}
	}
	return markGood(ctx, tx, account, billing.ReadCharges, billing.Scope{}, at)
}

// Watermark says how far the account's bill has been delivered by its cloud; zero for never.
func (d *DB) Watermark(ctx context.Context, account billing.AccountID) (time.Time, error) {
	var through sql.NullInt64
	err := d.readers.QueryRowContext(ctx, `SELECT MAX(through) FROM coverage WHERE account_id = ? AND source = ?`,
		account, billing.SourceAPI).Scan(&through)
	if err != nil {
		return time.Time{}, fail("read the watermark", err)
	}
	if !through.Valid {
		return time.Time{}, nil
	}
	return fromStamp(through.Int64), nil
}
