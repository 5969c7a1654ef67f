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

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gpuspend/billing"
	"gpuspend/billing/focus"
	"gpuspend/billing/providers/alibaba"
	"gpuspend/billing/providers/aws"
	"gpuspend/storage"
)

// billForm is a form of bill that can be read.
type billForm struct {
	name, what    string
	long, example string
	source        billing.ChargeSource
	open          func(d *delivery, name string, r io.Reader) (billReader, error)
}

// billReader is one open bill.
type billReader interface {
	storage.ChargeReader
	Rounded() int64 // amounts with more than 18 decimals
}

// billForms lists the forms, in the order of the README.
func billForms() []billForm {
	return []billForm{
		{name: "focus", what: "FOCUS 1.0 to 1.4, CSV (plain or gzip) or Parquet", source: billing.SourceFOCUS,
			open: func(_ *delivery, name string, r io.Reader) (billReader, error) { return focus.NewReader(name, r) },
			long: "Reads FOCUS 1.0 to 1.4, CSV (plain or gzip) or Parquet, by its column names; - is standard input, for CSV.",
			example: `  gpuspend import focus --db gpuspend.db --account aws-payer export-2026-11-*.csv.gz
  gpuspend import focus --db gpuspend.db --account aws-payer BILLING_PERIOD=2026-11/*.snappy.parquet
  zcat bill.csv.gz | gpuspend import focus --db gpuspend.db --account azure -`},
		{name: "cur", what: "AWS Cost and Usage Reports, CSV (plain or gzip) or Parquet", source: billing.SourceNative,
			open: func(d *delivery, name string, r io.Reader) (billReader, error) {
				return aws.OpenUsageReport(name, r, &d.plans)
			},
			long: `Reads AWS's Cost and Usage Report, of the first form or CUR 2.0, CSV (plain or gzip) or Parquet. What is billed is the
unblended cost; the amortised cost is what AWS documents for each type of line. Lines that a savings plan covers and
those that take them off again cancel, or the import is refused: then a file of the report is missing.`,
			example: `  gpuspend import cur --db gpuspend.db --account aws-payer report-0000*.csv.gz`},
		{name: "alibaba", what: "the bill details that Alibaba Cloud's console exports (CSV, UTF-8 or GBK)", source: billing.SourceNative,
			open: func(_ *delivery, name string, r io.Reader) (billReader, error) { return alibaba.OpenBillFile(name, r) },
			long: `Reads the bill details (账单明细) that Alibaba Cloud's expense centre exports as CSV, in UTF-8 or GBK. The lines above the
column names are skipped, and the total at the end (合计) is not added but has to agree. What vouchers and prepaid cards
paid is shown as a credit. Days are of UTC+8.`,
			example: `  gpuspend import alibaba --db gpuspend.db --account aliyun 202611_账单明细.csv`},
	}
}

func importCommand() *cobra.Command {
	var names []string
	for _, f := range billForms() {
		names = append(names, f.name)
	}
	c := &cobra.Command{
		Use:   "import",
		Short: "Read bills from files into the store",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &exit{code: exitWords, err: fmt.Errorf("import: %q is no form of bill that I read; those are %s", args[0], strings.Join(names, ", "))}
			}
			return c.Help()
		},
	}
	for _, f := range billForms() {
		c.AddCommand(importFormCommand(f))
	}
	return c
}

type importOptions struct {
	db, account  string
	add, replace bool
	files        []string
}

func importFormCommand(form billForm) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   form.name + " --db FILE --account NAME FILE...",
		Short: "Read " + form.what,
		Long: form.long + `

The files of one command are one delivery: exports split a month over many files. Together they replace each
(billing account, billing period) that they hold, so importing twice changes nothing. A delivery that breaks
half-way changes nothing either.

A period of which the delivery holds fewer than half the rows already stored is not replaced unless --replace
says so; then nothing of the delivery is taken over, and the exit code is 1.`,
		Example: form.example,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			o.files = files
			return importBill(c.Context(), form, o, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&o.db, "db", "", "the store (made when it is not there)")
	c.Flags().StringVar(&o.account, "account", "", "the account that the bill belongs to (made when it is not there)")
	c.Flags().BoolVar(&o.add, "add", false, "append, replace nothing")
	c.Flags().BoolVar(&o.replace, "replace", false, "replace periods even by fewer than half their rows")
	for _, f := range []string{"db", "account"} {
		_ = c.MarkFlagRequired(f) // the flag exists: it was made above
	}
	return c
}

func importBill(ctx context.Context, form billForm, o importOptions, in io.Reader, out, errs io.Writer) error {
	if strings.TrimSpace(o.account) == "" {
		return fmt.Errorf("import: --account is empty; name the account that the bill belongs to")
	}
	if o.add && o.replace {
		return &exit{code: exitWords, err: errors.New("import: --add appends and --replace replaces; give one of them")}
	}
	if err := checkFiles(form, o.files); err != nil {
		return err
	}
	db, err := storage.Open(ctx, o.db, storage.Options{Now: time.Now, Wall: time.Now})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	account, err := db.EnsureAccount(ctx, billing.Account{Name: o.account})
	if err != nil {
		return err
	}
	d := &delivery{form: form, in: in, bar: barFor(o.files, errs)}
	sum, err := db.ImportCharges(ctx, storage.Import{Account: account.ID, Source: form.source, Add: o.add, Replace: o.replace,
		Files: d.sources(o.files)})
	d.endBar(err)
	var thin *storage.ThinError
	switch {
	case errors.As(err, &thin):
		return fmt.Errorf("%w\nuse --replace if the smaller delivery is right, or --add to append it", err)
	case err != nil && ctx.Err() != nil:
		return errors.New("import: interrupted; nothing was taken over")
	case err != nil:
		return err
	}
	return d.report(out, sum, o.account)
}

// checkFiles looks at the files before a store is made for a name that was mistyped: whether they are there, named once,
// and begin like a bill. Pipes can be read only once, so their beginning is left for later.
func checkFiles(form billForm, files []string) error {
	named := map[string]bool{}
	for _, name := range files {
		same := filepath.Clean(name)
		if named[same] {
			return fmt.Errorf("import: %s is named twice; its charges would count twice", name)
		}
		named[same] = true
		if name == "-" {
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return fmt.Errorf("import: %w", err)
		case info.IsDir():
			return fmt.Errorf("import: %s is a folder; name the files in it", name)
		case !info.Mode().IsRegular():
			continue
		}
		if err := checkHeader(form, name); err != nil {
			return err
		}
	}
	return nil
}

func checkHeader(form billForm, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer func() { _ = f.Close() }()
	_, err = form.open(&delivery{}, name, f)
	return err
}

// delivery opens the files of one command, one after the other.
type delivery struct {
	form    billForm
	in      io.Reader
	bar     *progressbar.ProgressBar
	plans   aws.Coverings
	rounded int64 // amounts with more than 18 decimals
}

func (d *delivery) sources(files []string) []storage.ChargeFile {
	list := make([]storage.ChargeFile, len(files))
	for i, name := range files {
		list[i] = storage.ChargeFile{Name: name, Open: func() (storage.ChargeReader, error) { return d.open(name, i == len(files)-1) }}
	}
	return list
}

func (d *delivery) open(name string, last bool) (storage.ChargeReader, error) {
	r, file := d.in, io.NopCloser(d.in)
	if d.bar != nil {
		r = io.TeeReader(r, d.bar)
	}
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
		r, file = &barred{f, d.bar}, f
	}
	bill, err := d.form.open(d, name, r)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &billFile{bill, file, d, last}, nil
}

// barred is a file whose reading moves the bar, where there is one; Parquet reads it at places of its own.
type barred struct {
	*os.File
	bar *progressbar.ProgressBar
}

// Read serves forms that are read from the beginning.
func (b *barred) Read(into []byte) (int, error) {
	n, err := b.File.Read(into)
	if b.bar != nil {
		_ = b.bar.Add(n)
	}
	return n, err
}

// billFile is one open file of a delivery.
type billFile struct {
	billReader
	file io.Closer
	of   *delivery
	last bool
}

// Read looks at the delivery as a whole once its last file was read.
func (f *billFile) Read(c *billing.Charge) error {
	err := f.billReader.Read(c)
	if err == io.EOF && f.last {
		if wrong := f.of.plans.Check(); wrong != nil {
			return wrong
		}
	}
	return err
}

// Close serves the store, which calls it after the last charge.
func (f *billFile) Close() error {
	f.of.rounded += f.Rounded()
	return f.file.Close()
}

func (d *delivery) endBar(err error) {
	switch {
	case d.bar == nil:
	case err != nil:
		_ = d.bar.Exit() // leaves the bar where it was, and the line to the sentence that says why
	default:
		_ = d.bar.Finish()
	}
}

// reportedParts keeps the summary of an organisation's bill on one screen.
const reportedParts = 20

func (d *delivery) report(out io.Writer, sum storage.ImportSummary, account string) error {
	lines := []string{fmt.Sprintf("imported %s into %s", counted(sum.Rows, "row"), account)}
	for i, p := range sum.Parts {
		if i == reportedParts {
			lines = append(lines, "  and "+counted(len(sum.Parts)-i, "more period"))
			break
		}
		line := fmt.Sprintf("  billing account %s, %s: %s", p.BillingAccount, p.When(), counted(p.Rows, "row"))
		if p.Replaced > 0 {
			line += fmt.Sprintf(" (replaced %d)", p.Replaced)
		}
		lines = append(lines, line)
	}
	if d.rounded > 0 {
		lines = append(lines, fmt.Sprintf("  %s had more than 18 decimals, rounded half to even", counted(int(d.rounded), "amount")))
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// barFor makes a progress bar over the bytes of the files, on a terminal only.
func barFor(files []string, errs io.Writer) *progressbar.ProgressBar {
	f, ok := errs.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	var total int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || name == "-" {
			total = -1
			break
		}
		total += info.Size()
	}
	return progressbar.DefaultBytes(total, "reading")
}
