// Package webhook delivers letters to any program of the team's own, signed, so that it can tell them from a stranger's.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/hook"
	"gpuspend/notify/markup"
)

// Hook is one address. Secret signs every body; without one nothing can be sent.
type Hook struct {
	URL, Secret billing.Secret
	Client      *http.Client
	Now         func() time.Time
}

// Check says what is wrong with the hook's configuration.
func (h Hook) Check() error {
	if h.Secret.Empty() {
		return fmt.Errorf("a webhook needs a secret, by which its receiver knows that a message is ours")
	}
	return h.door().Check()
}

func (h Hook) door() hook.Door {
	return hook.Door{Op: "webhook: send", URL: h.URL, Client: h.Client, Now: h.Now}
}

// Event is the body of a request. Its id is the same at every attempt, so that a receiver takes it once; About is the
// same for all events about one thing, and Update says that the event replaces an earlier one about it.
type Event struct {
	ID      string         `json:"id"`
	About   string         `json:"about"`
	Update  bool           `json:"update"`
	SentAt  time.Time      `json:"sent_at"` // UTC
	Lang    string         `json:"lang"`
	Push    string         `json:"push"` // the first line
	Text    string         `json:"text"` // all of it, plain
	Message notify.Message `json:"message"`
}

// Deliver posts a letter with the headers Gpuspend-Event (its id), Gpuspend-Timestamp (Unix seconds) and
// Gpuspend-Signature: "v1=" and the hex of HMAC-SHA256(secret, timestamp "." body). A receiver should refuse timestamps
// more than five minutes off and ids it has seen. Edits are events too.
func (h Hook) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	now := h.Now()
	e := Event{ID: id(l), About: l.Fingerprint, Update: l.Edits != "", SentAt: now.UTC(), Lang: l.Route.Lang,
		Push: l.Message.Push, Text: markup.Text(l.Message, markup.Plain(), 0), Message: plain(l.Message)}
	body, err := json.Marshal(e)
	if err != nil {
		return "", h.door().Fault(billing.Invalid, "write the message: "+err.Error())
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	header := http.Header{"Gpuspend-Event": {e.ID}, "Gpuspend-Timestamp": {stamp}, "Gpuspend-Signature": {Sign(h.Secret, stamp, body)}}
	if _, err := h.door().PostBytes(ctx, body, header, nil); err != nil {
		return "", err
	}
	if l.Edits != "" {
		return l.Edits, nil
	}
	return e.ID, nil
}

// Sign is the signature of a body sent at a time (Unix seconds).
func Sign(secret billing.Secret, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

func id(l notify.Letter) string { return "letter-" + strconv.FormatInt(l.ID, 10) }

// plain takes the marks out of a message, which mean something to this program alone.
func plain(m notify.Message) notify.Message {
	out := notify.Message{Push: m.Push}
	for _, b := range m.Blocks {
		b.Text = notify.Rich(b.Text.String())
		if b.Table != nil {
			t := notify.Table{Columns: b.Table.Columns, Rows: cells(b.Table.Rows), Foot: cells(b.Table.Foot)}
			b.Table = &t
		}
		out.Blocks = append(out.Blocks, b)
	}
	return out
}

func cells(rows [][]notify.Rich) [][]notify.Rich {
	var out [][]notify.Rich
	for _, r := range rows {
		row := make([]notify.Rich, len(r))
		for i, c := range r {
			row[i] = notify.Rich(c.String())
		}
		out = append(out, row)
	}
	return out
}
