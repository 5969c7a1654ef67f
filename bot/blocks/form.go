package blocks

import (
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"gpuspend/bot"
	"gpuspend/notify"
)

// Form draws a modal. The block and action id of an input is its name, so that errors and answers find it.
func Form(f bot.Form) slack.ModalViewRequest {
	v := slack.ModalViewRequest{
		Type: slack.VTModal, Title: plainText(f.Title, maxTitle), CallbackID: short(f.Callback, maxID),
		PrivateMetadata: f.Private, Close: plainText(f.Close, maxTitle),
	}
	if f.Submit != "" {
		v.Submit = plainText(f.Submit, maxTitle)
	}
	for _, b := range f.Blocks {
		v.Blocks.BlockSet = append(v.Blocks.BlockSet, formBlock(b)...)
	}
	if len(v.Blocks.BlockSet) > maxFormBlocks {
		v.Blocks.BlockSet = v.Blocks.BlockSet[:maxFormBlocks]
	}
	return v
}

func formBlock(b bot.FormBlock) []slack.Block {
	switch {
	case b.Text != nil:
		return formText(*b.Text)
	case b.Choice != nil:
		return []slack.Block{choice(*b.Choice)}
	case b.Checks != nil:
		return []slack.Block{checks(*b.Checks)}
	case b.Line != nil:
		return []slack.Block{line(*b.Line)}
	}
	return nil
}

// formText draws a text block; a modal may have no table.
func formText(b notify.Block) []slack.Block {
	d := drawing{o: Options{Preformatted: true}}
	var out []slack.Block
	for _, x := range d.block(b) {
		out = append(out, x.block)
	}
	return out
}

func choice(c bot.Choice) slack.Block {
	options, chosen := formOptions(c.Options, []string{c.Chosen})
	e := slack.NewRadioButtonsBlockElement(c.Name, options...)
	if len(chosen) > 0 {
		e.InitialOption = chosen[0]
	}
	in := slack.NewInputBlock(c.Name, plainText(c.Label, maxLabel), nil, e)
	in.DispatchAction = c.Live
	return in
}

func checks(c bot.Checks) slack.Block {
	options, chosen := formOptions(c.Options, c.Chosen)
	e := slack.NewCheckboxGroupsBlockElement(c.Name, options...)
	e.InitialOptions = chosen
	in := slack.NewInputBlock(c.Name, plainText(c.Label, maxLabel), nil, e)
	in.Optional = c.Optional
	return in
}

func formOptions(in []bot.Option, picked []string) (all, chosen []*slack.OptionBlockObject) {
	for _, o := range in {
		if len(all) == maxOptions {
			break
		}
		var hint *slack.TextBlockObject
		if o.Hint != "" {
			hint = plainText(o.Hint, maxOptionText)
		}
		x := slack.NewOptionBlockObject(short(o.Value, maxOptionValue), plainText(o.Label, maxOptionText), hint)
		all = append(all, x)
		if slices.Contains(picked, o.Value) {
			chosen = append(chosen, x)
		}
	}
	return all, chosen
}

func line(l bot.Line) slack.Block {
	var hint *slack.TextBlockObject
	if l.Hint != "" {
		hint = plainText(l.Hint, maxPlaceholder)
	}
	in := slack.NewInputBlock(l.Name, plainText(l.Label, maxLabel), nil, slack.NewPlainTextInputBlockElement(hint, l.Name))
	in.Optional = l.Optional
	return in
}

// Values reads what was filled into a modal, by input name.
func Values(state map[string]map[string]slack.BlockAction) map[string][]string {
	out := map[string][]string{}
	for _, block := range state {
		for name, a := range block {
			switch a.Type {
			case "radio_buttons":
				if a.SelectedOption.Value != "" {
					out[name] = []string{a.SelectedOption.Value}
				}
			case "checkboxes":
				out[name] = []string{}
				for _, o := range a.SelectedOptions {
					out[name] = append(out[name], o.Value)
				}
			default:
				out[name] = []string{strings.TrimSpace(a.Value)}
			}
		}
	}
	return out
}
