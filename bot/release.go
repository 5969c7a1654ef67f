package bot

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/release"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// The names of the release form and its inputs.
const (
	formRelease = "release"
	inputDo     = "do"
	inputReason = "reason"
	inputTyped  = "typed"
	inputExport = "exported"
)

// carried goes through a form and back.
type carried struct {
	Resource    billing.ResourceID `json:"r,omitempty"`
	Handle      string             `json:"h,omitempty"`
	Fingerprint string             `json:"f,omitempty"`
	Alert       string             `json:"a,omitempty"`
	Account     string             `json:"c,omitempty"` // name of the account
	Asker       string             `json:"u,omitempty"` // user id of who asked an operator for it
	AskerName   string             `json:"n,omitempty"`
	Place       Place              `json:"p"`
}

func (c carried) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return string(b)
}

func parseCarried(s string) (carried, error) {
	var c carried
	if err := json.Unmarshal([]byte(s), &c); err != nil {
		return c, &billing.Error{Kind: billing.Invalid, Op: "read form", Err: err}
	}
	return c, nil
}

func releaseCommand(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) == 0 {
		return Answer{}, unclear(r.Print, "bot.release.which", "forgotten")
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	x, err := find(r, v, strings.Join(r.Words, " "), "release")
	if err != nil {
		return Answer{}, err
	}
	if x.Declared() {
		return releaseAnswer(r, x, release.Plan{Refused: x.NotReleasable}), nil
	}
	if d.Engine == nil {
		a := say(r.Print, "bot.release.nothing_here")
		a.Failed, a.Warnings = true, []string{}
		a.Data = PlanData{Handle: x.Handle, Name: x.Name, Refused: a.Message.Push, Options: []PlanRow{}}
		return a, nil
	}
	plan, err := d.Engine.Plan(ctx, x.ID)
	if err != nil {
		return Answer{}, err
	}
	return releaseAnswer(r, x, d.within(r, plan)), nil
}

func releaseAnswer(r Request, x item, plan release.Plan) Answer {
	a := Answer{Data: planData(r.Print, x, plan), AsOf: plan.ReadAt, Warnings: []string{}}
	if !plan.Refused.IsZero() || len(plan.Options) == 0 {
		a.Message, a.Failed = refusedMessage(r.Print, x, plan), true
		return a
	}
	a.Message = planMessage(r.Print, x, plan)
	if r.Dry {
		a.Message.Blocks = append(a.Message.Blocks, notify.Context(r.Print.Rich("bot.release.dry")))
		a.Failed = true
		return a
	}
	f := releaseForm(r.Print, x, plan, string(plan.Options[0].Verb), false, r.Place)
	a.Form = &f
	return a
}

func planData(p words.Printer, x item, plan release.Plan) PlanData {
	data := PlanData{Handle: x.Handle, Name: x.Name, Refused: p.Say(plan.Refused), Options: []PlanRow{}}
	for _, o := range plan.Options {
		data.Options = append(data.Options, PlanRow{Verb: o.Verb, Saves: amount(o.Saves), StillBills: amount(o.StillBills), Currency: o.Saves.Currency()})
	}
	return data
}

// refusedMessage says why nothing can be done, with the way to the cloud's own page.
func refusedMessage(p words.Printer, x item, plan release.Plan) notify.Message {
	why := p.Sentence(plan.Refused)
	if plan.Refused.IsZero() {
		why = p.Rich("bot.release.no_option", "name", notify.Code(label(x.Name, x.Ref.ID)))
	}
	m := notify.Message{Push: firstLine(why.String()), Blocks: []notify.Block{notify.Section(why)}}
	if plan.Refused.Key == lookOnlyKey {
		m.Blocks = append(m.Blocks, notify.Actions(notify.Button{Label: p.Text("bot.button.ask"), Action: ActionAsk, Value: x.Handle}))
		return m
	}
	if link := x.account.Driver.Console.Resource; link != nil {
		if url := link(x.Ref); url != "" {
			m.Blocks = append(m.Blocks, notify.Actions(notify.Button{Label: p.Text("bot.button.console"), URL: url}))
		}
	}
	return m
}

// planMessage is the form's content for a reader who has no forms.
func planMessage(p words.Printer, x item, plan release.Plan) notify.Message {
	m := headed(p.Text("bot.release.title_long", "name", label(x.Name, x.Ref.ID), "amount", p.MoneyPer(plan.Today, words.PerMonth)))
	m.Blocks = append(m.Blocks, notify.Section(planHead(p, x, plan)))
	if warning := leavesMore(p, plan); warning != "" {
		m.Blocks = append(m.Blocks, notify.Section(warning))
	}
	for _, o := range plan.Options {
		lines := []notify.Rich{notify.Bold(optionLabel(p, o)), notify.Plain(effect(p, o))}
		lines = append(lines, consequences(p, x, o)...)
		m.Blocks = append(m.Blocks, notify.Section(notify.Join("\n", lines...)))
	}
	m.Blocks = append(m.Blocks, notify.Context(p.Rich("bot.release.read", "age", p.Now.Sub(plan.ReadAt))))
	return m
}

// releaseForm is the modal of one resource with one choice shown. picked says that the person made it: what can't be
// undone is never preselected, not even where it is the only choice.
func releaseForm(p words.Printer, x item, plan release.Plan, chosen string, picked bool, at Place) Form {
	name := label(x.Name, x.Ref.ID)
	f := Form{Callback: formRelease, Title: p.Text("bot.release.title", "name", name), Close: p.Text("bot.button.cancel"),
		Private: carried{Resource: x.ID, Handle: x.Handle, Fingerprint: plan.Fingerprint, Place: at}.String()}
	choice := Choice{Name: inputDo, Label: p.Text("bot.release.what"), Live: len(plan.Options) > 1}
	if picked || chosen != string(billing.VerbDelete) {
		choice.Chosen = chosen
	}
	for _, o := range plan.Options {
		choice.Options = append(choice.Options, Option{Value: string(o.Verb), Label: optionLabel(p, o), Hint: effect(p, o)})
		if o.Verb == billing.VerbStop && deletable(plan) {
			choice.Options = append(choice.Options, Option{Value: stopAsk, Label: p.Text("bot.release.option.stop_ask", "date", p.Date(askDay(p.Now))),
				Hint: laterEffect(p, option(plan, string(billing.VerbDelete)))})
		}
	}
	f.text(planHead(p, x, plan))
	if warning := leavesMore(p, plan); warning != "" {
		f.text(warning)
	}
	f.Blocks = append(f.Blocks, FormBlock{Choice: &choice})
	o := option(plan, chosen)
	f.Submit = p.Text("bot.release.submit." + string(o.Verb))
	if chosen == stopAsk {
		f.Submit = p.Text("bot.release.submit.stop_ask")
	}
	if lines := consequences(p, x, o); len(lines) > 0 {
		f.text(notify.Join("\n", lines...))
	}
	if len(o.Export) > 0 {
		f.Blocks = append(f.Blocks, FormBlock{Checks: exportChecks(p, o)})
	}
	if plan.Second {
		f.text(p.Rich("bot.second.form"))
	}
	if o.Typed != "" {
		f.Blocks = append(f.Blocks, FormBlock{Line: &Line{Name: inputTyped, Label: p.Text("bot.release.typed", "name", o.Typed), Hint: o.Typed}})
	}
	f.Blocks = append(f.Blocks, FormBlock{Line: &Line{Name: inputReason, Label: p.Text("bot.release.reason"), Optional: true}})
	small := notify.Context(p.Rich("bot.release.read", "age", p.Now.Sub(plan.ReadAt)))
	f.Blocks = append(f.Blocks, FormBlock{Text: &small})
	return f
}

// exportChecks is the list of what has to be saved elsewhere before a delete. It is no optional input, which Slack would
// say beside it.
func exportChecks(p words.Printer, o release.Option) *Checks {
	c := Checks{Name: inputExport, Label: p.Text("bot.release.exported")}
	for _, item := range o.Export {
		c.Options = append(c.Options, Option{Value: item, Label: p.Say(release.ExportText(item))})
	}
	return &c
}

func (f *Form) text(r notify.Rich) {
	b := notify.Section(r)
	f.Blocks = append(f.Blocks, FormBlock{Text: &b})
}

// stopAsk is the choice to stop now and to be asked on a day whether to delete, which nothing but a click does.
const stopAsk = "stop_ask"

func askDay(now time.Time) time.Time { return now.Add(release.RemoveGrace) }

func deletable(plan release.Plan) bool {
	return slices.ContainsFunc(plan.Options, func(o release.Option) bool { return o.Verb == billing.VerbDelete })
}

// option is what a choice of the form stands for, else the first one.
func option(plan release.Plan, chosen string) release.Option {
	if chosen == stopAsk {
		chosen = string(billing.VerbStop)
	}
	i := slices.IndexFunc(plan.Options, func(o release.Option) bool { return string(o.Verb) == chosen })
	return plan.Options[max(i, 0)]
}

// planHead is two lines: what and where it is, and what it does and costs.
func planHead(p words.Printer, x item, plan release.Plan) notify.Rich {
	h := plan.Holding
	mode := notify.Rich("")
	if h.Mode != billing.ModeUnknown {
		mode = notify.Plain(p.Mode(h.Mode))
	}
	first := notify.Join(" · ", notify.Plain(placeText(x)), notify.Plain(kindText(p, h)), mode, notify.Plain(ownerText(p, h)))
	second := p.Rich("bot.release.head", "state", stateText(p, x), "amount", notify.Bold(p.MoneyPer(plan.Today, words.PerMonth)))
	return notify.Join("\n", first, second)
}

// leavesMore warns, before any choice, of a stop that saves less than it leaves to be paid; "" where there is none.
func leavesMore(p words.Printer, plan release.Plan) notify.Rich {
	for _, o := range plan.Options {
		switch {
		case o.Verb != billing.VerbStop:
		case o.Saves.Known() && o.Saves.Sign() < 0:
			return p.Rich("bot.release.costs_more")
		case o.LeavesMore:
			return p.Rich("bot.release.leaves_more")
		}
	}
	return ""
}

func optionLabel(p words.Printer, o release.Option) string {
	key := "bot.release.option." + string(o.Verb)
	if o.Verb == billing.VerbStop && len(o.Stays) == 0 {
		key = "bot.release.option.stop_bare"
	}
	return p.Text(key)
}

// effect says what a choice saves and what goes on billing, before it is made.
func effect(p words.Printer, o release.Option) string {
	if o.Saves.Known() && o.Saves.Sign() < 0 { // some clouds charge more for what is kept of a stopped machine
		if more, err := o.Saves.Neg(); err == nil {
			return p.Text("bot.release.effect_more", "more", p.MoneyPer(more, words.PerMonth), "still", p.MoneyPer(o.StillBills, words.PerMonth))
		}
	}
	return p.Text("bot.release.effect", "saves", p.MoneyPer(o.Saves, words.PerMonth), "still", p.MoneyPer(o.StillBills, words.PerMonth))
}

// laterEffect says what a delete on a later day will save and leave.
func laterEffect(p words.Printer, o release.Option) string {
	return p.Text("bot.release.effect_later", "saves", p.MoneyPer(o.Saves, words.PerMonth), "still", p.MoneyPer(o.StillBills, words.PerMonth))
}

// consequences are what a choice deletes, what stays and bills, and what may not come back.
func consequences(p words.Printer, x item, o release.Option) []notify.Rich {
	var lines []notify.Rich
	if o.MayNotReturn {
		lines = append(lines, p.Rich("bot.release.may_not_return"))
	}
	if len(o.Goes) > 0 {
		lines = append(lines, holdingsText(p, "bot.release.goes", x, o.Goes, false))
	}
	if len(o.Stays) > 0 {
		lines = append(lines, holdingsText(p, "bot.release.stays", x, o.Stays, true))
	}
	return lines
}

// holdingsText names holdings, with what each costs a month where that matters: one beside the words, several in lines.
func holdingsText(p words.Printer, key string, x item, all []billing.Holding, priced bool) notify.Rich {
	var out []notify.Rich
	for _, h := range all {
		out = append(out, holdingText(p, x, h, priced))
	}
	if len(out) == 1 {
		return p.Rich(key, "what", out[0])
	}
	head := strings.TrimRight(string(p.Rich(key, "what", notify.Rich(""))), " ")
	return notify.Join("\n• ", append([]notify.Rich{notify.Rich(head)}, out...)...)
}

func holdingText(p words.Printer, x item, h billing.Holding, priced bool) notify.Rich {
	name, rate := notify.Code(label(h.Name, h.Ref.ID)), h.Rate.Hourly
	if priced && h.ID == x.ID { // of what is stopped, only that is left
		rate = h.StoppedRate.Hourly
		name = p.Rich("bot.release.rest", "name", name)
	} else {
		name = notify.Plain(p.Kind(h.Ref.Kind)+" ") + name
		if size := sizeText(p, h); size != "" {
			name += notify.Plain(" " + size)
		}
	}
	if !priced {
		return name
	}
	return name + notify.Plain(" "+p.MoneyPer(ledger.Monthly(rate, x.account.Driver.MonthHours), words.PerMonth))
}
