// Package storage keeps what was read, said and done in one SQLite file, so that nothing that matters lives in a process.
//
// Times are kept to the millisecond and come back in UTC. Every failure is a *billing.Error.
package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver

	"gpuspend/billing"
)

// Options say how a store is opened.
type Options struct {
	// Now is the product's clock. It dates what has no time of its own, such as a migration.
	Now func() time.Time
	// Wall is the real clock, by which writes are measured; nil takes Now. Apart from Now because a demo's clock runs fast.
	Wall func() time.Time
	// ReadOnly opens a store that exists, and changes nothing in it.
	ReadOnly bool
}

// DB is one store: one connection that writes, and several that read beside it without waiting for it. It is safe for
// concurrent use, and beside other processes on the same file.
type DB struct {
	path    string
	writer  *sql.DB // nil when opened read-only
	readers *sql.DB
	watcher *sql.DB // of one connection, which tells whether anything was written
	now     func() time.Time
	wall    func() time.Time

	present present

	mu    sync.Mutex
	stats Stats
	held  time.Duration // for how long the lock was held since the last breath
}

const (
	writerPragmas = "_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=30&_foreign_keys=1&_txlock=immediate&_cache_size=-16384&_stmt_cache_size=64"
	readerPragmas = "mode=ro&_query_only=1&_busy_timeout=5000&_foreign_keys=1&_cache_size=-4096&_stmt_cache_size=32"
	readerCount   = 4
)

// Open opens the store at a path, makes it (mode 0600) where there is none, and brings its schema up to date. A file
// that is no store of ours, or one of a newer version, is refused with an Invalid error and left as it is.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	db, err := newDB(path, o)
	if err != nil {
		return nil, err
	}
	if err := db.open(ctx, o.ReadOnly); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// OpenReadOnly opens a store that exists for reading alone: beside a running program, or with nobody at it. A missing
// file is a Missing error, and is not made.
func OpenReadOnly(ctx context.Context, path string) (*DB, error) {
	return Open(ctx, path, Options{ReadOnly: true})
}

func newDB(path string, o Options) (*DB, error) {
	if o.Now == nil {
		if !o.ReadOnly {
			return nil, fault(billing.Invalid, "open", errors.New("no clock was given"), billing.Text{})
		}
		o.Now = func() time.Time { return time.Time{} }
	}
	if o.Wall == nil {
		o.Wall = o.Now
	}
	full, err := filepath.Abs(path)
	if err != nil || path == "" {
		return nil, fault(billing.Invalid, "open", fmt.Errorf("%q is no path of a file", path), billing.Text{})
	}
	return &DB{path: full, now: o.Now, wall: o.Wall}, nil
}

func (d *DB) open(ctx context.Context, readOnly bool) error {
	if err := d.findFile(readOnly); err != nil {
		return err
	}
	d.readers, d.watcher = d.pool(readerPragmas, readerCount), d.pool(readerPragmas, 1)
	if readOnly {
		return d.checkReadable(ctx)
	}
	// The readers look first: a writer would turn somebody else's database into one with a write-ahead log.
	d.writer = d.pool(writerPragmas, 1)
	missing, err := d.missing(ctx, d.readers)
	if billing.KindOf(err) == billing.Denied {
		// A store left in the middle of its making (its first page in a rollback journal) can be read only after a writer has tidied up.
		if err := d.write(ctx, "open", func(*sql.Tx) error { return nil }); err != nil {
			return err
		}
		missing, err = d.missing(ctx, d.readers)
	}
	if err != nil {
		return err
	}
	if err := d.closeToOthers(); err != nil {
		return err
	}
	return d.migrate(ctx, missing)
}

// findFile sees to the file before SQLite does: SQLite would make it readable for everybody.
func (d *DB) findFile(readOnly bool) error {
	info, err := os.Stat(d.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return d.refuse("error.store_foreign", "is no file")
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return d.unreachable(err)
	case readOnly:
		return fault(billing.Missing, "open", fmt.Errorf("there is no store at %s", d.path), billing.Say("error.store_missing", "path", d.path))
	}
	f, err := os.OpenFile(d.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return d.unreachable(err)
	}
	return f.Close()
}

// closeToOthers takes a store's file from everybody but its owner. SQLite gives its companions (-wal, -shm) the same
// mode.
func (d *DB) closeToOthers() error {
	for _, name := range []string{d.path, d.path + "-wal", d.path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			return d.unreachable(err)
		}
	}
	return nil
}

func (d *DB) unreachable(err error) error {
	return fault(billing.Denied, "open", err, billing.Say("error.store_unreachable", "path", d.path))
}

func (d *DB) refuse(key, what string) error {
	return fault(billing.Invalid, "open", fmt.Errorf("%s %s", d.path, what), billing.Say(key, "path", d.path))
}

// pool opens lazily: the first use connects. sql.Open fails only for a driver that is not there.
func (d *DB) pool(pragmas string, n int) *sql.DB {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(d.path), RawQuery: pragmas}
	pool, err := sql.Open("sqlite3", u.String())
	if err != nil {
		panic(err)
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool
}

// checkReadable looks whether a store that may not be changed is one of ours and up to date. In a folder where SQLite
// can't make its shared memory nobody can be writing either, unless a -wal stands there: then the file is read as it is.
func (d *DB) checkReadable(ctx context.Context) error {
	missing, err := d.missing(ctx, d.readers)
	if _, wal := os.Stat(d.path + "-wal"); billing.KindOf(err) == billing.Denied && errors.Is(wal, os.ErrNotExist) {
		d.readers.Close()
		d.watcher.Close()
		d.readers, d.watcher = d.pool(readerPragmas+"&immutable=1", readerCount), d.pool(readerPragmas+"&immutable=1", 1)
		missing, err = d.missing(ctx, d.readers)
	}
	if err == nil && len(missing) > 0 {
		return d.refuse("error.store_older", "was written by an older version; open it once for writing")
	}
	return err
}

// Close ends all work; the last program to close a store leaves one single file. The writer goes last, since a reader
// can't fold the log back in.
func (d *DB) Close() error {
	var errs []error
	d.present.mu.Lock()
	if d.present.witness != nil {
		_ = d.present.witness.Close()
		d.present.witness = nil
	}
	d.present.mu.Unlock()
	for _, pool := range []*sql.DB{d.watcher, d.readers, d.writer} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return fail("close", errors.Join(errs...))
}

// Backup writes a whole copy to a path at which there is nothing yet, mode 0600, while others read and write. It writes
// beside it first, so that a copy that broke off is never taken for one.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.writer == nil {
		return readOnlyFault("back up")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return fault(billing.Conflict, "back up", fmt.Errorf("there is something at %s already", path),
			billing.Say("error.store_occupied", "path", path))
	}
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fault(billing.Denied, "back up", err, billing.Say("error.store_unreachable", "path", path))
	}
	defer os.Remove(part)
	if err := f.Close(); err != nil {
		return fail("back up", err)
	}
	if _, err := d.writer.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return fail("back up", err)
	}
	return fail("back up", os.Rename(part, path))
}
