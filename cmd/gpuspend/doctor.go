package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/notify/words"
	"gpuspend/storage"
)

func doctorCommand() *cobra.Command {
	var file string
	var pays bool
	c := &cobra.Command{
		Use:   "doctor --config FILE",
		Short: "Try every account, ability by ability, with its read key",
		Long: `Opens every account of the configuration with its read key and tries each ability of its cloud once: what works and
how much was found, what is denied and by which permission, what the cloud does not offer, how long it took, how far
its clock is from ours, and through which proxy it was reached. It changes nothing and stores nothing. What costs
money is named with its price and not tried, but with --paid.

Exit code 1 where something that is configured does not work.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := readChecked(c.Context(), file)
			if err != nil {
				return err
			}
			if !pays {
				return doctor(c.Context(), cfg, providers.All(), nil, c.OutOrStdout())
			}
			db, err := storage.Open(c.Context(), cfg.storePath(), storage.Options{Now: time.Now, Wall: time.Now})
			if err != nil {
				return err
			}
			err = doctor(c.Context(), cfg, providers.All(), db, c.OutOrStdout())
			return errors.Join(err, db.Close())
		},
	}
	configFlag(c, &file)
	c.Flags().BoolVar(&pays, "paid", false, "try as well what costs money (AWS Cost Explorer: USD 0.01 a page), counted in the store's daily budget")
	return c
}

// skewMost is how far a cloud's clock may be from ours before signatures get refused.
const skewMost = time.Minute

// trial is how one ability of one account fared.
type trial struct {
	ability billing.Capability
	result  string // "ok", "denied", "not offered", "failed"
	found   string
	took    time.Duration
	err     error
	broke   string        // what was wrong with the network, "" for nothing
	costs   billing.Money // of one request, where trying would cost
}

// doctor examines every account. Requests that cost are paid for out of a store, and not sent without one.
func doctor(ctx context.Context, c Config, drivers []billing.Driver, payer *storage.DB, out io.Writer) error {
	book, err := words.New()
	if err != nil {
		return err
	}
	p := book.For(words.English, time.UTC, time.Now())
	bad := 0
	var all []*ward
	for _, ac := range c.Accounts {
		w := &ward{Config: ac, drivers: drivers}
		all = append(all, w)
		w.paying = &w.thrift
		if payer != nil {
			w.paying = purse{payer, ac.Name, c.PaidCalls.budget}
		}
		trials, err := w.examine(ctx)
		if err != nil {
			return err
		}
		bad += w.report(out, p, trials)
	}
	writers(out, all)
	if bad > 0 {
		return fmt.Errorf("doctor: %d things that are configured do not work", bad)
	}
	return nil
}

// ward is one account under examination.
type ward struct {
	Config  AccountConfig
	drivers []billing.Driver
	driver  billing.Driver
	grants  []billing.Grant
	unread  []string // scopes of the inventory that could not be read
	line    line
	paying  billing.Purse // of requests that cost
	thrift  thrift
}

func (w *ward) examine(ctx context.Context) ([]trial, error) {
	for _, d := range w.drivers {
		if d.Name == w.Config.Provider {
			w.driver = d
		}
	}
	cloud, err := w.Config.open(ctx, w.driver, false, billing.Env{Log: slog.New(slog.DiscardHandler), Now: time.Now, Purse: w.paying},
		func(next http.RoundTripper) http.RoundTripper { return w.line.over(next) })
	if err != nil {
		return nil, err
	}
	var list []trial
	for _, ability := range billing.Capabilities() {
		t := trial{ability: ability, result: "not offered"}
		if billing.Has(cloud, ability) {
			began := time.Now()
			w.line.begin()
			t.found, t.err = w.try(ctx, cloud, ability)
			t.broke = w.line.cause()
			t.took, t.result = time.Since(began).Round(time.Millisecond), verdict(t.err)
			if t.found == untried {
				t.found, t.result, t.took = "", untried, 0
			}
			if price := w.thrift.price(); price.Known() {
				t = trial{ability: ability, result: untried, costs: price}
			}
			if t.err != nil && ability != billing.CanResources { // of an inventory, what could be read counts
				t.found = ""
			}
		}
		list = append(list, t)
		if t.err != nil && w.line.dead() {
			break // nothing answers: what is left would only wait for the same
		}
	}
	return list, nil
}

func verdict(err error) string {
	switch billing.KindOf(err) {
	case "":
		return "ok"
	case billing.Denied, billing.Auth:
		return "denied"
	case billing.Absent:
		return "not offered"
	}
	return "failed"
}

// untried marks what only an act would show.
const untried = "not tried"

// try uses one ability once, reading only.
func (w *ward) try(ctx context.Context, cloud billing.Provider, ability billing.Capability) (string, error) {
	day := time.Now().UTC().Truncate(24 * time.Hour)
	lately := billing.Period{Start: day.AddDate(0, 0, -3), End: day} // some clouds deliver a day late, in a zone of their own
	switch ability {
	case billing.CanIdentify:
		return cloud.(billing.Identifier).Identify(ctx)
	case billing.CanBalance:
		b, err := cloud.(billing.Balancer).Balance(ctx)
		return b.Cash.String(), err
	case billing.CanCharges:
		return count(cloud.(billing.Charger).Charges(ctx, lately), "lines of three days")
	case billing.CanResources:
		return w.inventory(ctx, cloud)
	case billing.CanCommitments:
		return count(cloud.(billing.Committer).Commitments(ctx), "commitments")
	case billing.CanOffers:
		return count(cloud.(billing.Merchant).Offers(ctx, billing.OfferQuery{}), "offers")
	case billing.CanUtilisation:
		now := time.Now()
		return count(cloud.(billing.Meter).Utilisation(ctx, billing.Period{Start: now.Add(-time.Hour), End: now.Add(time.Minute)}), "samples")
	case billing.CanMembers:
		return count(cloud.(billing.Organizer).Members(ctx), "accounts")
	case billing.CanExamine:
		g, err := cloud.(billing.Examiner).Examine(ctx)
		w.grants = g
		return strconv.Itoa(len(g)) + " rights", err
	}
	return untried, nil
}

func count[T any](seq iter.Seq2[T, error], what string) (string, error) {
	n := 0
	for _, err := range seq {
		if err != nil {
			return "", err
		}
		n++
	}
	return fmt.Sprintf("%d %s", n, what), nil
}

// inventory lists every scope and says how much there is; one that fails does not hide the others.
func (w *ward) inventory(ctx context.Context, cloud billing.Provider) (string, error) {
	scopes, err := cloud.Scopes(ctx)
	if err != nil {
		return "", err
	}
	n := 0
	var errs []error
	for _, s := range scopes {
		for _, err := range cloud.Resources(ctx, s) {
			if err != nil {
				errs = append(errs, err)
				w.unread = append(w.unread, strings.TrimSpace(string(s.Kind)+" "+s.Region))
				break
			}
			n++
		}
	}
	return fmt.Sprintf("%d things in %d scopes", n, len(scopes)), errors.Join(errs...)
}

// report prints one account and says how much of it does not work.
func (w *ward) report(out io.Writer, p words.Printer, trials []trial) int {
	bad := 0
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"ability", "result", "found", "took", "note"})
	for _, one := range trials {
		note := w.driver.Claims[one.ability].Note
		if one.err != nil {
			bad++
			note = p.Say(billing.SayOf(one.err))
			if need := w.permissions(one.ability); one.result == "denied" && need != "" {
				note += " Needs: " + need
			}
			if one.broke != "" {
				note = one.broke
			}
			if one.ability == billing.CanResources && len(w.unread) > 0 {
				note = "Not read: " + strings.Join(w.unread, ", ") + ". " + note
			}
		}
		if one.costs.Known() {
			note = fmt.Sprintf("Configured, and each request costs %s; --paid tries it, out of paid_calls.daily.", p.Money(one.costs))
		}
		took := ""
		if one.took > 0 {
			took = one.took.String()
		}
		t.AppendRow(table.Row{one.ability, one.result, one.found, took, note})
	}
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 5, WidthMax: 60, WidthMaxEnforcer: text.WrapSoft}})
	_, _ = fmt.Fprintf(out, "%s (%s), %s%s\n%s\n", w.Config.Name, w.driver.Title, w.route(), w.clock(&bad), t.Render())
	if w.line.dead() {
		_, _ = fmt.Fprint(out, "Nothing answers, so that nothing else was tried.\n")
	}
	for _, why := range w.writes() {
		_, _ = fmt.Fprintf(out, "This read key can write: %s.\n", why)
	}
	_, _ = fmt.Fprintln(out)
	return bad
}

func (w *ward) permissions(ability billing.Capability) string {
	var names []string
	for _, p := range w.driver.Permissions {
		if p.For == ability && !p.Write {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, "; ")
}
