package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuspend/bot"
	"gpuspend/storage"
)

// BenchmarkReimportOfAMonth replaces the last of 24 months, again and again: its time is that of a month, whatever lies
// beside it. It is compared with the same month alone in a store.
//
//	GPUSPEND_BENCH_CHARGES=10000000 go test ./cmd/gpuspend -run '^$' -bench ReimportOfAMonth -benchtime 3x -timeout 60m
func BenchmarkReimportOfAMonth(b *testing.B) {
	path := benchStore(b)
	for name, store := range map[string]string{"alone": b.TempDir() + "/alone.db", "among-24": path} {
		b.Run(name, func(b *testing.B) {
			db, err := storage.Open(b.Context(), store, storage.Options{Now: benchEnd, Wall: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			for b.Loop() {
				if err := loadMonth(b.Context(), db, benchMonths-1, monthOfThem); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(monthOfThem*float64(b.N)/b.Elapsed().Seconds(), "charges/s")
		})
	}
}

// importsInto names the variable that turns the test binary into a program that imports.
const importsInto = "GPUSPEND_BENCH_IMPORTS_INTO"

// TestImportsAside is that program and no test: it imports the last month over and over until its input ends.
func TestImportsAside(t *testing.T) {
	path := os.Getenv(importsInto)
	if path == "" {
		t.Skip("runs as the other process of BenchmarkQuestionsWhileImporting")
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	db, err := storage.Open(ctx, path, storage.Options{Now: benchEnd, Wall: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for ctx.Err() == nil {
		if err := loadMonth(ctx, db, benchMonths-1, monthOfThem); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkQuestionsWhileImporting asks 200 questions a second for 20 s while another program imports a month into the
// same store, over and over. It fails where a question is refused because the store is locked.
//
//	GPUSPEND_BENCH_CHARGES=10000000 go test ./cmd/gpuspend -run '^$' -bench QuestionsWhileImporting -benchtime 1x -timeout 60m
func BenchmarkQuestionsWhileImporting(b *testing.B) {
	path := benchStore(b)
	asked, err := askOptions{db: path, now: benchEnd().Add(9 * time.Hour).Format(time.RFC3339)}.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer asked.end()
	for b.Loop() {
		c := exec.Command(os.Args[0], "-test.run", "^TestImportsAside$", "-test.timeout", "10m")
		c.Env = append(os.Environ(), importsInto+"="+path)
		in, err1 := c.StdinPipe()
		if err := errors.Join(err1, c.Start()); err != nil {
			b.Fatal(err)
		}
		took := askFor(b, asked.desk, 20*time.Second, 200)
		_ = in.Close()
		if err := c.Wait(); err != nil {
			b.Errorf("the import: %v", err)
		}
		slices.Sort(took)
		b.ReportMetric(float64(len(took))/20, "questions/s")
		b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
		b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
	}
	b.ReportMetric(peakMiB(b), "peak-MiB")
}

// askFor puts so many questions a second for a while, each at its own moment, and gives how long each took from then on.
func askFor(b *testing.B, desk *bot.Desk, span time.Duration, each int) []time.Duration {
	b.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	began := time.Now()
	for i := range int(span.Seconds()) * each {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(each))
		time.Sleep(time.Until(due))
		wg.Go(func() {
			now := desk.Now()
			r := bot.Request{Words: strings.Fields("cost 7d by day where owner=team-" + string(rune('0'+i%10))), Zone: time.UTC, Now: now,
				Print: desk.Words.For("en", time.UTC, now), Dry: true, Local: true}
			_, err := desk.Ask(b.Context(), r)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(due))
			if err != nil && !errors.Is(err, context.Canceled) {
				b.Errorf("question %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	return took
}
