package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
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
	a, err := appOf(ctx, file, errs)
	if err != nil {
		return err
	}
	return errors.Join(a.Poll(ctx), a.Deliver(ctx), a.Close())
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
	return New(ctx, Options{Config: c, Drivers: providers.All(), Now: time.Now, Log: log, Slack: door})
}

// readChecked reads a configuration and refuses it with every error at once.
func readChecked(ctx context.Context, file string) (Config, error) {
	c, err := ReadConfig(file)
	if err == nil {
		if p := c.Check(ctx, providers.All()); len(p) > 0 {
			err = p
		}
	}
	if err != nil {
		return c, fmt.Errorf("%s:\n%w", file, err)
	}
	return c, nil
}

func serve(ctx context.Context, file string, errs io.Writer) error {
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
