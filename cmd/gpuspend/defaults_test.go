package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/watch"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// docOf finds the documentation of a configuration key.
func docOf(t *testing.T, path string) string {
	t.Helper()
	at, doc := reflect.TypeFor[Config](), ""
	for _, key := range strings.Split(path, ".") {
		if at.Kind() == reflect.Slice {
			at = at.Elem()
		}
		found := false
		for i := range at.NumField() {
			if f := at.Field(i); f.Tag.Get("yaml") == key {
				at, doc, found = f.Type, f.Tag.Get("doc"), true
				break
			}
		}
		if !found {
			t.Fatalf("there is no key %s in %s", key, path)
		}
	}
	return doc
}

// short writes a duration as a person writes it into the configuration.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d > day && d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}

func shorts(all []time.Duration) string {
	var list []string
	for _, d := range all {
		list = append(list, short(d))
	}
	return strings.Join(list, ", ")
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60)
}

// Every default that the configuration's table names is the one that is compiled in.
func TestDocumentedDefaultsAreTheCompiledOnes(t *testing.T) {
	s, err := Config{}.settings(nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Config{}.hours()
	if err != nil {
		t.Fatal(err)
	}
	zone, err := Config{}.zone()
	if err != nil {
		t.Fatal(err)
	}
	in, err := install(Config{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	poll := watch.DefaultSchedule()
	var push []string
	for _, m := range s.ForgottenPush {
		push = append(push, string(m.Currency())+" "+strings.TrimSuffix(m.Amount(), ".00"))
	}
	for path, want := range map[string]string{
		"zone": zone.String(), "language": in.lang, "store": Config{}.storePath(),
		"hours.start": clock(h.Start), "hours.end": clock(h.End),
		"accounts.poll.balance": short(poll.Balance), "accounts.poll.inventory": short(poll.Inventory),
		"accounts.poll.charges": short(poll.Charges), "accounts.poll.offers": short(poll.Offers),
		"rules.balance.steps": shorts(s.BalanceSteps), "rules.forgotten.disk": short(s.DiskAge), "rules.forgotten.snapshot": short(s.SnapshotAge),
		"rules.forgotten.push": strings.Join(push, ", "), "rules.stopped.after": short(s.StoppedAge), "rules.stopped.push": short(s.StoppedPush),
		"rules.expiry.steps": shorts(s.ExpirySteps), "rules.unreachable.after": short(s.UnreachableFor),
	} {
		doc := strings.ReplaceAll(docOf(t, path), " 1d", " 24h") // a day among days is written as one
		if !strings.Contains(doc+";", "default "+want+";") && !strings.Contains(doc+" (", "default "+want+" (") {
			t.Errorf("%s is documented as %q, but the program's default is %s", path, doc, want)
		}
	}
	if days := docOf(t, "hours.days"); !strings.Contains(days, "default mon to fri") || h.Days != notify.WorkingDays().Days {
		t.Errorf("hours.days is documented as %q, the program has %v", days, h.Days)
	}
}

// Every threshold that the table of warnings names is the one that is compiled in.
func TestDocumentedThresholdsAreTheCompiledOnes(t *testing.T) {
	s := notify.Defaults()
	hours := func(d time.Duration) string { return fmt.Sprintf("%d hour", d/time.Hour) }
	days := func(d time.Duration) string { return fmt.Sprint(int(d / (24 * time.Hour))) }
	symbols := strings.NewReplacer("CNY ", "CN¥", "USD ", "$")
	or := func(all []billing.Money) string {
		var list []string
		for _, m := range all {
			list = append(list, symbols.Replace(string(m.Currency())+" "+strings.TrimSuffix(m.Amount(), ".00")))
		}
		return "from " + strings.Join(list, " or ")
	}
	documented := map[string]string{}
	for _, r := range rules.All() {
		documented[r.Name] = r.Default
	}
	for name, wants := range map[string][]string{
		"balance":            {"within " + hours(s.BalanceSteps[0]), "within " + hours(s.BalanceSteps[1])},
		"expiry":             {days(s.ExpirySteps[0]) + ", " + days(s.ExpirySteps[1]) + " and " + days(s.ExpirySteps[2]) + " days before", days(s.RenewalStep) + " days before where it renews"},
		"forgotten_disk":     {"for " + days(s.DiskAge) + " days", or(s.ForgottenPush) + " a month"},
		"forgotten_ip":       {"for " + days(s.DiskAge) + " days", or(s.ForgottenPush) + " a month"},
		"forgotten_snapshot": {days(s.SnapshotAge) + " days old", or(s.ForgottenPush) + " a month"},
		"stopped":            {"listed after " + hours(s.StoppedAge), "a message after " + hours(s.StoppedPush), or(s.StoppedFloor) + " a day"},
		"unexplained":        {or(s.DrainStep) + " an hour"},
		"budget":             {"80 % of a budget", "100 % of it is spent"},
		"counter":            {"for " + days(arrivalsKept) + " days"},
		"drift":              {"more than 5 % and " + strings.TrimPrefix(or(s.DriftFrom), "from ") + " apart", "for " + days(driftsKept-24*time.Hour) + " days"},
		"member":             {"at the first list"},
		"unreachable":        {fmt.Sprintf("after %d minutes", s.UnreachableFor/time.Minute)},
	} {
		for _, want := range wants {
			if !strings.Contains(documented[name], want) {
				t.Errorf("%s is documented as %q, but the program has %s", name, documented[name], want)
			}
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("the thresholds of rule %s are not tested", name)
	}
}
