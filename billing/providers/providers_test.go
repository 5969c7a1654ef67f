package providers

import (
	"strings"
	"testing"

	"gpuspend/billing"
)

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range All() {
		if d.Name == "" || d.Title == "" || seen[d.Name] {
			t.Errorf("driver %q (%q): the name must be given, and once only", d.Name, d.Title)
		}
		seen[d.Name] = true
	}
}

func TestTable(t *testing.T) {
	drivers := []billing.Driver{{Name: "x", Title: "X Cloud", Claims: map[billing.Capability]billing.Claim{
		billing.CanBalance: {Can: billing.Yes, Source: "https://x.example/balance", Note: "cash only"},
		billing.CanStop:    {Can: billing.No},
	}}}
	got := Table("en", drivers)
	for _, want := range []string{
		"| Cloud | identify | balance |",
		"| X Cloud | untested | [yes](https://x.example/balance) |",
		"- **X Cloud**, balance: cash only.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("table lacks %q:\n%s", want, got)
		}
	}
	columns := 2 + len(billing.Capabilities())
	for _, line := range strings.Split(got, "\n")[:3] {
		if n := strings.Count(line, "|"); n != columns {
			t.Errorf("line has %d bars, want %d: %s", n, columns, line)
		}
	}
}

func TestTableHasAHeadForEveryCapability(t *testing.T) {
	zh := tableWords("zh")
	for _, c := range billing.Capabilities() {
		if zh.column[c] == "" {
			t.Errorf("no Chinese head for %s", c)
		}
	}
}

func TestTableShowsNothingUntested(t *testing.T) {
	for lang, word := range map[string]string{"en": "untested", "zh": "未测"} {
		if got := Table(lang, All()); strings.Contains(got, word) {
			t.Errorf("a claim is untested:\n%s", got)
		}
	}
}
