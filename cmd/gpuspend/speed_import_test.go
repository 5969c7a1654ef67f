package main

import (
	"context"
	"errors"
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
	of := benchCharges(b) / benchMonths
	for name, store := range map[string]string{"alone": b.TempDir() + "/alone.db", "among-24": path} {
		b.Run(name, func(b *testing.B) {
			db, err := storage.Open(b.Context(), store, storage.Options{Now: benchEnd, Wall: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			for b.Loop() {
				if err := loadMonth(b.Context(), db, benchMonths-1, of); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(of)*float64(b.N)/b.Elapsed().Seconds(), "charges/s")
		})
	}
}

// BenchmarkQuestionsWhileImporting asks 200 questions a second, of four people at once, while a month is imported over
// and over, and fails where one is refused because the store is locked.
//
//	GPUSPEND_BENCH_CHARGES=10000000 go test ./cmd/gpuspend -run '^$' -bench QuestionsWhileImporting -benchtime 1x -timeout 60m
func BenchmarkQuestionsWhileImporting(b *testing.B) {
	path := benchStore(b)
	db, err := storage.Open(b.Context(), path, storage.Options{Now: benchEnd, Wall: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	asked, err := askOptions{db: path, now: benchEnd().Add(9 * time.Hour).Format(time.RFC3339)}.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer asked.end()
	for b.Loop() {
		ctx, stop := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() {
			for ctx.Err() == nil {
				if err := loadMonth(ctx, db, benchMonths-1, benchCharges(b)/benchMonths); err != nil && ctx.Err() == nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		took := askFor(b, asked.desk, 20*time.Second, 200)
		stop()
		if err := <-done; err != nil {
			b.Fatal(err)
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
