package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gpuspend/billing"
)

const readingColumns = "account_id, of, kind, region, project, complete_at, tried_at, error_kind, say, failing_since, coalesce(left_out, 0)"

func scanReading(r row) (g billing.Reading, err error) {
	err = r.Scan(&g.Account, &g.Of, &g.Scope.Kind, &g.Scope.Region, &g.Scope.Project, when{&g.CompleteAt}, when{&g.TriedAt},
		&g.ErrorKind, sentence{&g.Say}, when{&g.FailingSince}, &g.LeftOut)
	return g, err
}

// Readings tells how the last attempts to read each thing of an account ended.
func (d *DB) Readings(ctx context.Context, account billing.AccountID) ([]billing.Reading, error) {
	all, err := list(ctx, d.readers, scanReading, "SELECT "+readingColumns+" FROM readings WHERE account_id = ?", account)
	return all, fail("list readings", err)
}

func readings(ctx context.Context, q querier) ([]billing.Reading, error) {
	return list(ctx, q, scanReading, "SELECT "+readingColumns+" FROM readings")
}

// RecordFailure notes a failed reading beside the last complete one: its kind and its sentence for people, never the
// error itself, which may quote the cloud. A failure of an attempt that began before the last one recorded is dropped.
func (d *DB) RecordFailure(ctx context.Context, account billing.AccountID, of billing.ReadingOf, s billing.Scope, at time.Time, cause error) error {
	const op = "record failure"
	if cause == nil {
		return fault(billing.Invalid, op, errors.New("there is no failure"), billing.Text{})
	}
	return d.write(ctx, op, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO readings (account_id, of, kind, region, project, tried_at, error_kind, say, failing_since)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6)
			ON CONFLICT DO UPDATE SET tried_at = excluded.tried_at, error_kind = excluded.error_kind, say = excluded.say,
				failing_since = coalesce(failing_since, excluded.failing_since)
			WHERE excluded.tried_at >= readings.tried_at`,
			account, of, s.Kind, s.Region, s.Project, stamp(at), billing.KindOf(cause), textOrNull(billing.SayOf(cause)))
		return err
	})
}

// markGood notes a complete reading; readings never go back in time.
func markGood(ctx context.Context, tx *sql.Tx, account billing.AccountID, of billing.ReadingOf, s billing.Scope, at time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO readings (account_id, of, kind, region, project, complete_at, tried_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
		ON CONFLICT DO UPDATE SET complete_at = excluded.complete_at, tried_at = excluded.tried_at, error_kind = '', say = NULL, failing_since = NULL
		WHERE excluded.tried_at >= readings.tried_at`,
		account, of, s.Kind, s.Region, s.Project, stamp(at))
	return err
}
