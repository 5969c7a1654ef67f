package slack_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"
)

// signed makes a request as Slack signs it.
func signed(secret, body, kind string, at time.Time) (string, map[string]string) {
	ts := fmt.Sprint(at.Unix())
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + ts + ":" + body))
	return body, map[string]string{"Content-Type": kind, "X-Slack-Request-Timestamp": ts, "X-Slack-Signature": "v0=" + hex.EncodeToString(mac.Sum(nil))}
}

func (b *lab) posts(body string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/slack", strings.NewReader(body))
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	b.bot.Handler().ServeHTTP(w, r)
	return w
}

const formType = "application/x-www-form-urlencoded"

func commandBody() string {
	return url.Values{"command": {"/gpu"}, "text": {"help"}, "user_id": {"U0OP"}, "team_id": {"T0LOCAL"}, "channel_id": {"C0OPS"}, "trigger_id": {"1.2.3"}}.Encode()
}

// Only what Slack signed within the last five minutes is taken in.
func TestSignature(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		now := time.Now()
		for _, c := range []struct {
			name   string
			secret string
			at     time.Time
			want   int
		}{
			{"good", signing, now, 200},
			{"4 min old", signing, now.Add(-4 * time.Minute), 200},
			{"6 min old", signing, now.Add(-6 * time.Minute), 401},
			{"of a clock 10 min ahead", signing, now.Add(10 * time.Minute), 401},
			{"of somebody else", "another", now, 401},
		} {
			body, header := signed(c.secret, commandBody(), formType, c.at)
			if w := b.posts(body, header); w.Code != c.want || w.Body.Len() > 0 && c.want == 200 {
				t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
			}
		}
		body, header := signed(signing, commandBody(), formType, now)
		if w := b.posts(body+"&user_id=U0X", header); w.Code != 401 {
			t.Errorf("a changed body: %d", w.Code)
		}
		if w := b.posts(commandBody(), map[string]string{"Content-Type": formType}); w.Code != 401 {
			t.Errorf("unsigned: %d", w.Code)
		}
		m := b.said(t, "C0OPS", 1)[0]
		contains(t, shown(m), "What I understand")
		time.Sleep(time.Minute)
		if n := len(b.Messages("C0OPS")); n != 1 {
			t.Errorf("one trigger was answered %d times", n)
		}
	})
}

func TestChallenge(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		body, header := signed(signing, `{"type":"url_verification","challenge":"3eZb"}`, "application/json", time.Now())
		if w := b.posts(body, header); w.Code != 200 || w.Body.String() != "3eZb" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

// A form sent back over HTTP gets its errors in the answer.
func TestSubmissionOverHTTP(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		view := map[string]any{"id": "V1", "callback_id": "release", "private_metadata": `{"r":1,"h":"r-7k2f","f":"fp","p":{"Channel":"C0OPS"}}`,
			"blocks": []any{}, "state": map[string]any{"values": map[string]any{"do": map[string]any{"do": map[string]any{"type": "radio_buttons",
				"selected_option": map[string]any{"value": "delete", "text": map[string]any{"type": "plain_text", "text": "x"}}}},
				"typed": map[string]any{"typed": map[string]any{"type": "plain_text_input", "value": "wrong"}}}}}
		payload := dump(t, map[string]any{"type": slackgo.InteractionTypeViewSubmission, "trigger_id": "9.9", "team": map[string]any{"id": "T0LOCAL"},
			"user": map[string]any{"id": "U0OP"}, "view": view})
		body, header := signed(signing, url.Values{"payload": {payload}}.Encode(), formType, time.Now())
		w := b.posts(body, header)
		contains(t, w.Body.String(), `"response_action":"errors"`, "type its name exactly: sft-07")
		if b.engine.ordered() != 0 {
			t.Error("ordered")
		}
	})
}

func TestGarbage(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		for kind, bodies := range map[string][]string{formType: {"", "payload=", "payload={", "a=b", "%zz"}, "application/json": {"", "{", "[]"}} {
			for _, body := range bodies {
				body, header := signed(signing, body, kind, time.Now())
				if w := b.posts(body, header); w.Code != 400 {
					t.Errorf("%q: %d", body, w.Code)
				}
			}
		}
	})
}
