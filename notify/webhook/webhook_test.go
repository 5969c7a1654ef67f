package webhook

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify/notifytest"
)

const secret = "whsec-1234"

func answers(a notifytest.Answer) (int, string) {
	switch a {
	case notifytest.Limited:
		return 429, ""
	case notifytest.Broken:
		return 503, ""
	case notifytest.Gone:
		return 410, ""
	case notifytest.Revoked:
		return 401, "bad signature " + secret
	}
	return 204, ""
}

func now() time.Time { return time.Date(2026, 12, 1, 1, 12, 0, 0, time.UTC) }

// read refuses what is not signed, as a receiver should.
func read(r *http.Request, body []byte) notifytest.Seen {
	stamp := r.Header.Get("Gpuspend-Timestamp")
	if stamp != "1796087520" || r.Header.Get("Gpuspend-Signature") != Sign(billing.NewSecret(secret), stamp, body) {
		return notifytest.Seen{Text: "not signed"}
	}
	var e Event
	if json.Unmarshal(body, &e) != nil || e.ID != r.Header.Get("Gpuspend-Event") {
		return notifytest.Seen{Text: "no event"}
	}
	return notifytest.Seen{Text: e.Text, Edits: e.Update}
}

func start(t *testing.T) notifytest.Fixture {
	s := notifytest.Serve(t, answers, read)
	return notifytest.Fixture{Receiver: Hook{URL: billing.NewSecret(s.URL + "/in/k-7788"), Secret: billing.NewSecret(secret), Now: now},
		Answer: s.Answer, Seen: s.Seen, Secrets: []string{secret, "k-7788"}, Edits: true}
}

func TestReceiver(t *testing.T) { notifytest.Run(t, start) }

// Computed apart with openssl: HMAC-SHA256 of "1796087520.{}" under the secret.
func TestSign(t *testing.T) {
	if got := Sign(billing.NewSecret(secret), "1796087520", []byte("{}")); got != "v1=44767dce25fd84fafeb5ffc90d9516d2a509502b05b68ed74fc35e3c55e44899" {
		t.Error(got)
	}
}

// The same letter has the same id at every attempt; marks that mean something to this program alone don't leave it.
func TestEvent(t *testing.T) {
	var bodies []string
	s := notifytest.Serve(t, answers, func(r *http.Request, body []byte) notifytest.Seen {
		bodies = append(bodies, string(body))
		return read(r, body)
	})
	h := Hook{URL: billing.NewSecret(s.URL), Secret: billing.NewSecret(secret), Now: now}
	l := notifytest.Letter("")
	for range 2 {
		if _, err := h.Deliver(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		l.Tries++
	}
	if bodies[0] != bodies[1] || !strings.Contains(bodies[0], `"id":"letter-7"`) || !strings.Contains(bodies[0], `"about":"balance/2"`) {
		t.Error(bodies)
	}
	if strings.ContainsAny(bodies[0], "\ue000\ue001\ue002\ue003\ue004\ue005\ue006") {
		t.Error("marks left the program")
	}
}

func TestAHookNeedsASecret(t *testing.T) {
	if err := (Hook{URL: billing.NewSecret("https://example.com/x")}).Check(); err == nil {
		t.Error("a hook without a secret is accepted")
	}
}
