package rules

import (
	"testing"

	"gpuspend/billing"
	"gpuspend/notify"
)

// Who came and who left are two things, told once each under their own fingerprint; a payer that is watched no more tells
// nothing.
func TestMembers(t *testing.T) {
	v := notify.View{Accounts: []notify.AccountView{{Account: billing.Account{ID: 1, Name: "payer"}}}, Members: []notify.MemberNews{
		{Payer: 1, ID: "111122223333", Name: "ml"}, {Payer: 1, ID: "222233334444", Name: "old", Left: true}, {Payer: 9, ID: "3", Name: "elsewhere"}}}
	got := findMembers(v)
	if len(got) != 2 || got[0].Scope != "joined:111122223333" || got[1].Scope != "left:222233334444" || got[0].Severity != billing.SeverityWarning {
		t.Errorf("%+v", got)
	}
}
