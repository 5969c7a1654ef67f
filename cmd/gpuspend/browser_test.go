//go:build !nodemo

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gpuspend/billing/release"
	"gpuspend/bot/localslack/browser"
)

// liveDemo runs the demo as `gpuspend demo` does, on a port of its own, until the test ends; it gives the page's address.
func liveDemo(t *testing.T, speed float64) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(t.TempDir(), demoStore)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- demoOn(ctx, l, store, speed, io.Discard, log) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil && !interrupted(ctx, err) {
			t.Errorf("the demo ended with %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// visit opens the demo's channel as somebody and waits until the program is there to answer.
func visit(base, user string) browser.Step {
	return chromedp.Steps(chromedp.Navigate("about:blank"), chromedp.Navigate(base+"/?as="+user+"#"+demoChannel),
		browser.Until(`document.querySelector('#link-state')?.textContent && !document.querySelector('#link-state').classList.contains('off')`))
}

// Where words stand: in the newest answer that only this person sees, and in what everybody sees.
const (
	answer = `[...document.querySelectorAll('#log .message.ephemeral')].at(-1)`
	shared = `[...document.querySelectorAll('#log .message:not(.ephemeral)')]`
)

// typing types a command.
func typing(command string) browser.Step {
	return chromedp.Steps(chromedp.Click("#composer-input"), chromedp.SendKeys("#composer-input", command+kb.Enter))
}

// replied waits until the newest answer holds all of these words.
func replied(words ...string) browser.Step {
	steps := make([]browser.Step, 0, len(words))
	for _, w := range words {
		steps = append(steps, browser.Until(fmt.Sprintf("%s?.textContent.includes(%q)", answer, w)))
	}
	return chromedp.Steps(steps...)
}

// told waits until one message that everybody sees holds these words.
func told(words string) browser.Step {
	return browser.Until(fmt.Sprintf("%s.some(m => m.textContent.includes(%q))", shared, words))
}

// press waits until a person can see what a JavaScript expression finds, and clicks it in the same moment: between the
// two, a new message could move it away.
func press(js string) browser.Step {
	return browser.Until(`(() => { const n = ` + js + `; if (!n?.checkVisibility()) return false; n.click(); return true; })()`)
}

// labelled finds a button or menu entry of the newest answer by its words.
func labelled(within, tags, words string) string {
	return fmt.Sprintf("[...(%s)?.querySelectorAll(%q) ?? []].find(b => b.textContent.includes(%q))", within, tags, words)
}

// TestDemoInABrowser is the first five minutes of somebody who has just typed `gpuspend demo`.
func TestDemoInABrowser(t *testing.T) {
	page := browser.Open(t)
	base := liveDemo(t, 120)
	page.Scheme("light")
	page.Do("open", chromedp.EmulateViewport(1280, 900), visit(base, demoOperator), told("Compute C runs dry at"), told("What helps"))
	page.Do("status", typing("/gpu status"), replied("compute-c lasts until", "7 things nobody uses", "demo book, article prices"))
	page.Do("forgotten", press(labelled(answer, "button", "Show unused")), replied("ds-imagenet-old", "unattached 29 days"))

	line := labelled(answer, ".b-section", "ds-imagenet-old")
	page.Do("open the menu", press(`(`+line+`)?.querySelector('.more')`), press(labelled(line, "[role=menuitem]", "Release")),
		chromedp.WaitVisible("#modal-submit"), browser.Until(`document.querySelector('#modal').textContent.includes('saves CN¥300.00/month')`))
	typed := `#modal [data-block="typed"] input`
	if page.Is(`document.querySelector('#modal [data-block="do"] input:checked') !== null`) {
		t.Error("a delete is preselected")
	}
	page.Do("choose", chromedp.Click(`#modal [data-block="do"] input[value="delete"]`))
	for _, item := range release.Exports() {
		page.Do("tick "+item, chromedp.Click(`#modal [data-block="exported"] input[value="`+item+`"]`))
	}
	page.Do("be asked for the name", chromedp.SendKeys(typed, "ds-imagenet"), chromedp.Click("#modal-submit"),
		browser.Until(`document.querySelector('#modal .bad .error')?.textContent.includes('ds-imagenet-old')`))
	page.Do("confirm", chromedp.SendKeys(typed, "-old"), chromedp.Click("#modal-submit"),
		browser.Until(`!document.querySelector('#modal').open`), told("ds-imagenet-old: delete"))
	page.Do("see it verified", told("ds-imagenet-old: deleted, gone from two complete listings"))
	if !page.Is(fmt.Sprintf(`%s.filter(m => m.textContent.includes('ds-imagenet-old: delete')).length === 1`, shared)) {
		t.Error("the release is told in more than one message")
	}
	page.Do("see who did it", told("By ana, "))
	picture(page)
	page.Do("see it gone", typing("/gpu forgotten"), replied("6 things nobody uses"))

	for _, who := range []struct{ id, command, words string }{
		{"U0GUEST", "/gpu status", "Guests"},
		{"U0OTHER", "/gpu status", "I only answer members"},
		{demoViewer, "/gpu release scratch-uf6", "You can look but not release"},
		{demoChinese, "/gpu status", "项闲置资源"},
		{demoChinese, "/gpu stauts", "不认识"},
	} {
		page.Do(who.id+" "+who.command, visit(base, who.id), typing(who.command), replied(who.words))
	}
	if s := page.Complaints(); s != "" {
		t.Errorf("the browser complains: %s", s)
	}
}

// picture is the README's: run this test with GPUSPEND_SHOTS=DIR, look at DIR/demo.png, and put it in .github.
func picture(page *browser.Tab) {
	top := `[...document.querySelectorAll('#log .message.ephemeral')].at(-2)`
	page.Shot("demo", chromedp.EmulateViewport(1280, 1300, chromedp.EmulateScale(1.25)),
		browser.JS(`document.activeElement.blur(); document.querySelectorAll('.tool').forEach(n => { n.hidden = true });
			document.querySelector('#log').scrollTop += `+top+`.getBoundingClientRect().top - document.querySelector('#log').getBoundingClientRect().top - 4`))
	page.Do("the window as it was", chromedp.EmulateViewport(1280, 900))
}

// TestDemoPictures draws every answer and form on two screens, in two languages and two schemes, for people to look at.
func TestDemoPictures(t *testing.T) {
	if os.Getenv(browser.ShotsVariable) == "" {
		return // nobody asked for pictures; there is nothing here to hold
	}
	page := browser.Open(t)
	base := liveDemo(t, 1)
	for _, s := range []struct {
		name, user, scheme string
		w, h               int64
	}{
		{"desktop-en", demoOperator, "light", 1280, 900}, {"desktop-zh", demoChinese, "dark", 1280, 900},
		{"phone-en", demoOperator, "dark", 390, 844}, {"phone-zh", demoChinese, "light", 390, 844},
	} {
		page.Scheme(s.scheme)
		page.Do("open", chromedp.EmulateViewport(s.w, s.h), visit(base, s.user), told("Compute C runs dry at"))
		page.Shot(s.name + "-open")
		page.Shot(s.name+"-history", browser.JS(`document.querySelector('#log').scrollTop = 0`))
		n := `document.querySelectorAll('#log .message.ephemeral').length`
		for _, c := range []string{"status", "balance", "cost 30d by provider", "forgotten", "list", "expiring", "help", "digest", "alerts", "statement", "forecast", "cost 7d by owner where provider=cloud-a", "unowned", "compare network premium=35% cut=6.8%", "estimate 8xA100-80G 30h disk=1TB egress=100GB snapshot=120GB ip=1", "stauts", "release vault-1", "release infer-asg-7f"} {
			page.Do(c, browser.JS(`window.before = `+n), typing("/gpu "+c), browser.Until(n+` > window.before`))
			page.Shot(s.name+"-"+c, browser.JS(answer+`.scrollIntoView({block: 'start'})`))
		}
		for _, c := range []string{"infer-a10-2", "ds-imagenet-old", "train-a10-1"} {
			page.Do(c, typing("/gpu release "+c), chromedp.WaitVisible("#modal-submit"))
			page.Shot(s.name + "-release-" + c)
			if page.Is(`document.querySelector('#modal input[value=delete]') !== null`) {
				page.Shot(s.name+"-release-"+c+"-delete", chromedp.Click(`#modal input[value=delete]`), browser.Until(`document.querySelector('#modal [data-block=typed]') !== null`))
				page.Shot(s.name+"-release-"+c+"-refused", chromedp.Click(`#modal [data-block="exported"] input[value=logs]`), chromedp.Click("#modal-submit"),
					browser.Until(`document.querySelector('#modal .bad .error') !== null`), browser.JS(`document.querySelector('#modal .bad').scrollIntoView({block: 'center'})`))
			}
			page.Do("close", chromedp.KeyEvent(kb.Escape), browser.Until(`!document.querySelector('#modal').open`))
		}
		page.Do("keep", typing("/gpu forgotten"), press(labelled(answer, ".b-section", "scratch-uf6")+`?.querySelector('.more')`))
		page.Shot(s.name + "-menu")
	}
}
