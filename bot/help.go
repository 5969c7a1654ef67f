package bot

import (
	"context"
	"slices"
	"strings"

	"gpuspend/notify"
	"gpuspend/notify/words"
)

func help(_ context.Context, d *Desk, r Request) (Answer, error) {
	role := d.role(r)
	table := slices.DeleteFunc(Commands(), func(c Command) bool { return role < c.Role && c.Role != Operator })
	if len(r.Words) > 0 {
		c, _, err := command(r.Print, r.Words)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Message: helpOf(r.Print, c), Data: helpData(r.Print, []Command{c}), Warnings: []string{}}, nil
	}
	return Answer{Message: helpMessage(r.Print, table), Data: helpData(r.Print, table), Warnings: []string{}}, nil
}

func helpData(p words.Printer, table []Command) HelpData {
	data := HelpData{}
	for _, c := range table {
		data.Commands = append(data.Commands, HelpRow{Name: c.Name, Usage: c.Usage, Summary: p.Say(c.Summary), Examples: c.Examples})
	}
	return data
}

func helpMessage(p words.Printer, table []Command) notify.Message {
	m := headed(p.Text("bot.help.title"))
	var lines []notify.Rich
	for _, c := range table {
		lines = append(lines, p.Rich("bot.help.line", "usage", notify.Code(shortUsage(c)), "summary", c.Summary))
	}
	m.Blocks = append(m.Blocks, notify.Section(notify.Join("\n", lines...)), notify.Context(p.Rich("bot.help.more")))
	return m
}

// shortUsage is the usage without its choices, for the overview.
func shortUsage(c Command) string {
	if len(c.Usage) > 48 {
		return c.Name + " […]"
	}
	return c.Usage
}

func helpOf(p words.Printer, c Command) notify.Message {
	m := headed(c.Name + ": " + p.Say(c.Summary))
	var examples []notify.Rich
	for _, e := range c.Examples {
		examples = append(examples, notify.Code("/gpu "+e))
	}
	m.Blocks = append(m.Blocks, notify.Section(notify.Code("/gpu "+c.Usage)),
		notify.Section(p.Rich("bot.help.examples", "examples", notify.Join("\n", examples...))))
	if len(c.Also) > 0 {
		m.Blocks = append(m.Blocks, notify.Context(p.Rich("bot.help.also", "words", strings.Join(c.Also, " · "))))
	}
	return m
}
