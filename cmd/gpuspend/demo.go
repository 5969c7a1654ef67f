//go:build !nodemo

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/bot/localslack"
)

type demoOptions struct {
	addr  string
	speed float64
	dir   string
}

func addDemo(root *cobra.Command) {
	var o demoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show everything in a browser, against three simulated clouds and a local Slack",
		Long: `Runs the whole product against three simulated clouds and a Slack workspace inside the process, and prints the
address of its page. Nothing leaves the machine. Ctrl-C ends it.`,
		Example: "  gpuspend demo\n  gpuspend demo --speed 600 --dir ./demo",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			err := runDemo(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
			if interrupted(c.Context(), err) {
				return nil
			}
			return err
		},
	}
	c.Flags().StringVar(&o.addr, "addr", "127.0.0.1:8484", "address of the page")
	c.Flags().Float64Var(&o.speed, "speed", 1, "how many times faster than real time the demo's clouds live")
	c.Flags().StringVar(&o.dir, "dir", "", "folder for the database, which is kept; default a temporary one, which is not")
	root.AddCommand(c)
}

// The bounds of --speed: below, nothing would move; above, a minute would be a month.
const (
	slowest = 0.1
	fastest = 20_000
)

func runDemo(ctx context.Context, o demoOptions, out, errs io.Writer) error {
	if !(o.speed >= slowest && o.speed <= fastest) { // NaN is neither
		return &exit{code: exitWords, err: fmt.Errorf("--speed: %g is out of range; give %g to %d", o.speed, slowest, fastest)}
	}
	if host, _, err := net.SplitHostPort(o.addr); err != nil || host == "" {
		return &exit{code: exitWords, err: fmt.Errorf("--addr: %q names no address of this machine; write it like 127.0.0.1:8484", o.addr)}
	}
	l, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("demo: %w; choose another address with --addr", err)
	}
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		_, _ = fmt.Fprintln(errs, "Careful: others on the network can open this address and act in the demo.")
	}
	dir, clean, err := demoDir(o.dir)
	if err != nil {
		_ = l.Close()
		return err
	}
	defer clean()
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return demoOn(ctx, l, filepath.Join(dir, demoStore), o.speed, out, log)
}

// demoStore is the database's name in the folder of --dir.
const demoStore = "gpuspend-demo.db"

// demoDir makes or takes the folder. A demo tells its story from the beginning, so the database of an earlier one is
// moved aside, never continued and never deleted.
func demoDir(dir string) (string, func(), error) {
	if dir == "" {
		dir, err := os.MkdirTemp("", "gpuspend-demo-")
		return dir, func() { _ = os.RemoveAll(dir) }, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("demo: %w", err)
	}
	old := filepath.Join(dir, demoStore)
	info, err := os.Stat(old)
	if errors.Is(err, os.ErrNotExist) {
		return dir, func() {}, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("demo: %w", err)
	}
	aside := filepath.Join(dir, "gpuspend-demo-"+info.ModTime().UTC().Format("20060102-150405")+".db")
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(old+end, aside+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", nil, fmt.Errorf("demo: move the earlier demo aside: %w", err)
		}
	}
	return dir, func() {}, nil
}

// demoOn runs the demo on a listener: first the workspace, then the history told to it, then live.
func demoOn(ctx context.Context, l net.Listener, store string, speed float64, out io.Writer, log *slog.Logger) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	clock := &demoClock{}
	clock.Set(storyAt().Add(-demoDays * 24 * time.Hour))
	var told atomic.Bool
	w := demoWorkspace(clock, speed, &told, log)
	var serving sync.WaitGroup
	var served error
	serving.Go(func() { served = w.Serve(ctx, l) })
	base := "http://" + l.Addr().String()
	_, _ = fmt.Fprintf(out, "gpuspend demo: open %s\nThree simulated clouds, a Slack of its own; nothing leaves this machine. Ctrl-C ends it.\n", base)
	d, err := newDemo(ctx, store, Options{Speed: speed, Log: log, Slack: localDoor(base)}, clock, func(ctx context.Context, a *App) error { return a.Deliver(ctx) })
	if err != nil {
		stop()
		serving.Wait()
		return errors.Join(err, served)
	}
	clock.Go(speed)
	told.Store(true)
	err = d.Run(ctx)
	stop()
	serving.Wait()
	return errors.Join(err, served, d.Close())
}

// localDoor leads the unchanged Slack client to the workspace.
func localDoor(base string) SlackDoor {
	return SlackDoor{Bot: billing.NewSecret("xoxb-local"), App: billing.NewSecret("xapp-local"), APIURL: base + "/api/",
		Client: &http.Client{Timeout: 20 * time.Second}}
}

func demoWorkspace(clock *demoClock, speed float64, told *atomic.Bool, log *slog.Logger) *localslack.Workspace {
	hints := make([]string, 0, 16)
	for _, c := range bot.Commands() {
		hints = append(hints, c.Examples...)
	}
	return localslack.New(localslack.Options{
		Title: "gpuspend demo", TeamID: demoTeam, Now: clock.Now, Log: log, Hints: hints,
		People: demoPeople(),
		Channels: []localslack.Channel{
			{ID: demoChannel, Name: "gpu-bills", Topic: "What our GPUs cost, and what to give back"},
			{ID: "C0GENERAL", Name: "general", Topic: "Everybody"},
		},
		Banner: func() localslack.Banner {
			b := localslack.Banner{Text: clock.Now().In(shanghai()).Format("Mon 2 Jan 15:04") + " · " + demoSource}
			if !told.Load() {
				b.Text = fmt.Sprintf("living through %d days of history … · %s", demoDays, b.Text)
			}
			if speed != 1 {
				b.Speed = fmt.Sprintf("×%g", speed)
			}
			return b
		},
	})
}

// shanghai is the demo's zone; its data is built in.
func shanghai() *time.Location {
	z, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		return time.UTC
	}
	return z
}
