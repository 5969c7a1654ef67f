package bot

import (
	"slices"
	"strings"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// lacks says that an account's cloud is known not to offer something: there is nothing to wait for.
func lacks(a notify.AccountView, c billing.Capability) bool {
	return polled(a) && a.Driver.Claims[c].Can == billing.No
}

// notOffered lists what the clouds of some accounts do not offer, for --json.
func notOffered(accounts []notify.AccountView, of ...billing.Capability) []NotOffered {
	out := []NotOffered{}
	for _, a := range accounts {
		for _, c := range of {
			if lacks(a, c) {
				out = append(out, NotOffered{Account: a.Name, Cloud: cloud(a), What: c, Why: a.Driver.Claims[c].Note})
			}
		}
	}
	return out
}

// notOfferedLines says it to people, once a cloud and not once an account: "Not offered by Lambda: balance (…)". The
// notes of the claims are English.
func notOfferedLines(p words.Printer, accounts []notify.AccountView, of ...billing.Capability) []notify.Rich {
	var out []notify.Rich
	for _, c := range of {
		var said []string
		for _, a := range accounts {
			if name := cloud(a); lacks(a, c) && !slices.Contains(said, name) {
				said = append(said, name)
				out = append(out, p.Rich("bot.absent.line", "cloud", name, "what", p.Text("bot.can."+string(c)),
					"why", strings.TrimRight(a.Driver.Claims[c].Note, ".")))
			}
		}
	}
	return out
}
