package storage

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"gpuspend/billing"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks a SQLite file as ours in its header ("gpus").
const applicationID = 0x67707573

// migrate takes the steps that are missing. Each step and its name are one transaction, which looks again, since
// another program may be at the same file.
func (d *DB) migrate(ctx context.Context, missing []string) error {
	for _, name := range missing {
		if err := d.write(ctx, "migrate", func(tx *sql.Tx) error { return d.step(ctx, tx, name) }); err != nil {
			return err
		}
	}
	return nil
}

func (d *DB) step(ctx context.Context, tx *sql.Tx, name string) error {
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d;", applicationID)+
		"CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT"); err != nil {
		return err
	}
	n, err := changed(ctx, tx, "INSERT OR IGNORE INTO migrations (name, applied_at) VALUES (?, ?)", name, stamp(d.now()))
	if err != nil || n == 0 {
		return err
	}
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, string(text))
	return err
}

// missing lists the steps that a store has not taken, in order. It refuses a file of another program, and a store that
// has taken steps this program does not know.
func (d *DB) missing(ctx context.Context, q querier) ([]string, error) {
	known, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, fail("open", err)
	}
	applied, err := d.applied(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, name := range applied {
		if !slices.Contains(known, name) {
			return nil, d.refuse("error.store_newer", "was written by a newer version ("+name+")")
		}
	}
	return slices.DeleteFunc(known, func(name string) bool { return slices.Contains(applied, name) }), nil
}

// applied lists the steps that a store has taken. A file that holds nothing at all may become a store.
func (d *DB) applied(ctx context.Context, q querier) ([]string, error) {
	var id, tables int
	err := q.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)").
		Scan(&id, &tables)
	switch {
	case isNoDatabase(err):
		return nil, d.refuse("error.store_foreign", "is no SQLite database")
	case err != nil:
		err = fail("open", err)
		if billing.KindOf(err) == billing.Denied {
			return nil, d.unreachable(err)
		}
		return nil, err
	case id == 0 && tables == 0:
		return nil, nil
	case id != applicationID:
		return nil, d.refuse("error.store_foreign", "is a database of another program")
	}
	names, err := list(ctx, q, func(r row) (name string, err error) {
		err = r.Scan(&name)
		return name, err
	}, "SELECT name FROM migrations ORDER BY name")
	return names, fail("open", err)
}
