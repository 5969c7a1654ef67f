package slack

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/slack-go/slack"

	"gpuspend/billing"
	"gpuspend/bot/blocks"
	"gpuspend/notify"
	"gpuspend/notify/hook"
	"gpuspend/notify/words"
)

// Incoming is one of Slack's incoming webhooks: a channel that can be warned without an app. It has no buttons that do
// anything, so that what can be done is said as links and words to type.
type Incoming struct {
	URL    billing.Secret // whole: it is the key
	Client *http.Client
	Words  *words.Book
	Zone   *time.Location
	Now    func() time.Time
}

// Check says what is wrong with the hook's configuration.
func (i Incoming) Check() error { return i.door().Check() }

func (i Incoming) door() hook.Door {
	return hook.Door{Op: "slack webhook: send", URL: i.URL, Client: i.Client, Now: i.Now}
}

// Deliver posts a letter, richest form first: a refusal of blocks posted nothing. A webhook can't edit: what replaces a
// message that was heard already is not said again, and its receipt stays the same.
func (i Incoming) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	if l.Edits != "" {
		return l.Edits, nil
	}
	m := unbuttoned(l.Message)
	p := i.Words.For(l.Route.Lang, i.Zone, i.Now())
	more := func(n int) string { return p.Text("bot.more", "count", n) }
	var err error
	for _, body := range []slack.WebhookMessage{
		{Text: blocks.Text(m), Blocks: &slack.Blocks{BlockSet: blocks.Message(m, blocks.Options{More: more})}},
		{Text: blocks.Text(m), Blocks: &slack.Blocks{BlockSet: blocks.Message(m, blocks.Options{More: more, Preformatted: true})}},
		{Text: blocks.PlainText(m)},
	} {
		no := false
		body.UnfurlLinks, body.UnfurlMedia = &no, &no
		if _, err = i.door().Post(ctx, body, nil, nil); billing.KindOf(err) != billing.Invalid {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("webhook/%d", l.ID), nil
}

// unbuttoned says in words what buttons do that only an app can answer. Links stay buttons.
func unbuttoned(m notify.Message) notify.Message {
	out := notify.Message{Push: m.Push}
	for _, b := range m.Blocks {
		links, said := apart(append(append([]notify.Button{}, b.Buttons...), b.Menu...))
		b.Menu, b.Buttons = nil, nil
		if b.Kind != notify.BlockActions {
			out.Blocks = append(out.Blocks, b)
		}
		if len(links) > 0 {
			out.Blocks = append(out.Blocks, notify.Actions(links...))
		}
		if said != "" {
			out.Blocks = append(out.Blocks, notify.Section(said))
		}
	}
	return out
}

func apart(all []notify.Button) (links []notify.Button, said notify.Rich) {
	var words []notify.Rich
	for _, b := range all {
		if b.URL != "" {
			links = append(links, b)
		} else if w := b.Words(); w != "" {
			words = append(words, notify.Plain(b.Label+" ")+notify.Code(w))
		}
	}
	return links, notify.Join(" · ", words...)
}
