package storage

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gpuspend/billing"
)

// Stats is what the store measured of itself since it was opened.
type Stats struct {
	Writes       int           // transactions committed
	LongestWrite time.Duration // for how long one of them held the lock at most
	LongestOp    string        // which one
}

// Stats gives the figures so far.
func (d *DB) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}

const (
	// patience is how many waits of busy_timeout (30 ms) a write makes for another program's write: 30 s. The waits are
	// short because within one of them SQLite looks every 12 ms at most, and only every 100 ms when it waits for long.
	patience = 1000
	// Who held the lock for a stretch leaves it alone for a breath, longer than two looks of another program are apart.
	// Without both, a writer beside an import waited for 14 to 30 s; with them, for one transaction.
	stretch = 50 * time.Millisecond
	breath  = 15 * time.Millisecond
)

// write runs f in a transaction that holds the write lock from its start, and commits unless f fails. Keep f under
// 500 ms: all other writers, of this program and of others, wait for it. op names it in errors: "observe".
func (d *DB) write(ctx context.Context, op string, f func(tx *sql.Tx) error) error {
	if d.writer == nil {
		return readOnlyFault(op)
	}
	tx, err := d.begin(ctx)
	if err != nil {
		return fail(op, err)
	}
	from := d.wall()
	defer tx.Rollback() // of no effect after a commit
	if err := f(tx); err != nil {
		return fail(op, err)
	}
	if err := tx.Commit(); err != nil {
		return fail(op, err)
	}
	d.wrote(op, from)
	return nil
}

// wrote measures a transaction that began at a time of d.wall and was committed, and takes the breath that is due.
func (d *DB) wrote(op string, from time.Time) {
	if d.measured(op, d.wall().Sub(from)) {
		time.Sleep(breath)
	}
}

func (d *DB) measured(op string, took time.Duration) (breathe bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stats.Writes++
	if took > d.stats.LongestWrite {
		d.stats.LongestWrite, d.stats.LongestOp = took, op
	}
	if d.held += took; d.held < stretch {
		return false
	}
	d.held = 0
	return true
}

// begin starts a transaction that holds the write lock, and waits for other programs to give it up. It fails with an
// Upstream error when its patience ends.
func (d *DB) begin(ctx context.Context) (*sql.Tx, error) {
	var err error
	for range patience {
		var tx *sql.Tx
		if tx, err = d.writer.BeginTx(ctx, nil); !isBusy(err) {
			return tx, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, fault(billing.Upstream, "begin", fmt.Errorf("another program keeps the store locked: %w", err), billing.Say("error.store_locked"))
}
