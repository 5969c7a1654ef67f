package bot

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gpuspend/notify"
)

// mostPush is how wide a push line may be: 80 letters, or 36 of Chinese and some Latin between them.
const mostPush = 80

// headed begins a message: its push line is also its first line. Of a title that a locked phone can't hold the push line
// has the beginning.
func headed(title string) notify.Message {
	push := title
	if text.StringWidthWithoutEscSequences(title) > mostPush {
		push = strings.TrimSpace(text.Trim(title, mostPush-1)) + "…"
	}
	return notify.Message{Push: push, Blocks: []notify.Block{notify.Section(notify.Bold(title))}}
}

// fitting is the first of some titles that a locked phone can hold, else the last.
func fitting(titles ...string) string {
	for _, t := range titles {
		if text.StringWidthWithoutEscSequences(t) <= mostPush {
			return t
		}
	}
	return titles[len(titles)-1]
}

// Headed says that a message's first block already shows its push line.
func Headed(m notify.Message) bool {
	return len(m.Blocks) > 0 && strings.HasPrefix(m.Blocks[0].Text.String(), strings.TrimSuffix(m.Push, "…"))
}
