// Package browser lets tests look at the page as a person does, through a headless Chromium.
package browser

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
)

// ShotsVariable names the environment variable that holds a folder for pictures of the page. Without it none is made.
const ShotsVariable = "GPUSPEND_SHOTS"

// patience bounds one Do: a machine of two cores, busy with other tests, takes a while to draw.
const patience = 60 * time.Second

// Step is something done in a tab.
type Step = chromedp.Action[chromedp.Void]

// Tab is one tab of a browser, and what its page complained of: exceptions, and violations of the page's own policy.
type Tab struct {
	t          *testing.T
	ctx        context.Context
	mu         sync.Mutex
	complaints []string
}

// Open starts a browser that ends with the test. Where there is none, or -short is given, it skips with a sentence.
func Open(t *testing.T) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds; -short is given")
	}
	exe := executable()
	if exe == "" {
		t.Skip("there is no Chromium to look at the page with")
	}
	opts := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(exe), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("proxy-server", "direct://"))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	tab := &Tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, tab.hear); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, runtime.Enable} {
		if _, err := chromedp.Call(ctx, cmd, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	return tab
}

func executable() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	return ""
}

func (b *Tab) hear(ev any) {
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

// Do takes the steps in order, or ends the test, with a picture of what stood there where pictures are wanted.
func (b *Tab) Do(what string, steps ...Step) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Shot("failed")
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText.slice(-1500)`))
		b.t.Fatalf("%s: %v; the browser complains: %s; the page says:\n%s", what, err, b.Complaints(), text)
	}
}

// Is says whether a JavaScript expression holds.
func (b *Tab) Is(js string) bool {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](js))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// Complaints is everything the page complained of, a line each.
func (b *Tab) Complaints() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.complaints, "\n")
}

// Shot takes the steps and then writes a picture, where ShotsVariable names a folder. Elsewhere it does nothing.
func (b *Tab) Shot(name string, steps ...Step) {
	b.t.Helper()
	dir := os.Getenv(ShotsVariable)
	if dir == "" {
		return
	}
	if len(steps) > 0 {
		b.Do(name, steps...)
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// Scheme asks for the light or the dark colours.
func (b *Tab) Scheme(name string) {
	b.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name},
		{Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// JS runs a script for what it does.
func JS(s string) Step { return chromedp.Evaluate[chromedp.Void](s + "; undefined") }

// Until waits for a JavaScript expression to hold.
func Until(s string) Step {
	return chromedp.Poll[chromedp.Void](s, chromedp.WithPollingInterval(30*time.Millisecond), chromedp.WithPollingTimeout(patience))
}
