package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// How old things may be before /healthz turns red.
const (
	pollsDeaf  = time.Hour        // no account was read whole for so long
	firstPoll  = 5 * time.Minute  // nothing of an account was read since the program began
	outboxDeaf = 10 * time.Minute // a letter waits for so long
)

// serveHTTP listens where the configuration says: /healthz, /metrics, and Slack's requests where they come by HTTP.
func (a *App) serveHTTP(ctx context.Context) error {
	l, err := net.Listen("tcp", a.o.Config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: a.routes(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = server.Shutdown(end)
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// routes are all that this process answers over HTTP.
func (a *App) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", a.healthz)
	mux.Handle("GET /metrics", a.metrics())
	if a.chat != nil && !a.o.Slack.Signing.Empty() {
		mux.Handle("POST /slack", a.chat.Handler())
	}
	return mux
}

func (a *App) healthz(w http.ResponseWriter, r *http.Request) {
	faults, err := a.faults(r.Context())
	if err != nil {
		faults = append(faults, "the store can't be read")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if len(faults) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintln(w, strings.Join(faults, "\n"))
		return
	}
	_, _ = fmt.Fprintln(w, "ok")
}

// faults lists what is older than it may be.
func (a *App) faults(ctx context.Context) ([]string, error) {
	v, err := a.Look(ctx)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, av := range v.Accounts {
		if !a.watches(av.ID) {
			continue
		}
		switch last := newest(av.Readings); {
		case last.IsZero() && v.Now.Sub(a.began) > firstPoll:
			list = append(list, fmt.Sprintf("account %s has not been read yet", av.Name))
		case !last.IsZero() && v.Now.Sub(last) > pollsDeaf:
			list = append(list, fmt.Sprintf("account %s was not read for %s", av.Name, pollsDeaf))
		}
	}
	waiting, err := a.waiting(ctx, v.Now)
	if err != nil {
		return nil, err
	}
	if waiting > 0 {
		list = append(list, fmt.Sprintf("%d messages wait for more than %s", waiting, outboxDeaf))
	}
	if a.chat != nil && !a.o.Slack.App.Empty() && !a.chat.Health().Alive(time.Now()) {
		list = append(list, "the link to Slack is silent")
	}
	return list, nil
}

// watches says whether the configuration of now names an account: what was removed from it, or was only imported, is
// not expected to be read.
func (a *App) watches(id billing.AccountID) bool {
	return slices.ContainsFunc(a.present.Load().accounts, func(ac billing.Account) bool { return ac.ID == id })
}

// waiting counts letters that should have arrived long ago. One that is tried again and again is always due soon, so
// that its age counts and not its next try.
func (a *App) waiting(ctx context.Context, now time.Time) (n int, err error) {
	due, err := a.db.Due(ctx, now.Add(24*time.Hour))
	for _, l := range due {
		if (l.Tries > 0 || !l.TryAt.After(now)) && now.Sub(l.CreatedAt) > outboxDeaf {
			n++
		}
	}
	return n, err
}

// newest is when something was last read whole. The list of scopes does not count: many clouds need no call for it.
func newest(readings []billing.Reading) (t time.Time) {
	for _, r := range readings {
		list := r.Of == billing.ReadInventory && r.Scope == billing.Scope{}
		if !list && r.CompleteAt.After(t) {
			t = r.CompleteAt
		}
	}
	return t
}
