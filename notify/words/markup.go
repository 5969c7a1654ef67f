package words

import (
	"errors"
	"strings"

	"gpuspend/notify"
)

// The ends of a gap while a sentence is put together. settle takes them out; they reach nobody.
const (
	gapStart = '\uE010'
	gapEnd   = '\uE011'
)

// markup turns the marks of a catalogue's sentence into those of notify.Rich. Gaps are left as they are, and a
// backslash takes a mark's meaning away.
func markup(s string) (string, error) {
	m := marker{rest: s}
	for m.rest != "" {
		m.step()
	}
	if m.bold || m.code {
		return "", errors.New("a mark (* or `) is not closed")
	}
	return m.out.String(), nil
}

type marker struct {
	rest       string
	out        strings.Builder
	bold, code bool
}

func (m *marker) step() {
	switch c := m.rest[0]; {
	case strings.HasPrefix(m.rest, "{{"):
		n := strings.Index(m.rest, "}}")
		if n < 0 {
			n = len(m.rest) - 2
		}
		m.copy(n + 2)
	case c == '\\' && len(m.rest) > 1:
		m.rest = m.rest[1:]
		m.copy(1)
	case c == '`':
		m.code = m.toggle(m.code, notify.CodeStart, notify.CodeEnd)
	case m.code:
		m.copy(1)
	case c == '*':
		m.bold = m.toggle(m.bold, notify.BoldStart, notify.BoldEnd)
	case c == '[' && m.link():
	default:
		m.copy(1)
	}
}

func (m *marker) copy(n int) {
	m.out.WriteString(m.rest[:n])
	m.rest = m.rest[n:]
}

func (m *marker) toggle(on bool, start, end rune) bool {
	if on {
		start = end
	}
	m.out.WriteRune(start)
	m.rest = m.rest[1:]
	return !on
}

// link takes a [text](address) off the front, if there is one.
func (m *marker) link() bool {
	text, rest, ok := strings.Cut(m.rest[1:], "](")
	if !ok || strings.ContainsAny(text, "[]\n") {
		return false
	}
	address, rest, ok := strings.Cut(rest, ")")
	if !ok {
		return false
	}
	m.out.WriteString(string(notify.LinkStart) + address + string(notify.LinkText) + text + string(notify.LinkEnd))
	m.rest = rest
	return true
}
