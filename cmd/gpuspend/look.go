package main

import (
	"context"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/storage"
)

// installation is what a view needs beside the store: the configuration, resolved.
type installation struct {
	zone          *time.Location
	hours         notify.Hours
	lang          string
	settings      notify.Settings
	drivers       map[string]billing.Driver
	order         []string                      // names of accounts, in the order of the configuration
	release       map[string]bool               // names of accounts that may be released from
	organizations map[string]OrganizationConfig // by the payer's name
	source        string                        // said under every table
	declared      []declared                    // what runs and no API shows
	prices        *PriceWorld                   // of the demo; nil for the world's
	daily         billing.Money                 // the budget for requests that cost
}

// install resolves a configuration that was checked.
func install(c Config, drivers []billing.Driver, accounts []billing.Account) (installation, error) {
	in := installation{lang: c.Language, drivers: map[string]billing.Driver{}, release: map[string]bool{}, organizations: map[string]OrganizationConfig{}, daily: c.PaidCalls.budget()}
	if in.lang == "" {
		in.lang = "en"
	}
	var err error
	if in.zone, err = c.zone(); err != nil {
		return in, err
	}
	if in.hours, err = c.hours(); err != nil {
		return in, err
	}
	if in.settings, err = c.settings(accounts); err != nil {
		return in, err
	}
	for _, d := range drivers {
		in.drivers[d.Name] = d
	}
	if in.declared, err = c.declaredMachines(in.zone, in.drivers); err != nil {
		return in, err
	}
	for _, a := range c.Accounts {
		in.order = append(in.order, a.Name)
		in.release[a.Name] = a.Release == "allow"
		if a.Organization.Role != "" {
			in.organizations[a.Name] = a.Organization
		}
	}
	return in, nil
}

// driftsKept is for how long a day whose bill and meter disagree is told of: a week of whole days.
const driftsKept = 8 * 24 * time.Hour

// arrivalsKept is how long a top-up is still said beside the balance.
const arrivalsKept = 48 * time.Hour

// look reads the present of a store.
func look(ctx context.Context, db *storage.DB, in installation, now time.Time) (notify.View, error) {
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return notify.View{}, err
	}
	covered, err := db.Coverage(ctx)
	if err != nil {
		return notify.View{}, err
	}
	falls, err := db.Falls(ctx, now.Add(-arrivalsKept))
	if err != nil {
		return notify.View{}, err
	}
	drifts, err := db.Drifts(ctx, now.Add(-driftsKept))
	if err != nil {
		return notify.View{}, err
	}
	v := notify.View{Now: now, Zone: in.zone, Hours: in.hours, Settings: in.settings, Source: in.source}
	if v.Paid, err = paid(ctx, db, in.daily, now); err != nil {
		return notify.View{}, err
	}
	if v.Members, err = memberNews(ctx, db, in, snap.Accounts, now); err != nil {
		return notify.View{}, err
	}
	for _, a := range in.arranged(snap.Accounts) {
		av := notify.AccountView{Account: a, Driver: in.drivers[a.Driver], Balance: snap.Balances[a.ID],
			Readings: snap.Readings[a.ID], Release: in.release[a.Name], Holdings: keptByTag(append(snap.Held(a.ID), in.declaredHoldings(a, now)...), in.zone, now)}
		if i := slices.IndexFunc(covered, func(c ledger.Covered) bool { return c.Account == a.ID }); i >= 0 {
			av.Covered = covered[i]
		}
		av.Outlook = ledger.Ahead(av.Balance, av.Holdings, now)
		history, err := db.BalanceHistory(ctx, a.ID, now.Add(-arrivalsKept))
		if err != nil {
			return notify.View{}, err
		}
		for _, f := range falls {
			if f.Account == a.ID {
				av.Falls = append(av.Falls, f)
			}
		}
		for _, f := range drifts {
			if f.Account == a.ID {
				av.Drifts = append(av.Drifts, f)
			}
		}
		av.Arrived = arrival(history)
		if av.Drain, err = in.drain(ctx, db, a, history, now); err != nil {
			return notify.View{}, err
		}
		v.Accounts = append(v.Accounts, av)
	}
	return v, nil
}

// arranged puts the accounts of the configuration first, in its order, and leaves out what it watches no more: nothing
// new is known of those. Imported bills stay. Without a configuration every account is shown.
func (in installation) arranged(accounts []billing.Account) []billing.Account {
	place := func(a billing.Account) int {
		if i := slices.Index(in.order, a.Name); i >= 0 {
			return i
		}
		return len(in.order)
	}
	list := slices.DeleteFunc(slices.Clone(accounts), func(a billing.Account) bool {
		return a.Driver != "" && len(in.order) > 0 && !slices.Contains(in.order, a.Name)
	})
	slices.SortStableFunc(list, func(a, b billing.Account) int { return place(a) - place(b) })
	return list
}

// arrival finds the last rise of an account's cash: a top-up, as far as anybody can see.
func arrival(history []billing.Balance) notify.Arrival {
	for i := len(history) - 1; i > 0; i-- {
		rise, err := history[i].Cash.Sub(history[i-1].Cash)
		if err == nil && rise.Sign() > 0 {
			return notify.Arrival{At: history[i].ReadAt, Amount: rise}
		}
	}
	return notify.Arrival{}
}

// drainSeen is how far back a wallet is compared with what was seen.
const drainSeen = 8 * time.Hour

// drain compares an account's wallet with its resources, and with what was declared to run there; zero where nobody can
// tell.
func (in installation) drain(ctx context.Context, db *storage.DB, a billing.Account, history []billing.Balance, now time.Time) (ledger.Drain, error) {
	first := slices.IndexFunc(history, func(b billing.Balance) bool { return now.Sub(b.ReadAt) < drainSeen })
	if first < 0 || history[len(history)-1].Mode != billing.Prepaid {
		return ledger.Drain{}, nil
	}
	seen := billing.Period{Start: now.Add(-drainSeen), End: now}
	spans, err := db.SpansOf(ctx, a.ID, seen)
	if err != nil {
		return ledger.Drain{}, err
	}
	for _, m := range in.declaredSpans([]billing.Account{a}, seen, now) {
		spans = append(spans, m.Span)
	}
	d, _ := ledger.Drained(history[first:], spans)
	return d, nil
}
