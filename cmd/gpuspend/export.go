package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuspend/billing"
	"gpuspend/billing/focus"
	"gpuspend/billing/ledger"
	"gpuspend/bot"
)

func exportCommand() *cobra.Command {
	c := &cobra.Command{Use: "export", Short: "Write figures out of the store", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(exportCSVCommand(), exportFOCUSCommand())
	return c
}

func exportFOCUSCommand() *cobra.Command {
	var o askOptions
	var file string
	c := &cobra.Command{
		Use:   "focus [--db FILE | --config FILE] [PERIOD] [where ...]",
		Short: "Write the charges of a period as FOCUS 1.2 CSV",
		Long: `Writes every charge that counts, as the clouds delivered it, as FOCUS 1.2 CSV. The period and the filters are those of a
cost question; without a period it is the current month. An empty cell is null: nothing is made up. On standard error it
says which columns of the standard it leaves out, and which of those that the standard wants some rows lack.

What our own meter reckons of hours that no cloud has billed yet is no charge and not in it. Texts are written as they are;
open the file with a program that reads CSV as data, not as formulas, or use "export csv".`,
		Example: `  gpuspend export focus --db gpuspend.db 2026-11 > november.csv
  gpuspend export focus --config gpuspend.yaml lastmonth where provider=runpod -o runpod.csv`,
		RunE: func(c *cobra.Command, args []string) error {
			return exportFOCUS(c.Context(), o, args, file, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	costFlags(c, &o)
	c.Flags().StringVarP(&file, "output", "o", "", "the file to write; default standard output")
	return c
}

func exportFOCUS(ctx context.Context, o askOptions, words []string, file string, out, errs io.Writer) error {
	asked, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer asked.end()
	zone, err := o.location(asked.desk.Zone)
	if err != nil {
		return &exit{code: exitWords, err: err}
	}
	now := asked.desk.Now()
	for _, w := range words {
		if strings.EqualFold(w, "by") || strings.HasPrefix(w, "按") {
			return &exit{code: exitWords, err: errors.New("export: FOCUS is charge by charge; leave out \"by\", or use export csv for sums")}
		}
	}
	q, err := bot.CostQuestion(bot.Request{Words: words, Zone: zone, Now: now, Print: asked.desk.Words.For("en", zone, now)})
	if err != nil {
		return &exit{code: exitWords, err: err}
	}
	if file == "" {
		return writeFOCUS(ctx, asked.lines, q, out, errs)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return errors.Join(writeFOCUS(ctx, asked.lines, q, f, errs), f.Close())
}

// writeFOCUS writes the charges, and says what the file lacks.
func writeFOCUS(ctx context.Context, lines func(context.Context, ledger.Question) iter.Seq2[billing.Charge, error], q ledger.Question, out, errs io.Writer) error {
	w, n := focus.NewWriter(out), 0
	for c, err := range lines(ctx, q) {
		if err == nil {
			err = w.Write(&c)
		}
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		n++
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	_, _ = fmt.Fprintf(errs, "%s from %s to %s; not filled: %s\n", counted(n, "charge"), q.From.Format(time.DateOnly), q.To.AddDate(0, 0, -1).Format(time.DateOnly), w.NeverWritten())
	names, rows := w.Lacking()
	for _, name := range names {
		_, _ = fmt.Fprintf(errs, "%s lack %s, which FOCUS 1.2 wants in every row\n", counted(rows[name], "charge"), name)
	}
	return nil
}

func exportCSVCommand() *cobra.Command {
	var o askOptions
	var file string
	c := &cobra.Command{
		Use:   "csv [--db FILE | --config FILE] WORDS...",
		Short: "Write the answer to any cost question as CSV",
		Long: `Writes the rows of a cost question as CSV for a spreadsheet: UTF-8 with a byte order mark, amounts with all their
digits beside their currency. A text that a spreadsheet would take for a formula gets an apostrophe in front.

An empty cell is unknown or not delivered; it is never zero. The column amount is the figure of the view.`,
		Example: `  gpuspend export csv --db gpuspend.db 2026-11 by owner by gpu > november.csv
  gpuspend export csv --db gpuspend.db month gross by day where provider=runpod`,
		RunE: func(c *cobra.Command, args []string) error {
			return exportCSV(c.Context(), o, args, file, c.OutOrStdout())
		},
	}
	costFlags(c, &o)
	c.Flags().StringVarP(&file, "output", "o", "", "the file to write; default standard output")
	return c
}

// costFlags are those of every command that answers a cost question.
func costFlags(c *cobra.Command, o *askOptions) {
	f := c.Flags()
	f.StringVar(&o.db, "db", "", "ask a store")
	f.StringVar(&o.config, "config", "", "ask the store that a configuration names")
	f.StringVar(&o.zone, "tz", "", "time zone, such as Asia/Shanghai; default the configuration's, else UTC")
	f.StringVar(&o.lang, "lang", "", "en or zh; default the configuration's, else en")
	f.StringVar(&o.now, "now", "", "answer as of this instant (RFC 3339)")
	c.MarkFlagsMutuallyExclusive("db", "config")
	c.MarkFlagsOneRequired("db", "config")
}

func reportCommand() *cobra.Command {
	var o askOptions
	c := &cobra.Command{
		Use:   "report [--db FILE | --config FILE] [WORDS...]",
		Short: "Print a whole cost report, for whoever asks once a month",
		Long: `Prints a cost report with every row, its totals by sort of charge and how fresh it is. The words are those of cost;
without any it is the last complete month by owner.`,
		Example: `  gpuspend report --db gpuspend.db
  gpuspend report --db gpuspend.db month by owner
  gpuspend report --db gpuspend.db 2026-11 gross by owner by part`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"last", "month", "by", "owner"}
			}
			o.words = append([]string{"cost"}, args...)
			return ask(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	costFlags(c, &o)
	return c
}

func exportCSV(ctx context.Context, o askOptions, words []string, file string, out io.Writer) (err error) {
	asked, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer asked.end()
	zone, err := o.location(asked.desk.Zone)
	if err != nil {
		return &exit{code: exitWords, err: err}
	}
	now := asked.desk.Now()
	if len(words) > 0 && strings.EqualFold(words[0], "cost") {
		words = words[1:]
	}
	r := bot.Request{Words: append([]string{"cost"}, words...), Zone: zone, Now: now, Dry: true, Local: true, Print: asked.desk.Words.For("en", zone, now)}
	a, err := asked.desk.Ask(ctx, r)
	var unclear *bot.WordsError
	if errors.As(err, &unclear) {
		return &exit{code: exitWords, err: err}
	}
	if err != nil {
		return err
	}
	data, ok := a.Data.(bot.CostData)
	if !ok {
		return errors.New("export: this is no cost question")
	}
	if file == "" {
		return writeCSV(out, data, zone)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return errors.Join(writeCSV(f, data, zone), f.Close())
}

// byteOrderMark tells spreadsheets that a file is UTF-8: without it they take Chinese for something else.
const byteOrderMark = "\uFEFF"

func writeCSV(out io.Writer, data bot.CostData, zone *time.Location) error {
	if _, err := io.WriteString(out, byteOrderMark); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	w := csv.NewWriter(out)
	w.UseCRLF = true // RFC 4180
	head := []string{}
	for _, by := range data.GroupBy {
		head = append(head, string(by))
	}
	_ = w.Write(append(head, "currency", "view", "amount", "billed", "accrued", "accrued_most", "from", "to", "timezone")) // kept for Error
	for _, row := range data.Rows {
		line := []string{}
		for _, k := range row.Keys {
			line = append(line, harmless(k))
		}
		most := row.AccruedMost
		_ = w.Write(append(line, string(row.Currency), string(data.View), orEmpty(row.Amount), orEmpty(row.Billed), orEmpty(row.Accrued), orEmpty(most),
			data.From, data.To, zone.String()))
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// harmless keeps a spreadsheet from running what a cloud, or a tag of somebody's, put into a text (OWASP, CSV injection).
func harmless(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n|＝＋－＠", []rune(s)[0]) {
		return "'" + s
	}
	return s
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
