package storage

import "context"

// Lines counts the charges in the file, shown or not.
func (d *DB) Lines(ctx context.Context) (n int, err error) {
	err = d.readers.QueryRowContext(ctx, "SELECT COUNT(*) FROM charges").Scan(&n)
	return n, err
}
