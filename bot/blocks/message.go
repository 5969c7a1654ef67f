package blocks

import (
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"gpuspend/bot"
	"gpuspend/notify"
)

// Options say how a message is drawn.
type Options struct {
	// More says that n things were left out, in the message's language; nil writes "+n".
	More func(n int) string
	// Preformatted draws every table as preformatted text, for a workspace that refuses table blocks.
	Preformatted bool
}

func (o Options) more(n int) string {
	if o.More == nil {
		return "+" + strconv.Itoa(n)
	}
	return o.More(n)
}

// Message draws a message. What does not fit is left out from the end of its body and counted; the small print and the
// buttons at its end stay.
func Message(m notify.Message, o Options) []slack.Block {
	d := drawing{o: o, budget: maxTableText}
	if !o.Preformatted {
		d.budget = min(maxTableText, max(2000, maxMessage-600-textOf(m)))
	}
	var all []drawn
	if m.Push != "" && !bot.Headed(m) {
		all = d.section(notify.Section(notify.Bold(m.Push))) // Slack shows no top-level text beside blocks
	}
	for _, b := range m.Blocks {
		all = append(all, d.block(b)...)
	}
	return d.fit(all)
}

// Text gives the top-level text of a message: what a locked phone shows.
func Text(m notify.Message) string {
	return short(entities.Replace(strings.TrimSpace(m.Push)), maxText)
}

// PlainText is a whole message without blocks, for a workspace that refuses them.
func PlainText(m notify.Message) string {
	return "```" + short(entities.Replace(strings.ReplaceAll(bot.Plain(m, 72), "`", "ˋ")), maxText-8) + "```"
}

// textOf is a bound on the characters of a message outside its tables.
func textOf(m notify.Message) int {
	n := 0
	for _, b := range m.Blocks {
		n += length(b.Text.String()) + 8
		for _, x := range b.Buttons {
			n += length(x.Label)
		}
		for _, x := range b.Menu {
			n += length(x.Label)
		}
	}
	return n
}

// drawn is a Slack block with what has to be counted of it.
type drawn struct {
	block  slack.Block
	length int
	item   int // things lost when it is left out
	tail   bool
}

// drawing keeps what is allowed once a message.
type drawing struct {
	o      Options
	tabled bool
	budget int
}

func (d *drawing) block(b notify.Block) []drawn {
	switch b.Kind {
	case notify.BlockSection:
		return d.section(b)
	case notify.BlockContext:
		s := Mrkdwn(b.Text, maxContext)
		if s == "" {
			return nil
		}
		return []drawn{{block: slack.NewContextBlock("", mrkdwn(s)), length: length(s), tail: true}}
	case notify.BlockDivider:
		return []drawn{{block: slack.NewDividerBlock(), tail: true}}
	case notify.BlockTable:
		return d.table(*b.Table)
	case notify.BlockActions:
		return d.actions(b.Buttons)
	}
	return nil
}

func (d *drawing) section(b notify.Block) []drawn {
	var out []drawn
	for i, part := range split(b.Text, maxSection) {
		s := Mrkdwn(part, maxSection)
		if strings.TrimSpace(s) == "" {
			continue
		}
		one := slack.NewSectionBlock(mrkdwn(s), nil, nil)
		n := length(s)
		if i == 0 && len(b.Menu) > 0 {
			menu, chars := overflow(b.Menu)
			one.Accessory = slack.NewAccessory(menu)
			n += chars
		}
		out = append(out, drawn{block: one, length: n, item: 1})
	}
	return out
}

// split cuts a long text between lines, so that every part fits in one section.
func split(r notify.Rich, max int) []notify.Rich {
	if length(Mrkdwn(r, 1<<30)) <= max {
		return []notify.Rich{r}
	}
	var parts []notify.Rich
	now, used := "", 0
	for _, line := range strings.Split(string(r), "\n") {
		n := length(Mrkdwn(notify.Rich(line), max)) + 8 // marks that a neighbour may need
		if used > 0 && used+n > max {
			parts = append(parts, notify.Rich(now))
			now, used = "", 0
		}
		if used > 0 {
			now += "\n"
		}
		now += line
		used += n
	}
	return append(parts, notify.Rich(now))
}

func (d *drawing) actions(buttons []notify.Button) []drawn {
	if len(buttons) == 0 {
		return nil
	}
	if len(buttons) > maxButtons {
		buttons = buttons[:maxButtons]
	}
	var elements []slack.BlockElement
	seen, n := map[string]int{}, 0
	for _, b := range buttons {
		e := button(b, seen)
		n += length(e.Text.Text)
		elements = append(elements, e)
	}
	return []drawn{{block: slack.NewActionBlock("", elements...), length: n, tail: true}}
}

func button(b notify.Button, seen map[string]int) *slack.ButtonBlockElement {
	e := slack.NewButtonBlockElement(actionID(b, seen), short(b.Value, maxButtonValue), plainText(b.Label, maxButtonText))
	if linkable(b.URL) {
		e.URL, e.Value = b.URL, ""
	}
	e.Style = slack.Style(b.Style)
	return e
}

// actionID numbers equal actions of one block from the second on: Slack wants the ids of a block to differ.
func actionID(b notify.Button, seen map[string]int) string {
	id := short(b.Action, maxID-4)
	if b.URL != "" || id == "" {
		id = openAction
	}
	seen[id]++
	if n := seen[id]; n > 1 {
		return id + "#" + strconv.Itoa(n)
	}
	return id
}

// overflow is the menu beside a section.
func overflow(buttons []notify.Button) (*slack.OverflowBlockElement, int) {
	var options []*slack.OptionBlockObject
	chars := 0
	for i, b := range buttons {
		value := b.Action + " " + b.Value
		if b.URL != "" {
			value = openAction + " " + strconv.Itoa(i)
		}
		if length(value) > maxOptionValue || len(options) == maxMenu {
			continue // a value that is cut would name something else
		}
		o := slack.NewOptionBlockObject(value, plainText(b.Label, maxOptionText), nil)
		if linkable(b.URL) {
			o.URL = b.URL
		}
		chars += length(o.Text.Text)
		options = append(options, o)
	}
	return slack.NewOverflowBlockElement(menuAction, options...), chars
}

func mrkdwn(s string) *slack.TextBlockObject {
	// Verbatim: Slack makes no links or mentions of its own out of names.
	return slack.NewTextBlockObject(slack.MarkdownType, s, false, true)
}

func plainText(s string, max int) *slack.TextBlockObject {
	s = short(strings.TrimSpace(s), max)
	if s == "" {
		s = "·" // Slack refuses empty text
	}
	t := slack.NewTextBlockObject(slack.PlainTextType, s, false, false)
	return t
}

// fit leaves out what a message can't hold.
func (d *drawing) fit(all []drawn) []slack.Block {
	tail := len(all)
	for tail > 0 && all[tail-1].tail && len(all)-tail < 6 {
		tail--
	}
	head, end := all[:tail], all[tail:]
	lost, note := 0, drawn{}
	chars := lengths(all)
	for len(head) > 0 && !fits(len(head)+len(end), chars, note) {
		last := head[len(head)-1]
		head, lost, chars = head[:len(head)-1], lost+last.item, chars-last.length
		if lost > 0 {
			s := d.o.more(lost)
			note = drawn{block: slack.NewContextBlock("", mrkdwn(Mrkdwn(notify.Plain(s), 200))), length: length(s)}
		}
	}
	out := make([]slack.Block, 0, len(all))
	for _, x := range head {
		out = append(out, x.block)
	}
	if note.block != nil {
		out = append(out, note.block)
	}
	for _, x := range end {
		out = append(out, x.block)
	}
	return out
}

func fits(count, chars int, note drawn) bool {
	if note.block != nil {
		count++
	}
	return count <= maxBlocks && chars+note.length <= maxMessage
}

func lengths(all []drawn) int {
	n := 0
	for _, x := range all {
		n += x.length
	}
	return n
}
