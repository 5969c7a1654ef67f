package bot

import (
	"cmp"
	"context"
	"strconv"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// secondMessage asks for the approval of a second person, with what the first one wants and what it does.
func (d *Desk) secondMessage(id release.ActionID, s Submission, plan release.Plan, o release.Option) notify.Message {
	p := d.Shared(d.now())
	value := strconv.FormatInt(int64(id), 10)
	head := p.Rich("bot.second.ask", "who", personName(s.Person), "what", optionLabel(p, o), "name", notify.Code(planName(plan)), "account", plan.Account)
	lines := []notify.Rich{head, notify.Plain(effect(p, o))}
	if reason := one(s.Values, inputReason); reason != "" {
		lines = append(lines, p.Rich("bot.ask.reason", "reason", reason))
	}
	return notify.Message{Push: firstLine(head.String()), Blocks: []notify.Block{notify.Section(notify.Join("\n", lines...)),
		notify.Actions(notify.Button{Label: p.Text("bot.button.approve"), Action: ActionApprove, Value: value},
			notify.Button{Label: p.Text("bot.button.decline"), Action: ActionDecline, Value: value})}}
}

// pressDecide approves or declines what somebody proposed. The engine decides whether this person may.
func (d *Desk) pressDecide(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	id, err := strconv.ParseInt(b.Value, 10, 64)
	if err != nil || d.Engine == nil {
		return Outcome{}, &billing.Error{Kind: billing.Invalid, Op: "press " + b.Action, Say: billing.Say("bot.press.unknown")}
	}
	decide, key := d.Engine.Approve, "bot.second.approved"
	if b.Action == ActionDecline {
		decide, key = d.Engine.Decline, "bot.second.declined"
	}
	a, err := decide(ctx, release.ActionID(id), person(b.Person))
	if err != nil {
		d.log().Warn("decision refused", "action", id, "user", b.Person.ID, "error", err)
		return Outcome{Private: sentence(p.Sentence(billing.SayOf(err)))}, nil
	}
	shared := d.Shared(p.Now)
	return Outcome{Public: answered(a.By.ID, cmp.Or(a.By.Name, a.By.ID), shared.Rich(key, "who", personName(b.Person), "name", notify.Code(cmp.Or(a.Name, a.Ref.ID))))}, nil
}

// planName is what people call the resource of a plan.
func planName(plan release.Plan) string { return label(plan.Holding.Name, plan.Holding.Ref.ID) }

func sentence(s notify.Rich) notify.Message {
	return notify.Message{Push: firstLine(s.String()), Blocks: []notify.Block{notify.Section(s)}}
}
