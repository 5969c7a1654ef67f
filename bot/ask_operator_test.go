package bot_test

import (
	"strings"
	"testing"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/notify"
)

// buttons are the buttons of a message.
func buttons(m notify.Message) (all []notify.Button) {
	for _, b := range m.Blocks {
		all = append(all, b.Buttons...)
	}
	return all
}

// Who may look and not release gets [Ask an operator]: the request is posted with its reason, an operator orders or
// declines, and who asked is told by name. Nothing is ordered by asking.
func TestAskAnOperator(t *testing.T) {
	in := install(t)
	refused := in.press(t, viewer(), bot.ActionRelease, "r-7k2f")
	contains(t, plainOf(refused.Private), "You can look but not release in compute-c")
	if all := buttons(refused.Private); refused.Form != nil || len(all) != 1 || all[0].Action != bot.ActionAsk {
		t.Fatalf("%+v", refused)
	}
	f := in.press(t, viewer(), bot.ActionAsk, "r-7k2f").Form
	if r := in.submit(t, viewer(), f, map[string][]string{"reason": {" "}}); r.Errors["reason"] == "" {
		t.Error("asked without a reason")
	}
	in.Asks = "C0OPERATORS"
	asked := in.submit(t, viewer(), f, map[string][]string{"reason": {"run ended on Tuesday"}})
	contains(t, plainOf(asked.Public), "asks an operator to release infer-a10-2 in compute-c", "Reason: run ended on Tuesday")
	if asked.Place.Channel != "C0OPERATORS" || len(in.engine.proposed) > 0 {
		t.Errorf("%+v, proposed %v", asked.Place, in.engine.proposed)
	}
	all := buttons(asked.Public)
	if out := in.press(t, viewer(), all[0].Action, all[0].Value); out.Form != nil {
		t.Error("who asked may not grant it himself")
	}
	if out := in.press(t, viewer(), all[1].Action, all[1].Value); out.Form != nil {
		t.Error("who asked may not decline it")
	}
	form := in.press(t, operator(), all[0].Action, all[0].Value).Form
	granted := in.submit(t, operator(), form, map[string][]string{"do": {"stop"}})
	contains(t, plainOf(granted.Public), "op ordered the release of infer-a10-2")
	contains(t, string(granted.Public.Blocks[0].Text), string(notify.Mention(viewerID, "vi")))
	if len(in.engine.approved) != 1 {
		t.Errorf("approved %v", in.engine.approved)
	}
	no := in.press(t, operator(), all[1].Action, all[1].Value).Form
	denied := in.submit(t, operator(), no, map[string][]string{"reason": {"still exporting"}})
	contains(t, plainOf(denied.Public), "op declined to release r-7k2f: still exporting")
	contains(t, string(denied.Public.Blocks[0].Text), string(notify.Mention(viewerID, "vi")))
	if r := in.submit(t, viewer(), no, map[string][]string{"reason": {"no"}}); len(r.Errors) == 0 {
		t.Error("a viewer's no counts")
	}
}

// The owner, whom the installation names for a user id, may stop what is his, and nothing else; a name that somebody
// gave himself is nobody's.
func TestOwnerMayStop(t *testing.T) {
	in := install(t)
	in.engine.owner = "team-eval"
	if in.press(t, viewer(), bot.ActionRelease, "r-7k2f").Form != nil {
		t.Fatal("no owner yet")
	}
	in.Roles.Owners = map[string]string{viewerID: "team-eval"}
	f := in.press(t, viewer(), bot.ActionRelease, "r-7k2f").Form
	if f == nil {
		t.Fatal("the owner has no form")
	}
	if s := formText(*f); strings.Contains(s, "Delete now") {
		t.Errorf("a delete is offered:\n%s", s)
	}
	if r := in.submit(t, viewer(), f, map[string][]string{"do": {"delete"}, "typed": {"infer-a10-2"}, "exported": {"weights", "logs", "curves", "checkpoints"}}); len(r.Errors) == 0 {
		t.Error("the owner may delete")
	}
	if r := in.submit(t, viewer(), f, map[string][]string{"do": {"stop"}}); len(r.Errors) > 0 || len(in.engine.approved) != 1 {
		t.Errorf("%+v", r)
	}
	spoof := viewer()
	spoof.ID, spoof.Name = "U0SPOOF", "team-eval"
	in.Roles.Viewers = append(in.Roles.Viewers, spoof.ID)
	if in.press(t, spoof, bot.ActionRelease, "r-7k2f").Form != nil {
		t.Error("a display name makes an owner")
	}
}

// Where a second person is needed, an order is a question to the approvers, and who proposed is told the answer.
func TestSecondPerson(t *testing.T) {
	in := install(t)
	in.engine.second = true
	f := in.press(t, operator(), bot.ActionRelease, "r-7k2f").Form
	contains(t, formText(*f), "This needs a second person")
	r := in.submit(t, operator(), f, map[string][]string{"do": {"stop"}, "reason": {"idle"}})
	if len(in.engine.approved) > 0 || len(in.engine.proposed) != 1 {
		t.Fatalf("approved %v, proposed %d", in.engine.approved, len(in.engine.proposed))
	}
	contains(t, plainOf(r.Public), "op wants: Stop, keep the disks · infer-a10-2 in compute-c.\nA second person has to approve.", "Reason: idle")
	all := buttons(r.Public)
	in.engine.fails = &billing.Error{Kind: billing.Denied, Op: "release: approve", Say: billing.Say("release.second.self", "name", "infer-a10-2")}
	contains(t, plainOf(in.press(t, operator(), all[0].Action, all[0].Value).Private), "needs a second person")
	in.engine.fails = nil
	contains(t, plainOf(in.press(t, viewer(), all[0].Action, all[0].Value).Public), "approved: infer-a10-2")
	contains(t, plainOf(in.press(t, viewer(), all[1].Action, all[1].Value).Public), "declined: infer-a10-2")
	if _, err := in.Press(t.Context(), bot.Press{Action: bot.ActionApprove, Value: "x", Person: operator(), Place: channel}); billing.KindOf(err) != billing.Invalid {
		t.Error(err)
	}
}

// Lists of an account take the place of the general ones there; groups count for members only.
func TestRolesOfAnAccount(t *testing.T) {
	r := bot.Roles{Team: team, Acting: bot.Acting{Operators: []string{"U1"}, OperatorGroups: []string{"S1"}, Approvers: []string{"U2"}},
		Accounts: map[string]bot.Acting{"prod": {Operators: []string{"U3"}, ApproverGroups: []string{"S2"}}}}
	p := func(id string, s bot.Standing, groups ...string) bot.Person {
		return bot.Person{ID: id, Team: team, Standing: s, Groups: groups}
	}
	for _, c := range []struct {
		name         string
		p            bot.Person
		account      string
		may, approve bool
	}{
		{"general operator", p("U1", bot.Member), "lab", true, false},
		{"general operator elsewhere", p("U1", bot.Member), "prod", false, false},
		{"operator of the account", p("U3", bot.Member), "prod", true, false},
		{"operator of another account", p("U3", bot.Member), "lab", false, false},
		{"in the group", p("U9", bot.Member, "S1"), "lab", true, false},
		{"in the group, standing unknown", p("U9", bot.Unknown, "S1"), "lab", false, false},
		{"a guest in the group", p("U9", bot.Guest, "S1"), "lab", false, false},
		{"approver", p("U2", bot.Member), "lab", false, true},
		{"approver where the account has its own", p("U2", bot.Member), "prod", false, false},
		{"approver by the account's group", p("U9", bot.Member, "S2"), "prod", false, true},
		{"a stranger with the id", bot.Person{ID: "U1", Team: "T0THEIRS", Standing: bot.Member}, "lab", false, false},
		{"nobody", bot.Person{}, "lab", false, false},
	} {
		if may, approve := r.May(c.p, c.account), r.MayApprove(c.p, c.account); may != c.may || approve != c.approve {
			t.Errorf("%s: may %v, approve %v", c.name, may, approve)
		}
	}
}

// plainOf is what a message says.
func plainOf(m notify.Message) string {
	s := m.Push
	for _, b := range m.Blocks {
		s += "\n" + b.Text.String()
	}
	return s
}
