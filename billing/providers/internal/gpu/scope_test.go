package gpu

import (
	"encoding/csv"
	"os"
	"testing"
)

// TestEveryAlias reads the shared table of names: each means its card in its scope, and a blank scope is anywhere.
func TestEveryAlias(t *testing.T) {
	f, err := os.Open("../../../../../shared/data/gpu-aliases.csv")
	if err != nil {
		t.Skipf("../shared is absent: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 200 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows[1:] {
		scope, want, name := r[0], r[1], r[2]
		if got := At(scope, name); got != want {
			t.Errorf("%q at %q is %s, want %s", name, scope, got, want)
		}
	}
}

// TestOneWordSeveralClouds: a family means a card at one cloud only, and a bare A100 is asked about everywhere but where
// its catalogue says which.
func TestOneWordSeveralClouds(t *testing.T) {
	for _, tt := range []struct{ cloud, name, want string }{
		{"alibaba", "ecs.gn7-c12g1.3xlarge", "A100-40G"},
		{"alibaba", "ecs.ebmgn7e.32xlarge", "A100-80G"},
		{"tencent", "GN7.2XLARGE32", "T4"},
		{"aws", "g5.xlarge", "A10G"},
		{"huawei", "g5.8xlarge.4", "G5.8XLARGE.4"},
		{"aws", "p3.2xlarge", "V100-16G"},
		{"huawei", "p3.2xlarge.8", "P3.2XLARGE.8"},
		{"alibaba", "g6.large", "G6.LARGE"}, // a CPU family there
		{"aws", "g6e.xlarge", "L40S"},       // no g6
		{"", "A100", "A100-ANY"},
		{"runpod", "A100", "A100-ANY"},
		{"vast", "A100 SXM4", "A100-ANY"},
		{"skypilot", "A100", "A100-40G"},
		{"", "V100", "V100-ANY"},
	} {
		if got := At(tt.cloud, tt.name); got != tt.want {
			t.Errorf("%s at %q is %s, want %s", tt.name, tt.cloud, got, tt.want)
		}
	}
}
