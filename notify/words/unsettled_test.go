package words

import (
	"strings"
	"testing"

	"gpuspend/notify/internal/scene"
	"gpuspend/notify/rules"
)

// Who divides the balance by the use must arrive at the end that is named: what is used and not taken off yet is said.
func TestBalanceSaysWhatIsNotTakenOffYet(t *testing.T) {
	v := scene.View(scene.Night(), scene.RunPod(scene.Night()))
	for unsettled, want := range map[string]bool{"0": false, "3.48": true} {
		v.Accounts[0].Outlook.Unsettled = scene.USD(unsettled)
		for _, f := range rules.All() {
			if f.Name != "balance" {
				continue
			}
			m, err := Writer{book(t)}.Write(v, English, f.Find(v)[:1])
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, b := range m.Blocks {
				text += b.Text.String() + "\n"
			}
			if strings.Contains(text, "$3.48 is used already but not taken off the balance yet") != want {
				t.Errorf("with %s not taken off:\n%s", unsettled, text)
			}
		}
	}
}
