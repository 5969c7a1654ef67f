package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// abandonedAfter is how long a load may stand still, in real time, before it counts as left behind by a process that
// died. A load touches its parts several times a second, and every minute while it waits for more.
const abandonedAfter = 15 * time.Minute

// sweepRows is how many rows one step deletes: few enough to stay far under the bound of a write.
const sweepRows = 4_000

// Sweep deletes, in small steps, the rows of parts that were replaced or whose load was left behind. What it deletes is
// shown by no answer, before or after.
func (d *DB) Sweep(ctx context.Context) error {
	if err := d.disownAbandoned(ctx); err != nil {
		return err
	}
	for {
		var part int64
		err := d.readers.QueryRowContext(ctx, "SELECT id FROM parts WHERE state = 'replaced' LIMIT 1").Scan(&part)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fail("sweep", err)
		}
		if err := d.sweepPart(ctx, part); err != nil {
			return err
		}
	}
}

// disownAbandoned takes the parts of a load that was left behind away from it, all at once and before any row goes:
// should it wake up, it can't go live with what remains.
func (d *DB) disownAbandoned(ctx context.Context) error {
	return d.write(ctx, "sweep", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE parts SET state = 'replaced' WHERE state = 'loading' AND delivery_id IN
			(SELECT delivery_id FROM parts WHERE state = 'loading' GROUP BY delivery_id HAVING MAX(changed_at) < ?)`,
			stamp(d.wall().Add(-abandonedAfter)))
		return err
	})
}

// sweepPart deletes what hangs on a part before the part itself.
func (d *DB) sweepPart(ctx context.Context, part int64) error {
	for _, step := range []string{
		`DELETE FROM charges WHERE id IN (SELECT id FROM charges WHERE part_id = ? LIMIT ?)`,
		`DELETE FROM items WHERE id IN (SELECT id FROM items WHERE part_id = ? LIMIT ?)`,
		`DELETE FROM spend_hours WHERE (at, part_id, whole, label_id, currency, sort) IN
			(SELECT at, part_id, whole, label_id, currency, sort FROM spend_hours WHERE part_id = ? LIMIT ?)`,
		`DELETE FROM spend_days WHERE (at, part_id, whole, label_id, currency, sort) IN
			(SELECT at, part_id, whole, label_id, currency, sort FROM spend_days WHERE part_id = ? LIMIT ?)`,
		`DELETE FROM source_days WHERE (part_id, day) IN (SELECT part_id, day FROM source_days WHERE part_id = ? LIMIT ?)`,
	} {
		for gone := int64(sweepRows); gone == sweepRows; {
			err := d.write(ctx, "sweep", func(tx *sql.Tx) (err error) {
				gone, err = changed(ctx, tx, step, part, sweepRows)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return d.write(ctx, "sweep", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM parts WHERE id = ?`, part)
		return err
	})
}
