package blocks

import (
	"strings"

	"github.com/slack-go/slack"

	"gpuspend/bot"
	"gpuspend/notify"
)

// preformattedWidth keeps a line of preformatted text readable beside the channel list of a small screen.
const preformattedWidth = 76

// table draws the first table of a message as Slack's table, of which a message may have one, and any other as
// preformatted text. Rows that don't fit are left out and counted; totals stay.
func (d *drawing) table(t notify.Table) []drawn {
	if len(t.Columns) == 0 || len(t.Rows)+len(t.Foot) == 0 {
		return nil
	}
	if d.o.Preformatted || d.tabled || len(t.Columns) > maxTableColumns {
		return d.preformatted(t)
	}
	d.tabled = true
	room, chars := d.budget, 0
	for _, c := range t.Columns {
		chars += length(c.Title)
	}
	for _, r := range t.Foot {
		chars += rowLength(r)
	}
	kept := 0
	for _, r := range t.Rows {
		if kept+len(t.Foot)+1 >= maxTableRows || chars+rowLength(r) > room {
			break
		}
		chars += rowLength(r)
		kept++
	}
	out := []drawn{{block: grid(t, kept), length: chars, item: kept}}
	return d.leftOut(out, len(t.Rows)-kept)
}

// leftOut says how many rows are missing.
func (d *drawing) leftOut(out []drawn, n int) []drawn {
	if n <= 0 {
		return out
	}
	s := d.o.more(n)
	return append(out, drawn{block: slack.NewContextBlock("", mrkdwn(Mrkdwn(notify.Plain(s), 200))), length: length(s)})
}

func rowLength(r []notify.Rich) int {
	n := 0
	for _, c := range r {
		n += length(cellText(c))
	}
	return n
}

func cellText(r notify.Rich) string {
	s := short(strings.TrimSpace(r.String()), maxCell)
	if s == "" {
		return " " // Slack refuses an empty cell
	}
	return s
}

// grid draws heading, the first rows and totals. Cells are raw text: Slack reads no markup in them.
func grid(t notify.Table, rows int) *slack.TableBlock {
	b := slack.NewTableBlock("")
	heading := make([]slack.TableCell, len(t.Columns))
	settings := make([]slack.ColumnSetting, len(t.Columns))
	for i, c := range t.Columns {
		heading[i] = boldCell(c.Title)
		settings[i] = slack.ColumnSetting{Align: slack.ColumnAlignmentLeft, IsWrapped: !c.Right}
		if c.Right {
			settings[i].Align = slack.ColumnAlignmentRight
		}
	}
	b.AddRow(heading...)
	for _, r := range t.Rows[:rows] {
		b.AddRow(gridRow(r, len(t.Columns), false)...)
	}
	for _, r := range t.Foot {
		b.AddRow(gridRow(r, len(t.Columns), true)...)
	}
	return b.WithColumnSettings(settings...)
}

func gridRow(r []notify.Rich, columns int, bold bool) []slack.TableCell {
	out := make([]slack.TableCell, columns)
	for i := range out {
		s := " "
		if i < len(r) {
			s = cellText(r[i])
		}
		if bold {
			out[i] = boldCell(s)
		} else {
			out[i] = slack.NewTableRawTextCell(s)
		}
	}
	return out
}

func boldCell(s string) slack.TableCell {
	if strings.TrimSpace(s) == "" {
		return slack.NewTableRawTextCell(" ")
	}
	style := &slack.RichTextSectionTextStyle{Bold: true}
	return slack.NewTableRichTextCell(slack.NewRichTextSection(slack.NewRichTextSectionTextElement(short(s, maxCell), style)))
}

func (d *drawing) preformatted(t notify.Table) []drawn {
	kept := min(len(t.Rows), maxSection/len(t.Columns)) // a cell takes a character at least
	for {
		part := t
		part.Rows = t.Rows[:kept]
		s := "```" + entities.Replace(strings.ReplaceAll(bot.Aligned(part, preformattedWidth), "`", "ˋ")) + "```"
		if length(s) <= maxSection || kept == 0 {
			out := []drawn{{block: slack.NewSectionBlock(mrkdwn(short(s, maxSection)), nil, nil), length: length(s), item: kept}}
			return d.leftOut(out, len(t.Rows)-kept)
		}
		kept = min(kept-1, kept*maxSection/length(s)) // proportional first, then row by row
	}
}
