package slack_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/bot/slack"
	"gpuspend/notify/notifytest"
	"gpuspend/notify/words"
)

const ticket = "T0/B0/hook-secret-1"

// said is how Slack's incoming webhooks answer: a word and a status.
func said(a notifytest.Answer) (int, string) {
	switch a {
	case notifytest.Limited:
		return 429, ""
	case notifytest.Broken:
		return 500, "rollup_error"
	case notifytest.Gone:
		return 410, "channel_is_archived"
	case notifytest.Revoked:
		return 403, "invalid_token"
	}
	return 200, "ok"
}

func arrived(_ *http.Request, body []byte) notifytest.Seen {
	var m struct {
		Text   string
		Blocks []json.RawMessage
	}
	if json.Unmarshal(body, &m) != nil || len(m.Blocks) == 0 {
		return notifytest.Seen{}
	}
	var all strings.Builder
	for _, b := range m.Blocks {
		all.Write(b)
	}
	text := strings.NewReplacer(`\u0026lt;`, "<", `\u0026gt;`, ">", `\u0026amp;`, "&", `\u2019`, "'").Replace(all.String())
	return notifytest.Seen{Text: m.Text + "\n" + text, Pings: strings.Contains(all.String(), `\u003c!channel`) || strings.Contains(all.String(), "<!channel")}
}

func TestIncomingWebhook(t *testing.T) {
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	notifytest.Run(t, func(t *testing.T) notifytest.Fixture {
		s := notifytest.Serve(t, said, arrived)
		return notifytest.Fixture{Receiver: slack.Incoming{URL: billing.NewSecret(s.URL + "/services/" + ticket), Words: book, Zone: time.UTC, Now: time.Now},
			Answer: s.Answer, Seen: s.Seen, Secrets: []string{ticket, "hook-secret-1"}}
	})
}

// Where Slack refuses the blocks, the words still arrive.
func TestIncomingWebhookRefusesBlocks(t *testing.T) {
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	refused := 0
	s := notifytest.Serve(t, func(notifytest.Answer) (int, string) {
		if refused++; refused <= 2 {
			return 400, "invalid_blocks"
		}
		return 200, "ok"
	}, func(_ *http.Request, body []byte) notifytest.Seen {
		bodies = append(bodies, string(body))
		return notifytest.Seen{}
	})
	_, err = slack.Incoming{URL: billing.NewSecret(s.URL), Words: book, Zone: time.UTC, Now: time.Now}.Deliver(t.Context(), notifytest.Letter(""))
	if err != nil || len(bodies) != 3 || !strings.Contains(bodies[len(bodies)-1], "runs dry at 06:43") || strings.Contains(bodies[len(bodies)-1], `"blocks"`) {
		t.Errorf("%v\n%s", err, bodies)
	}
}
