package slack_test

import (
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/bot/localslack"
)

// A workspace that turns connections away is not stormed: the openings get further apart.
func TestConnectionsAreSpaced(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		before := b.opens.count()
		end := time.Now().Add(5 * time.Minute)
		for time.Now().Before(end) {
			b.DropLinks("too_many_websockets")
			time.Sleep(100 * time.Millisecond)
		}
		if n := b.opens.count() - before; n > 12 || n < 3 {
			t.Errorf("%d openings in five minutes", n)
		}
		// It comes back by itself, and answers.
		b.until(t, func() bool { return b.Links() > 0 })
		b.types(t, "U0OP", "/gpu help")
		b.said(t, "C0OPS", 1)
	})
}

// A refresh by Slack after a good while is answered at once.
func TestRefresh(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		time.Sleep(2 * time.Hour)
		at := time.Now()
		b.DropLinks("refresh_requested")
		synctest.Wait()
		b.until(t, func() bool { return b.Links() > 0 })
		if d := time.Since(at); d > time.Second {
			t.Errorf("gone for %v", d)
		}
	})
}

// A link on which nothing comes any more is not healthy, is given up, and a new one is made.
func TestDeaf(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		time.Sleep(10 * time.Minute)
		if h := b.bot.Health(); !h.Alive(time.Now()) || time.Since(h.HeardAt) > 20*time.Second {
			t.Fatalf("not healthy: %+v", h)
		}
		b.Mute(true)
		b.Fail("apps.connections.open", 1000, localslack.Fault{Status: 503})
		time.Sleep(90 * time.Second)
		if h := b.bot.Health(); h.Alive(time.Now()) || h.Failure == "" {
			t.Errorf("healthy though deaf: %+v", h)
		}
	})
}

// A refused token is said in health and tried again ever more rarely; it ends nothing.
func TestRefusedToken(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.Fail("apps.connections.open", 3, localslack.Fault{Error: "invalid_auth"})
		b.DropLinks("link_disabled")
		time.Sleep(5 * time.Second)
		if h := b.bot.Health(); h.Connected || h.Failure == "" {
			t.Errorf("%+v", h)
		}
		b.until(t, func() bool { return b.Links() > 0 })
		time.Sleep(time.Second)
		if h := b.bot.Health(); !h.Alive(time.Now()) || h.Failure != "" {
			t.Errorf("%+v", h)
		}
	})
}
