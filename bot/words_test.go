package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/bot"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// "A100" means every A100, whatever its memory, and no A10.
func TestAModelWithoutItsMemoryMeansAll(t *testing.T) {
	v := view()
	big, small := holding(8, 1, "r-big8", billing.KindInstance, "train-80", billing.StateRunning, cny("20"), day), holding(9, 1, "r-sm40", billing.KindInstance, "train-40", billing.StateRunning, cny("12"), day)
	big.GPU, small.GPU = billing.GPU{Model: "A100-80G", Count: billing.DecimalFromInt(8)}, billing.GPU{Model: "A100-40G", Count: billing.DecimalFromInt(1)}
	v.Accounts[0].Holdings = append(v.Accounts[0].Holdings, big, small)
	for line, want := range map[string][]string{"list A100": {"train-80", "train-40"}, "list a100-40g": {"train-40"}, "list A10": {"infer-a10-2"}} {
		_, shown := askView(t, "en", line, v)
		for _, name := range []string{"train-80", "train-40", "infer-a10-2"} {
			wanted := strings.Contains(strings.Join(want, " "), name)
			if got := strings.Contains(shown, name); got != wanted {
				t.Errorf("%s: %s shown %t, want %t", line, name, got, wanted)
			}
		}
	}
}

// A plural is its word, and a slip in another word for a cut is put right.
func TestCutsInOtherWords(t *testing.T) {
	in := install(t)
	for _, line := range []string{"cost by kinds", "cost by providers", "cost by machines"} {
		if _, err := in.Desk.Ask(t.Context(), bot.Request{Words: strings.Fields(line), Person: viewer()}); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	_, err := in.Desk.Ask(t.Context(), bot.Request{Words: strings.Fields("cost by machne"), Person: viewer()})
	if err == nil || !strings.Contains(err.Error(), "cost by machine") {
		t.Errorf("no suggestion: %v", err)
	}
}

// A bill knows ids alone: the table says the names that the inventory has for them.
func TestCostByResourceSaysNames(t *testing.T) {
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	d := &bot.Desk{Words: book, Lang: "en", Zone: shanghai, Now: func() time.Time { return wednesday }, Book: byID{},
		Look: func(context.Context) (notify.View, error) { return view(), nil }}
	a, err := d.Ask(t.Context(), bot.Request{Words: strings.Fields("cost by resource"), Local: true})
	if err != nil {
		t.Fatal(err)
	}
	shown := bot.Plain(a.Message, 200)
	contains(t, shown, "infer-a10-2 (id-infer-a10-2)", "i-unknown")
}

// byID is a bill of two things, of which one is in the inventory.
type byID struct{ noBook }

func (byID) Billed(context.Context, ledger.Question) ([]ledger.Row, bool, error) {
	return []ledger.Row{{Keys: []string{"id-infer-a10-2"}, Currency: "CNY", Billed: cny("4")}, {Keys: []string{"i-unknown"}, Currency: "CNY", Billed: cny("2")}}, false, nil
}

// A line to type stands behind the colon of its language.
func TestPlainColons(t *testing.T) {
	m := notify.Message{Push: "x", Blocks: []notify.Block{notify.Actions(
		notify.Button{Label: "去充值", URL: "https://cloud.example/pay"}, notify.Button{Label: "Top up", URL: "https://cloud.example/pay"})}}
	contains(t, bot.Plain(m, 100), "去充值：https://cloud.example/pay", "Top up: https://cloud.example/pay")
}

// One account that can't be read among others that can is not calm, and imported bills alone are no inventory.
func TestPartlyBlindAndImportOnly(t *testing.T) {
	dark := view()
	dark.Accounts = dark.Accounts[1:2]
	dark.Accounts[0].Holdings = nil
	dark.Accounts[0].Balance.Mode = billing.Postpaid
	dark.Accounts[0].Readings = append(dark.Accounts[0].Readings,
		billing.Reading{Of: billing.ReadInventory, Scope: billing.Scope{Kind: billing.KindSnapshot, Region: "cn-beijing"}, TriedAt: wednesday, ErrorKind: billing.Denied, FailingSince: wednesday})
	for _, lang := range words.Languages() {
		for _, line := range []string{"status", "list", "forgotten", "expiring"} {
			a, shown := askView(t, lang, line, dark)
			if strings.Contains(shown, "✅") || len(a.Warnings) == 0 || !strings.Contains(shown, "cn-beijing") {
				t.Errorf("%s %s of an account that is partly blind: %q\n%s", lang, line, a.Warnings, shown)
			}
		}
	}
	imported := view()
	imported.Accounts = imported.Accounts[2:]
	for _, line := range []string{"status", "list", "balance", "forgotten", "expiring"} {
		a, shown := askView(t, "en", line, imported)
		if !a.Failed && line != "cost" || !strings.Contains(shown, "imported bills only") || strings.Contains(shown, "✅") {
			t.Errorf("%s of imported bills: failed %t\n%s", line, a.Failed, shown)
		}
		if data := dump(t, a.Data); line == "status" && (!strings.Contains(data, `"running":null`) || !strings.Contains(data, `"expiring":null`)) {
			t.Errorf("status counts what nobody can see: %s", data)
		}
	}
}
