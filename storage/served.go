package storage

import (
	"context"
	"database/sql"

	"gpuspend/billing"
)

// served marks what of a scope has a GPU, or is on a machine that has or had one. The mark stays with the generation.
func (l listing) served(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE resources SET served = 1
		WHERE account_id = ?1 AND gone_at IS NULL AND scope_kind = ?2 AND scope_region = ?3 AND scope_project = ?4 AND served = 0
			AND (gpu <> '' OR gpu_count NOT IN ('', '0') OR EXISTS (
				SELECT 1 FROM json_each(resources.described, '$.attached_to') j JOIN resources m
				ON m.account_id = resources.account_id AND m.kind = ?5 AND m.region = resources.region AND m.vendor_id = j.value
				WHERE m.gone_at IS NULL AND (m.served = 1 OR m.gpu <> '' OR m.gpu_count NOT IN ('', '0'))))`,
		l.account, l.scope.Kind, l.scope.Region, l.scope.Project, billing.KindInstance)
	return err
}

// Served lists what is there of an account and has, or was seen on a machine with, a GPU.
func (d *DB) Served(ctx context.Context, account billing.AccountID) ([]billing.ResourceRef, error) {
	refs, err := list(ctx, d.readers, func(r row) (ref billing.ResourceRef, err error) {
		err = r.Scan(&ref.Account, &ref.Kind, &ref.Region, &ref.ID)
		return ref, err
	}, "SELECT account_id, kind, region, vendor_id FROM resources WHERE account_id = ? AND served = 1 AND gone_at IS NULL", account)
	return refs, fail("list what served", err)
}

// RecordLeftOut notes how many things of a scope the last complete listing left out. The reading must be there.
func (d *DB) RecordLeftOut(ctx context.Context, account billing.AccountID, s billing.Scope, n int) error {
	return d.write(ctx, "record what was left out", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE readings SET left_out = ? WHERE account_id = ? AND of = ? AND kind = ? AND region = ? AND project = ?",
			n, account, billing.ReadInventory, s.Kind, s.Region, s.Project)
		return err
	})
}
