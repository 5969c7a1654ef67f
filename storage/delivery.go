package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"gpuspend/billing"
)

// Import says how a delivery is to be taken.
type Import struct {
	Account billing.AccountID
	Source  billing.ChargeSource
	Add     bool // append: replace nothing
	Replace bool // replace a period even where the delivery holds fewer than half its rows
	Files   []ChargeFile
}

// PartSummary is what a delivery held for one period of one billing account.
type PartSummary struct {
	BillingAccount string
	Period         billing.Period // End is zero where the file does not tell
	Rows           int
	Replaced       int // rows that stood there before
}

// When names the period for people: 2026-11 for a month of the vendor's, else its dates.
func (s PartSummary) When() string { return periodName(s.Period) }

// ImportSummary is what came of a delivery.
type ImportSummary struct {
	Delivery int64
	Rows     int
	Parts    []PartSummary
}

// ThinError refuses a delivery that would replace a period by fewer than half of its rows: one stray row of the next
// month must not wipe that month. Nothing of the delivery was taken over. It is a Conflict.
type ThinError struct{ Parts []PartSummary }

func (e *ThinError) Error() string {
	list := make([]string, len(e.Parts))
	for i, p := range e.Parts {
		list[i] = fmt.Sprintf("%s of billing account %s (%d rows, %d stored)", p.When(), p.BillingAccount, p.Rows, p.Replaced)
	}
	return "import: nothing was taken over, for the delivery holds fewer than half of the rows that are stored for " + strings.Join(list, ", ")
}

// Unwrap gives the failure its kind and its sentence, which names the first of the periods.
func (e *ThinError) Unwrap() error {
	p := e.Parts[0]
	return &billing.Error{Kind: billing.Conflict, Op: "store: import", Say: billing.Say("error.delivery_thin", "period", p.When(),
		"billing_account", p.BillingAccount, "rows", p.Rows, "stored", p.Replaced, "more", len(e.Parts)-1)}
}

// ImportCharges takes one delivery: loads its files beside what is live, then lets it go live at once, replacing each
// (account, source, billing account, billing period) that it holds. A delivery that breaks half-way changes nothing, and
// no transaction lasts long, so another process may read and write the same store meanwhile.
//
// What a file's reader says is given back as it is; it fails with a *ThinError, and a *billing.Error where the store
// failed. When the context ends the rows loaded so far are left for the next sweep.
func (d *DB) ImportCharges(ctx context.Context, im Import) (ImportSummary, error) {
	l, err := d.newLoader(ctx, im)
	if err != nil {
		return ImportSummary{}, err
	}
	if err := l.loadFiles(ctx, im.Files); err != nil {
		return ImportSummary{}, l.abandon(ctx, err)
	}
	sum, err := l.goLive(ctx, im)
	if err != nil {
		return ImportSummary{}, l.abandon(ctx, err)
	}
	_ = d.Sweep(ctx) // the delivery is in; what could not be cleared away now is at the next import
	return sum, nil
}

// goLive flips the states in one short transaction: the loaded parts live, what they replace replaced.
func (l *loader) goLive(ctx context.Context, im Import) (ImportSummary, error) {
	sum := ImportSummary{Delivery: l.delivery, Rows: l.rows}
	err := l.db.write(ctx, "import", func(tx *sql.Tx) error {
		var thin []PartSummary
		for _, p := range l.order {
			s := PartSummary{BillingAccount: p.key.billingAccount, Period: p.period, Rows: p.rows}
			if !im.Add {
				if err := tx.QueryRowContext(ctx, `SELECT COALESCE(SUM(rows), 0) FROM parts
					WHERE account_id = ? AND source = ? AND billing_account = ? AND period_start = ? AND state = 'live'`,
					im.Account, im.Source, p.key.billingAccount, p.key.start).Scan(&s.Replaced); err != nil {
					return err
				}
			}
			if 2*s.Rows < s.Replaced && !im.Replace {
				thin = append(thin, s)
			}
			sum.Parts = append(sum.Parts, s)
		}
		if len(thin) > 0 {
			return &ThinError{Parts: thin}
		}
		if err := l.flip(ctx, tx, im); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET no_effective = no_effective OR ?, no_invoice = no_invoice OR ? WHERE id = ?",
			l.bill.NoEffective, l.bill.NoInvoice, im.Account); err != nil {
			return err
		}
		return l.cover(ctx, tx)
	})
	return sum, err
}

func (l *loader) flip(ctx context.Context, tx *sql.Tx, im Import) error {
	now := stamp(l.db.now())
	for _, p := range l.order {
		if !im.Add {
			if _, err := tx.ExecContext(ctx, `UPDATE parts SET state = 'replaced', changed_at = ?
				WHERE account_id = ? AND source = ? AND billing_account = ? AND period_start = ? AND state = 'live'`,
				now, im.Account, im.Source, p.key.billingAccount, p.key.start); err != nil {
				return err
			}
		}
		if err := stillOurs(tx.ExecContext(ctx, `UPDATE parts SET state = 'live', rows = ?, changed_at = ? WHERE id = ? AND state = 'loading'`,
			p.rows, now, p.id)); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE deliveries SET live_at = ? WHERE id = ?`, now, l.delivery); err != nil {
		return err
	}
	return l.latecomers(ctx, tx)
}

// latecomers has the lines of this delivery gone through again where owners changed while it was loaded.
func (l *loader) latecomers(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, "UPDATE claims SET applied = 0 WHERE id > ?", l.items.whose.lastClaim); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE mappings SET applied = 0, done_item = MIN(done_item,
		(SELECT COALESCE(MIN(i.id), 1) - 1 FROM parts p JOIN items i ON i.part_id = p.id WHERE p.delivery_id = ?))
		WHERE version > ? AND version = (SELECT MAX(version) FROM mappings)`, l.delivery, l.items.whose.version)
	return err
}

// cover notes how far the files reach, so that an answer can say what is not in yet. What lies ahead is no usage.
func (l *loader) cover(ctx context.Context, tx *sql.Tx) error {
	now := l.db.now()
	through := l.through
	if through.After(now) {
		through = now
	}
	if through.IsZero() {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO coverage (account_id, source, through, read_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET through = MAX(through, excluded.through), read_at = excluded.read_at`,
		l.account, l.source, stamp(through), stamp(now))
	return err
}

// abandon forgets a delivery that did not come to its end because of an error, which it gives back. Its rows were never
// shown. Where somebody waits they are swept at once; one who gave up is not kept waiting.
func (l *loader) abandon(ctx context.Context, why error) error {
	l.rollback()
	if err := ctx.Err(); err != nil {
		why = fmt.Errorf("import: given up, nothing was taken over: %w", err)
	}
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := l.db.write(brief, "import", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(brief, `UPDATE parts SET state = 'replaced' WHERE delivery_id = ? AND state = 'loading'`, l.delivery)
		return err
	})
	if err == nil && ctx.Err() == nil {
		err = l.db.Sweep(ctx)
	}
	return errors.Join(why, err)
}

func names(files []ChargeFile) string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = f.Name
	}
	return encode(list)
}
