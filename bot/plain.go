package bot

import (
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gpuspend/notify"
)

// Plain writes a message for a terminal or a text-only receiver: no colours, tables aligned, Chinese two columns wide.
// Lines of tables stay within width where their shortest form allows it; 0 is 100 columns.
func Plain(m notify.Message, width int) string {
	if width <= 0 {
		width = 100
	}
	var parts []string
	if !Headed(m) {
		parts = append(parts, m.Push)
	}
	for _, b := range m.Blocks {
		if s := plainBlock(b, width); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n") + "\n"
}

func plainBlock(b notify.Block, width int) string {
	switch b.Kind {
	case notify.BlockSection, notify.BlockContext:
		return fold(plainText(b.Text), width)
	case notify.BlockTable:
		return Aligned(*b.Table, width)
	case notify.BlockActions:
		return plainButtons(b.Buttons)
	}
	return ""
}

// plainText keeps the addresses of links, which a terminal can't hide behind words.
func plainText(r notify.Rich) string {
	var b, address strings.Builder
	inAddress := false
	for _, c := range string(r) {
		switch {
		case c == notify.LinkStart:
			inAddress = true
			address.Reset()
		case c == notify.LinkText:
			inAddress = false
		case c == notify.LinkEnd:
			b.WriteString(" (" + address.String() + ")")
		case inAddress:
			address.WriteRune(c)
		case c < notify.BoldStart || c > notify.LinkEnd:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// plainButtons shows only what a reader without buttons can use: addresses, and lines to type.
func plainButtons(buttons []notify.Button) string {
	var lines []string
	for _, b := range buttons {
		if b.URL != "" {
			lines = append(lines, b.Label+colon(b.Label)+b.URL)
		} else if words := b.Words(); words != "" {
			lines = append(lines, b.Label+colon(b.Label)+words)
		}
	}
	return strings.Join(lines, "\n")
}

// colon is the one that goes with a label's writing.
func colon(label string) string {
	if strings.ContainsFunc(label, func(c rune) bool { return unicode.Is(unicode.Han, c) }) {
		return "："
	}
	return ": "
}

func fold(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if text.StringWidthWithoutEscSequences(l) > width {
			lines[i] = text.WrapSoft(l, width)
		}
	}
	return trimRight(strings.Join(lines, "\n"))
}

// Aligned writes a table in columns of fixed width, for terminals and preformatted text. Where it is wider than width,
// its widest column of words is folded.
func Aligned(t notify.Table, width int) string {
	w := table.NewWriter()
	w.SetStyle(plainStyle())
	w.AppendHeader(headings(t.Columns))
	for _, r := range t.Rows {
		w.AppendRow(cells(r))
	}
	for _, r := range t.Foot {
		w.AppendFooter(cells(r))
	}
	w.SetColumnConfigs(columnConfigs(t, width))
	return trimRight(w.Render())
}

func plainStyle() table.Style {
	s := table.StyleLight
	s.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	s.Format = table.FormatOptions{}
	s.Box.PaddingLeft, s.Box.PaddingRight = "", "  "
	return s
}

func headings(columns []notify.Column) table.Row {
	r := make(table.Row, len(columns))
	for i, c := range columns {
		r[i] = c.Title
	}
	return r
}

func cells(r []notify.Rich) table.Row {
	out := make(table.Row, len(r))
	for i, c := range r {
		out[i] = plainText(c)
	}
	return out
}

func columnConfigs(t notify.Table, width int) []table.ColumnConfig {
	most := foldedWidths(t, width)
	configs := make([]table.ColumnConfig, len(t.Columns))
	for i, c := range t.Columns {
		align := text.AlignLeft
		if c.Right {
			align = text.AlignRight
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align,
			WidthMax: most[i], WidthMaxEnforcer: text.WrapSoft}
	}
	return configs
}

// foldedWidths narrows columns of words, the widest first and never below 12, until the table fits; 0 leaves a column
// alone.
func foldedWidths(t notify.Table, width int) []int {
	natural, most := naturalWidths(t), make([]int, len(t.Columns))
	spaced := make([]bool, len(t.Columns)) // folds between words; a name is torn only where nothing else gives way
	for i := range t.Columns {
		spaced[i] = slices.ContainsFunc(t.Rows, func(r []notify.Rich) bool { return i < len(r) && strings.ContainsRune(string(r[i]), ' ') })
	}
	total := 0
	for _, n := range natural {
		total += n + 2
	}
	for total > width {
		widest := -1
		for i, c := range t.Columns {
			if c.Right || natural[i] <= 12 {
				continue
			}
			if widest < 0 || spaced[i] && !spaced[widest] || spaced[i] == spaced[widest] && natural[i] > natural[widest] {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		natural[widest]--
		most[widest] = natural[widest]
		total--
	}
	return most
}

func naturalWidths(t notify.Table) []int {
	out := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = text.StringWidthWithoutEscSequences(c.Title)
	}
	for _, r := range slices.Concat(t.Rows, t.Foot) {
		for i, c := range r {
			if i < len(out) {
				out[i] = max(out[i], text.StringWidthWithoutEscSequences(plainText(c)))
			}
		}
	}
	return out
}

func trimRight(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}
