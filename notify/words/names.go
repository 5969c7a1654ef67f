package words

import (
	"strings"

	"gpuspend/billing"
)

func (p Printer) unknown() string { return p.Text("words.unknown") }

// comma separates the items of a list.
func (p Printer) comma() string {
	if p.Lang == Chinese {
		return "、"
	}
	return ", "
}

// List writes names one after another.
func (p Printer) List(names []string) string { return strings.Join(names, p.comma()) }

// Kind names what a resource is: "disk", "数据盘".
func (p Printer) Kind(k billing.Kind) string { return p.name("kind.", string(k)) }

// State names what a resource is doing: "unattached", "未挂载".
func (p Printer) State(s billing.State) string { return p.name("state.", string(s)) }

// Part names a part of a bill: "bandwidth", "流量".
func (p Printer) Part(part billing.Part) string { return p.name("part.", string(part)) }

// Mode names a way to pay: "on-demand", "按量付费".
func (p Printer) Mode(m billing.Mode) string { return p.name("mode.", string(m)) }

// name looks a word up. A word that no catalogue has stands for itself.
func (p Printer) name(prefix, word string) string {
	switch {
	case word == "":
		return p.unknown()
	case p.book.Has(prefix + word):
		return p.Text(prefix + word)
	}
	return word
}
