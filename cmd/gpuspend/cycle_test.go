package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/bot"
)

// BenchmarkFullCycle reads 50 accounts of the seven clouds,
// 20,000 resources and 200,000 lines of bills, once, whole, through the real clients at their own pace, into a real store, and
// says how that compares with what pacing alone dictates:
//
//	go test ./cmd/gpuspend -run '^$' -bench FullCycle -benchtime 1x -timeout 20m
func BenchmarkFullCycle(b *testing.B) {
	for b.Loop() {
		fullCycle(b)
	}
}

// cycleAccounts is how many accounts each cloud has.
func cycleAccounts() map[string]int {
	return map[string]int{"runpod": 12, "vast": 8, "lambda": 8, "autodl": 8, "alibaba": 8, "huawei": 3, "aws": 3}
}

func fullCycle(b *testing.B) {
	thrifty()
	base := startCrowd(b)
	store := filepath.Join(b.TempDir(), "cycle.db")
	a, err := New(b.Context(), Options{Config: cycleConfig(base, store), Drivers: providers.All(), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	began := time.Now()
	if err := sideBySide(b, a); err != nil {
		b.Errorf("the cycle: %.2000s", err)
	}
	took := time.Since(began)
	least, who := dictated(requestsOf(b, base))
	b.ReportMetric(peakMiB(b), "cycle-peak-MiB")
	began = time.Now()
	if err := a.Judge(b.Context()); err != nil {
		b.Error(err)
	}
	b.ReportMetric(took.Seconds(), "cycle-s")
	b.ReportMetric(least.Seconds(), "paced-s")
	b.ReportMetric(took.Seconds()/least.Seconds(), "cycle/paced")
	b.ReportMetric(time.Since(began).Seconds(), "judge-s")
	b.ReportMetric(peakMiB(b), "judge-peak-MiB")
	b.Logf("slowest by pace: %s; resources and lines stored: %s", who, rowsOf(b, store))
	answers(b, a)
}

// rowsOf counts what the cycle brought.
func rowsOf(b *testing.B, store string) string {
	db, err := sql.Open("sqlite3", store)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var resources, charges int
	if err := db.QueryRow("SELECT (SELECT count(*) FROM resources), (SELECT count(*) FROM charges)").Scan(&resources, &charges); err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf("%d, %d", resources, charges)
}

// answers says how long the chat's words take on this store.
func answers(b *testing.B, a *App) {
	desk := a.Desk()
	for _, word := range []string{"status", "list", "forgotten", "cost", "digest", "alerts"} {
		began := time.Now()
		if _, err := desk.Ask(b.Context(), bot.Request{Words: []string{word}, Local: true}); err != nil {
			b.Errorf("%s: %v", word, err)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), word+"-ms")
	}
}

// sideBySide reads every account at once, as the schedule does.
func sideBySide(b *testing.B, a *App) error {
	a.polling.Store(true)
	defer a.polling.Store(false)
	all := a.present.Load().accounts
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, account := range all {
		wg.Go(func() { errs[i] = named(account.Name, a.watcher.Poll(b.Context(), account.ID)) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func cycleConfig(base, store string) Config {
	c := Config{Store: store, PaidCalls: PaidCallsConfig{Daily: billing.MustDecimal("10")}}
	keys := map[string]map[string]SecretConfig{
		"runpod": {"api_key": {Plain: "rpa_TEST"}}, "vast": {"api_key": {Plain: "TEST"}}, "lambda": {"api_key": {Plain: "TEST"}}, "autodl": {"token": {Plain: "TEST"}},
		"huawei":  {"access_key": {Plain: "AK"}, "secret_key": {Plain: "SK"}, "projects": {Plain: "cn-north-4=" + huaweiProject}},
		"aws":     {"access_key_id": {Plain: "AKIDTEST"}, "secret_access_key": {Plain: "SK"}, "regions": {Plain: "us-east-1"}, "cost_explorer": {Plain: "on"}},
		"alibaba": {"access_key_id": {Plain: "AK"}, "access_key_secret": {Plain: "SK"}, "regions": {Plain: "cn-hangzhou"}},
	}
	for _, cloud := range []string{"runpod", "vast", "lambda", "autodl", "alibaba", "huawei", "aws"} {
		for i := range cycleAccounts()[cloud] {
			c.Accounts = append(c.Accounts, AccountConfig{Name: fmt.Sprintf("%s-%d", cloud, i), Provider: cloud,
				BaseURL: fmt.Sprintf("%s/%s/%d", base, cloud, 10+i), Credentials: CredentialsConfig{Read: keys[cloud]}})
		}
	}
	return c
}

// startCrowd starts the clouds' process and gives their address. It ends with the benchmark.
func startCrowd(b *testing.B) string {
	c := exec.Command(os.Args[0], "-test.run", "^TestCycleFakes$", "-test.timeout", "30m")
	c.Env = append(os.Environ(), fakesIn+"=1")
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err := errors.Join(err1, err2, c.Start()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
			return "http://" + address
		}
	}
	b.Fatal("the clouds did not start")
	return ""
}

func requestsOf(b *testing.B, base string) map[string]int {
	resp, err := http.Get(base + "/asked")
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	n := map[string]int{}
	if err := json.NewDecoder(resp.Body).Decode(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// peakMiB is the most memory that this process has held, as Linux counts it; 0 elsewhere.
func peakMiB(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}
