package bot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gpuspend/billing"
)

// What the scope leaves out is one line in list and status, with its kinds, and lies in the data by account and region.
func TestNotWatchedIsOneLine(t *testing.T) {
	v := view()
	v.Accounts[1].Readings = append(v.Accounts[1].Readings,
		billing.Reading{Of: billing.ReadInventory, Scope: billing.Scope{Kind: billing.KindDisk, Region: "cn-beijing"}, CompleteAt: wednesday, TriedAt: wednesday, LeftOut: 1900},
		billing.Reading{Of: billing.ReadInventory, Scope: billing.Scope{Kind: billing.KindInstance, Region: "cn-beijing"}, CompleteAt: wednesday, TriedAt: wednesday, LeftOut: 400},
		billing.Reading{Of: billing.ReadInventory, Scope: billing.Scope{Kind: billing.KindInstance, Region: "cn-shanghai"}, CompleteAt: wednesday, TriedAt: wednesday, LeftOut: 10})
	for _, line := range []string{"list", "status"} {
		a, en := askView(t, "en", line, v)
		_, zh := askView(t, "zh", line, v)
		if want := "2,310 other things, not watched (machine 410, disk 1,900)"; strings.Count(en, want) != 1 || strings.Count(en, "not watched") != 1 {
			t.Errorf("%s lacks %q, once:\n%s", line, want, en)
		}
		if want := "另有 2,310 项不在关注范围内"; strings.Count(zh, want) != 1 {
			t.Errorf("%s lacks %q:\n%s", line, want, zh)
		}
		data, _ := json.Marshal(a.Data)
		if want := `"not_watched":[{"account":"cloud-a","kind":"disk","region":"cn-beijing","project":"","count":1900},`; !strings.Contains(string(data), want) {
			t.Errorf("%s: the data lack %s: %s", line, want, data)
		}
	}
	if _, en := askView(t, "en", "list", view()); strings.Contains(en, "not watched") {
		t.Errorf("nothing was left out:\n%s", en)
	}
}
