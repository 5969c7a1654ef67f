package huawei

import (
	"testing"

	"gpuspend/billing"
)

// A thing belongs to its enterprise project: by id until the bill has named it, by no name in the default one, and a tag
// comes first.
func TestEnterpriseProjects(t *testing.T) {
	var e enterprise
	e.note("i-1", "441d5677")
	e.note("i-2", "0")
	e.note("i-3", "441d5677")
	things := func() []billing.Resource {
		return []billing.Resource{{Ref: billing.ResourceRef{ID: "i-1"}}, {Ref: billing.ResourceRef{ID: "i-2"}},
			{Ref: billing.ResourceRef{ID: "i-3"}, Project: "paper"}, {Ref: billing.ResourceRef{ID: "i-4"}}}
	}
	check := func(want ...string) {
		t.Helper()
		all := things()
		e.fill(all)
		for i, r := range all {
			if r.Project != want[i] {
				t.Errorf("%s is of %q, want %q", r.Ref.ID, r.Project, want[i])
			}
		}
	}
	check("441d5677", "", "paper", "")
	if got := []string{e.call("441d5677", "eval"), e.call("0", "default"), e.call("", ""), e.call("99", "")}; got[0] != "eval" || got[1] != "" || got[2] != "" || got[3] != "99" {
		t.Errorf("the bill's names: %q", got)
	}
	check("eval", "", "paper", "")
}
