package notify

import "testing"

// Steps of one thing are one; two vouchers, and two accounts of an organisation, are two.
func TestLadderNamesAThing(t *testing.T) {
	at := func(scope string) string { return ladder("expiry", 1, 0, scope) }
	if at("voucher:v1 14d") != at("voucher:v1 3d") || at("14d") != at("3d") || at("CNY 0.5/h") != at("CNY 1/h") {
		t.Error("steps of one thing are taken for several")
	}
	if at("voucher:v1 3d") == at("voucher:v2 3d") || at("joined:1") == at("joined:2") {
		t.Error("two things are taken for steps of one")
	}
}
