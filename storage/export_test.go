package storage

import "context"

// Lines counts the charges in the file, shown or not.
func (d *DB) Lines(ctx context.Context) (n int, err error) {
	err = d.readers.QueryRowContext(ctx, "SELECT COUNT(*) FROM charges").Scan(&n)
	return n, err
}

// Disown is the first step of a sweep.
func (d *DB) Disown(ctx context.Context) error { return d.disownAbandoned(ctx) }
