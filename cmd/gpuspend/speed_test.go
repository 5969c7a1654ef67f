package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/storage"
)

// The store of BenchmarkQuestions: charges by the hour, as many months back as they reach at the same number a month, each
// month a delivery of its own: ten million are 24 months. The variables make it larger, and keep it for the next run.
const (
	chargesOf   = "GPUSPEND_BENCH_CHARGES" // how many; a million without it
	storeOf     = "GPUSPEND_BENCH_STORE"   // a file that is made where it is not there
	benchMonths = 24
	monthOfThem = 10_000_000 / benchMonths
)

// benchQuestions are the words whose answers are timed. The first three are those of the README's table.
var benchQuestions = []string{
	"cost month by provider",
	"cost 30d by gpu",
	"cost 7d by day where owner=team-3",
	"cost 30d by day",
	"cost 30d by owner,gpu",
	"cost month by resource where owner=team-3",
}

// BenchmarkQuestions times whole answers, words to JSON, warm, in UTC and in zones an even and an odd number of hours
// from it:
//
//	GPUSPEND_BENCH_CHARGES=10000000 go test ./cmd/gpuspend -run '^$' -bench Questions -benchtime 100x -timeout 60m
func BenchmarkQuestions(b *testing.B) {
	path := benchStore(b)
	asked, err := askOptions{db: path, now: benchEnd().Add(9 * time.Hour).Format(time.RFC3339)}.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer asked.end()
	for _, line := range benchQuestions {
		for _, zone := range []string{"UTC", "Asia/Shanghai", "Asia/Kathmandu"} {
			b.Run(strings.ReplaceAll(line, " ", "_")+"/"+zone, func(b *testing.B) { timeAnswers(b, asked.desk, line, zone) })
		}
	}
	b.Logf("peak memory: %.0f MiB", peakMiB(b))
}

func timeAnswers(b *testing.B, desk *bot.Desk, line, zone string) {
	z, err := time.LoadLocation(zone)
	if err != nil {
		b.Fatal(err)
	}
	now := desk.Now()
	r := bot.Request{Words: strings.Fields(line), Zone: z, Now: now, Print: desk.Words.For("en", z, now), Dry: true, Local: true}
	ask := func() {
		a, err := desk.Ask(b.Context(), r)
		if err == nil {
			err = askOptions{json: true}.print(io.Discard, a, r.Print)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	ask() // warm
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		ask()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	at := func(part float64) float64 { return took[int(part*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}

// benchEnd is where the charges end: the last day but one of the last month, as bills lag.
func benchEnd() time.Time { return time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC) }

// benchStore makes the store, or finds the one that was kept.
func benchStore(b *testing.B) string {
	rows := benchCharges(b)
	path := os.Getenv(storeOf)
	if path == "" {
		path = filepath.Join(b.TempDir(), "speed.db")
	}
	_, missing := os.Stat(path)
	db, err := storage.Open(b.Context(), path, storage.Options{Now: benchEnd}) // brings one that was kept up to date
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if missing == nil {
		return path
	}
	began := time.Now()
	for left, m := rows, benchMonths-1; left > 0 && m >= 0; left, m = left-monthOfThem, m-1 {
		if err := loadMonth(b.Context(), db, m, min(left, monthOfThem)); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d charges in %.0f s, %d MiB, peak %.0f MiB", rows, time.Since(began).Seconds(), info.Size()>>20, peakMiB(b))
	return path
}

// benchCharges is how many charges the store has.
func benchCharges(b *testing.B) int {
	rows, err := chargesAsked()
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

func chargesAsked() (int, error) {
	rows, err := strconv.Atoi(cmp.Or(os.Getenv(chargesOf), "1000000"))
	if err != nil || rows < monthOfThem {
		return 0, fmt.Errorf("%s: %q is no number of charges from %d", chargesOf, os.Getenv(chargesOf), monthOfThem)
	}
	return rows, nil
}

// loadMonth imports one month's charges, of one account.
func loadMonth(ctx context.Context, db *storage.DB, month, rows int) error {
	a, err := db.EnsureAccount(ctx, billing.Account{Name: "payer"})
	if err != nil {
		return err
	}
	start := time.Date(2024, time.December+time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	period := billing.Period{Start: start, End: start.AddDate(0, 1, 0)}
	_, err = db.ImportCharges(ctx, storage.Import{Account: a.ID, Source: billing.SourceFOCUS, Replace: true, Files: []storage.ChargeFile{{
		Name: period.Start.Format("2006-01"), Open: func() (storage.ChargeReader, error) { return &fleet{period: period, rows: rows}, nil }}}})
	return err
}

// fleet makes up a month of a bill: hour after hour the same machines, disks and addresses, of five clouds, twenty
// teams and six kinds of card. Of a day there are 240 distinct sets of labels, and as many resources as rows an hour.
type fleet struct {
	period billing.Period
	rows   int
	next   int
}

// Read gives the next charge.
func (f *fleet) Read(c *billing.Charge) error {
	if f.next == f.rows {
		return io.EOF
	}
	end := f.period.End
	if end.After(benchEnd()) {
		end = benchEnd()
	}
	hours := int(end.Sub(f.period.Start).Hours())
	hour, i := f.next*hours/f.rows, 0
	i = f.next - (hour*f.rows+hours-1)/hours
	f.next++
	from := f.period.Start.Add(time.Duration(hour) * time.Hour)
	team, kind := i%20, i/20%12
	*c = billing.Charge{
		Provider: [...]string{"Alibaba Cloud", "AWS", "RunPod", "Huawei Cloud", "Lambda"}[kind%5], BillingAccountID: "payer", BillingPeriod: f.period,
		ChargePeriod: billing.Period{Start: from, End: from.Add(time.Hour)}, ChargeCategory: "Usage",
		ChargeDescription: "an hour of what this line is for", ServiceName: [...]string{"Compute", "Storage", "Network"}[kind%3],
		RegionID: "region-" + strconv.Itoa(kind%4), ResourceID: fmt.Sprintf("r-%05d", i), Part: [...]billing.Part{billing.PartInstance, billing.PartDisk, billing.PartIP}[kind%3],
		Mode: billing.ModeOnDemand, Owner: "team-" + strconv.Itoa(team), GPU: [...]string{"A100-80G", "H100", "", "L40S", "RTX 4090", "A10"}[kind%6],
	}
	amount, err := billing.MoneyFromParts(int64(1+i%97)*10_000_000+int64(hour%10), 0, "USD")
	c.BilledCost, c.EffectiveCost = amount, amount
	return err
}

// Close does nothing: nothing is open.
func (f *fleet) Close() error { return nil }
