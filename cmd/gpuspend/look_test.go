package main

import (
	"testing"

	"gpuspend/billing"
)

func TestAccountsAreArranged(t *testing.T) {
	all := []billing.Account{{Name: "bills"}, {Name: "old", Driver: "runpod"}, {Name: "b", Driver: "runpod"}, {Name: "a", Driver: "vast"}}
	for _, c := range []struct {
		order, want []string
	}{
		{[]string{"a", "b"}, []string{"a", "b", "bills"}},
		{nil, []string{"bills", "old", "b", "a"}},
	} {
		var got []string
		for _, a := range (installation{order: c.order}).arranged(all) {
			got = append(got, a.Name)
		}
		if len(got) != len(c.want) {
			t.Fatalf("%v gives %v, want %v", c.order, got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v gives %v, want %v", c.order, got, c.want)
				break
			}
		}
	}
}
