package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func checkCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "check --config FILE",
		Short: "Check a configuration: every error at once, each with its path",
		Long:  "Reads the configuration and says everything that is wrong with it, each with its path. Secrets are looked up, never shown. No cloud is called.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := readAndCheck(c.Context(), file)
			var problems Problems
			if errors.As(err, &problems) {
				for _, p := range problems {
					_, _ = fmt.Fprintln(c.OutOrStdout(), p)
				}
				return &exit{code: exitFailed, err: fmt.Errorf("%s: %d errors", file, len(problems))}
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s is good: %d accounts, %d routes, %d operators\n",
				file, len(cfg.Accounts), len(cfg.Routes), len(cfg.Releases.Operators))
			return err
		},
	}
	configFlag(c, &file)
	return c
}

func configFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "config", "", "the configuration, a YAML file")
	_ = c.MarkFlagRequired("config") // the flag exists: it was made above
}
