package wecom

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/notifytest"
)

const key = "693a91f6-secret-4bc4"

// answers are WeCom's: refusals come with status 200.
func answers(a notifytest.Answer) (int, string) {
	switch a {
	case notifytest.Limited:
		return 200, `{"errcode":45009,"errmsg":"api freq out of limit, key=` + key + `"}`
	case notifytest.Broken:
		return 503, "<html>"
	case notifytest.Gone:
		return 200, `{"errcode":93008,"errmsg":"not in chat"}`
	case notifytest.Revoked:
		return 200, `{"errcode":93000,"errmsg":"invalid webhook url, key=` + key + `"}`
	}
	return 200, `{"errcode":0,"errmsg":"ok"}`
}

func read(_ *http.Request, body []byte) notifytest.Seen {
	var m struct {
		Type     string `json:"msgtype"`
		Markdown struct{ Content string }
	}
	if json.Unmarshal(body, &m) != nil || m.Type != "markdown" {
		return notifytest.Seen{}
	}
	text := m.Markdown.Content
	return notifytest.Seen{Text: text, Pings: strings.Contains(text, "<@") || strings.Contains(string(body), "mentioned")}
}

func start(t *testing.T) notifytest.Fixture {
	s := notifytest.Serve(t, answers, read)
	return notifytest.Fixture{Receiver: Robot{URL: billing.NewSecret(s.URL + "/cgi-bin/webhook/send?key=" + key), Now: time.Now},
		Target: "", Answer: s.Answer, Seen: s.Seen, Secrets: []string{key}, MaxBytes: limit}
}

func TestReceiver(t *testing.T) { notifytest.Run(t, start) }

func TestAnAddressIsCheckedWithoutShowingIt(t *testing.T) {
	err := Robot{URL: billing.NewSecret("qyapi/send?key=" + key)}.Check()
	if err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("%v", err)
	}
}

// An answer that is no WeCom answer is no delivery, although its status is 200: a captive portal, a proxy's page.
func TestAPageIsNoDelivery(t *testing.T) {
	s := notifytest.Serve(t, func(notifytest.Answer) (int, string) { return 200, "<html>log in</html>" }, read)
	_, err := Robot{URL: billing.NewSecret(s.URL), Now: time.Now}.Deliver(t.Context(), notifytest.Letter(""))
	if billing.KindOf(err) != billing.Upstream {
		t.Errorf("%v", err)
	}
}

// The robot's message has no buttons: links stay, and what can only be pressed elsewhere is left out.
func TestWhatPeopleRead(t *testing.T) {
	f := start(t)
	l := notifytest.Letter("")
	l.Message.Blocks = append(l.Message.Blocks, notify.Section(notify.Plain("# no <@all> heading [x](y) **b**")))
	if _, err := f.Receiver.Deliver(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	want := "**🔴 RunPod runs dry at 06:43, before work starts. $22.85 short of 10:00.**\n" +
		"**runpod-main**   balance **$38.40**\n" +
		"Balance read 01:12.\n" +
		"\u200b# no <\u200b@all> heading [x]\u200b(y) *\u200b*b*\u200b*\n" +
		"[Top up ↗](https://console.example/billing) · I'm on it `/gpu take a-6rt8`"
	if got := f.Seen()[0].Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
