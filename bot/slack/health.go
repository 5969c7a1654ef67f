package slack

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// deafAfter is how long a link may be silent: Slack pings far more often.
const deafAfter = time.Minute

// Health is how the link to Slack stands.
type Health struct {
	Connected   bool
	ConnectedAt time.Time // real time, as all here
	HeardAt     time.Time // last byte that came over the link, pings included
	Failure     string    // the last connection failure; "" once connected
	Dropped     int       // commands and clicks dropped because too much was waiting
}

// Alive says that the link heard something lately. A process that only sends may be deaf for days.
func (h Health) Alive(now time.Time) bool { return h.Connected && now.Sub(h.HeardAt) <= deafAfter }

// Health tells how the link stands.
func (c *Client) Health() Health {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	return c.link.health
}

// link is what is known of the connection.
type link struct {
	mu     sync.Mutex
	health Health
}

func (l *link) connected(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.health.Connected, l.health.ConnectedAt, l.health.HeardAt, l.health.Failure = true, now, now, ""
}

func (l *link) lost(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.health.Connected = false
	if why != "" {
		l.health.Failure = why
	}
}

func (l *link) heard(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.health.HeardAt = now
}

func (l *link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.health.Dropped++
}

// dialer is the dialer of the link: the given one, whose connections report what they hear.
func (c *Client) dialer() *websocket.Dialer {
	d := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: 20 * time.Second}
	if c.o.Dialer != nil {
		copied := *c.o.Dialer
		d = &copied
	}
	if d.WriteBufferSize == 0 {
		d.WriteBufferSize = 32 << 10 // Slack drops answers that come in several frames
	}
	dial := d.NetDialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext
	}
	d.NetDialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return heardConn{conn, &c.link}, nil
	}
	return d
}

type heardConn struct {
	net.Conn
	link *link
}

// Read implements net.Conn.
func (h heardConn) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if n > 0 {
		h.link.heard(time.Now())
	}
	return n, err
}
