package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gpuspend/billing/providers"
)

func serveCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "serve --config FILE",
		Short: "Run: poll, warn, answer, release",
		Long: `Polls the accounts of the configuration, warns, answers /gpu and carries out releases, until it is told to end
(SIGINT, SIGTERM). SIGHUP takes over a changed configuration without a restart.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), file, c.ErrOrStderr())
		},
	}
	configFlag(c, &file)
	return c
}

func onceCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "once --config FILE",
		Short: "Poll, judge, send, end: for cron",
		Long:  "Reads every account once, judges what was found, sends what is to be said, and ends. It answers no words and carries out no release.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return once(c.Context(), file, c.ErrOrStderr())
		},
	}
	configFlag(c, &file)
	return c
}

// once reads, judges and sends. What could be read is kept and judged whatever else failed; the exit code tells.
func once(ctx context.Context, file string, errs io.Writer) error {
	thrifty()
	a, err := appOf(ctx, file, errs)
	if err != nil {
		return err
	}
	return errors.Join(a.Poll(ctx), a.Morning(ctx), a.Deliver(ctx), a.Close())
}

// appOf makes the program of a configuration that is good in every part.
func appOf(ctx context.Context, file string, errs io.Writer) (*App, error) {
	c, err := readChecked(ctx, file)
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(errs, nil))
	door, err := slackDoor(ctx, c.Slack)
	if err != nil {
		return nil, err
	}
	unlock, err := lockStore(c.storePath())
	if err != nil {
		return nil, err
	}
	a, err := New(ctx, Options{Config: c, Drivers: providers.All(), Now: time.Now, Log: log, Slack: door})
	if err != nil {
		unlock()
		return nil, err
	}
	a.unlock = unlock
	return a, nil
}

// readChecked reads a configuration and refuses it with every error at once.
func readChecked(ctx context.Context, file string) (Config, error) {
	c, err := readAndCheck(ctx, file)
	if err != nil {
		return c, fmt.Errorf("%s:\n%w", file, err)
	}
	return c, nil
}

// readAndCheck reads a configuration and judges all of it that could be read. It fails with Problems, or where the file
// is no YAML at all.
func readAndCheck(ctx context.Context, file string) (Config, error) {
	c, err := ReadConfig(file)
	var found Problems
	if err != nil && !errors.As(err, &found) {
		return c, err
	}
	unread := slices.Clone(found)
	for _, p := range c.Check(ctx, providers.All()) {
		if !slices.ContainsFunc(unread, func(u Problem) bool { return within(p.Path, u.Path) || within(u.Path, p.Path) }) {
			found = append(found, p)
		}
	}
	if len(found) > 0 {
		return c, found
	}
	return c, nil
}

// within says that a path is another or lies below it.
func within(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// thrifty has the garbage collector run when the memory in use has grown by half, not by all of itself, unless the
// environment says otherwise: many accounts make for much that is used once, and small machines for little room.
func thrifty() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

func serve(ctx context.Context, file string, errs io.Writer) error {
	thrifty()
	a, err := appOf(ctx, file, errs)
	if err != nil {
		return err
	}
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	go a.reloads(ctx, file, hup)
	err = a.Run(ctx)
	if interrupted(ctx, err) {
		err = nil
	}
	if cerr := a.Close(); err == nil {
		err = cerr
	}
	return err
}

// reloads takes over the configuration at every SIGHUP. A wrong one changes nothing.
func (a *App) reloads(ctx context.Context, file string, hup <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
			c, err := readChecked(ctx, file)
			if err == nil {
				err = a.Apply(ctx, c)
			}
			if err != nil {
				a.o.Log.Error("configuration not taken over", "error", err)
			}
		}
	}
}
