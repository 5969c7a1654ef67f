package localslack_test

import (
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/slack-go/slack"

	"gpuspend/bot/localslack/browser"
)

type step = browser.Step

func js(s string) step    { return browser.JS(s) }
func until(s string) step { return browser.Until(s) }

func TestBrowser(t *testing.T) {
	page := browser.Open(t)
	b := open(t, sampleOptions())
	got := b.openSampleModal(t)
	b.postSamples(t)
	page.Do("open", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.url+"/?as=U0ADA#C0OPS"), chromedp.WaitVisible(".b-section"))
	if !page.Is(`document.title.includes('gpuspend')`) {
		t.Error("the title does not name gpuspend")
	}
	page.Do("type a command", chromedp.SendKeys("#composer-input", "/gpu st"), chromedp.WaitVisible("#hints li"),
		chromedp.SendKeys("#composer-input", kb.Tab), until(`document.querySelector('#composer-input').value === '/gpu status'`),
		chromedp.SendKeys("#composer-input", kb.Enter), until(`document.querySelector('.message.ephemeral')?.textContent.includes('You typed')`))
	page.Do("press a button", chromedp.Click(`[data-key$="/take"]`))
	if c := <-got; c.ActionCallback.BlockActions[0].Value != "B-214" || c.User.ID != "U0ADA" {
		t.Errorf("clicked %+v", c.ActionCallback.BlockActions[0])
	}
	page.Do("confirm", chromedp.Click(`[data-key$="/ask"]`), chromedp.WaitVisible("#confirm"), chromedp.Click("#confirm .btn.primary"))
	if c := <-got; c.ActionCallback.BlockActions[0].ActionID != "ask" {
		t.Errorf("confirmed %+v", c.ActionCallback.BlockActions[0])
	}
	page.Do("choose from a menu", chromedp.Click(`[data-key$="/disk"]`), until(`document.activeElement.getAttribute('role') === 'menuitem'`),
		chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	if c := <-got; c.ActionCallback.BlockActions[0].SelectedOption.Value != "keep:ds-imagenet-old" {
		t.Errorf("chosen %+v", c.ActionCallback.BlockActions[0].SelectedOption)
	}
	modal(t, page, b, got)
	page.Do("phone", chromedp.EmulateViewport(390, 844), until(`innerWidth === 390`))
	if page.Is(`document.documentElement.scrollWidth > 390 || document.querySelector('#log').scrollWidth > 390`) {
		t.Error("the page is wider than a phone")
	}
	if s := page.Complaints(); s != "" {
		t.Errorf("the browser complains: %s", s)
	}
}

// modal opens the modal, is refused, chooses, and leaves by Escape.
func modal(t *testing.T, b *browser.Tab, l *lab, got <-chan slack.InteractionCallback) {
	t.Helper()
	b.Do("open the modal", chromedp.SendKeys("#composer-input", "/gpu release now"+kb.Enter), chromedp.WaitVisible("#modal-submit"),
		chromedp.SendKeys("#modal input[type=text]", "bad"), chromedp.Click("#modal-submit"), chromedp.WaitVisible("#modal .bad .error"))
	<-got
	for range 12 {
		b.Do("tab", chromedp.KeyEvent(kb.Tab))
		if !b.Is(`document.activeElement === document.body || document.querySelector('#modal').contains(document.activeElement)`) {
			t.Fatal("Tab leaves the modal")
		}
	}
	b.Do("choose", chromedp.Click(`#modal input[value=now]`))
	if c := <-got; c.ActionCallback.BlockActions[0].SelectedOption.Value != "now" || c.View.State.Values["reason"]["reason"].Value != "bad" {
		t.Errorf("choice %+v", c.View.State)
	}
	b.Do("escape", chromedp.KeyEvent(kb.Escape), until(`!document.querySelector('#modal').open`))
	if n := len(l.Views("U0ADA")); n != 0 {
		t.Errorf("%d views after Escape", n)
	}
}

// TestBrowserShowsOnlyText holds that nothing a message says becomes markup.
func TestBrowserShowsOnlyText(t *testing.T) {
	page := browser.Open(t)
	b := open(t, options())
	evil := `<img src=x onerror="window.hit=1"> *<b>bold</b>* <javascript:alert(1)|click> ` + "`<script>window.hit=1</script>`"
	if _, _, err := b.api.PostMessage("C0OPS", slack.MsgOptionText(evil, false)); err != nil {
		t.Fatal(err)
	}
	blocks := slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", evil, false, false), nil, nil)
	b.say(t, "C0OPS", blocks, slack.NewHeaderBlock(plain("<i>x</i>")), slack.NewMarkdownBlock("", "[x](javascript:alert(1)) <img src=x onerror=alert(1)> **b**"))
	page.Do("open", chromedp.Navigate(b.url+"/?as=U0ADA#C0OPS"), chromedp.WaitVisible(".b-header"))
	if page.Is(`Boolean(window.hit) || document.querySelectorAll('.blocks img, .blocks script, .blocks i, .blocks a[href^="javascript"]').length > 0`) {
		t.Error("a message became markup")
	}
	if !page.Is(`document.querySelector('.b-header').textContent === '<i>x</i>' && document.querySelector('.b-markdown strong').textContent === 'b'`) {
		t.Error("the text is not as written")
	}
}

// TestScreenshots writes pictures of the page for people to look at, when GPUSPEND_SHOTS names a folder.
func TestScreenshots(t *testing.T) {
	if os.Getenv(browser.ShotsVariable) == "" {
		return // nobody asked for pictures; there is nothing here to hold
	}
	page := browser.Open(t)
	b := open(t, sampleOptions())
	b.openSampleModal(t)
	b.postSamples(t)
	shot := func(name string, steps ...step) {
		page.Shot(name, append(steps, chromedp.Sleep(250*time.Millisecond))...)
	}
	at := func(user, hash string) step {
		return chromedp.Steps(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"/?as="+user+"#"+hash), chromedp.WaitVisible(".b-section"))
	}
	top := js(`document.querySelector('#log').scrollTop = 0`)
	dm, root := b.OpenDM("U0LIN"), b.Messages("C0OPS")[0].TS
	for _, size := range []struct {
		name string
		w, h int64
	}{{"desktop", 1280, 900}, {"phone", 390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			n := size.name + "-" + scheme + "-"
			page.Scheme(scheme)
			shot(n+"warning", chromedp.EmulateViewport(size.w, size.h), at("U0ADA", "C0OPS"), top)
			shot(n+"disks", at("U0ADA", "C0OPS"))
			shot(n+"estimate", at("U0ADA", "C0OPS"), js(`document.querySelector('table').scrollIntoView({block:'center'})`))
			shot(n+"thread", at("U0ADA", "C0OPS/"+root), top)
			shot(n+"zh", at("U0LIN", dm), top)
			shot(n+"menu", at("U0LIN", dm), js(`document.querySelectorAll('.more')[2].click(); document.querySelector('#menu').click()`))
			for _, u := range []string{"U0ADA", "U0LIN"} {
				modalShot(t, b, u, func() { shot(n+"modal-"+u, at(u, "C0OPS"), chromedp.WaitVisible("#modal-submit")) })
			}
		}
	}
	for _, said := range [][2]string{{"U0GUEST", "Is *sft-07* still running? <@U0BOT>"}, {"U0OUT", "Our part of the bill is in."}, {"U0LIN", "我看一下 `nv-ckpt-1`"}} {
		if err := b.Say(t.Context(), said[0], "C0OPS", said[1], ""); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = b.api.PostEphemeral("C0OPS", "U0LIN", slack.MsgOptionText("你可以查看，但不能释放「阿里云 生产」的资源。", false))
	if err := b.api.AddReaction("eyes", slack.NewRefToMessage("C0OPS", b.Messages("C0OPS")[5].TS)); err != nil {
		t.Fatal(err)
	}
	b.Mute(true)
	_ = b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu status")
	shot("people", chromedp.EmulateViewport(1280, 900), js(`localStorage.removeItem('gpuspend seen')`), at("U0LIN", "C0OPS"))
	shot("hints", chromedp.EmulateViewport(1280, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"/?as=U0LIN#C0LOG"), chromedp.WaitVisible(".empty"), chromedp.SendKeys("#composer-input", "/gpu "), chromedp.KeyEvent(kb.ArrowDown))
}

func modalShot(t *testing.T, l *lab, user string, shot func()) {
	t.Helper()
	if err := l.Command(t.Context(), user, "C0OPS", "/gpu release infer-a10-2"); err != nil {
		t.Fatal(err)
	}
	shot()
	_ = l.CloseView(t.Context(), user, l.Views(user)[0].ID)
}
