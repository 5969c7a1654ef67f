package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// declaredKinds are what a configuration may declare.
func declaredKinds() []billing.Kind {
	return []billing.Kind{billing.KindInstance, billing.KindCluster, billing.KindEndpoint, billing.KindDisk, billing.KindFilesystem, billing.KindReservation}
}

// declared is one machine of the configuration: what no API shows, as somebody wrote it down. It is never stored, so that
// taking it out of the file takes it out of every answer.
type declared struct {
	account     string // its name
	from, until time.Time
	billing.Resource
}

// declaredMachines resolves what the accounts declare; until is zero where it goes on.
func (c Config) declaredMachines(zone *time.Location, drivers map[string]billing.Driver) ([]declared, error) {
	var out []declared
	for i, a := range c.Accounts {
		for j, m := range a.Machines {
			d, path, err := m.declared(zone, drivers[a.Provider])
			if err != nil {
				return nil, fmt.Errorf("accounts[%d].machines[%d].%s: %w", i, j, path, err)
			}
			d.account = a.Name
			out = append(out, d)
		}
	}
	return out, nil
}

// declared reads one entry, or says which key of it is wrong.
func (m MachineConfig) declared(zone *time.Location, cloud billing.Driver) (d declared, key string, err error) {
	kind := billing.KindInstance
	if m.Kind != "" {
		kind = billing.Kind(m.Kind)
	}
	currency := cloud.Currency
	if m.Currency != "" {
		currency = m.Currency
	}
	switch {
	case m.Name == "":
		return d, "name", fmt.Errorf("every machine needs a name")
	case !slices.Contains(declaredKinds(), kind):
		return d, "kind", fmt.Errorf("%q is none of %v", m.Kind, declaredKinds())
	case m.Count.Known() && m.Count.Sign() <= 0:
		return d, "count", fmt.Errorf("a number of GPUs above zero is needed")
	case m.Rate.Known() && m.Rate.Sign() < 0:
		return d, "rate", fmt.Errorf("a price per hour is not below zero")
	case m.Rate.Known() && currency == "":
		return d, "currency", fmt.Errorf("the cloud has no currency of its own; name the rate's")
	}
	if d.from, err = instantIn(m.From, zone); err != nil {
		return d, "from", err
	}
	if m.Until != "" {
		if d.until, err = instantIn(m.Until, zone); err != nil {
			return d, "until", err
		}
		if !d.from.Before(d.until) {
			return d, "until", fmt.Errorf("it ends before it begins")
		}
	}
	d.Resource = m.resource(kind)
	d.CreatedAt, d.StartedAt = d.from, d.from
	if m.Rate.Known() {
		if d.Rate.Hourly, _, err = billing.ParseMoney(m.Rate.String(), currency); err != nil {
			return d, "rate", err
		}
	}
	return d, "", nil
}

func (m MachineConfig) resource(kind billing.Kind) billing.Resource {
	r := billing.Resource{
		Ref:  billing.ResourceRef{Kind: kind, Region: m.Region, ID: "declared:" + m.Name},
		Name: m.Name, State: billing.StateRunning, Billed: billing.Yes, Rate: billing.Rate{Source: billing.RateDeclared},
		Mode: billing.ModeOnDemand, GPU: billing.GPU{Model: m.GPU, Count: m.Count}, Owner: m.Owner, Project: m.Project,
		NotReleasable: billing.Say("declared.not_releasable", "name", m.Name),
	}
	if m.GPU != "" && !m.Count.Known() {
		r.GPU.Count = billing.DecimalFromInt(1)
	}
	if kind.Part() == billing.PartDisk {
		r.State = billing.StateAvailable
	}
	return r
}

// instantIn reads a day or a minute of a zone.
func instantIn(s string, zone *time.Location) (time.Time, error) {
	for _, form := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(form, s, zone); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time; write it like 2026-12-01 or 2026-12-01 10:30", s)
}

// declaredHoldings are the declared machines of an account that are there at a time. Their numbers are below zero: the store
// knows none of them.
func (in installation) declaredHoldings(a billing.Account, now time.Time) []billing.Holding {
	var out []billing.Holding
	for i, d := range in.declared {
		if d.account != a.Name || now.Before(d.from) || !d.until.IsZero() && !now.Before(d.until) {
			continue
		}
		h := billing.Holding{ID: declaredID(i), Handle: fmt.Sprintf("m-%d", i+1), Account: a.ID, Resource: d.Resource,
			FirstSeen: d.from, LastSeen: now, StateSince: d.from}
		h.Ref.Account = a.ID
		out = append(out, h)
	}
	return out
}

func declaredID(i int) billing.ResourceID { return billing.ResourceID(-1 - i) }

// declaredSpans are the stretches of declared machines within a period, with the labels of their bill to be.
func (in installation) declaredSpans(accounts []billing.Account, p billing.Period, now time.Time) []ledger.Metered {
	var out []ledger.Metered
	for i, d := range in.declared {
		k := slices.IndexFunc(accounts, func(a billing.Account) bool { return a.Name == d.account })
		if k < 0 || !d.from.Before(p.End) || !d.until.IsZero() && !p.Start.Before(d.until) {
			continue
		}
		a := accounts[k]
		out = append(out, ledger.Metered{
			Span:     billing.Span{Resource: declaredID(i), From: d.from, To: d.until, SeenTo: now, State: d.State, Billed: d.Billed, Rate: d.Rate, Mode: d.Mode},
			Provider: a.Provider, Account: a.Name, Region: d.Ref.Region, Name: d.Name, VendorID: d.Ref.ID, Owner: d.Owner, Project: d.Project,
			AccountID: a.ID, Part: d.Ref.Kind.Part(), GPU: d.GPU.Model})
	}
	return out
}

// declaringBook is the store's ledger with what the configuration declares.
type declaringBook struct {
	*storage.DB
	in  installation
	now func() time.Time
}

// Metered adds the declared machines to what was seen.
func (b declaringBook) Metered(ctx context.Context, p billing.Period) ([]ledger.Metered, error) {
	seen, err := b.DB.Metered(ctx, p)
	if err != nil || len(b.in.declared) == 0 {
		return seen, err
	}
	accounts, err := b.DB.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	return append(seen, b.in.declaredSpans(accounts, p, b.now())...), nil
}
