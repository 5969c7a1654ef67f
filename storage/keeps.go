package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gpuspend/billing"
)

// KeepResource notes somebody's word that a generation is wanted; it takes the place of an earlier word, which stays in
// the history. The word does not pass on to a later generation. It fails with a Missing error for no such resource.
func (d *DB) KeepResource(ctx context.Context, id billing.ResourceID, k billing.Keep, team string) error {
	const op = "keep resource"
	if k.By == "" || k.At.IsZero() {
		return fault(billing.Invalid, op, errors.New("a word needs somebody who gave it and a time"), billing.Text{})
	}
	return d.write(ctx, op, func(tx *sql.Tx) error {
		if err := endKeeps(ctx, tx, id, k.At); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO keeps (resource_id, until_at, reason, user_id, team_id, at) VALUES (?, ?, ?, ?, ?, ?)",
			id, stampOrNull(k.Until), k.Reason, k.By, team, stamp(k.At))
		return err
	})
}

// Unkeep takes the word back.
func (d *DB) Unkeep(ctx context.Context, id billing.ResourceID, at time.Time) error {
	return d.write(ctx, "unkeep resource", func(tx *sql.Tx) error { return endKeeps(ctx, tx, id, at) })
}

func endKeeps(ctx context.Context, tx *sql.Tx, id billing.ResourceID, at time.Time) error {
	_, err := tx.ExecContext(ctx, "UPDATE keeps SET ended_at = ? WHERE resource_id = ? AND ended_at IS NULL", stamp(at), id)
	return err
}
