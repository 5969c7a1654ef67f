package storage

import (
	"testing"
	"time"

	"gpuspend/billing"
)

func TestMembersComeAndGo(t *testing.T) {
	d := openStore(t)
	payer, err := d.EnsureAccount(t.Context(), billing.Account{Name: "payer", Driver: "aws", Provider: "AWS", Currency: "USD"})
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := billing.Member{ID: "1", Name: "a", Status: "ACTIVE", Units: []string{"ou-1"}}, billing.Member{ID: "2", Name: "b"}, billing.Member{ID: "3", Name: "c", Tags: map[string]string{"k": "v"}}
	for i, list := range [][]billing.Member{{a, b}, {a, c}, {a, b, c}} {
		if err := d.RecordMembers(t.Context(), payer.ID, t0.Add(time.Duration(i)*time.Hour), list); err != nil {
			t.Fatal(err)
		}
		all, err := d.Members(t.Context(), payer.ID)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 && (len(all) != 3 || !all[1].LeftAt.Equal(t0.Add(time.Hour)) || !all[1].Founder || all[2].Founder || !all[0].LeftAt.IsZero()) {
			t.Errorf("after one left and one came: %+v", all)
		}
		if i == 2 && (!all[1].LeftAt.IsZero() || !all[1].FirstSeen.Equal(t0) || all[0].Units[0] != "ou-1" || all[2].Tags["k"] != "v") {
			t.Errorf("after one came back: %+v", all)
		}
	}
	// a list that was read before the last one changes nothing
	if err := d.RecordMembers(t.Context(), payer.ID, t0, nil); err != nil {
		t.Fatal(err)
	}
	if all, err := d.Members(t.Context(), payer.ID); err != nil || !all[0].LeftAt.IsZero() {
		t.Errorf("%v %+v", err, all)
	}
}
