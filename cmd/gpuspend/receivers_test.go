package main

import (
	"net/http"
	"strings"
	"testing"

	"gpuspend/billing/providers"
	"gpuspend/notify"
	"gpuspend/notify/notifytest"
)

// A robot of another chat alone is a full set-up: no Slack app is needed to be warned.
func TestARobotAloneIsEnough(t *testing.T) {
	s := notifytest.Serve(t, func(notifytest.Answer) (int, string) { return 200, `{"errcode":0}` },
		func(_ *http.Request, body []byte) notifytest.Seen { return notifytest.Seen{Text: string(body)} })
	t.Setenv("ROBOT", s.URL+"/cgi-bin/webhook/send?key=k-secret-1")
	r := newRig(t, Config{Accounts: toyAccounts("lab"), Language: "zh",
		Receivers: map[string]ReceiverConfig{"ops": {Kind: kindWeCom, URL: SecretConfig{Env: "ROBOT"}}}, Routes: []RouteConfig{{To: "ops"}}})
	r.cloud.refuse("lab", true)
	if err := r.Poll(t.Context()); err == nil {
		t.Fatal("the cloud did not refuse")
	}
	if err := r.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := s.Seen()
	if len(seen) != 1 || !strings.Contains(seen[0].Text, "lab") || !strings.Contains(seen[0].Text, "markdown") {
		t.Fatalf("%+v", seen)
	}
	if strings.Contains(r.log.String(), "k-secret-1") {
		t.Error("the log holds the key")
	}
}

func TestReceiversAreChecked(t *testing.T) {
	t.Setenv("GOOD", "https://example.com/hook/k-9")
	t.Setenv("BARE", "example.com/hook/k-9")
	c, err := ParseConfig([]byte(`
accounts: [{name: a, provider: vast, credentials: {read: {api_key: "${GOOD}"}}}]
receivers:
  slack: {kind: wecom, url: "${GOOD}"}
  robot: {kind: wecomm, url: "${GOOD}"}
  none: {kind: feishu}
  bare: {kind: dingtalk, url: "${BARE}"}
  lost: {kind: wecom, url: "${NO_SUCH_ENV}"}
  hook: {kind: webhook, url: "${GOOD}"}
  mail: {kind: email, server: "smtp.example.com:587", from: nobody}
  post: {kind: email, server: "smtp.example.com", from: bot@example.com}
  good: {kind: slack_webhook, url: "${GOOD}"}
routes: [{to: "nowhere"}, {to: "good:C1"}, {to: "post"}, {to: "post:me"}, {to: "slack:C0123"}, {to: "good"}, {to: "post:ops@example.com"}]
`))
	if err != nil {
		t.Fatal(err)
	}
	p := c.Check(t.Context(), providers.All())
	for _, want := range []string{
		"receivers.slack: slack is the Slack app", "receivers.robot.kind: \"wecomm\" is no kind", "receivers.none.url: a feishu needs its address",
		"receivers.bare: the address is no URL", "receivers.lost.url: the environment has no NO_SUCH_ENV", "receivers.hook: a webhook needs a secret",
		"receivers.mail: \"nobody\" is no sender", "routes[0].to: \"nowhere\" leads nowhere", "routes[1].to: \"good:C1\": a robot has one place",
		"routes[2].to: \"\" is no mail address", "routes[3].to: \"me\" is no mail address", "routes[4].to: a route to Slack needs slack.bot_token",
	} {
		if !strings.Contains(p.Error(), want) {
			t.Errorf("missing %q in\n%s", want, p)
		}
	}
	for _, not := range []string{"k-9", "receivers.good", "receivers.post", "routes[5]", "routes[6]"} {
		if strings.Contains(p.Error(), not) {
			t.Errorf("%q stands in\n%s", not, p)
		}
	}
}

// Each kind that the configuration knows opens, and speaks.
func TestEveryKindOpens(t *testing.T) {
	t.Setenv("U", "https://example.com/x")
	for _, kind := range []string{kindSlackWebhook, kindWeCom, kindDingTalk, kindFeishu, kindWebhook, kindEmail} {
		r, err := ReceiverConfig{Kind: kind, URL: SecretConfig{Env: "U"}}.open(t.Context(), speech{})
		if _, ok := r.(notify.Receiver); err != nil || !ok {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
