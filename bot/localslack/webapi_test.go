package localslack_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"gpuspend/bot/localslack"
)

func button(label, action, value string) slack.Block {
	return slack.NewActionBlock("row", slack.NewButtonBlockElement(action, value, slack.NewTextBlockObject("plain_text", label, false, false)))
}

// say posts blocks as the app and returns the message's timestamp.
func (b *lab) say(t *testing.T, channel string, blocks ...slack.Block) string {
	t.Helper()
	_, ts, err := b.api.PostMessageContext(t.Context(), channel, slack.MsgOptionText("words", false), slack.MsgOptionBlocks(blocks...))
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

func TestAuth(t *testing.T) {
	b := open(t, options())
	a, err := b.api.AuthTestContext(t.Context())
	if err != nil || a.UserID != "U0BOT" || a.TeamID != "T0LOCAL" || a.BotID == "" {
		t.Errorf("auth.test: %+v, %v", a, err)
	}
	as := func(token string) *slack.Client {
		return slack.New(token, slack.OptionAPIURL(b.url+"/api/"), slack.OptionAppLevelToken(token))
	}
	_, err = as("xoxb-wrong").AuthTest()
	wantCode(t, err, "invalid_auth")
	_, err = as("").AuthTest()
	wantCode(t, err, "not_authed")
	_, err = as("xapp-test").AuthTest()
	wantCode(t, err, "not_allowed_token_type")
	_, _, err = as("xoxb-test").StartSocketModeContext(t.Context())
	wantCode(t, err, "not_allowed_token_type")
	r, err := http.PostForm(b.url+"/api/chat.unheardOf", url.Values{"token": {"xoxb-test"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		t.Errorf("content type %q", ct)
	}
}

func TestMessageLife(t *testing.T) {
	b := open(t, options())
	ctx := t.Context()
	meta := slack.SlackMetadata{EventType: "alert", EventPayload: map[string]any{"id": "B-214"}}
	_, ts, err := b.api.PostMessageContext(ctx, "C0OPS", slack.MsgOptionText("runs dry", false), slack.MsgOptionMetadata(meta))
	if err != nil {
		t.Fatal(err)
	}
	_, reply, err := b.api.PostMessageContext(ctx, "C0OPS", slack.MsgOptionText("in the thread", false), slack.MsgOptionTS(ts))
	if err != nil || reply <= ts {
		t.Fatalf("reply %s after %s: %v", reply, ts, err)
	}
	if _, _, _, err = b.api.UpdateMessageContext(ctx, "C0OPS", ts, slack.MsgOptionText("topped up", false)); err != nil {
		t.Fatal(err)
	}
	if err := b.api.AddReactionContext(ctx, "eyes", slack.NewRefToMessage("C0OPS", ts)); err != nil {
		t.Error(err)
	}
	wantCode(t, b.api.AddReactionContext(ctx, "eyes", slack.NewRefToMessage("C0OPS", ts)), "already_reacted")
	h, err := b.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{ChannelID: "C0OPS", IncludeAllMetadata: true})
	if err != nil || len(h.Messages) != 1 || h.Messages[0].Text != "topped up" || h.Messages[0].ReplyCount != 1 {
		t.Fatalf("history %+v, %v", h, err)
	}
	if h.Messages[0].Metadata.EventPayload["id"] != "B-214" {
		t.Errorf("an edit without metadata lost it: %+v", h.Messages[0].Metadata)
	}
	rs, _, _, err := b.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{ChannelID: "C0OPS", Timestamp: ts})
	if err != nil || len(rs) != 2 || rs[1].Text != "in the thread" {
		t.Errorf("replies %+v, %v", rs, err)
	}
	if link, err := b.api.GetPermalinkContext(ctx, &slack.PermalinkParameters{Channel: "C0OPS", Ts: ts}); err != nil || !strings.Contains(link, ts) {
		t.Errorf("permalink %q, %v", link, err)
	}
	if _, _, err := b.api.DeleteMessageContext(ctx, "C0OPS", reply); err != nil {
		t.Error(err)
	}
	m := b.Messages("C0OPS")
	if len(m) != 1 || !m[0].Edited || m[0].Edits != 1 || m[0].Reactions[0] != "eyes" {
		t.Errorf("messages %+v", m)
	}
}

func TestTextTakesBlocksAway(t *testing.T) {
	b := open(t, options())
	ts := b.say(t, "C0OPS", button("Go", "go", "1"))
	if _, _, _, err := b.api.UpdateMessageContext(t.Context(), "C0OPS", ts, slack.MsgOptionText("done", false)); err != nil {
		t.Fatal(err)
	}
	if m := b.Messages("C0OPS")[0]; len(m.Blocks) != 0 {
		t.Errorf("blocks left: %s", m.Blocks)
	}
}

func TestEphemeral(t *testing.T) {
	b := open(t, options())
	ts, err := b.api.PostEphemeralContext(t.Context(), "C0OPS", "U0LIN", slack.MsgOptionText("psst", false))
	if err != nil || ts == "" {
		t.Fatal(ts, err)
	}
	_, _, _, err = b.api.UpdateMessageContext(t.Context(), "C0OPS", ts, slack.MsgOptionText("x", false))
	wantCode(t, err, "message_not_found")
	_, err = b.api.PostEphemeralContext(t.Context(), "C0OPS", "U0NONE", slack.MsgOptionText("psst", false))
	wantCode(t, err, "user_not_in_channel")
	h, _ := b.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: "C0OPS"})
	if len(h.Messages) != 0 || b.Messages("C0OPS")[0].Ephemeral != "U0LIN" {
		t.Errorf("history %+v", h.Messages)
	}
}

func TestChannelErrors(t *testing.T) {
	b := open(t, options())
	post := func(ch string, o ...slack.MsgOption) error {
		_, _, err := b.api.PostMessage(ch, o...)
		return err
	}
	wantCode(t, post("C0NONE", slack.MsgOptionText("x", false)), "channel_not_found")
	wantCode(t, post("C0OPS", slack.MsgOptionText("", false)), "no_text")
	wantCode(t, post("C0OPS", slack.MsgOptionText("x", false), slack.MsgOptionTS("1.000001")), "thread_not_found")
	b.Archive("C0LOG")
	wantCode(t, post("C0LOG", slack.MsgOptionText("x", false)), "is_archived")
	b.Rename("C0OPS", "gpu-money")
	if c, err := b.api.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: "C0OPS"}); err != nil || c.Name != "gpu-money" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := b.Say(t.Context(), "U0LIN", "C0OPS", "mine", ""); err != nil {
		t.Fatal(err)
	}
	mine := b.Messages("C0OPS")[0].TS
	_, _, _, err := b.api.UpdateMessage("C0OPS", mine, slack.MsgOptionText("x", false))
	wantCode(t, err, "cant_update_message")
}

func TestDirectory(t *testing.T) {
	b := open(t, options())
	for id, is := range map[string]func(*slack.User) bool{
		"U0GUEST": func(u *slack.User) bool { return u.IsRestricted },
		"U0OUT":   func(u *slack.User) bool { return u.IsStranger && u.TeamID != "T0LOCAL" },
		"U0GONE":  func(u *slack.User) bool { return u.Deleted },
		"U0LIN":   func(u *slack.User) bool { return u.Locale == "zh-CN" && u.TZ == "Asia/Shanghai" },
	} {
		if u, err := b.api.GetUserInfo(id); err != nil || !is(u) {
			t.Errorf("%s: %+v, %v", id, u, err)
		}
	}
	if us, err := b.api.GetUsers(); err != nil || len(us) != 6 {
		t.Errorf("users.list: %d, %v", len(us), err)
	}
	if u, err := b.api.GetUserByEmail("Ada@example.com"); err != nil || u.ID != "U0ADA" {
		t.Errorf("lookup: %+v, %v", u, err)
	}
	_, err := b.api.GetUserByEmail("nobody@example.com")
	wantCode(t, err, "users_not_found")
	if gs, err := b.api.GetUserGroups(slack.GetUserGroupsOptionIncludeUsers(true)); err != nil || gs[0].Users[0] != "U0ADA" {
		t.Errorf("usergroups.list: %+v, %v", gs, err)
	}
	if ids, err := b.api.GetUserGroupMembers("S0CALL"); err != nil || len(ids) != 1 {
		t.Errorf("usergroups.users.list: %v, %v", ids, err)
	}
	c, _, _, err := b.api.OpenConversation(&slack.OpenConversationParameters{Users: []string{"U0LIN"}})
	if err != nil || c.ID != b.OpenDM("U0LIN") || !strings.HasPrefix(c.ID, "D") {
		t.Errorf("conversations.open: %+v, %v", c, err)
	}
	if ids, _, err := b.api.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: c.ID}); err != nil || len(ids) != 2 {
		t.Errorf("conversations.members: %v, %v", ids, err)
	}
	if cs, _, err := b.api.GetConversations(&slack.GetConversationsParameters{Types: []string{"public_channel", "im"}}); err != nil || len(cs) != 3 {
		t.Errorf("conversations.list: %d, %v", len(cs), err)
	}
}

func TestHistoryPages(t *testing.T) {
	o := options()
	o.Now = func() time.Time { return time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC) } // stands still: timestamps must not
	b := open(t, o)
	for range 5 {
		b.say(t, "C0OPS", slack.NewDividerBlock())
	}
	var seen []string
	cursor := ""
	for {
		h, err := b.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: "C0OPS", Limit: 2, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range h.Messages {
			seen = append(seen, m.Timestamp)
		}
		if cursor = h.ResponseMetaData.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 5 || seen[0] <= seen[4] {
		t.Errorf("seen %v", seen)
	}
	h, err := b.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: "C0OPS", Oldest: seen[3]})
	if err != nil || len(h.Messages) != 3 {
		t.Errorf("after the second: %d, %v", len(h.Messages), err)
	}
}

func TestResponseURL(t *testing.T) {
	b := open(t, options())
	got := make(chan string, 1)
	b.connect(t, func(e socketmode.Event) any {
		switch d := e.Data.(type) {
		case slack.SlashCommand:
			got <- d.ResponseURL
		case slack.InteractionCallback:
			got <- d.ResponseURL
		}
		return nil
	})
	if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err != nil {
		t.Fatal(err)
	}
	link := <-got
	send := func(u string, o ...slack.MsgOption) error {
		_, _, err := b.api.PostMessage("", append([]slack.MsgOption{slack.MsgOptionText("again", false)}, append(o, slack.MsgOptionResponseURL(u, "ephemeral"))...)...)
		return err
	}
	for i := range 5 {
		if err := send(link); err != nil {
			t.Fatalf("use %d: %v", i+1, err)
		}
	}
	if send(link) == nil {
		t.Error("a sixth use was accepted")
	}
	if m := b.Messages("C0OPS"); len(m) != 5 || m[4].Ephemeral != "U0LIN" {
		t.Errorf("messages %+v", m)
	}
	ts := b.say(t, "C0OPS", button("Go", "go", "1"))
	if err := b.Click(t.Context(), "U0LIN", "C0OPS", ts, "go", ""); err != nil {
		t.Fatal(err)
	}
	link = <-got
	if _, _, err := b.api.PostMessage("", slack.MsgOptionText("took it", false), slack.MsgOptionReplaceOriginal(link)); err != nil {
		t.Fatal(err)
	}
	if m := b.Messages("C0OPS")[5]; m.TS != ts || m.Text != "took it" || !m.Edited {
		t.Errorf("replaced %+v", m)
	}
	if _, _, err := b.api.PostMessage("", slack.MsgOptionDeleteOriginal(link)); err != nil {
		t.Fatal(err)
	}
	if n := len(b.Messages("C0OPS")); n != 5 {
		t.Errorf("%d messages after delete_original", n)
	}
}

func TestResponseURLLivesHalfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openPipe(t, options())
		defer b.stop()
		links := make(chan string, 1)
		defer b.connect(t, func(e socketmode.Event) any { links <- e.Data.(slack.SlashCommand).ResponseURL; return nil })()
		if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err != nil {
			t.Fatal(err)
		}
		link := <-links
		send := func() error {
			_, _, err := b.api.PostMessage("", slack.MsgOptionText("here", false), slack.MsgOptionResponseURL(link, "in_channel"))
			return err
		}
		time.Sleep(29 * time.Minute)
		if err := send(); err != nil || b.Messages("C0OPS")[0].Ephemeral != "" {
			t.Errorf("after 29 minutes: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if send() == nil {
			t.Error("after 31 minutes it was accepted")
		}
	})
}

func TestFaults(t *testing.T) {
	b := open(t, options())
	post := func() error {
		_, _, err := b.api.PostMessage("C0OPS", slack.MsgOptionText("x", false))
		return err
	}
	b.Fail("chat.postMessage", 1, localslack.Fault{RetryAfter: 30 * time.Second})
	var limited *slack.RateLimitedError
	if err := post(); !errors.As(err, &limited) || limited.RetryAfter != 30*time.Second {
		t.Errorf("rate limit: %v", err)
	}
	b.Fail("chat.postMessage", 1, localslack.Fault{Status: 503})
	wantCode(t, post(), "503")
	b.Fail("*", 1, localslack.Fault{Error: "fatal_error"})
	wantCode(t, post(), "fatal_error")
	if n := len(b.Messages("C0OPS")); n != 0 {
		t.Errorf("%d messages after refusals", n)
	}
	b.Fail("chat.postMessage", 1, localslack.Fault{AfterAccept: true})
	if post() == nil || len(b.Messages("C0OPS")) != 1 {
		t.Error("accepted, then broken: want an error and the message")
	}
	if err := post(); err != nil {
		t.Errorf("after the faults: %v", err)
	}
}
