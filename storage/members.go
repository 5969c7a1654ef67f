package storage

import (
	"context"
	"database/sql"
	"time"

	"gpuspend/billing"
)

// KeptMember is a member account as last listed.
type KeptMember struct {
	billing.Member
	FirstSeen time.Time
	LeftAt    time.Time // zero while it is listed
	Founder   bool      // it stood in the first list that was read: nobody has to be told of it
}

// RecordMembers keeps a complete list of an organisation's accounts and marks the reading good. One that is missing has
// left; one that is back keeps its first sight.
func (d *DB) RecordMembers(ctx context.Context, payer billing.AccountID, at time.Time, list []billing.Member) error {
	return d.write(ctx, "record members", func(tx *sql.Tx) error {
		if newer, err := readSince(ctx, tx, payer, billing.ReadMembers, at); err != nil || newer {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE members SET left_at = ? WHERE payer_id = ? AND left_at IS NULL", stamp(at), payer); err != nil {
			return err
		}
		for _, m := range list {
			_, err := tx.ExecContext(ctx, `INSERT INTO members (payer_id, vendor_id, name, status, units, tags, first_seen) VALUES (?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET name = excluded.name, status = excluded.status, units = excluded.units, tags = excluded.tags, left_at = NULL`,
				payer, m.ID, m.Name, m.Status, encode(m.Units), encode(m.Tags), stamp(at))
			if err != nil {
				return err
			}
		}
		return markGood(ctx, tx, payer, billing.ReadMembers, billing.Scope{}, at)
	})
}

// Members lists what was ever listed of an organisation, by id.
func (d *DB) Members(ctx context.Context, payer billing.AccountID) ([]KeptMember, error) {
	all, err := list(ctx, d.readers, func(r row) (m KeptMember, err error) {
		err = r.Scan(&m.ID, &m.Name, &m.Status, asJSON{&m.Units}, asJSON{&m.Tags}, when{&m.FirstSeen}, when{&m.LeftAt}, &m.Founder)
		return m, err
	}, `SELECT vendor_id, name, status, units, tags, first_seen, left_at,
			first_seen = (SELECT min(first_seen) FROM members WHERE payer_id = ?1)
		FROM members WHERE payer_id = ?1 ORDER BY vendor_id`, payer)
	return all, fail("list members", err)
}
