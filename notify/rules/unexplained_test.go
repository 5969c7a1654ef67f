package rules

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
)

// TestUnexplained holds which steps are told, held and left: one a machine, none a poll.
func TestUnexplained(t *testing.T) {
	now := scene.Morning()
	rest := func(s string) func(*notify.AccountView) {
		return func(a *notify.AccountView) { a.Drain.Rest = scene.CNY(s) }
	}
	twice := []string{"CNY 0.5/h warning", "CNY 1/h warning"}
	for _, tt := range []struct {
		name   string
		change func(*notify.AccountView)
		want   []string
	}{
		{"a machine", nil, []string{"CNY 0.5/h warning", "CNY 1/h warning", "CNY 2/h held"}},
		{"the same at the next poll", func(a *notify.AccountView) { a.Balance.ReadAt = now.Add(5 * time.Minute) },
			[]string{"CNY 0.5/h warning", "CNY 1/h warning", "CNY 2/h held"}},
		{"two machines: one step more", rest("3.96"), []string{"CNY 0.5/h warning", "CNY 1/h warning", "CNY 2/h warning", "CNY 4/h held"}},
		{"a little less", rest("1.4"), twice},
		{"it ended", rest("0"), nil},
		{"small change", rest("0.37"), nil},
		{"nearly a step", rest("0.38"), []string{"CNY 0.5/h held"}},
		{"small print of a big bill", func(a *notify.AccountView) { a.Drain.Explained, a.Drain.Rest = scene.CNY("880"), scene.CNY("0.8") },
			[]string{"CNY 0.5/h held", "CNY 1/h held"}},
		{"postpaid", func(a *notify.AccountView) { a.Balance.Mode = billing.Postpaid }, nil},
		{"imported only", func(a *notify.AccountView) { a.Driver = billing.Driver{} }, nil},
		{"another currency's steps", func(a *notify.AccountView) {
			a.Balance.Cash, a.Drain.Explained, a.Drain.Rest = scene.USD("10"), scene.USD("0"), scene.USD("0.1")
		}, []string{"USD 0.07/h warning"}},
		{"a currency without steps", func(a *notify.AccountView) { a.Balance.Cash = billing.MustMoney("10", "JPY") }, nil},
	} {
		a := scene.AutoDL(now)
		if tt.change != nil {
			tt.change(&a)
		}
		if diff := cmp.Diff(tt.want, scopes(findUnexplained(scene.View(now, a)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Where nobody can tell, what fires goes on and nothing begins.
func TestUnexplainedIsHeldWhereNobodyCanTell(t *testing.T) {
	now := scene.Morning()
	for name, change := range map[string]func(*notify.AccountView){
		"no settled hours yet":             func(a *notify.AccountView) { a.Drain = ledger.Drain{} },
		"a machine without price":          func(a *notify.AccountView) { a.Drain.Open = 1 },
		"a scope fails":                    func(a *notify.AccountView) { a.Readings[1].ErrorKind = billing.Upstream },
		"a scope was not read since":       func(a *notify.AccountView) { a.Readings[2].CompleteAt = now.Add(-2 * time.Hour) },
		"the resources were never read":    func(a *notify.AccountView) { a.Readings = a.Readings[:1] },
		"a scope that the cloud hides too": func(a *notify.AccountView) { a.Readings[1].CompleteAt = time.Time{} },
	} {
		a := scene.AutoDL(now)
		change(&a)
		found := findUnexplained(scene.View(now, a))
		if len(found) != drainSteps {
			t.Errorf("%s: %v", name, scopes(found))
		}
		for _, f := range found {
			if f.Severity != billing.SeverityHeld {
				t.Errorf("%s: %s is told", name, f.Scope)
			}
		}
	}
}
