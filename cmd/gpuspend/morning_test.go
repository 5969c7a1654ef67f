package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gpuspend/notify/notifytest"
)

// hears is a rig whose routes lead to robots that remember what they heard.
func hears(t *testing.T, c Config, names ...string) (*rig, map[string]*notifytest.Service) {
	t.Helper()
	heard := map[string]*notifytest.Service{}
	c.Receivers = map[string]ReceiverConfig{}
	for _, name := range names {
		heard[name] = notifytest.Serve(t, func(notifytest.Answer) (int, string) { return 200, `{"errcode":0}` },
			func(_ *http.Request, body []byte) notifytest.Seen { return notifytest.Seen{Text: string(body)} })
		t.Setenv("ROBOT_"+strings.ToUpper(name), heard[name].URL)
		c.Receivers[name] = ReceiverConfig{Kind: kindWeCom, URL: SecretConfig{Env: "ROBOT_" + strings.ToUpper(name)}}
	}
	return newRig(t, c), heard
}

// One digest a working day and route, from the start of work, late after an outage, never twice, never at the weekend;
// Monday's covers Friday to Sunday. The clocks change on 29 March 2026 in Berlin.
func TestDigestOncePerWorkingDay(t *testing.T) {
	r, heard := hears(t, Config{Zone: "Europe/Berlin", Accounts: toyAccounts("lab", "prod"), Routes: []RouteConfig{{To: "all"}, {To: "prod", Accounts: []string{"prod"}},
		{To: "loud", Urgent: true}, {To: "asked", Rules: []string{"balance"}, Digest: "on"}, {To: "off", Digest: "off"}}}, "all", "prod", "loud", "asked", "off")
	at := func(s string) {
		t.Helper()
		day, err := time.ParseInLocation("2006-01-02 15:04", s, r.Desk().Zone)
		if err != nil {
			t.Fatal(err)
		}
		r.at = day
		for range 3 {
			if err := r.Morning(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := r.Deliver(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	at("2026-03-26 12:00")
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"2026-03-27 09:59", "2026-03-27 10:00", "2026-03-27 15:00", "2026-03-28 10:00", "2026-03-29 10:00", "2026-03-30 09:30",
		"2026-03-30 19:59", "2026-03-31 20:00", "2026-04-01 10:05"} {
		at(s)
	}
	for name, want := range map[string]int{"all": 4, "prod": 4, "loud": 0, "asked": 4, "off": 0} { // 26, 27, 30 March, 1 April
		if got := len(heard[name].Seen()); got != want {
			t.Errorf("%s heard %d digests, want %d", name, got, want)
		}
	}
	seen := heard["all"].Seen()
	for i, want := range []string{"Thu 26 Mar", "Fri 27 Mar", "Mon 30 Mar", "Wed 1 Apr"} {
		if !strings.Contains(seen[i].Text, want) {
			t.Errorf("digest %d lacks %q: %s", i, want, seen[i].Text)
		}
	}
	if monday := seen[2].Text; !strings.Contains(monday, "27 Mar") || !strings.Contains(monday, "29 Mar") {
		t.Errorf("Monday's digest does not cover Friday to Sunday: %s", monday)
	}
	if prod := heard["prod"].Seen()[3].Text; strings.Contains(prod, "lab") || !strings.Contains(prod, "prod") {
		t.Errorf("prod's digest says: %s", prod)
	}
}
