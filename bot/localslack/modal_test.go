package localslack_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"gpuspend/bot/localslack"
)

func plain(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject("plain_text", s, false, false)
}

func choice(value, label string) *slack.OptionBlockObject {
	return slack.NewOptionBlockObject(value, slack.NewTextBlockObject("mrkdwn", label, false, false), nil)
}

// releaseModal is the shape of the product's release modal.
func releaseModal() slack.ModalViewRequest {
	how := slack.NewRadioButtonsBlockElement("how", choice("stop", "*Stop, keep the disks*"), choice("delete", "*Delete the machine now*"))
	how.InitialOption = how.Options[0]
	what := slack.NewInputBlock("what", plain("What to do"), nil, how)
	what.DispatchAction = true
	saved := slack.NewInputBlock("saved", plain("Saved elsewhere?"), nil, slack.NewCheckboxGroupsBlockElement("saved", choice("weights", "model weights"), choice("logs", "logs")))
	saved.Optional = true
	name := slack.NewInputBlock("name", plain("Name"), nil, slack.NewPlainTextInputBlockElement(nil, "name"))
	return slack.ModalViewRequest{
		Type: slack.VTModal, Title: plain("Release infer-a10-2"), Submit: plain("Stop it"), Close: plain("Cancel"),
		CallbackID: "release", PrivateMetadata: "r-7k2f", NotifyOnClose: true,
		Blocks: slack.Blocks{BlockSet: []slack.Block{what, saved, name}},
	}
}

// openModal lets the app open the release modal for a command, and gives later interactions to handle.
func (b *lab) openModal(t *testing.T, handle func(slack.InteractionCallback) any) localslack.View {
	t.Helper()
	b.connect(t, func(e socketmode.Event) any {
		if c, ok := e.Data.(slack.SlashCommand); ok {
			if _, err := b.api.OpenView(c.TriggerID, releaseModal()); err != nil {
				t.Errorf("views.open: %v", err)
			}
			return nil
		}
		return handle(e.Data.(slack.InteractionCallback))
	})
	if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu release"); err != nil {
		t.Fatal(err)
	}
	vs := b.Views("U0LIN")
	if len(vs) != 1 || vs[0].CallbackID != "release" || vs[0].PrivateMetadata != "r-7k2f" {
		t.Fatalf("views %+v", vs)
	}
	return vs[0]
}

func TestSubmit(t *testing.T) {
	b := open(t, options())
	got := make(chan slack.InteractionCallback, 2)
	v := b.openModal(t, func(c slack.InteractionCallback) any {
		if got <- c; len(got) == 1 {
			return slack.NewErrorsViewSubmissionResponse(map[string]string{"saved": "Not deleted: logs are not ticked."})
		}
		return nil
	})
	r, err := b.Submit(t.Context(), "U0LIN", v.ID, map[string]map[string]any{"what": {"how": "delete"}})
	if err != nil || r.Action != "errors" || r.Errors["name"] != localslack.Required || len(got) != 0 {
		t.Fatalf("without the name: %+v, %v", r, err)
	}
	values := map[string]map[string]any{"name": {"name": "infer-a10-2"}, "saved": {"saved": []string{"weights"}}}
	r, err = b.Submit(t.Context(), "U0LIN", v.ID, values)
	if err != nil || r.Action != "errors" || r.Errors["saved"] == "" || len(b.Views("U0LIN")) != 1 {
		t.Fatalf("refused: %+v, %v", r, err)
	}
	seen := <-got
	got <- seen // the next submit is the second
	state := seen.View.State.Values
	if state["what"]["how"].SelectedOption.Value != "delete" || state["name"]["name"].Value != "infer-a10-2" || state["saved"]["saved"].SelectedOptions[0].Value != "weights" {
		t.Errorf("state %+v", state)
	}
	if seen.User.ID != "U0LIN" || seen.View.CallbackID != "release" || seen.TriggerID == "" || seen.View.Hash == "" {
		t.Errorf("payload %+v", seen)
	}
	if r, err = b.Submit(t.Context(), "U0LIN", v.ID, nil); err != nil || r.Action != "" || len(b.Views("U0LIN")) != 0 {
		t.Errorf("accepted: %+v, %v, %d views", r, err, len(b.Views("U0LIN")))
	}
	if _, err := b.Submit(t.Context(), "U0LIN", v.ID, nil); err == nil {
		t.Error("a closed view was submitted")
	}
}

func TestSubmitUpdatesPushesClears(t *testing.T) {
	b := open(t, options())
	next := releaseModal()
	next.Title = plain("Next")
	answers := []any{slack.NewUpdateViewSubmissionResponse(&next), slack.NewPushViewSubmissionResponse(&next), slack.NewClearViewSubmissionResponse()}
	v := b.openModal(t, func(slack.InteractionCallback) any {
		a := answers[0]
		answers = answers[1:]
		return a
	})
	values := map[string]map[string]any{"name": {"name": "n"}}
	for i, want := range []struct {
		action string
		views  int
	}{{"update", 1}, {"push", 2}, {"clear", 0}} {
		r, err := b.Submit(t.Context(), "U0LIN", v.ID, values)
		if err != nil || r.Action != want.action || len(b.Views("U0LIN")) != want.views {
			t.Fatalf("submit %d: %+v, %v, %d views", i, r, err, len(b.Views("U0LIN")))
		}
	}
}

func TestErrorsMustNameInputs(t *testing.T) {
	b := open(t, options())
	v := b.openModal(t, func(slack.InteractionCallback) any {
		return slack.NewErrorsViewSubmissionResponse(map[string]string{"nowhere": "x"})
	})
	if _, err := b.Submit(t.Context(), "U0LIN", v.ID, map[string]map[string]any{"name": {"name": "n"}}); err == nil {
		t.Error("an error for no input was accepted; Slack shows trouble")
	}
}

func TestViewActionAndHash(t *testing.T) {
	b := open(t, options())
	got := make(chan slack.InteractionCallback, 1)
	v := b.openModal(t, func(c slack.InteractionCallback) any { got <- c; return nil })
	if err := b.ViewAction(t.Context(), "U0LIN", v.ID, "how", "delete"); err != nil {
		t.Fatal(err)
	}
	c := <-got
	if a := c.ActionCallback.BlockActions[0]; a.ActionID != "how" || a.SelectedOption.Value != "delete" || c.Container.ViewID != v.ID {
		t.Errorf("action %+v in %+v", a, c.Container)
	}
	if c.View.State.Values["what"]["how"].SelectedOption.Value != "delete" {
		t.Errorf("state %+v", c.View.State)
	}
	next := releaseModal()
	next.Submit = plain("Delete")
	u, err := b.api.UpdateView(next, "", c.View.Hash, v.ID)
	if err != nil || u.View.Hash == c.View.Hash || u.View.State.Values["what"]["how"].SelectedOption.Value != "delete" {
		t.Fatalf("update: %+v, %v: what was chosen must stay", u, err)
	}
	_, err = b.api.UpdateView(next, "", c.View.Hash, v.ID)
	wantCode(t, err, "hash_conflict")
	_, err = b.api.UpdateView(next, "", "", "V0NONE")
	wantCode(t, err, "not_found")
	if err := b.ViewAction(t.Context(), "U0LIN", v.ID, "how", "burn"); err == nil {
		t.Error("an option that is not offered was chosen")
	}
	if err := b.CloseView(t.Context(), "U0LIN", v.ID); err != nil || len(b.Views("U0LIN")) != 0 {
		t.Errorf("close: %v", err)
	}
	if c := <-got; c.Type != slack.InteractionTypeViewClosed {
		t.Errorf("closing told the app %s", c.Type)
	}
}

func TestTriggerLivesThreeSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Now = func() time.Time { return time.Unix(1.8e9, 0) } // the demo's clock has no say in it
		b := openPipe(t, o)
		defer b.stop()
		triggers := make(chan string, 1)
		defer b.connect(t, func(e socketmode.Event) any { triggers <- e.Data.(slack.SlashCommand).TriggerID; return nil })()
		for _, c := range []struct {
			wait time.Duration
			code string
		}{{2900 * time.Millisecond, ""}, {3100 * time.Millisecond, "expired_trigger_id"}} {
			if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err != nil {
				t.Fatal(err)
			}
			id := <-triggers
			time.Sleep(c.wait)
			_, err := b.api.OpenView(id, releaseModal())
			if c.code == "" {
				if err != nil {
					t.Error(err)
				}
				_, err = b.api.OpenView(id, releaseModal())
				wantCode(t, err, "exchanged_trigger_id")
				continue
			}
			wantCode(t, err, c.code)
		}
		_, err := b.api.OpenView("made.up", releaseModal())
		wantCode(t, err, "invalid_trigger_id")
	})
}

func TestPushAndPublish(t *testing.T) {
	b := open(t, options())
	triggers := make(chan string, 1)
	b.connect(t, func(e socketmode.Event) any { triggers <- e.Data.(slack.SlashCommand).TriggerID; return nil })
	for i := range 4 {
		if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err != nil {
			t.Fatal(err)
		}
		_, err := b.api.PushView(<-triggers, releaseModal())
		if i < 3 && err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			wantCode(t, err, "push_limit_reached")
		}
	}
	home := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewDividerBlock()}}}
	r, err := b.api.PublishViewContext(t.Context(), slack.PublishViewContextRequest{UserID: "U0LIN", View: home})
	if err != nil {
		t.Fatal(err)
	}
	stale := r.View.Hash
	if _, err = b.api.PublishViewContext(t.Context(), slack.PublishViewContextRequest{UserID: "U0LIN", View: home, Hash: &stale}); err != nil {
		t.Error(err)
	}
	_, err = b.api.PublishViewContext(t.Context(), slack.PublishViewContextRequest{UserID: "U0LIN", View: home, Hash: &stale})
	wantCode(t, err, "hash_conflict")
	if _, ok := b.Home("U0LIN"); !ok {
		t.Error("no home tab")
	}
}

func TestClickPayload(t *testing.T) {
	b := open(t, options())
	got := make(chan slack.InteractionCallback, 1)
	b.connect(t, func(e socketmode.Event) any { got <- e.Data.(slack.InteractionCallback); return nil })
	menu := func(id, value string) slack.Block {
		s := slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", id, false, false), nil, nil)
		s.BlockID = id
		s.Accessory = slack.NewAccessory(slack.NewOverflowBlockElement("more", &slack.OptionBlockObject{Text: plain("Release…"), Value: value}))
		return s
	}
	ts := b.say(t, "C0OPS", menu("one", "release:r-1"), menu("two", "release:r-2"), button("Go", "go", "carried"))
	if err := b.Click(t.Context(), "U0OUT", "C0OPS", ts, "more", "release:r-2"); err != nil {
		t.Fatal(err)
	}
	c := <-got
	a := c.ActionCallback.BlockActions[0]
	if a.BlockID != "two" || a.SelectedOption.Value != "release:r-2" || a.ActionTs == "" || string(a.Type) != "overflow" {
		t.Errorf("action %+v", a)
	}
	if c.User.ID != "U0OUT" || c.User.TeamID == "T0LOCAL" || c.Channel.ID != "C0OPS" || c.Message.Timestamp != ts || c.Container.MessageTs != ts || c.ResponseURL == "" {
		t.Errorf("payload %+v", c)
	}
	if err := b.Click(t.Context(), "U0LIN", "C0OPS", ts, "go", ""); err != nil {
		t.Fatal(err)
	}
	if a := (<-got).ActionCallback.BlockActions[0]; a.Value != "carried" || a.Text.Text != "Go" {
		t.Errorf("action %+v", a)
	}
	if b.Click(t.Context(), "U0LIN", "C0OPS", ts, "gone", "") == nil || b.Click(t.Context(), "U0LIN", "C0OPS", ts, "more", "release:r-9") == nil {
		t.Error("something that is not there was clicked")
	}
}

func TestEveryKindOfInput(t *testing.T) {
	in := func(e slack.BlockElement, id string) slack.Block {
		b := slack.NewInputBlock(id, plain(id), nil, e)
		b.Optional = true
		return b
	}
	pick := func(kind string) slack.BlockElement {
		return slack.NewOptionsSelectBlockElement(kind, plain("…"), "a", plainChoice("x"), plainChoice("y"))
	}
	many := slack.NewOptionsMultiSelectBlockElement("multi_static_select", plain("…"), "a", plainChoice("x"), plainChoice("y"))
	view := slack.ModalViewRequest{Type: slack.VTModal, Title: plain("All"), Submit: plain("Go"), Blocks: slack.Blocks{BlockSet: []slack.Block{
		in(pick("static_select"), "one"), in(many, "many"), in(slack.NewDatePickerBlockElement("a"), "date"), in(slack.NewTimePickerBlockElement("a"), "time"),
		in(slack.NewNumberInputBlockElement(nil, "a", true), "number"), in(slack.NewOptionsSelectBlockElement("users_select", plain("…"), "a"), "user"),
		in(slack.NewDateTimePickerBlockElement("a"), "moment"),
	}}}
	b := open(t, options())
	got := make(chan slack.InteractionCallback, 1)
	b.connect(t, func(e socketmode.Event) any {
		if c, ok := e.Data.(slack.SlashCommand); ok {
			if _, err := b.api.OpenView(c.TriggerID, view); err != nil {
				t.Errorf("views.open: %v", err)
			}
			return nil
		}
		got <- e.Data.(slack.InteractionCallback)
		return nil
	})
	if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err != nil {
		t.Fatal(err)
	}
	id := b.Views("U0LIN")[0].ID
	one := func(v any) map[string]any { return map[string]any{"a": v} }
	for _, bad := range []map[string]map[string]any{{"one": one("z")}, {"many": one("x")}, {"none": one("x")}} {
		if _, err := b.Submit(t.Context(), "U0LIN", id, bad); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
	values := map[string]map[string]any{
		"one": one("y"), "many": one([]string{"x", "y"}), "date": one("2026-12-09"), "time": one("10:00"), "number": one("1.5"), "user": one("U0ADA"),
		"moment": one(1796169600),
	}
	if r, err := b.Submit(t.Context(), "U0LIN", id, values); err != nil || r.Action != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	s := (<-got).View.State.Values
	if s["one"]["a"].SelectedOption.Value != "y" || len(s["many"]["a"].SelectedOptions) != 2 || s["date"]["a"].SelectedDate != "2026-12-09" ||
		s["time"]["a"].SelectedTime != "10:00" || s["number"]["a"].Value != "1.5" || s["user"]["a"].SelectedUser != "U0ADA" || s["moment"]["a"].SelectedDateTime != 1796169600 {
		t.Errorf("state %+v", s)
	}
}

func plainChoice(v string) *slack.OptionBlockObject {
	return slack.NewOptionBlockObject(v, plain(v), nil)
}
