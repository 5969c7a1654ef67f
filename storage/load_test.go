package storage_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// flood makes up the lines of a large bill: by the hour, of many resources and some services. It calls at before the
// row of that number, or before the end.
type flood struct {
	rows, next int
	at         int
	call       func()
}

func (f *flood) Read(c *billing.Charge) error {
	if f.next == f.at && f.call != nil {
		f.call()
	}
	if f.next == f.rows {
		return io.EOF
	}
	i := f.next
	f.next++
	*c = usage(day("2026-11-01").Add(time.Duration(i/200%720)*time.Hour), "0.25")
	c.ServiceName = [...]string{"EC2", "S3", "EKS", "VPC"}[i%4]
	c.ResourceID = fmt.Sprint("i-", i%200)
	c.ChargeDescription = "$0.25 per hour of whatever it is that this line is for"
	return nil
}

func flooded(f *flood) storage.Import {
	return storage.Import{Source: billing.SourceFOCUS, Files: []storage.ChargeFile{{Name: "flood",
		Open: func() (storage.ChargeReader, error) { return f, nil }}}}
}

// openShop opens the store at a path as another program would.
func openShop(t *testing.T, path string, wall func() time.Time) shop {
	t.Helper()
	db, err := storage.Open(t.Context(), path, storage.Options{Now: func() time.Time { return day("2026-12-02") }, Wall: wall})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	a, err := db.EnsureAccount(t.Context(), billing.Account{Name: "payer"})
	if err != nil {
		t.Fatal(err)
	}
	return shop{db, a.ID}
}

func hourLater() time.Time { return time.Now().Add(time.Hour) }

// lines counts the lines of a store by looking into the file.
func (s shop) lines(t *testing.T) int {
	t.Helper()
	n, err := s.StoredLines(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const killedStore = "GPUSPEND_TEST_KILLED_STORE"

// TestLoadThatIsKilled is the program that TestKilledHalfWay kills.
func TestLoadThatIsKilled(t *testing.T) {
	path := os.Getenv(killedStore)
	if path == "" {
		t.Skip("started by TestKilledHalfWay")
	}
	s := openShop(t, path, time.Now)
	_, err := s.take(flooded(&flood{rows: 1 << 30, at: 30_000, call: func() {
		fmt.Println("loading")
		select {}
	}}))
	t.Fatal(err)
}

func TestKilledHalfWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := openShop(t, path, time.Now)
	if _, err := s.take(storage.Import{Files: file(hours(48, "0.1"), 0)}); err != nil {
		t.Fatal(err)
	}
	killLoad(t, path)
	if n := s.lines(t); n < 10_000 {
		t.Fatalf("%d lines were committed before the kill: it proves nothing", n)
	}
	for _, by := range [][]ledger.Cut{nil, {ledger.ByDay}, {ledger.ByResource}} {
		if got := s.total(t, day("2026-01-01"), day("2027-12-01"), time.UTC, by...); got != exact("4.8") {
			t.Errorf("by %v it is %s after a kill, want the 4.8 from before", by, got)
		}
	}
	if _, err := s.take(storage.Import{Files: file(hours(72, "0.1"), 0)}); err != nil {
		t.Fatal(err)
	}
	if got := s.november(t); got != exact("7.2") {
		t.Errorf("November is %s, want 7.2 of the new import", got)
	}
	if n := s.lines(t); n < 10_000 {
		t.Errorf("only %d lines are left: a load that may be alive was swept", n)
	}
	if err := openShop(t, path, hourLater).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, got := s.lines(t), s.november(t); n != 72 || got != exact("7.2") {
		t.Errorf("after the sweep there are %d lines of %s, want 72 of 7.2", n, got)
	}
}

// killLoad starts another program that loads a bill without end, and kills it in the middle.
func killLoad(t *testing.T, path string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLoadThatIsKilled$", "-test.v")
	cmd.Env = append(os.Environ(), killedStore+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewScanner(out); in.Scan() && in.Text() != "loading"; {
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the load ended by itself: %v", err)
	}
}

func TestLoadThatIsGivenUp(t *testing.T) {
	s := openShop(t, filepath.Join(t.TempDir(), "x.db"), time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	im := flooded(&flood{rows: 1 << 30, at: 30_000, call: func() {
		cancel()
		select {} // standard input that says no more
	}})
	im.Account = s.account
	if _, err := s.ImportCharges(ctx, im); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if got := s.november(t); got != exact("0") {
		t.Errorf("November is %s, want nothing", got)
	}
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.lines(t); n != 0 {
		t.Errorf("%d lines are left after a sweep: nobody has to wait until the load counts as left behind", n)
	}
}

func TestSweepLeavesRunningLoads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := openShop(t, path, time.Now)
	sum, err := s.take(flooded(&flood{rows: 30_000, at: 20_000, call: func() {
		if err := openShop(t, path, time.Now).Sweep(t.Context()); err != nil {
			t.Error(err)
		}
	}}))
	if got := s.november(t); err != nil || sum.Rows != 30_000 || got != exact("7500") {
		t.Errorf("November is %s of %d rows, want 7500 of 30000; %v", got, sum.Rows, err)
	}
}

// A machine that slept wakes up in the middle of a load, or at its end, that another program clears away or has just
// begun to.
func TestLoadThatWasClearedAwayNeverGoesLive(t *testing.T) {
	for name, clear := range map[string]func(*storage.DB, context.Context) error{
		"cleared away": (*storage.DB).Sweep, "begun to be": (*storage.DB).Disown,
	} {
		for _, at := range []int{6_000, 12_000} {
			path := filepath.Join(t.TempDir(), "x.db")
			s := openShop(t, path, time.Now)
			_, err := s.take(flooded(&flood{rows: 12_000, at: at, call: func() {
				if err := clear(openShop(t, path, hourLater).DB, t.Context()); err != nil {
					t.Error(err)
				}
			}}))
			if billing.KindOf(err) != billing.Conflict || billing.SayOf(err).Key != "error.import_cleared" {
				t.Errorf("%s at row %d: it ended with %v", name, at, err)
			}
			if got := s.november(t); got != exact("0") {
				t.Errorf("%s at row %d: November is %s, want nothing", name, at, got)
			}
		}
	}
}

func TestSlowFilesDoNotHoldTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s, other := openShop(t, path, time.Now), openShop(t, path, time.Now)
	_, err := s.take(flooded(&flood{rows: 1000, at: 600, call: func() {
		if err := other.RecordBalance(t.Context(), s.account, billing.Balance{ReadAt: day("2026-12-01")}); err != nil {
			t.Errorf("a file that waits keeps others from writing: %v", err)
		}
	}}))
	if err != nil {
		t.Fatal(err)
	}
}

// TestImportBesideARunningWriter is what an import command is to a bot that serves the same store.
func TestImportBesideARunningWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	importer, bot := openShop(t, path, time.Now), openShop(t, path, time.Now)
	ctx, done := context.WithCancel(t.Context())
	var group sync.WaitGroup
	writes := 0
	group.Go(func() {
		for at := day("2026-12-01"); ctx.Err() == nil; at = at.Add(time.Second) {
			disk := billing.Resource{Ref: billing.ResourceRef{Account: bot.account, Kind: billing.KindDisk, ID: "d"}, State: billing.StateRunning}
			if err := errors.Join(
				bot.RecordBalance(t.Context(), bot.account, billing.Balance{ReadAt: at}),
				bot.Observe(t.Context(), bot.account, billing.Scope{Kind: billing.KindDisk}, at, []billing.Resource{disk}),
			); err != nil {
				t.Errorf("the bot can't write: %v", err)
			}
			writes++
		}
	})
	for _, rows := range []int{100_000, 20_000} { // the second replaces the first, and sweeps it
		im := flooded(&flood{rows: rows})
		im.Replace = true
		sum, err := importer.take(im)
		if err != nil || sum.Rows != rows {
			t.Errorf("imported %d rows, %v", sum.Rows, err)
		}
	}
	done()
	group.Wait()
	if got := importer.november(t); got != exact("5000") {
		t.Errorf("November is %s, want 5000", got)
	}
	if writes < 10 {
		t.Errorf("the bot wrote %d times: it starves", writes)
	}
	for _, s := range []storage.Stats{importer.Stats(), bot.Stats()} {
		if s.LongestWrite >= 500*time.Millisecond {
			t.Errorf("a write took %s (%s)", s.LongestWrite, s.LongestOp)
		}
	}
	t.Logf("%d writes beside; longest of the import %s (%s), of the bot %s", writes, importer.Stats().LongestWrite, importer.Stats().LongestOp, bot.Stats().LongestWrite)
}
