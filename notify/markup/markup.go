// Package markup writes messages for receivers that take one text: robots of other chats, mail, logs. They have no
// buttons, so that addresses become links and words to type are said.
package markup

import (
	"strings"

	"gpuspend/notify"
)

// Style is how a receiver writes what Rich marks. Escape keeps text from outside from formatting or pinging.
type Style struct {
	Bold, Code func(s string) string         // of escaped text
	Link       func(text, url string) string // of escaped text
	Escape     func(s string) string
	Break      string // between lines; "" is "\n"
	Rule       string // of a divider; "" for an empty line
}

// Plain is text without any marks; links keep their address.
func Plain() Style {
	same := func(s string) string { return s }
	return Style{Bold: same, Code: same, Escape: same, Link: func(text, url string) string { return text + " " + url }}
}

// Text writes a message within so many bytes; 0 is no limit. What does not fit is cut at the end of a line and marked
// with "…"; the first line and the last, which says what to do, always stay.
func Text(m notify.Message, s Style, limit int) string {
	lines := append([]string{s.Bold(s.Escape(m.Push))}, Lines(m, s)...)
	return Fit(lines, s, limit)
}

// Lines writes everything under the first line. The last lines are what can be done.
func Lines(m notify.Message, s Style) []string {
	var lines, acts []string
	for i, b := range m.Blocks {
		switch b.Kind {
		case notify.BlockSection, notify.BlockContext:
			if i == 0 && b.Text.String() == m.Push {
				continue
			}
			lines = append(lines, strings.Split(Rich(b.Text, s), "\n")...)
			acts = append(acts, Buttons(b.Menu, s)...)
		case notify.BlockTable:
			lines = append(lines, s.table(*b.Table)...)
		case notify.BlockDivider:
			if s.Rule != "" {
				lines = append(lines, s.Rule)
			}
		case notify.BlockActions:
			acts = append(acts, Buttons(b.Buttons, s)...)
		}
	}
	if len(acts) > 0 {
		lines = append(lines, strings.Join(acts, " · "))
	}
	return lines
}

// Fit joins lines within a limit of bytes.
func Fit(lines []string, s Style, limit int) string {
	sep := s.Break
	if sep == "" {
		sep = "\n"
	}
	whole := strings.Join(lines, sep)
	if limit <= 0 || len(whole) <= limit || len(lines) < 3 {
		return cut(whole, limit)
	}
	last := lines[len(lines)-1]
	room := limit - len(last) - len("…") - 2*len(sep)
	var b strings.Builder
	for _, l := range lines[:len(lines)-1] {
		if b.Len()+len(l)+len(sep) > room {
			break
		}
		b.WriteString(l + sep)
	}
	return cut(b.String()+"…"+sep+last, limit)
}

// cut shortens text to a limit of bytes between two letters.
func cut(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	s = s[:limit-len("…")]
	for len(s) > 0 && s[len(s)-1]&0xC0 == 0x80 {
		s = s[:len(s)-1]
	}
	if len(s) > 0 && s[len(s)-1] >= 0xC0 {
		s = s[:len(s)-1]
	}
	return s + "…"
}

// table writes a row a line: the first cell in bold, the others after it. Phones have no room for columns.
func (s Style) table(t notify.Table) []string {
	var out []string
	for _, row := range append(append([][]notify.Rich{}, t.Rows...), t.Foot...) {
		var cells []string
		for i, c := range row {
			text := Rich(c, s)
			if i == 0 && text != "" {
				text = s.Bold(s.Escape(c.String()))
			}
			if text != "" {
				cells = append(cells, text)
			}
		}
		out = append(out, strings.Join(cells, " · "))
	}
	return out
}

// Buttons says what a reader without buttons can use: addresses, and words to type where the bot is.
func Buttons(all []notify.Button, s Style) []string {
	var out []string
	for _, b := range all {
		if b.URL != "" {
			out = append(out, s.Link(s.Escape(b.Label), b.URL))
		} else if words := b.Words(); words != "" {
			out = append(out, s.Escape(b.Label)+" "+s.Code(s.Escape(words)))
		}
	}
	return out
}

// Rich turns marks into the style's own.
func Rich(r notify.Rich, s Style) string {
	var out, part, address strings.Builder
	flush := func(wrap func(string) string) {
		text := s.Escape(part.String())
		part.Reset()
		if text == "" {
			return
		}
		if wrap != nil {
			text = wrap(text)
		}
		out.WriteString(text)
	}
	for _, c := range string(r) {
		switch c {
		case notify.BoldStart, notify.CodeStart, notify.LinkStart:
			flush(nil)
		case notify.BoldEnd:
			flush(s.Bold)
		case notify.CodeEnd:
			flush(s.Code)
		case notify.LinkText:
			address.Reset()
			address.WriteString(part.String())
			part.Reset()
		case notify.LinkEnd:
			flush(func(text string) string { return s.Link(text, address.String()) })
		default:
			part.WriteRune(c)
		}
	}
	flush(nil)
	return out.String()
}
