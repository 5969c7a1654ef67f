// Command gpuspend keeps GPU rental bills from running away: it polls clouds, warns in chat, answers /gpu and gives
// machines back with one verified click.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	_ "time/tzdata" // a static binary in an empty container still knows Asia/Shanghai

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it could not be done, or there is nothing to answer from
	exitWords  = 2 // the words were not understood
)

// exit carries an exit code through cobra. Said marks that the sentence has been printed already.
type exit struct {
	code int
	said bool
	err  error
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without the process: arguments in, exit code out.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	root, began := rootCommand(), false
	eachCommand(root, func(c *cobra.Command) {
		if do := c.RunE; do != nil {
			c.RunE = func(c *cobra.Command, args []string) error { began = true; return do(c, args) }
		}
	})
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var e *exit
	switch {
	case errors.As(err, &e):
	case began:
		e = &exit{code: exitFailed, err: err}
	default: // the command line itself was not understood
		e = &exit{code: exitWords, err: err}
	}
	if !e.said {
		_, _ = fmt.Fprintf(errs, "gpuspend: %v\n", e.err)
	}
	return e.code
}

func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, do)
	}
}

// interrupted says that a command ended because it was told to, which is a clean end whatever was under way.
func interrupted(ctx context.Context, err error) bool { return err != nil && ctx.Err() != nil }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "gpuspend",
		Short: "Keeps GPU rental bills from running away",
		Long: `gpuspend polls your GPU clouds, warns in Slack before money or data are lost, answers /gpu …,
and gives machines back with one click that is verified.

Try it without any account:   gpuspend demo
Ask the demo from here:       gpuspend ask --demo status`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &exit{code: exitWords, err: fmt.Errorf("%w; see gpuspend %s --help", err, c.Name())}
	})
	root.AddCommand(askCommand(), serveCommand(), onceCommand(), checkCommand(), doctorCommand(), permissionsCommand(), importCommand(), pricesCommand(), exportCommand(), reportCommand(), versionCommand())
	addDemo(root)
	return root
}
