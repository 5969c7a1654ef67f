package bot

import (
	"slices"
	"strings"
	"unicode"

	"gpuspend/notify/words"
)

// WordsError says that a line was not understood. Nearest is a question that would have been; "" where none is near.
type WordsError struct {
	Say     string // for the person, at most six lines, Nearest written out
	Nearest string
}

func (e *WordsError) Error() string { return e.Say }

// mostEchoed is how much of what somebody typed is said back.
const mostEchoed = 60

// echoed cuts what somebody typed to what may be said back.
func echoed(s string) string {
	if r := []rune(strings.ToValidUTF8(s, "�")); len(r) > mostEchoed {
		return string(r[:mostEchoed]) + "…"
	}
	return s
}

// unclear makes a WordsError: what was not understood, and the nearest question. The argument "word" is what the person
// typed.
func unclear(p words.Printer, key, nearest string, args ...any) *WordsError {
	args = slices.Clone(args)
	for i := 0; i+1 < len(args); i += 2 {
		if s, ok := args[i+1].(string); ok && args[i] == "word" {
			args[i+1] = echoed(s)
		}
	}
	lines := []string{p.Text(key, args...)}
	if len([]rune(nearest)) <= 3*mostEchoed && nearest != "" {
		lines = append(lines, p.Text("bot.words.nearest", "line", nearest))
	}
	lines = append(lines, p.Text("bot.words.help"))
	return &WordsError{Say: strings.Join(lines, "\n"), Nearest: nearest}
}

// closing is the quote that ends what c opens; opens is false where c is no quote.
func closing(c rune) (end rune, opens bool) {
	switch c {
	case '"', '\'':
		return c, true
	case '“':
		return '”', true
	case '「':
		return '」', true
	case '‘':
		return '’', true
	}
	return 0, false
}

// Split cuts a line into words. Quotes, Chinese and curly ones too, keep words together; an open quote ends with the
// line. An apostrophe inside a word is a letter.
func Split(line string) []string {
	var out []string
	var word strings.Builder
	started, until := false, rune(0)
	for _, c := range line {
		end, opens := closing(c)
		switch {
		case until != 0 && c == until:
			until = 0
		case until != 0:
			word.WriteRune(c)
		case opens && !started:
			until, started = end, true
		case unicode.IsSpace(c):
			if started {
				out = append(out, word.String())
				word.Reset()
				started = false
			}
		default:
			word.WriteRune(c)
			started = true
		}
	}
	if started {
		out = append(out, word.String())
	}
	return out
}

// tokens makes the words of a request comparable: an argument that holds a whole line ("cost month") is cut, and a
// leading /gpu falls away.
func tokens(in []string) []string {
	var out []string
	for _, w := range in {
		if len(in) == 1 {
			out = append(out, Split(w)...)
			continue
		}
		out = append(out, w)
	}
	if len(out) > 0 && strings.EqualFold(out[0], "/gpu") {
		out = out[1:]
	}
	return out
}

// command finds the command of a line. No words at all ask for help.
func command(p words.Printer, line []string) (Command, []string, error) {
	if len(line) == 0 {
		line = []string{"help"}
	}
	first := fold1(line[0])
	for _, c := range Commands() {
		if c.Name == first || slices.Contains(c.Also, first) {
			return c, line[1:], nil
		}
	}
	nearest := nearestLine(first, line[1:])
	return Command{}, nil, unclear(p, "bot.words.command", nearest, "word", line[0])
}

// nearestLine writes out the question that was probably meant, arguments kept.
func nearestLine(first string, rest []string) string {
	var names []string
	for _, c := range Commands() {
		names = append(names, c.Name)
	}
	name := nearest(first, names)
	if name == "" {
		return ""
	}
	return strings.Join(append([]string{name}, rest...), " ")
}

func fold1(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// nearest finds the candidate with the fewest slips, at most one for every three letters and never more than three;
// "" for none.
func nearest(word string, candidates []string) string {
	best, least := "", 4
	for _, c := range candidates {
		n := slips(fold1(word), fold1(c))
		allowed := min(3, max(1, (len([]rune(c))+2)/3))
		if n <= allowed && n < least {
			best, least = c, n
		}
	}
	return best
}

// slips counts letters added, left out, mistaken or swapped with their neighbour.
func slips(from, to string) int {
	a, b := []rune(from), []rune(to)
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
