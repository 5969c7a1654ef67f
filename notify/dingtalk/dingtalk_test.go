package dingtalk

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify/notifytest"
)

const token, secret = "dd-token-1f3a", "SEC-ding-42"

func answers(a notifytest.Answer) (int, string) {
	switch a {
	case notifytest.Limited:
		return 200, `{"errcode":130101,"errmsg":"send too fast, exceed 20 times per minute"}`
	case notifytest.Broken:
		return 503, ""
	case notifytest.Gone:
		return 200, `{"errcode":400102,"errmsg":"机器人已停用"}`
	case notifytest.Revoked:
		return 200, `{"errcode":310000,"errmsg":"sign not match, token ` + token + `"}`
	}
	return 200, `{"errcode":0,"errmsg":"ok"}`
}

func read(_ *http.Request, body []byte) notifytest.Seen {
	var m struct {
		Markdown struct{ Title, Text string }
		At       struct {
			All     bool     `json:"isAtAll"`
			Mobiles []string `json:"atMobiles"`
		}
	}
	if json.Unmarshal(body, &m) != nil || m.Markdown.Title == "" {
		return notifytest.Seen{}
	}
	return notifytest.Seen{Text: shown(m.Markdown.Text), Pings: m.At.All || len(m.At.Mobiles) > 0}
}

// shown is what DingTalk shows of escaped text.
func shown(s string) string {
	return strings.NewReplacer(`\*`, "*", `\_`, "_", "\\`", "`", `\[`, "[", `\]`, "]", `\<`, "<", `\#`, "#", `\~`, "~", `\>`, ">", `\\`, `\`).Replace(s)
}

func start(t *testing.T) notifytest.Fixture {
	s := notifytest.Serve(t, answers, read)
	return notifytest.Fixture{Receiver: Robot{URL: billing.NewSecret(s.URL + "/robot/send?access_token=" + token),
		Secret: billing.NewSecret(secret), Now: time.Now}, Answer: s.Answer, Seen: s.Seen, Secrets: []string{token, secret}, MaxBytes: 20000}
}

func TestReceiver(t *testing.T) { notifytest.Run(t, start) }

// The signature of DingTalk's guide: base64(HMAC-SHA256(key = secret, timestamp "\n" secret)), computed apart with
// openssl for this secret and time.
func TestSignature(t *testing.T) {
	at := func() time.Time { return time.UnixMilli(1577262236757) }
	q := Robot{Secret: billing.NewSecret("this is secret"), Now: at}.signature()
	if q.Get("timestamp") != "1577262236757" || q.Get("sign") != "hmPWwU+7lVdm3ZZz0r9tSfx0L4Q26jWOZr9+Gs6EZQM=" {
		t.Errorf("%v", q)
	}
	if (Robot{Now: at}).signature() != nil {
		t.Error("a robot without a secret signs")
	}
}

// The query keeps the token that the address came with.
func TestTheTokenStays(t *testing.T) {
	s := notifytest.Serve(t, answers, read)
	r := Robot{URL: billing.NewSecret(s.URL + "/robot/send?access_token=" + token), Secret: billing.NewSecret(secret), Now: time.Now}
	if _, err := r.Deliver(t.Context(), notifytest.Letter("")); err != nil {
		t.Fatal(err)
	}
	q := s.Last().URL.Query()
	if q.Get("access_token") != token || q.Get("sign") == "" || q.Get("timestamp") == "" {
		t.Errorf("%v", q)
	}
}
