// Package feishu delivers letters to custom bots of Feishu (飞书) and Lark.
package feishu

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/hook"
	"gpuspend/notify/markup"
)

// limit is the most that a card's text may have, in bytes: Feishu takes 20 KB of the whole body, in which Chinese text
// is as long and quotation marks are twice as long.
const limit = 15000

// Bot is one custom bot of a group. URL is its whole webhook address; Secret signs and may be empty where the bot's
// safety is a keyword or an address list.
type Bot struct {
	URL, Secret billing.Secret
	Client      *http.Client
	Now         func() time.Time
}

// Check says what is wrong with the bot's configuration.
func (b Bot) Check() error { return b.door().Check() }

func (b Bot) door() hook.Door {
	return hook.Door{Op: "feishu: send", URL: b.URL, Client: b.Client, Now: b.Now}
}

// Deliver posts a letter as a card. A custom bot can't edit: what replaces a message that was heard already is not said
// again, and its receipt stays the same.
func (b Bot) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	if l.Edits != "" {
		return l.Edits, nil
	}
	answer, err := b.door().Post(ctx, b.body(l.Message), nil, nil)
	if err != nil {
		return "", err
	}
	var a struct {
		Code *int `json:"code"`
	}
	if err := json.Unmarshal(answer, &a); err != nil || a.Code == nil {
		return "", b.door().Fault(billing.Upstream, "the answer is not Feishu's")
	}
	if *a.Code != 0 {
		return "", b.door().Refusal(kinds(), *a.Code)
	}
	return fmt.Sprintf("feishu/%d", l.ID), nil
}

// body is a card whose title is the first line, so that a locked phone shows it.
func (b Bot) body(m notify.Message) map[string]any {
	body := map[string]any{"msg_type": "interactive", "card": map[string]any{
		"config": map[string]any{"wide_screen_mode": true},
		"header": map[string]any{"template": colour(m.Push), "title": map[string]string{"tag": "plain_text", "content": m.Push}},
		"elements": []any{map[string]any{"tag": "div",
			"text": map[string]string{"tag": "lark_md", "content": markup.Fit(markup.Lines(m, style()), style(), limit)}}},
	}}
	if !b.Secret.Empty() {
		stamp := strconv.FormatInt(b.Now().Unix(), 10)
		body["timestamp"], body["sign"] = stamp, signature(stamp, b.Secret)
	}
	return body
}

// signature is base64(HMAC-SHA256(key timestamp "\n" secret, nothing)) with the timestamp in seconds; it holds for an
// hour (open.feishu.cn, custom bot guide).
func signature(stamp string, secret billing.Secret) string {
	mac := hmac.New(sha256.New, []byte(stamp+"\n"+secret.Reveal()))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// colour of a card's head, by the mark that a first line begins with.
func colour(push string) string {
	for mark, c := range map[string]string{"🔴": "red", "🟠": "orange", "🟡": "yellow", "🟢": "green"} {
		if strings.HasPrefix(push, mark) {
			return c
		}
	}
	return "blue"
}

// kinds sorts Feishu's error codes of custom bots.
func kinds() map[int]billing.ErrorKind {
	return map[int]billing.ErrorKind{
		9499:  billing.Limited, // too many requests
		11232: billing.Limited, // more than 100 a minute or 5 a second
		11247: billing.Upstream,
		19001: billing.Auth,                                                                             // the address is not, or no longer, a bot's
		19021: billing.Auth,                                                                             // the signature does not match, or our clock is an hour off
		19022: billing.Denied,                                                                           // address not in the list
		19024: billing.Denied,                                                                           // keyword missing
		19002: billing.Invalid, 19003: billing.Invalid, 10208: billing.Missing, 230002: billing.Missing, // stopped; not in the chat
	}
}

// style is Feishu's markdown of cards, where a sign's number in HTML keeps it from formatting or calling (<at id=all>).
func style() markup.Style {
	escape := strings.NewReplacer("&", "&#38;", "<", "&#60;", ">", "&#62;", "*", "&#42;", "_", "&#95;", "~", "&#126;", "`", "&#96;",
		"[", "&#91;", "]", "&#93;")
	return markup.Style{
		Bold:   func(s string) string { return "**" + s + "**" },
		Code:   func(s string) string { return s },
		Link:   func(text, url string) string { return "[" + text + "](" + url + ")" },
		Escape: escape.Replace,
	}
}
