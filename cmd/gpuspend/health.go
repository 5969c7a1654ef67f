package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"gpuspend/billing"
)

// How old things may be before /healthz turns red.
const (
	pollsDeaf  = time.Hour        // no account was read whole for so long
	outboxDeaf = 10 * time.Minute // a letter waits for so long
)

// serveHTTP listens where the configuration says: /healthz, and Slack's requests where they come by HTTP.
func (a *App) serveHTTP(ctx context.Context) error {
	l, err := net.Listen("tcp", a.o.Config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", a.healthz)
	if a.chat != nil && !a.o.Slack.Signing.Empty() {
		mux.Handle("POST /slack", a.chat.Handler())
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second}
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
		if av.Driver.Name != "" && v.Now.Sub(newest(av.Readings)) > pollsDeaf {
			list = append(list, fmt.Sprintf("account %s was not read for %s", av.Name, pollsDeaf))
		}
	}
	due, err := a.db.Due(ctx, v.Now.Add(-outboxDeaf))
	if err != nil {
		return nil, err
	}
	if len(due) > 0 && v.Now.Sub(due[0].CreatedAt) > outboxDeaf {
		list = append(list, fmt.Sprintf("%d messages wait for more than %s", len(due), outboxDeaf))
	}
	if a.chat != nil && !a.o.Slack.App.Empty() && !a.chat.Health().Alive(time.Now()) {
		list = append(list, "the link to Slack is silent")
	}
	return list, nil
}

func newest(readings []billing.Reading) (t time.Time) {
	for _, r := range readings {
		if r.CompleteAt.After(t) {
			t = r.CompleteAt
		}
	}
	return t
}
