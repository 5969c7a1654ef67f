// Package dingtalk delivers letters to group robots of DingTalk (钉钉).
package dingtalk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/hook"
	"gpuspend/notify/markup"
)

// limit is the most that a message's text may have, in bytes: DingTalk takes 20,000 of the whole body.
const limit = 18000

// Robot is one custom robot. URL is its whole webhook address; Secret signs ("加签") and may be empty where the robot's
// safety is a keyword or an address list.
type Robot struct {
	URL, Secret billing.Secret
	Client      *http.Client
	Now         func() time.Time
}

// Check says what is wrong with the robot's configuration.
func (r Robot) Check() error { return r.door().Check() }

func (r Robot) door() hook.Door {
	return hook.Door{Op: "dingtalk: send", URL: r.URL, Client: r.Client, Now: r.Now}
}

// Deliver posts a letter as markdown. A robot can't edit: what replaces a message that was heard already is not said
// again, and its receipt stays the same.
func (r Robot) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	if l.Edits != "" {
		return l.Edits, nil
	}
	body := map[string]any{"msgtype": "markdown", "at": map[string]any{"isAtAll": false},
		"markdown": map[string]string{"title": l.Message.Push, "text": markup.Text(l.Message, style(), limit)}}
	answer, err := r.door().Post(ctx, body, nil, r.signature())
	if err != nil {
		return "", err
	}
	var a struct {
		Code *int `json:"errcode"`
	}
	if err := json.Unmarshal(answer, &a); err != nil || a.Code == nil {
		return "", r.door().Fault(billing.Upstream, "the answer is not DingTalk's")
	}
	if *a.Code != 0 {
		return "", r.door().Refusal(kinds(), *a.Code)
	}
	return fmt.Sprintf("dingtalk/%d", l.ID), nil
}

// signature is timestamp (milliseconds) and sign = base64(HMAC-SHA256(key secret, timestamp "\n" secret)), fresh for
// every request; it holds for an hour (open.dingtalk.com, custom robot, 加签).
func (r Robot) signature() url.Values {
	if r.Secret.Empty() {
		return nil
	}
	stamp := strconv.FormatInt(r.Now().UnixMilli(), 10)
	mac := hmac.New(sha256.New, []byte(r.Secret.Reveal()))
	mac.Write([]byte(stamp + "\n" + r.Secret.Reveal()))
	return url.Values{"timestamp": {stamp}, "sign": {base64.StdEncoding.EncodeToString(mac.Sum(nil))}}
}

// kinds sorts DingTalk's error codes of custom robots.
func kinds() map[int]billing.ErrorKind {
	return map[int]billing.ErrorKind{
		-1:     billing.Upstream, // system busy
		410100: billing.Limited,  // too fast
		130101: billing.Limited,  // more than 20 messages a minute
		300001: billing.Auth,     // no such token
		400101: billing.Auth,
		310000: billing.Auth,                                                      // signature, keyword or address refused
		400102: billing.Missing, 400105: billing.Invalid, 400106: billing.Missing, // robot stopped; unknown type; no such robot
		40035: billing.Invalid, 43004: billing.Invalid,
	}
}

// style is DingTalk's markdown: a line needs an empty one after it, and a backslash keeps a sign from formatting.
// People are called only by the field "at", never by text.
func style() markup.Style {
	escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "~", `\~`, ">", `\>`)
	return markup.Style{
		Bold:   func(s string) string { return "**" + s + "**" },
		Code:   func(s string) string { return s },
		Link:   func(text, url string) string { return "[" + text + "](" + url + ")" },
		Escape: escape.Replace,
		Break:  "\n\n", Rule: "---",
	}
}
