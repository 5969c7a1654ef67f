package notify

import (
	"strings"
	"unicode"
)

// Rich is text with marks for bold, code and links. The marks are private-use characters that Plain strips from
// whatever people or clouds named, so a name can neither format nor ping: each receiver turns marks, and only marks,
// into its own markup, and escapes the rest.
type Rich string

// The marks. A link is linkStart, address, linkText, text, linkEnd.
const (
	BoldStart = '\uE000'
	BoldEnd   = '\uE001'
	CodeStart = '\uE002'
	CodeEnd   = '\uE003'
	LinkStart = '\uE004'
	LinkText  = '\uE005'
	LinkEnd   = '\uE006'
)

func mark(r rune) bool { return r >= BoldStart && r <= LinkEnd }

// Plain makes Rich of text from outside: marks fall out, and characters that move the cursor or turn the direction of
// writing, which would let a name pass for another; line ends stay.
func Plain(s string) Rich {
	return Rich(strings.Map(func(r rune) rune {
		if mark(r) || unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s))
}

// Bold, Code and Link mark text from outside.
func Bold(s string) Rich { return Rich(BoldStart) + Plain(s) + Rich(BoldEnd) }

// Code marks a name that people may type or copy.
func Code(s string) Rich { return Rich(CodeStart) + Plain(s) + Rich(CodeEnd) }

// Link marks text that leads to an address.
func Link(text, url string) Rich {
	return Rich(LinkStart) + Plain(url) + Rich(LinkText) + Plain(text) + Rich(LinkEnd)
}

// Mention names a member of the chat by his user id, so that the chat tells him. Where a chat does not know the id, the
// name stands there.
func Mention(user, name string) Rich { return Link(name, "@"+user) }

// String gives the text without marks; of a link only its text.
func (r Rich) String() string {
	var b strings.Builder
	address := false
	for _, c := range string(r) {
		switch {
		case c == LinkStart:
			address = true
		case c == LinkText:
			address = false
		case mark(c), address:
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// Join puts pieces together with a separator.
func Join(sep string, parts ...Rich) Rich {
	kept := make([]string, 0, len(parts))
	for _, p := range parts {
		if p != "" {
			kept = append(kept, string(p))
		}
	}
	return Rich(strings.Join(kept, sep))
}
