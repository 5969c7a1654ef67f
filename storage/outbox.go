package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gpuspend/notify"
)

const letterColumns = "id, route, fingerprint, message, edits, thread, created_at, try_at, tries, delivered_at, receipt, failed"

func scanLetter(r row) (l notify.Letter, err error) {
	err = r.Scan(&l.ID, asJSON{&l.Route}, &l.Fingerprint, asJSON{&l.Message}, &l.Edits, &l.Thread, when{&l.CreatedAt},
		when{&l.TryAt}, &l.Tries, when{&l.DeliveredAt}, &l.Receipt, &l.Failed)
	return l, err
}

func putLetter(ctx context.Context, tx *sql.Tx, l notify.Letter) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO outbox (route, route_name, fingerprint, message, edits, thread, created_at, try_at, tries, delivered_at, receipt, failed)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		encode(l.Route), l.Route.Name, l.Fingerprint, encode(l.Message), l.Edits, l.Thread, stamp(l.CreatedAt), stamp(l.TryAt),
		l.Tries, stampOrNull(l.DeliveredAt), l.Receipt, l.Failed)
	return err
}

// Due lists letters that are neither delivered nor given up and are to be tried at the given time, oldest first.
func (d *DB) Due(ctx context.Context, now time.Time) ([]notify.Letter, error) {
	all, err := list(ctx, d.readers, scanLetter, "SELECT "+letterColumns+
		" FROM outbox WHERE delivered_at IS NULL AND failed = '' AND try_at <= ? ORDER BY id", stamp(now))
	return all, fail("list letters", err)
}

// Sent records a delivery, a later try or a failure for good. A delivery once recorded stands.
func (d *DB) Sent(ctx context.Context, l notify.Letter) error {
	return d.write(ctx, "record letter", func(tx *sql.Tx) error {
		n, err := changed(ctx, tx, `UPDATE outbox SET try_at = ?, tries = ?, delivered_at = coalesce(delivered_at, ?),
			receipt = CASE receipt WHEN '' THEN ? ELSE receipt END, failed = ? WHERE id = ?`,
			stamp(l.TryAt), l.Tries, stampOrNull(l.DeliveredAt), l.Receipt, l.Failed, l.ID)
		if err == nil && n == 0 {
			return fmt.Errorf("letter %d: %w", l.ID, sql.ErrNoRows)
		}
		return err
	})
}

// Last finds the newest delivered letter about a fingerprint on a route.
func (d *DB) Last(ctx context.Context, fingerprint, route string) (notify.Letter, bool, error) {
	l, err := scanLetter(d.readers.QueryRowContext(ctx, "SELECT "+letterColumns+
		" FROM outbox WHERE fingerprint = ? AND route_name = ? AND delivered_at IS NOT NULL ORDER BY delivered_at DESC, id DESC LIMIT 1",
		fingerprint, route))
	if errors.Is(err, sql.ErrNoRows) {
		return notify.Letter{}, false, nil
	}
	return l, err == nil, fail("find letter", err)
}

// Written says whether a letter about a fingerprint was ever written for a route, delivered or not.
func (d *DB) Written(ctx context.Context, fingerprint, route string) (bool, error) {
	var n int
	err := d.readers.QueryRowContext(ctx, "SELECT count(*) FROM outbox WHERE fingerprint = ? AND route_name = ?", fingerprint, route).Scan(&n)
	return n > 0, fail("find letter", err)
}

// Undelivered lists letters written at or after a time that are given up, or were tried in vain so far, newest first. What
// a newer letter overtook is not among them.
func (d *DB) Undelivered(ctx context.Context, since time.Time) ([]notify.Letter, error) {
	all, err := list(ctx, d.readers, scanLetter, "SELECT "+letterColumns+` FROM outbox
		WHERE delivered_at IS NULL AND created_at >= ? AND failed <> 'superseded' AND (failed <> '' OR tries > 0)
		ORDER BY id DESC LIMIT 50`, stamp(since))
	return all, fail("list letters", err)
}
