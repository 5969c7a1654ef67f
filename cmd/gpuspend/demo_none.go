//go:build nodemo

package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// addDemo adds nothing: this build has no simulated clouds and no local Slack.
func addDemo(*cobra.Command) {}

func demoDesk(context.Context, func() time.Time) (asked, error) {
	return asked{}, errors.New("ask: this build leaves the demo out; ask with --db or --config")
}
