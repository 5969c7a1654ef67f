package localslack_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/slack-go/slack"
)

type step = chromedp.Action[chromedp.Void]

// browser is a tab, and what its page complained of: exceptions, and violations of the page's own policy.
type browser struct {
	t          *testing.T
	ctx        context.Context
	mu         sync.Mutex
	complaints []string
}

// browse starts a browser, or skips with a sentence.
func browse(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds; -short is given")
	}
	exe := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			exe = p
			break
		}
	}
	if exe == "" {
		t.Skip("there is no Chromium to look at the page with")
	}
	opts := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(exe), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("proxy-server", "direct://"))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, runtime.Enable} {
		if _, err := chromedp.Call(ctx, cmd, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *browser) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.complaints = append(b.complaints, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

func (b *browser) do(what string, steps ...step) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		if dir := os.Getenv("GPUSPEND_SHOTS"); dir != "" {
			png, _ := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			_ = os.WriteFile(filepath.Join(dir, "failed.png"), png, 0o600)
		}
		b.t.Fatalf("%s: %v; the page says %q", what, err, b.complaints)
	}
}

func (b *browser) is(js string) bool {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](js))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

func js(s string) step { return chromedp.Evaluate[chromedp.Void](s + "; undefined") }
func until(s string) step {
	return chromedp.Poll[chromedp.Void](s, chromedp.WithPollingInterval(30*time.Millisecond))
}

func TestBrowser(t *testing.T) {
	page := browse(t)
	b := open(t, sampleOptions())
	got := b.openSampleModal(t)
	b.postSamples(t)
	page.do("open", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.url+"/?as=U0ADA#C0OPS"), chromedp.WaitVisible(".b-section"))
	if !page.is(`document.title.includes('gpuspend')`) {
		t.Error("the title does not name gpuspend")
	}
	page.do("type a command", chromedp.SendKeys("#composer-input", "/gpu st"), chromedp.WaitVisible("#hints li"),
		chromedp.SendKeys("#composer-input", kb.Tab), until(`document.querySelector('#composer-input').value === '/gpu status'`),
		chromedp.SendKeys("#composer-input", kb.Enter), until(`document.querySelector('.message.ephemeral')?.textContent.includes('You typed')`))
	page.do("press a button", chromedp.Click(`[data-key$="/take"]`))
	if c := <-got; c.ActionCallback.BlockActions[0].Value != "B-214" || c.User.ID != "U0ADA" {
		t.Errorf("clicked %+v", c.ActionCallback.BlockActions[0])
	}
	page.do("confirm", chromedp.Click(`[data-key$="/ask"]`), chromedp.WaitVisible("#confirm"), chromedp.Click("#confirm .btn.primary"))
	if c := <-got; c.ActionCallback.BlockActions[0].ActionID != "ask" {
		t.Errorf("confirmed %+v", c.ActionCallback.BlockActions[0])
	}
	page.do("choose from a menu", chromedp.Click(`[data-key$="/disk"]`), until(`document.activeElement.getAttribute('role') === 'menuitem'`),
		chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	if c := <-got; c.ActionCallback.BlockActions[0].SelectedOption.Value != "keep:ds-imagenet-old" {
		t.Errorf("chosen %+v", c.ActionCallback.BlockActions[0].SelectedOption)
	}
	page.modal(b, got)
	page.do("phone", chromedp.EmulateViewport(390, 844), until(`innerWidth === 390`))
	if page.is(`document.documentElement.scrollWidth > 390 || document.querySelector('#log').scrollWidth > 390`) {
		t.Error("the page is wider than a phone")
	}
	if len(page.complaints) > 0 {
		t.Errorf("the browser complains: %s", strings.Join(page.complaints, "\n"))
	}
}

// modal opens the modal, is refused, chooses, and leaves by Escape.
func (b *browser) modal(l *lab, got <-chan slack.InteractionCallback) {
	b.t.Helper()
	b.do("open the modal", chromedp.SendKeys("#composer-input", "/gpu release now"+kb.Enter), chromedp.WaitVisible("#modal-submit"),
		chromedp.SendKeys("#modal input[type=text]", "bad"), chromedp.Click("#modal-submit"), chromedp.WaitVisible("#modal .bad .error"))
	<-got
	for range 12 {
		b.do("tab", chromedp.KeyEvent(kb.Tab))
		if !b.is(`document.activeElement === document.body || document.querySelector('#modal').contains(document.activeElement)`) {
			b.t.Fatal("Tab leaves the modal")
		}
	}
	b.do("choose", chromedp.Click(`#modal input[value=now]`))
	if c := <-got; c.ActionCallback.BlockActions[0].SelectedOption.Value != "now" || c.View.State.Values["reason"]["reason"].Value != "bad" {
		b.t.Errorf("choice %+v", c.View.State)
	}
	b.do("escape", chromedp.KeyEvent(kb.Escape), until(`!document.querySelector('#modal').open`))
	if n := len(l.Views("U0ADA")); n != 0 {
		b.t.Errorf("%d views after Escape", n)
	}
}

// TestBrowserShowsOnlyText holds that nothing a message says becomes markup.
func TestBrowserShowsOnlyText(t *testing.T) {
	page := browse(t)
	b := open(t, options())
	evil := `<img src=x onerror="window.hit=1"> *<b>bold</b>* <javascript:alert(1)|click> ` + "`<script>window.hit=1</script>`"
	if _, _, err := b.api.PostMessage("C0OPS", slack.MsgOptionText(evil, false)); err != nil {
		t.Fatal(err)
	}
	blocks := slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", evil, false, false), nil, nil)
	b.say(t, "C0OPS", blocks, slack.NewHeaderBlock(plain("<i>x</i>")), slack.NewMarkdownBlock("", "[x](javascript:alert(1)) <img src=x onerror=alert(1)> **b**"))
	page.do("open", chromedp.Navigate(b.url+"/?as=U0ADA#C0OPS"), chromedp.WaitVisible(".b-header"))
	if page.is(`Boolean(window.hit) || document.querySelectorAll('.blocks img, .blocks script, .blocks i, .blocks a[href^="javascript"]').length > 0`) {
		t.Error("a message became markup")
	}
	if !page.is(`document.querySelector('.b-header').textContent === '<i>x</i>' && document.querySelector('.b-markdown strong').textContent === 'b'`) {
		t.Error("the text is not as written")
	}
}

// TestScreenshots writes pictures of the page for people to look at, when GPUSPEND_SHOTS names a folder.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("GPUSPEND_SHOTS")
	if dir == "" {
		t.Skip("GPUSPEND_SHOTS names no folder for pictures of the page")
	}
	page := browse(t)
	b := open(t, sampleOptions())
	b.openSampleModal(t)
	b.postSamples(t)
	shot := func(name string, steps ...step) {
		page.do(name, append(steps, chromedp.Sleep(250*time.Millisecond))...)
		png, err := chromedp.Run(page.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
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
			media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
			if _, err := chromedp.Call(page.ctx, emulation.SetEmulatedMedia, media); err != nil {
				t.Fatal(err)
			}
			shot(n+"warning", chromedp.EmulateViewport(size.w, size.h), at("U0ADA", "C0OPS"), top)
			shot(n+"disks", at("U0ADA", "C0OPS"))
			shot(n+"estimate", at("U0ADA", "C0OPS"), js(`document.querySelector('table').scrollIntoView({block:'center'})`))
			shot(n+"thread", at("U0ADA", "C0OPS/"+root), top)
			shot(n+"zh", at("U0LIN", dm), top)
			shot(n+"menu", at("U0LIN", dm), js(`document.querySelectorAll('.more')[2].click(); document.querySelector('#menu').click()`))
			for _, u := range []string{"U0ADA", "U0LIN"} {
				page.modalShot(b, u, func() { shot(n+"modal-"+u, at(u, "C0OPS"), chromedp.WaitVisible("#modal-submit")) })
			}
		}
	}
	for _, said := range [][2]string{{"U0GUEST", "Is *sft-07* still running? <@U0BOT>"}, {"U0OUT", "Our part of the bill is in."}, {"U0LIN", "我看一下 `nv-ckpt-1`"}} {
		if err := b.Say(page.ctx, said[0], "C0OPS", said[1], ""); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = b.api.PostEphemeral("C0OPS", "U0LIN", slack.MsgOptionText("你可以查看，但不能释放「阿里云 生产」的资源。", false))
	if err := b.api.AddReaction("eyes", slack.NewRefToMessage("C0OPS", b.Messages("C0OPS")[5].TS)); err != nil {
		t.Fatal(err)
	}
	b.Mute(true)
	_ = b.Command(page.ctx, "U0LIN", "C0OPS", "/gpu status")
	shot("people", chromedp.EmulateViewport(1280, 900), js(`localStorage.removeItem('gpuspend seen')`), at("U0LIN", "C0OPS"))
	shot("hints", chromedp.EmulateViewport(1280, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"/?as=U0LIN#C0LOG"), chromedp.WaitVisible(".empty"), chromedp.SendKeys("#composer-input", "/gpu "), chromedp.KeyEvent(kb.ArrowDown))
}

func (b *browser) modalShot(l *lab, user string, shot func()) {
	b.t.Helper()
	if err := l.Command(b.ctx, user, "C0OPS", "/gpu release infer-a10-2"); err != nil {
		b.t.Fatal(err)
	}
	shot()
	_ = l.CloseView(b.ctx, user, l.Views(user)[0].ID)
}
