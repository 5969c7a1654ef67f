package localslack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Handler serves everything: the Web API, the Socket Mode link, response URLs, the page and the page's own API.
func (w *Workspace) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", w.serveAPI)
	mux.HandleFunc("GET /link", w.serveLink)
	mux.HandleFunc("POST /response/{token}", w.serveResponse)
	w.pageRoutes(mux)
	return mux
}

// Serve answers on l until ctx ends. It then closes every connection and returns when all its goroutines have ended;
// nil is a clean end.
func (w *Workspace) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &http.Server{
		Handler:           w.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState:         w.countConn,
	}
	w.setLife(ctx)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	var err error
	select {
	case <-ctx.Done():
		_ = srv.Close()
		err = <-served
	case err = <-served:
		_ = srv.Close()
	}
	cancel()
	w.endLife()
	w.closeLinks()
	w.conns.Wait()
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return fmt.Errorf("serve local workspace: %w", err)
}

func (w *Workspace) setLife(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life = ctx
}

// endLife leaves the workspace without a server: who still acts is told so.
func (w *Workspace) endLife() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life = nil
}

// countConn lets Serve wait for the server's connections. New is reported by the accept loop, so nothing is added
// after that loop has ended; a link adds itself before it hijacks its connection.
func (w *Workspace) countConn(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		w.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		w.conns.Done()
	}
}
