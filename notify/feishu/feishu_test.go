package feishu

import (
	"encoding/json"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/notifytest"
)

const token, secret = "fs-hook-9c1e", "fs-secret-77"

func answers(a notifytest.Answer) (int, string) {
	switch a {
	case notifytest.Limited:
		return 429, `{"code":11232,"msg":"frequency limited"}`
	case notifytest.Broken:
		return 502, "<html>bad gateway</html>"
	case notifytest.Gone:
		return 200, `{"code":230002,"msg":"The bot can not be outside the group"}`
	case notifytest.Revoked:
		return 200, `{"code":19001,"msg":"param invalid: incoming webhook access token invalid: ` + token + `"}`
	}
	return 200, `{"code":0,"msg":"success","data":{}}`
}

type card struct {
	Type      string `json:"msg_type"`
	Timestamp string
	Sign      string
	Card      struct {
		Header struct {
			Template string
			Title    struct{ Tag, Content string }
		}
		Elements []struct{ Text struct{ Tag, Content string } }
	}
}

func read(_ *http.Request, body []byte) notifytest.Seen {
	var m card
	if json.Unmarshal(body, &m) != nil || m.Type != "interactive" || len(body) > 20<<10 {
		return notifytest.Seen{}
	}
	text := m.Card.Elements[0].Text.Content
	return notifytest.Seen{Text: m.Card.Header.Title.Content + "\n" + html.UnescapeString(text), Pings: strings.Contains(text, "<at")}
}

func start(t *testing.T) notifytest.Fixture {
	s := notifytest.Serve(t, answers, read)
	return notifytest.Fixture{Receiver: Bot{URL: billing.NewSecret(s.URL + "/open-apis/bot/v2/hook/" + token),
		Secret: billing.NewSecret(secret), Now: time.Now}, Answer: s.Answer, Seen: s.Seen, Secrets: []string{token, secret}, MaxBytes: 20 << 10}
}

func TestReceiver(t *testing.T) { notifytest.Run(t, start) }

// The signature of Feishu's guide: base64(HMAC-SHA256(key = timestamp "\n" secret, nothing)), computed apart with openssl.
func TestSignature(t *testing.T) {
	if got := signature("1599360473", billing.NewSecret("demo")); got != "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=" {
		t.Errorf("%s", got)
	}
}

func TestACardCallsNobodyAndHasItsColour(t *testing.T) {
	f := start(t)
	l := notifytest.Letter("")
	l.Message.Blocks = append(l.Message.Blocks, notify.Section(notify.Code("<at id=all></at> &#60;at")))
	if _, err := f.Receiver.Deliver(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	seen := f.Seen()[0]
	if seen.Pings || !strings.Contains(seen.Text, "<at id=all></at> &#60;at") {
		t.Errorf("%+v", seen)
	}
	if c := colour(l.Message.Push); c != "red" {
		t.Errorf("colour %s", c)
	}
}
