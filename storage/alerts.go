package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

var _ notify.Log = (*DB)(nil)

// Alerts lists alerts that fire, and those resolved at or after the given time, oldest first.
func (d *DB) Alerts(ctx context.Context, since time.Time) ([]notify.Alert, error) {
	all, err := list(ctx, d.readers, scanAlert, `
		SELECT id, fingerprint, rule, coalesce(account_id, 0), coalesce(resource_id, 0), scope, severity, state, fired_at,
			updated_at, resolved_at, taken_user, taken_at, snoozed_till, snoozed_why
		FROM alerts WHERE state = 'firing' OR resolved_at >= ? ORDER BY id`, stamp(since))
	return all, fail("list alerts", err)
}

func scanAlert(r row) (a notify.Alert, err error) {
	err = r.Scan(&a.ID, &a.Fingerprint, &a.Rule, &a.Account, &a.Resource, &a.Scope, &a.Severity, &a.State, when{&a.FiredAt},
		when{&a.UpdatedAt}, when{&a.ResolvedAt}, &a.TakenBy, when{&a.TakenAt}, when{&a.SnoozedTill}, &a.SnoozedWhy)
	return a, err
}

// Commit writes changed alerts and new letters in one transaction. New alerts have ID 0; one whose fingerprint fires
// already fails with a Conflict error, so that of two programs at one store only one says it. Of an alert that exists
// severity, state and their times follow: what people said of it (Take, Snooze) stands, since they may have said it in
// the meantime.
func (d *DB) Commit(ctx context.Context, alerts []notify.Alert, letters []notify.Letter) error {
	return d.write(ctx, "commit alerts", func(tx *sql.Tx) error {
		for _, a := range alerts {
			if err := putAlert(ctx, tx, a); err != nil {
				return err
			}
		}
		for _, l := range letters {
			if err := putLetter(ctx, tx, l); err != nil {
				return err
			}
		}
		return nil
	})
}

func putAlert(ctx context.Context, tx *sql.Tx, a notify.Alert) error {
	if a.ID == 0 {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO alerts (fingerprint, rule, account_id, resource_id, scope, severity, state, fired_at, updated_at, resolved_at,
				taken_user, taken_at, snoozed_till, snoozed_why)
			VALUES (?, ?, nullif(?, 0), nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.Fingerprint, a.Rule, a.Account, a.Resource, a.Scope, a.Severity, a.State, stamp(a.FiredAt), stamp(a.UpdatedAt),
			stampOrNull(a.ResolvedAt), a.TakenBy, stampOrNull(a.TakenAt), stampOrNull(a.SnoozedTill), a.SnoozedWhy)
		return err
	}
	n, err := changed(ctx, tx, "UPDATE alerts SET severity = ?, state = ?, updated_at = ?, resolved_at = ? WHERE id = ?",
		a.Severity, a.State, stamp(a.UpdatedAt), stampOrNull(a.ResolvedAt), a.ID)
	if err == nil && n == 0 {
		return fmt.Errorf("alert %d: %w", a.ID, sql.ErrNoRows)
	}
	return err
}

// Take notes that somebody is on an alert that fires; who says so last has it. It fails with a Missing error for an
// alert that is over.
func (d *DB) Take(ctx context.Context, fingerprint, userID, teamID string, at time.Time) error {
	return d.said(ctx, "take alert", fingerprint, "taken_user = ?, taken_team = ?, taken_at = ?", userID, teamID, stamp(at))
}

// Snooze keeps an alert that fires from being said again before a time. It fails with a Missing error for an alert that
// is over.
func (d *DB) Snooze(ctx context.Context, fingerprint string, till time.Time, why, userID, teamID string, at time.Time) error {
	return d.said(ctx, "snooze alert", fingerprint, "snoozed_till = ?, snoozed_why = ?, snoozed_user = ?, snoozed_team = ?, snoozed_at = ?",
		stamp(till), why, userID, teamID, stamp(at))
}

func (d *DB) said(ctx context.Context, op, fingerprint, set string, args ...any) error {
	return d.write(ctx, op, func(tx *sql.Tx) error {
		n, err := changed(ctx, tx, "UPDATE alerts SET "+set+" WHERE fingerprint = ? AND state = ?", append(args, fingerprint, notify.Firing)...)
		if err == nil && n == 0 {
			return fault(billing.Missing, op, errors.New("no alert fires under this fingerprint"), billing.Say("error.alert_over"))
		}
		return err
	})
}
