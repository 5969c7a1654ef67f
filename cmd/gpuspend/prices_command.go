package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"gpuspend/billing/estimate"
	"gpuspend/storage"
)

func pricesCommand() *cobra.Command {
	c := &cobra.Command{Use: "prices", Short: "Import and list prices that estimates are made from"}
	c.AddCommand(importPricesCommand(), listPricesCommand())
	return c
}

func importPricesCommand() *cobra.Command {
	var db string
	c := &cobra.Command{
		Use:   "import --db FILE FILE.csv...",
		Short: "Read price lists from CSV files",
		Long: `Reads price lists by their header. A list of machines has the columns
provider,region,instance_type,gpu_model,gpu_count,price_mode,price,currency,unit,as_of,source; a price is for the whole
row, all its cards. A list of what is paid beside machines has provider,region,item,unit,tier_from,tier_to,price,currency,
as_of,source,note.

A price that is missing, negative, no number or far from its kind is rejected and counted; zero only counts where the
note says free. When more than a fifth is rejected, nothing is taken over and the list before stays.`,
		Example: "  gpuspend prices import --db gpuspend.db catalog.csv ancillary.csv",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			return importPrices(c.Context(), db, files, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&db, "db", "", "the store (made when it is not there)")
	_ = c.MarkFlagRequired("db") // the flag exists: it was made above
	return c
}

// shownRejected keeps the report on one screen.
const shownRejected = 10

func importPrices(ctx context.Context, path string, files []string, out io.Writer) error {
	lists := make([]estimate.List, len(files))
	for i, name := range files {
		l, err := readPrices(name)
		if errors.Is(err, estimate.ErrTooManyRejected) {
			return fmt.Errorf("%s: %w; nothing was taken over\n%s", name, err, strings.Join(rejectedLines(l), "\n"))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		lists[i] = l
	}
	db, err := storage.Open(ctx, path, storage.Options{Now: time.Now, Wall: time.Now})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for i, l := range lists {
		if err := db.ImportPrices(ctx, filepath.Base(files[i]), l, time.Now()); err != nil {
			return err
		}
		lines := append([]string{fmt.Sprintf("%s: took over %s of %s, rejected %d, no use for %d", files[i], counted(len(l.Records), "price"), l.Kind,
			len(l.Rejected), l.Unused)}, rejectedLines(l)...)
		if _, err := fmt.Fprintln(out, strings.Join(lines, "\n")); err != nil {
			return err
		}
	}
	return nil
}

func readPrices(name string) (estimate.List, error) {
	f, err := os.Open(name)
	if err != nil {
		return estimate.List{}, err
	}
	defer func() { _ = f.Close() }()
	return estimate.ReadList(f)
}

func rejectedLines(l estimate.List) []string {
	var lines []string
	for i, r := range l.Rejected {
		if i == shownRejected {
			return append(lines, fmt.Sprintf("  and %d more", len(l.Rejected)-i))
		}
		if r.Line > 0 {
			lines = append(lines, fmt.Sprintf("  line %d: %s", r.Line, r.Why))
		} else {
			lines = append(lines, "  "+r.Why)
		}
	}
	return lines
}

func listPricesCommand() *cobra.Command {
	var db string
	c := &cobra.Command{
		Use:     "list --db FILE",
		Short:   "Show the price lists that were imported",
		Example: "  gpuspend prices list --db gpuspend.db",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return listPrices(c.Context(), db, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&db, "db", "", "the store")
	_ = c.MarkFlagRequired("db") // the flag exists: it was made above
	return c
}

func listPrices(ctx context.Context, path string, out io.Writer) error {
	db, err := storage.OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	lists, err := db.PriceLists(ctx)
	if err != nil {
		return err
	}
	if len(lists) == 0 {
		_, err = fmt.Fprintln(out, "no price list has been imported")
		return err
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"list", "of", "imported", "prices", "rejected", "no use for"})
	for _, l := range lists {
		t.AppendRow(table.Row{l.Name, l.Kind, l.ImportedAt.Format(time.DateOnly), l.Taken, l.Rejected, l.Unused})
	}
	_, err = fmt.Fprintln(out, t.Render())
	return err
}
