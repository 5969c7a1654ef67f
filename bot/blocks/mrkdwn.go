package blocks

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"gpuspend/notify"
)

// Mrkdwn writes rich text in Slack's markup. Only marks format: what people or clouds named is escaped, and characters
// of it that Slack would read as markup are replaced by look-alikes. Text that is longer than max is cut with an
// ellipsis, marks closed.
func Mrkdwn(r notify.Rich, max int) string {
	w := writer{max: max}
	for _, p := range pieces(r) {
		if !w.piece(p) {
			break
		}
	}
	return w.out.String()
}

// piece is a stretch of text in one format.
type piece struct {
	text       string
	bold, code bool
	url        string
}

// pieces cuts rich text where its format changes.
func pieces(r notify.Rich) []piece {
	var out []piece
	var now piece
	var text, url strings.Builder
	flush := func() {
		if text.Len() > 0 {
			now.text = text.String()
			out = append(out, now)
			text.Reset()
		}
	}
	inURL := false
	for _, c := range string(r) {
		switch c {
		case notify.BoldStart, notify.BoldEnd:
			flush()
			now.bold = c == notify.BoldStart
		case notify.CodeStart, notify.CodeEnd:
			flush()
			now.code = c == notify.CodeStart
		case notify.LinkStart:
			flush()
			inURL = true
			url.Reset()
		case notify.LinkText:
			inURL, now.url = false, url.String()
		case notify.LinkEnd:
			flush()
			now.url = ""
		default:
			if inURL {
				url.WriteRune(c)
			} else {
				text.WriteRune(c)
			}
		}
	}
	flush()
	return out
}

// writer joins pieces up to a length.
type writer struct {
	out  strings.Builder
	used int
	max  int
	last rune // last letter shown; 0 at the start
	ends bool // the last piece was marked
}

const ellipsis = "…"

// piece writes one piece, and says whether there is room for more.
func (w *writer) piece(p piece) bool {
	open, end, lit := w.frame(p)
	defer func() { w.ends = end != "" && p.url == "" }()
	whole := open + escape(p, lit) + end
	if w.used+length(whole) <= w.max {
		w.write(whole, p.text)
		return true
	}
	room := w.max - w.used - length(open) - length(end) - length(ellipsis)
	if room > 0 {
		w.write(open+cut(p, lit, room)+ellipsis+end, p.text)
		return false
	}
	if w.used+length(ellipsis) <= w.max {
		w.write(ellipsis, ellipsis)
	}
	return false
}

func (w *writer) write(s, shown string) {
	w.out.WriteString(s)
	w.used += length(s)
	for _, c := range shown {
		w.last = c
	}
}

// frame gives what stands around a piece. Slack formats only between word boundaries, and Chinese has no spaces: a
// zero-width space makes one.
func (w *writer) frame(p piece) (open, end string, lit bool) {
	if p.url != "" && linkable(p.url) {
		return "<" + address(p.url) + "|", ">", false
	}
	blank := strings.TrimSpace(p.text) == ""
	switch {
	case p.code && !blank:
		open, end, lit = "`", "`", true
	case p.bold && !blank:
		open, end = "*", "*"
	}
	first, _ := utf8.DecodeRuneInString(p.text)
	if open != "" && w.last != 0 && !boundary(w.last) || w.ends && (open != "" || !boundary(first)) {
		open = "\u200b" + open
	}
	return open, end, lit
}

// boundary says that Slack sees the edge of a word there.
func boundary(c rune) bool {
	return unicode.IsSpace(c) || c < unicode.MaxASCII && unicode.IsPunct(c)
}

// member is the address of a person, as notify.Mention writes it.
var member = regexp.MustCompile(`^@[UW][A-Z0-9]+$`)

func linkable(url string) bool {
	return member.MatchString(url) || (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) && len(url) <= maxURL
}

var addressEscapes = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", " ", "%20", "\n", "", "&", "&amp;")

func address(url string) string { return addressEscapes.Replace(url) }

// escape makes the text of a piece harmless. Inside code only the backtick means anything.
func escape(p piece, lit bool) string {
	s := p.text
	if lit {
		return entities.Replace(strings.ReplaceAll(strings.ReplaceAll(s, "`", "ˋ"), "\n", " "))
	}
	if p.url != "" || p.bold {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	return entities.Replace(neutral(s))
}

var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// cut shortens by whole letters before escaping, so that no entity is torn.
func cut(p piece, lit bool, room int) string {
	letters := []rune(p.text)
	low, high := 0, len(letters)
	for low < high {
		mid := (low + high + 1) / 2
		if length(escape(piece{text: string(letters[:mid]), bold: p.bold, url: p.url}, lit)) <= room {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return escape(piece{text: string(letters[:low]), bold: p.bold, url: p.url}, lit)
}

var emoji = regexp.MustCompile(`:([\pL\pN_+'-]*[\pL_][\pL\pN_+'-]*):`)

func lookalike(c rune) rune {
	switch c {
	case '*':
		return '∗'
	case '_':
		return 'ˍ'
	case '~':
		return '∼'
	case '`':
		return 'ˋ'
	case '>':
		return '›'
	}
	return c
}

// neutral replaces markup by look-alikes where Slack would read it as markup: beside a word boundary, and a quote's
// mark at the start of a line. A name such as train_a100_1 stays as it is, so that it can be copied.
func neutral(s string) string {
	if !strings.ContainsAny(s, "*_~`>:") {
		return s
	}
	s = emoji.ReplaceAllString(s, "∶$1∶")
	letters := []rune(s)
	for i, c := range letters {
		switch c {
		case '`', '*':
			letters[i] = lookalike(c)
		case '_', '~':
			if !wordAt(letters, i-1) || !wordAt(letters, i+1) {
				letters[i] = lookalike(c)
			}
		case '>':
			if strings.TrimSpace(string(letters[lineStart(letters, i):i])) == "" {
				letters[i] = lookalike(c)
			}
		}
	}
	return string(letters)
}

func wordAt(s []rune, i int) bool {
	return i >= 0 && i < len(s) && s[i] < unicode.MaxASCII && (unicode.IsLetter(s[i]) || unicode.IsDigit(s[i]))
}

func lineStart(s []rune, i int) int {
	for i > 0 && s[i-1] != '\n' {
		i--
	}
	return i
}

// length counts as Slack may.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// short cuts plain text.
func short(s string, max int) string {
	if length(s) <= max {
		return s
	}
	room := max - length(ellipsis)
	for i, r := range s {
		if room -= utf16.RuneLen(r); room < 0 {
			return s[:i] + ellipsis
		}
	}
	return s
}
