//go:build !nodemo

package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gpuspend/bot/localslack/browser"
)

// liveDemo runs the demo as `gpuspend demo` does, on a port of its own, until the test ends; it gives the page's address.
func liveDemo(t *testing.T, speed float64) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	go func() { done <- demoOn(ctx, l, filepath.Join(t.TempDir(), demoStore), speed, io.Discard, log) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; !interrupted(ctx, err) {
			t.Errorf("the demo ended with %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// visit opens a room as somebody and waits until the program is there to answer.
func visit(base, user, room string) browser.Step {
	return chromedp.Steps(chromedp.Navigate("about:blank"), chromedp.Navigate(base+"/?as="+user+"#"+room),
		browser.Until(`document.querySelector('#link-state')?.textContent && !document.querySelector('#link-state').classList.contains('off')`))
}

// asks types a command and waits until the newest thing only this person sees answers with some words.
func asks(command, words string) browser.Step {
	return chromedp.Steps(chromedp.SendKeys("#composer-input", command+kb.Enter), answered(words))
}

func answered(words string) browser.Step {
	return browser.Until(`[...document.querySelectorAll('#log .message.ephemeral')].at(-1)?.textContent.includes('` + words + `')`)
}

func TestDemoInABrowser(t *testing.T) {
	page := browser.Open(t)
	base := liveDemo(t, 120)
	page.Do("open", chromedp.EmulateViewport(1280, 900), visit(base, demoOperator, demoChannel))
	look := os.Getenv("LOOK")
	_ = look
	shot := func(n string) {
		page.Shot(n, chromedp.Sleep(300*time.Millisecond))
	}
	shot("open")
	page.Do("status", asks("/gpu status", "compute-c"))
	shot("status")
	page.Do("forgotten", asks("/gpu forgotten", "ds-imagenet-old"))
	shot("forgotten")
}

func TestDemoPictures(t *testing.T) {
	if os.Getenv(browser.ShotsVariable) == "" {
		return
	}
	page := browser.Open(t)
	base := liveDemo(t, 1)
	for _, size := range []struct {
		name string
		w, h int64
	}{{"desktop", 1280, 900}, {"phone", 390, 844}} {
		for _, who := range []struct{ name, id string }{{"en", demoOperator}, {"zh", demoChinese}} {
			scheme := "light"
			if who.name == "zh" && size.name == "desktop" || who.name == "en" && size.name == "phone" {
				scheme = "dark"
			}
			n := size.name + "-" + who.name + "-"
			page.Scheme(scheme)
			page.Do("open", chromedp.EmulateViewport(size.w, size.h), visit(base, who.id, demoChannel))
			page.Shot(n + "open")
			page.Shot(n+"history", browser.JS(`document.querySelector('#log').scrollTop=0`))
			page.Shot(n+"history2", browser.JS(`document.querySelector('#log').scrollTop=800`))
			page.Shot(n+"history3", browser.JS(`document.querySelector('#log').scrollTop=1600`))
			for _, c := range []string{"status", "balance", "cost 30d by provider", "forgotten", "list", "expiring", "help", "stauts", "release vault-1", "release infer-asg-7f"} {
				count := `document.querySelectorAll('#log .message.ephemeral').length`
				page.Do(c, browser.JS(`window.before=`+count), chromedp.SendKeys("#composer-input", "/gpu "+c+kb.Enter), browser.Until(count+`> window.before`))
				page.Shot(n+c, browser.JS(`[...document.querySelectorAll('#log .message.ephemeral')].at(-1).scrollIntoView({block:'start'})`))
			}
			for _, c := range []string{"infer-a10-2", "ds-imagenet-old", "train-a10-1"} {
				page.Do(c, chromedp.SendKeys("#composer-input", "/gpu release "+c+kb.Enter), chromedp.WaitVisible("#modal-submit"))
				page.Shot(n + "release-" + c)
				for _, v := range []string{"stop", "delete"} {
					if page.Is(`document.querySelector('#modal input[value=` + v + `]') !== null`) {
						page.Shot(n+"release-"+c+"-"+v, chromedp.Click(`#modal input[value=`+v+`]`), chromedp.Sleep(500*time.Millisecond))
					}
				}
				page.Do("close", chromedp.KeyEvent(kb.Escape), browser.Until(`!document.querySelector('#modal').open`))
			}
		}
	}
}
