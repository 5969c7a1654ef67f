package storage

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
)

func TestOpenMakesAFileForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd name?#100%.db")
	db := openAt(t, path)
	account(t, db, "a") // a write, so that the log is there
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		must(t, err)
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("%s has mode %o, want 600", filepath.Base(name), got)
		}
	}
	others, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(others) != 3 {
		t.Errorf("the folder holds %v, want the store and its two companions", others)
	}
}

func TestOpenTakesAStoreFromOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	openAt(t, path)
	must(t, os.Chmod(path, 0o644))
	openAt(t, path)
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %o, want 600", info.Mode().Perm())
	}
}

func TestPragmas(t *testing.T) {
	db := openStore(t)
	for _, c := range []struct{ pool, pragma, want string }{
		{"writer", "journal_mode", "wal"},
		{"writer", "synchronous", "1"},
		{"writer", "foreign_keys", "1"},
		{"writer", "cache_size", "-16384"},
		{"readers", "query_only", "1"},
		{"readers", "busy_timeout", "5000"},
	} {
		pool := map[string]*sql.DB{"writer": db.writer, "readers": db.readers}[c.pool]
		var got string
		must(t, pool.QueryRow("PRAGMA "+c.pragma).Scan(&got))
		if got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.pool, c.pragma, got, c.want)
		}
	}
	if _, err := db.readers.Exec("DELETE FROM accounts"); err == nil {
		t.Error("a reader can write")
	}
}

func TestOpenRefuses(t *testing.T) {
	foreign := func(t *testing.T, path, statement string) {
		other, err := sql.Open("sqlite3", path)
		must(t, err)
		_, err = other.Exec(statement)
		must(t, err)
		must(t, other.Close())
	}
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		says string
	}{
		{"text", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("BilledCost,", 200)), 0o644))
		}, "error.store_foreign"},
		{"folder", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) }, "error.store_foreign"},
		{"another program's", func(t *testing.T, path string) { foreign(t, path, "CREATE TABLE notes (x)") }, "error.store_foreign"},
		{"another program's, marked", func(t *testing.T, path string) { foreign(t, path, "PRAGMA application_id = 5") }, "error.store_foreign"},
		{"newer", func(t *testing.T, path string) {
			db := openAt(t, path)
			_, err := db.writer.Exec("INSERT INTO migrations VALUES ('migrations/9999_later.sql', 0)")
			must(t, err)
		}, "error.store_newer"},
	}
	for _, tt := range tests {
		for _, readOnly := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "store.db")
				tt.make(t, path)
				before, _ := os.ReadFile(path)
				_, err := Open(t.Context(), path, Options{Now: fixedClock, ReadOnly: readOnly})
				wantKind(t, err, billing.Invalid, tt.says)
				if after, _ := os.ReadFile(path); string(after) != string(before) {
					t.Error("the file was changed")
				}
			})
		}
	}
}

func TestOpenReadOnlyNeverMakesAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	_, err := OpenReadOnly(t.Context(), path)
	wantKind(t, err, billing.Missing, "error.store_missing")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is a file now")
	}
	must(t, os.WriteFile(path, nil, 0o600))
	_, err = OpenReadOnly(t.Context(), path)
	wantKind(t, err, billing.Invalid, "error.store_older")
}

func TestOpenReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db, err := Open(t.Context(), path, Options{Now: fixedClock})
	must(t, err)
	account(t, db, "first")
	names := func(when string, want int) {
		t.Helper()
		ro, err := OpenReadOnly(t.Context(), path)
		must(t, err)
		all, err := ro.Accounts(t.Context())
		must(t, err)
		if len(all) != want {
			t.Errorf("%s: %d accounts, want %d", when, len(all), want)
		}
		_, err = ro.EnsureAccount(t.Context(), billing.Account{Name: "second"})
		wantKind(t, err, billing.Denied, "error.store_read_only")
		wantKind(t, ro.Backup(t.Context(), path+".copy"), billing.Denied, "error.store_read_only")
		must(t, ro.Close())
	}
	names("beside a writer", 1)
	account(t, db, "another")
	must(t, db.Close())
	names("with nobody at it", 2)
	names("again", 2)
	if again := openAt(t, path); again == nil {
		t.Error("a reader left it unusable")
	}
}

// Where nobody can write, SQLite can't make the memory that programs at one store share.
func TestOpenReadOnlyInAFolderOfAnother(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "store.db")
	db, err := Open(t.Context(), path, Options{Now: fixedClock})
	must(t, err)
	account(t, db, "a")
	must(t, db.Close())
	must(t, os.Chmod(folder, 0o555))
	t.Cleanup(func() { must(t, os.Chmod(folder, 0o755)) })
	ro, err := OpenReadOnly(t.Context(), path)
	must(t, err)
	all, err := ro.Accounts(t.Context())
	must(t, err)
	if len(all) != 1 {
		t.Errorf("read %v", all)
	}
	must(t, ro.Close())
}

func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db, err := Open(t.Context(), path, Options{Now: fixedClock})
	must(t, err)
	id := account(t, db, "a")
	must(t, db.Observe(t.Context(), id, billing.Scope{Kind: billing.KindDisk}, t0, []billing.Resource{{Ref: billing.ResourceRef{Kind: billing.KindDisk, ID: "d-1"}}}))
	before, err := db.Snapshot(t.Context())
	must(t, err)
	must(t, db.Close())
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Error("closing left a log behind")
	}
	after, err := openAt(t, path).Snapshot(t.Context())
	must(t, err)
	diff(t, "snapshot after a restart", before, after)
}

func TestBackup(t *testing.T) {
	db := openStore(t)
	account(t, db, "a")
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, db.Backup(t.Context(), copied))
	info, err := os.Stat(copied)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %o, want 600", info.Mode().Perm())
	}
	all, err := openAt(t, copied).Accounts(t.Context())
	must(t, err)
	if len(all) != 1 || all[0].Name != "a" {
		t.Errorf("the copy holds %v", all)
	}
	wantKind(t, db.Backup(t.Context(), copied), billing.Conflict, "error.store_occupied")
	if left, _ := filepath.Glob(copied + ".part*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Two handles on one file are to SQLite what two programs are.
func TestWritersAndReadersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	handles := []*DB{openAt(t, path), openAt(t, path)}
	id := account(t, handles[0], "a")
	var group sync.WaitGroup
	for n := range 8 {
		db := handles[n%2]
		group.Go(func() {
			for i := range 25 {
				at := t0.Add(time.Duration(n*1000+i) * time.Second)
				if err := db.RecordBalance(context.Background(), id, billing.Balance{ReadAt: at, Cash: billing.ZeroMoney("CNY")}); err != nil {
					t.Error(err)
				}
				if _, err := db.Snapshot(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	all, err := handles[0].BalanceHistory(t.Context(), id, t0)
	must(t, err)
	if len(all) != 200 {
		t.Errorf("%d balances are stored, want 200", len(all))
	}
}

// An import writes without a pause between its transactions; another program's writes must get in between.
func TestNobodyStarves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	opened := func() *DB {
		db, err := Open(t.Context(), path, Options{Now: fixedClock, Wall: time.Now})
		must(t, err)
		t.Cleanup(func() { must(t, db.Close()) })
		return db
	}
	bulk, other := opened(), opened()
	id := account(t, bulk, "a")
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var once sync.Once
	started := make(chan struct{})
	group.Go(func() {
		for ctx.Err() == nil {
			err := bulk.write(context.Background(), "spin", func(tx *sql.Tx) error {
				once.Do(func() { close(started) })
				var n int
				return tx.QueryRow("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 600000) SELECT max(x) FROM c").Scan(&n)
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	<-started
	for i := range 5 {
		if err := other.RecordBalance(t.Context(), id, billing.Balance{ReadAt: t0.Add(time.Duration(i) * time.Second)}); err != nil {
			t.Error(err)
		}
	}
	cancel()
	group.Wait()
	if s := bulk.Stats(); s.LongestWrite <= 0 || s.LongestOp != "spin" {
		t.Errorf("stats are %+v, want the spin as the longest write", s)
	}
}

func TestOpenedTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			db, err := Open(context.Background(), path, Options{Now: fixedClock})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	var steps int
	must(t, openAt(t, path).readers.QueryRow("SELECT count(*) FROM migrations").Scan(&steps))
	files, err := migrations.ReadDir("migrations")
	must(t, err)
	if steps != len(files) {
		t.Errorf("%d steps recorded, want %d", steps, len(files))
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	db := openStore(t)
	broken := errors.New("broken")
	err := db.write(t.Context(), "try", func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO accounts (name, driver, created_at) VALUES ('a', '', 0)"); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "store: try: ") {
		t.Errorf("error is %v", err)
	}
	all, err := db.Accounts(t.Context())
	must(t, err)
	if len(all) != 0 {
		t.Errorf("%v was kept", all)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wantKind(t, db.write(ended, "try", func(*sql.Tx) error { return nil }), billing.Upstream, "")
}
