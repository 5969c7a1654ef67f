package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gpuspend/billing"
)

// PutMark notes a person's mark and gives it its number; it takes the place of an open one of its kind on the resource,
// which stays in the history.
func (d *DB) PutMark(ctx context.Context, m billing.Mark) (billing.Mark, error) {
	const op = "mark resource"
	if m.By == "" || m.MadeAt.IsZero() || m.Due.IsZero() || m.Kind == "" {
		return m, fault(billing.Invalid, op, errors.New("a mark needs a kind, somebody who made it, and times"), billing.Text{})
	}
	err := d.write(ctx, op, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE marks SET ended_at = ?, ended_why = 'replaced' WHERE resource_id = ? AND kind = ? AND ended_at IS NULL",
			stamp(m.MadeAt), m.Resource, m.Kind)
		if err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, `INSERT INTO marks (resource_id, kind, due, user_id, team_id, user_name, channel, reason, made_at, told_at, asked_at, idle)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, m.Resource, m.Kind, stamp(m.Due), m.By, m.Team, m.Name, m.Channel, m.Reason, stamp(m.MadeAt),
			stampOrNull(m.ToldAt), stampOrNull(m.AskedAt), m.Idle)
		if err != nil {
			return err
		}
		m.ID, err = r.LastInsertId()
		return err
	})
	return m, err
}

// NoteMark keeps what became of an open mark: its notices and whether it was seen out of use. One that has ended, or was
// replaced, fails with a Missing error.
func (d *DB) NoteMark(ctx context.Context, m billing.Mark) error {
	return d.markChange(ctx, "note mark", "UPDATE marks SET told_at = ?, asked_at = ?, idle = ? WHERE id = ? AND ended_at IS NULL",
		stampOrNull(m.ToldAt), stampOrNull(m.AskedAt), m.Idle, m.ID)
}

// EndMark ends an open mark. It fails like NoteMark, so that of two who end it one knows that he did.
func (d *DB) EndMark(ctx context.Context, id int64, why string, at time.Time) error {
	return d.markChange(ctx, "end mark", "UPDATE marks SET ended_at = ?, ended_why = ? WHERE id = ? AND ended_at IS NULL", stamp(at), why, id)
}

func (d *DB) markChange(ctx context.Context, op, query string, args ...any) error {
	return d.write(ctx, op, func(tx *sql.Tx) error {
		n, err := changed(ctx, tx, query, args...)
		if err == nil && n == 0 {
			return sql.ErrNoRows
		}
		return err
	})
}

// Marks lists the open marks, the first that is due in front.
func (d *DB) Marks(ctx context.Context) ([]billing.Mark, error) {
	all, err := list(ctx, d.readers, func(r row) (m billing.Mark, err error) {
		err = r.Scan(&m.ID, &m.Resource, &m.Kind, when{&m.Due}, &m.By, &m.Team, &m.Name, &m.Channel, &m.Reason, when{&m.MadeAt}, when{&m.ToldAt},
			when{&m.AskedAt}, &m.Idle)
		return m, err
	}, `SELECT id, resource_id, kind, due, user_id, team_id, user_name, channel, reason, made_at, told_at, asked_at, idle
		FROM marks WHERE ended_at IS NULL ORDER BY due, id`)
	return all, fail("list marks", err)
}
