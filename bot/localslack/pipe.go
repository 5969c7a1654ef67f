package localslack

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// PipeListener is a listener in memory: it works inside a testing/synctest bubble, where real sockets do not.
type PipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// NewPipeListener returns a listener that Dial reaches.
func NewPipeListener() *PipeListener {
	return &PipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Dial connects to the listener whatever the address. It fits http.Transport.DialContext and the dialers of WebSocket
// clients.
func (l *PipeListener) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- pipeConn{theirs}:
		return ours, nil
	case <-l.done:
		return nil, fmt.Errorf("dial %s %s: %w", network, addr, net.ErrClosed)
	case <-ctx.Done():
		return nil, fmt.Errorf("dial %s %s: %w", network, addr, ctx.Err())
	}
}

// Accept implements net.Listener.
func (l *PipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *PipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *PipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// pipeConn has an address of its own, by which the page knows that the caller is in this process.
type pipeConn struct{ net.Conn }

func (pipeConn) LocalAddr() net.Addr  { return pipeAddr{} }
func (pipeConn) RemoteAddr() net.Addr { return pipeAddr{} }
