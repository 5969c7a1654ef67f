package words

import (
	"slices"
	"strings"
	"unicode"

	"gpuspend/notify"
)

// settle takes the ends of gaps out. Where Chinese meets Latin letters or digits at such an end, a space stands between
// them, and where Chinese meets Chinese none does: "到 09:57" and "到周四 16:11" come from one sentence. What is inside a
// gap stays as it is, since people type names.
func settle(s string) notify.Rich {
	if !strings.ContainsRune(s, gapStart) {
		return notify.Rich(s)
	}
	var out []rune
	edges := 0 // ends of gaps since the last letter
	address := false
	for _, c := range s {
		switch {
		case c == gapStart, c == gapEnd:
			edges++
			continue
		case c == notify.LinkStart:
			address = true
		case c == notify.LinkText:
			address = false
		}
		if !isMark(c) && !address && c != ' ' {
			if edges > 0 {
				out = meet(out, c, edges)
			}
			edges = 0
		}
		out = append(out, c)
	}
	return notify.Rich(out)
}

// meet prepares what is written so far for a letter that follows across the ends of gaps.
func meet(out []rune, next rune, edges int) []rune {
	i := lastLetter(out, len(out))
	if i < 0 {
		return out
	}
	if out[i] == ' ' {
		// Two gaps with a space between them keep it: "阿里云 上海".
		if before := lastLetter(out, i); edges == 1 && before >= 0 && han(out[before]) && han(next) {
			return slices.Delete(out, i, i+1)
		}
		return out
	}
	if han(out[i]) && latin(next) || latin(out[i]) && han(next) {
		for i+1 < len(out) && closing(out[i+1]) {
			i++
		}
		return slices.Insert(out, i+1, ' ')
	}
	return out
}

// lastLetter is where the last rune before end stands that is no mark; -1 for nowhere.
func lastLetter(out []rune, end int) int {
	for i := end - 1; i >= 0; i-- {
		if !isMark(out[i]) {
			return i
		}
	}
	return -1
}

func isMark(r rune) bool { return r >= notify.BoldStart && r <= notify.LinkEnd }

func closing(r rune) bool { return r == notify.BoldEnd || r == notify.CodeEnd || r == notify.LinkEnd }

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// latin says that a rune keeps a space between itself and Chinese.
func latin(r rune) bool {
	return r <= unicode.MaxLatin1 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("$¥€£+-%≈", r)
}
