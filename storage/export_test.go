package storage

import "context"

// StoredLines counts the charges in the file, shown or not.
func (d *DB) StoredLines(ctx context.Context) (n int, err error) {
	err = d.readers.QueryRowContext(ctx, "SELECT COUNT(*) FROM charges").Scan(&n)
	return n, err
}

// Disown is the first step of a sweep.
func (d *DB) Disown(ctx context.Context) error { return d.disownAbandoned(ctx) }
