package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gpuspend/billing"
	"gpuspend/billing/providers"
)

func permissionsCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "permissions [CLOUD | --all]",
		Short: "Print the least rights that each key needs, to read and to release",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			drivers := providers.All()
			if len(args) == 0 && !all {
				names := make([]string, len(drivers))
				for i, d := range drivers {
					names[i] = d.Name
				}
				return &exit{code: exitWords, err: fmt.Errorf("name a cloud (%s) or give --all", strings.Join(names, ", "))}
			}
			for _, d := range drivers {
				if all || d.Name == args[0] {
					printPermissions(c.OutOrStdout(), d)
					if !all {
						return nil
					}
				}
			}
			if all {
				_, err := fmt.Fprint(c.OutOrStdout(), whatElse)
				return err
			}
			known := map[string]billing.Driver{}
			for _, d := range drivers {
				known[d.Name] = d
			}
			return &exit{code: exitWords, err: fmt.Errorf("%q is no cloud I know%s", args[0], nearest(args[0], known))}
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every cloud, and what else a reviewer asks")
	return c
}

func printPermissions(out io.Writer, d billing.Driver) {
	for _, write := range []bool{false, true} {
		key := "read key"
		if write {
			key = "release key (only where the account says release: allow)"
		}
		_, _ = fmt.Fprintf(out, "%s, %s\n", d.Title, key)
		n := 0
		for _, p := range d.Permissions {
			if p.Write == write {
				n++
				_, _ = fmt.Fprintf(out, "  %-44s for %s\n", p.Name, p.For)
			}
		}
		if n == 0 {
			_, _ = fmt.Fprintln(out, "  nothing")
		}
	}
}

// whatElse is the rest of the page that a security reviewer reads.
const whatElse = `
Writes     off. When an account says release: allow, with a key of its own, opened only for an act that a listed person asked for
Slack      commands, chat:write (required); users:read, usergroups:read, im:write (optional); no history, no files, no public posting
Network    out only: the clouds that are configured, and Slack; no inbound port with Socket Mode; honours HTTPS_PROXY, extra CA file per account
Stores     costs, resource names, Slack user ids in one SQLite file of mode 0600; no cloud secret is ever written
Never      telemetry, update checks, model calls, code from the network
`
