package slack

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/slack-go/slack"

	"gpuspend/billing"
)

// failed classes an error of Slack's. The addresses of response URLs and links carry tickets: they fall out.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	out := &billing.Error{Kind: billing.Upstream, Op: op, Err: withoutAddress(err)}
	var limited *slack.RateLimitedError
	var answer slack.SlackErrorResponse
	var status slack.StatusCodeError
	switch {
	case errors.As(err, &limited):
		out.Kind, out.RetryAfter = billing.Limited, limited.RetryAfter
	case errors.As(err, &answer):
		out.Kind = kindOf(answer.Err)
		if len(answer.ResponseMetadata.Messages) > 0 {
			out.Err = fmt.Errorf("%s: %s", answer.Err, strings.Join(answer.ResponseMetadata.Messages, "; "))
		}
	case errors.As(err, &status):
		// the words beside the number are a proxy's as likely as Slack's, and proxies say back what they were sent
		out.Kind, out.Err = kindOfStatus(status.Code), fmt.Errorf("status %d", status.Code)
	case isCode(err.Error()): // slack-go gives some refusals as bare words
		out.Kind = kindOf(err.Error())
	}
	return out
}

func withoutAddress(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return fmt.Errorf("%s: %w", strings.ToLower(u.Op), u.Err)
	}
	return err
}

// isCode says that a text is one of Slack's words.
func isCode(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// kindOf classes Slack's words.
func kindOf(code string) billing.ErrorKind {
	switch code {
	case "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "not_allowed_token_type":
		return billing.Auth
	case "missing_scope", "no_permission", "restricted_action", "restricted_action_read_only_channel", "ekm_access_denied",
		"access_denied", "org_login_required", "team_access_not_granted":
		return billing.Denied
	case "channel_not_found", "is_archived", "not_in_channel", "user_not_found", "users_not_found", "message_not_found",
		"thread_not_found", "cannot_dm_bot", "user_disabled", "messages_tab_disabled", "cant_update_message", "edit_window_closed",
		"not_found", "view_not_found":
		return billing.Missing
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		return billing.Limited
	case "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org", "accesslimited":
		return billing.Upstream
	}
	return billing.Invalid
}

func kindOfStatus(code int) billing.ErrorKind {
	switch {
	case code == http.StatusTooManyRequests:
		return billing.Limited
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return billing.Auth
	case code == http.StatusNotFound || code == http.StatusGone:
		return billing.Missing
	case code >= 400 && code < 500:
		return billing.Invalid
	}
	return billing.Upstream
}

// said is Slack's own word for a refusal; "" for none.
func said(err error) string {
	var answer slack.SlackErrorResponse
	if errors.As(err, &answer) {
		return answer.Err
	}
	if err != nil && isCode(err.Error()) {
		return err.Error()
	}
	return ""
}

// refusesBlocks says that Slack took the message but not its blocks.
func refusesBlocks(err error) bool {
	switch said(err) {
	case "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "only_one_table_allowed", "invalid_attachments":
		return true
	}
	var status slack.StatusCodeError
	return errors.As(err, &status) && status.Code == http.StatusBadRequest // how a response URL says it
}
