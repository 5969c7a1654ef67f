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
	r := newRig(t, Config{Accounts: toyAccounts("lab"), Language: "zh", Hours: HoursConfig{Quiet: "none"},
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

// A route hears of its accounts and rules alone; what another could not take goes to the fallback, with where it came from.
func TestRoutesAndTheFallback(t *testing.T) {
	heard := map[string]*notifytest.Service{}
	config := Config{Accounts: toyAccounts("lab", "prod"), Hours: HoursConfig{Quiet: "none"}, Receivers: map[string]ReceiverConfig{}}
	for _, name := range []string{"all", "prod-only", "balance-only", "dead", "last"} {
		heard[name] = notifytest.Serve(t, func(a notifytest.Answer) (int, string) {
			if a == notifytest.Gone {
				return 200, `{"errcode":93008}`
			}
			return 200, `{"errcode":0}`
		}, func(_ *http.Request, body []byte) notifytest.Seen { return notifytest.Seen{Text: string(body)} })
		t.Setenv("ROBOT_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_")), heard[name].URL)
		config.Receivers[name] = ReceiverConfig{Kind: kindWeCom, URL: SecretConfig{Env: "ROBOT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}}
	}
	heard["dead"].Answer(notifytest.Gone)
	config.Routes = []RouteConfig{{To: "all"}, {To: "prod-only", Accounts: []string{"prod"}}, {To: "balance-only", Rules: []string{"balance"}},
		{To: "dead", Accounts: []string{"prod"}}, {To: "last", Fallback: true}}
	r := newRig(t, config)
	r.cloud.refuse("lab", true)
	r.cloud.refuse("prod", true)
	if err := r.Poll(t.Context()); err == nil {
		t.Fatal("no cloud refused")
	}
	for range 3 { // the copy for the fallback is written while the first letters leave
		if err := r.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"all": 2, "prod-only": 1, "balance-only": 0, "dead": 0, "last": 1} {
		if got := len(heard[name].Seen()); got != want {
			t.Errorf("%s heard %d messages, want %d", name, got, want)
		}
	}
	if last := heard["last"].Seen(); len(last) == 1 && (!strings.Contains(last[0].Text, "prod") || !strings.Contains(last[0].Text, "dead")) {
		t.Errorf("the fallback heard %s", last[0].Text)
	}
	if seen := heard["prod-only"].Seen(); len(seen) == 1 && strings.Contains(seen[0].Text, "lab") {
		t.Errorf("prod's own route heard %s", seen[0].Text)
	}
}

func TestRoutesAreChecked(t *testing.T) {
	t.Setenv("GOOD", "https://example.com/hook/k-9")
	c, err := ParseConfig([]byte(`
accounts: [{name: a, provider: vast, credentials: {read: {api_key: "${GOOD}"}}}]
receivers: {ops: {kind: wecom, url: "${GOOD}"}, two: {kind: wecom, url: "${GOOD}"}}
routes: [{to: ops, accounts: [b], rules: [balanc]}, {to: ops}, {to: two, fallback: true, urgent: true}]
`))
	if err != nil {
		t.Fatal(err)
	}
	p := c.Check(t.Context(), providers.All())
	for _, want := range []string{"routes[0].accounts[0]: no account has the name \"b\"", "routes[0].rules[0]: \"balanc\" is no warning; did you mean balance?",
		"routes[1].to: \"ops\" is where routes[0] leads too", "routes[2].fallback: a fallback hears all"} {
		if !strings.Contains(p.Error(), want) {
			t.Errorf("missing %q in\n%s", want, p)
		}
	}
}
