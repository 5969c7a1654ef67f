// Package wecom delivers letters to group robots of WeCom (企业微信).
package wecom

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/hook"
	"gpuspend/notify/markup"
)

// limit is the most that a markdown message may have, in bytes of UTF-8 (developer.work.weixin.qq.com/document/path/99110).
const limit = 4096

// Robot is one group robot. URL is its whole webhook address; Client may be nil.
type Robot struct {
	URL    billing.Secret
	Client *http.Client
	Now    func() time.Time
}

// Check says what is wrong with the robot's configuration.
func (r Robot) Check() error { return r.door().Check() }

func (r Robot) door() hook.Door {
	return hook.Door{Op: "wecom: send", URL: r.URL, Client: r.Client, Now: r.Now}
}

// Deliver posts a letter as markdown. A robot can't edit: what replaces a message that was heard already is not said
// again, and its receipt stays the same.
func (r Robot) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	if l.Edits != "" {
		return l.Edits, nil
	}
	body := map[string]any{"msgtype": "markdown", "markdown": map[string]string{"content": markup.Text(l.Message, style(), limit)}}
	answer, err := r.door().Post(ctx, body, nil, nil)
	if err != nil {
		return "", err
	}
	var a struct {
		Code *int   `json:"errcode"`
		Say  string `json:"errmsg"`
	}
	if err := json.Unmarshal(answer, &a); err != nil || a.Code == nil {
		return "", r.door().Fault(billing.Upstream, "the answer is not WeCom's")
	}
	if *a.Code != 0 {
		return "", r.door().Refusal(kinds(), *a.Code)
	}
	return fmt.Sprintf("wecom/%d", l.ID), nil
}

// kinds sorts WeCom's error codes (developer.work.weixin.qq.com/document/path/90313).
func kinds() map[int]billing.ErrorKind {
	return map[int]billing.ErrorKind{
		-1:    billing.Upstream, // system busy
		45009: billing.Limited,  // more than 20 messages a minute
		45033: billing.Limited,  // too many at once
		40001: billing.Auth,
		93000: billing.Auth,                                                    // the address is not, or no longer, a robot's
		93004: billing.Missing, 93006: billing.Missing, 93008: billing.Missing, // robot stopped, no such chat, robot not in it
		40058: billing.Invalid, 44004: billing.Invalid, 45002: billing.Invalid,
	}
}

// style is WeCom's markdown. It knows no escapes, so that what would format or ping (<@userid>) is broken by a
// character without width.
func style() markup.Style {
	const gap = "\u200b"
	broken := strings.NewReplacer("<", "<"+gap, "**", "*"+gap+"*", "](", "]"+gap+"(", "`", "ˋ")
	return markup.Style{
		Bold:   func(s string) string { return "**" + s + "**" },
		Code:   func(s string) string { return "`" + s + "`" },
		Link:   func(text, url string) string { return "[" + text + "](" + url + ")" },
		Escape: func(s string) string { return unquoted(broken.Replace(s), gap) },
	}
}

// unquoted keeps a name at the start of a line from being a heading or a quotation.
func unquoted(s, gap string) string {
	if strings.HasPrefix(s, "#") || strings.HasPrefix(s, ">") {
		return gap + s
	}
	return s
}
