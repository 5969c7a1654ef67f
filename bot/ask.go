package bot

import (
	"context"
	"strings"

	"gpuspend/notify"
	"gpuspend/notify/words"
)

// The names of the forms with which an operator is asked, and says no.
const (
	formAsk  = "ask"
	formDeny = "deny"
)

// askPlace is where operators and approvers are asked: their channel, else where it came up.
func (d *Desk) askPlace(at Place) Place {
	if d.Asks == "" || d.Asks == at.Channel {
		return at
	}
	return Place{Channel: d.Asks}
}

// pressAsk opens the form in which somebody who may look says why an operator should release a thing. In a private
// place nobody else would read it.
func (d *Desk) pressAsk(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	x, err := d.pressed(ctx, b, b.Value, p)
	if err != nil {
		return gone(p, b, err)
	}
	if d.askPlace(b.Place).Private {
		return Outcome{Private: say(p, "bot.ask.private").Message}, nil
	}
	f := Form{Callback: formAsk, Title: p.Text("bot.ask.title"), Submit: p.Text("bot.ask.submit"), Close: p.Text("bot.button.cancel"),
		Private: carried{Resource: x.ID, Handle: x.Handle, Place: b.Place}.String()}
	f.text(p.Rich("bot.ask.head", "name", notify.Code(label(x.Name, x.Ref.ID)), "account", accountText(x.account)))
	f.Blocks = append(f.Blocks, FormBlock{Line: &Line{Name: inputReason, Label: p.Text("bot.ask.why")}})
	return Outcome{Form: &f}, nil
}

// submitAsk posts the request to the operators. Nothing is proposed by it: an operator opens the form himself.
func (d *Desk) submitAsk(ctx context.Context, s Submission, c carried, p words.Printer) (Reply, error) {
	reason := strings.TrimSpace(one(s.Values, inputReason))
	if reason == "" {
		return Reply{Errors: map[string]string{inputReason: p.Text("bot.ask.why_missing")}}, nil
	}
	x, err := d.pressed(ctx, Press{Person: s.Person, Place: c.Place}, c.Handle, p)
	if err != nil {
		return Reply{}, err
	}
	shared := d.Shared(p.Now)
	head := shared.Rich("bot.ask.posted", "who", personName(s.Person), "name", notify.Code(label(x.Name, x.Ref.ID)), "account", accountText(x.account))
	value := strings.Join([]string{c.Handle, s.Person.ID, personName(s.Person)}, " ")
	m := notify.Message{Push: firstLine(head.String()), Blocks: []notify.Block{
		notify.Section(notify.Join("\n", head, shared.Rich("bot.ask.reason", "reason", reason))),
		notify.Actions(notify.Button{Label: shared.Text("bot.button.release"), Action: ActionGrant, Value: value},
			notify.Button{Label: shared.Text("bot.button.decline"), Action: ActionDeny, Value: value})}}
	return Reply{Public: m, Private: say(p, "bot.ask.sent").Message, Place: d.askPlace(c.Place)}, nil
}

// asked reads a button of a request: the handle, and who asked.
func asked(value string) (handle, user, name string) {
	handle, rest, _ := strings.Cut(value, " ")
	user, name, _ = strings.Cut(rest, " ")
	return handle, user, name
}

// pressGrant opens the form of what somebody asked for; who submits it answers him.
func (d *Desk) pressGrant(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	handle, asker, name := asked(b.Value)
	b.Value = handle
	out, err := d.pressRelease(ctx, b, p)
	if err != nil || out.Form == nil {
		return out, err
	}
	c, err := parseCarried(out.Form.Private)
	if err != nil {
		return Outcome{}, err
	}
	c.Asker, c.AskerName, c.Place.Thread = asker, name, firstOf(c.Place.Thread, b.Place.Message)
	out.Form.Private = c.String()
	return out, nil
}

// pressDeny asks an operator why not.
func (d *Desk) pressDeny(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	handle, asker, name := asked(b.Value)
	x, err := d.pressed(ctx, b, handle, p)
	if err != nil {
		return gone(p, Press{Value: handle}, err)
	}
	if !d.Roles.May(b.Person, x.account.Name) {
		d.note(b.Person, "deny")
		return Outcome{Private: sentence(p.Rich(lookOnlyKey, "account", accountText(x.account)))}, nil
	}
	f := Form{Callback: formDeny, Title: p.Text("bot.deny.title"), Submit: p.Text("bot.button.decline"), Close: p.Text("bot.button.cancel"),
		Private: carried{Resource: x.ID, Handle: x.Handle, Account: x.account.Name, Asker: asker, AskerName: name, Place: b.Place}.String()}
	f.Blocks = append(f.Blocks, FormBlock{Line: &Line{Name: inputReason, Label: p.Text("bot.deny.why")}})
	return Outcome{Form: &f}, nil
}

// submitDeny brings the answer back, under the request.
func (d *Desk) submitDeny(s Submission, c carried, p words.Printer) (Reply, error) {
	reason := strings.TrimSpace(one(s.Values, inputReason))
	switch {
	case !d.Roles.May(s.Person, c.Account):
		d.note(s.Person, "deny")
		return Reply{Errors: map[string]string{inputReason: p.Text("bot.refused.operator")}}, nil
	case reason == "":
		return Reply{Errors: map[string]string{inputReason: p.Text("bot.ask.why_missing")}}, nil
	}
	shared := d.Shared(p.Now)
	return Reply{Public: answered(c.Asker, c.AskerName, shared.Rich("bot.ask.denied", "who", personName(s.Person), "name", notify.Code(c.Handle), "reason", reason)), Place: c.Place}, nil
}

// answered is an answer to a person whom the chat tells of it.
func answered(user, name string, what notify.Rich) notify.Message {
	return notify.Message{Push: firstLine(what.String()), Blocks: []notify.Block{notify.Section(notify.Mention(user, name) + " " + what)}}
}

// pressed finds the thing that a button stands for.
func (d *Desk) pressed(ctx context.Context, b Press, handle string, p words.Printer) (item, error) {
	v, err := d.Look(ctx)
	if err != nil {
		return item{}, err
	}
	return find(d.complete(Request{Person: b.Person, Place: b.Place, Print: p, Now: p.Now}), v, handle, "release")
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
