package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gpuspend/billing"
)

const day = 24 * time.Hour

func (r *reader) balance(ctx context.Context, at time.Time) error {
	b, err := r.account.Provider.(billing.Balancer).Balance(ctx)
	if err != nil {
		return err
	}
	if b.ReadAt.IsZero() {
		b.ReadAt = at
	}
	return keep(r.w.opts.Store.RecordBalance(ctx, r.account.ID, b))
}

// listScopes reads what there is to look at. The list is stored as the reading of the zero scope, which holds nothing.
func (r *reader) listScopes(ctx context.Context, at time.Time) error {
	ss, err := r.account.Provider.Scopes(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(ss, billing.Scope{}) {
		return r.wrong("list scopes", "a scope without a kind")
	}
	r.setScopes(ss)
	return keep(r.w.opts.Store.Observe(ctx, r.account.ID, billing.Scope{}, at, nil))
}

// resources lists one scope. Only a listing that came to its end without an error and names everything once is handed
// on.
func (r *reader) resources(ctx context.Context, s billing.Scope, at time.Time) error {
	if err := r.remind(ctx); err != nil {
		return keep(err)
	}
	var listed []billing.Resource
	seen := map[[2]string]bool{}
	for res, err := range r.account.Provider.Resources(ctx, s) {
		if err != nil {
			return err
		}
		id := [2]string{res.Ref.Region, res.Ref.ID}
		switch {
		case res.Ref.ID == "":
			return r.wrong("list "+string(s.Kind), "a resource without an id")
		case res.Ref.Kind != s.Kind:
			return r.wrong("list "+string(s.Kind), fmt.Sprintf("%s is of kind %q", res.Ref.ID, res.Ref.Kind))
		case seen[id]:
			return r.wrong("list "+string(s.Kind), res.Ref.ID+" was listed twice")
		}
		seen[id] = true
		res.Ref.Account = r.account.ID
		listed = append(listed, res)
	}
	if err := ctx.Err(); err != nil {
		return err // a listing cut short is no listing
	}
	if err := r.w.opts.Store.Observe(ctx, r.account.ID, s, at, listed); err != nil {
		return keep(err)
	}
	if p, ok := r.account.Provider.(billing.Sifter); ok {
		return keep(r.w.opts.Store.RecordLeftOut(ctx, r.account.ID, s, p.LeftOut(s)))
	}
	return nil
}

// remind tells a provider that leaves things out what it must not, since that is known to the store alone after a start.
func (r *reader) remind(ctx context.Context) error {
	p, ok := r.account.Provider.(billing.Sifter)
	if !ok {
		return nil
	}
	refs, err := r.w.opts.Store.Served(ctx, r.account.ID)
	if err == nil {
		p.Remember(refs)
	}
	return err
}

func (r *reader) wrong(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: "watch: " + op + " of " + r.account.Name, Err: fmt.Errorf("the answer is wrong: %s", why)}
}

// charges reads the bill from the stored watermark on, window by window.
func (r *reader) charges(ctx context.Context, at time.Time) error {
	mark, err := r.w.opts.Store.Watermark(ctx, r.account.ID)
	if err != nil {
		return keep(err)
	}
	r.mu.Lock()
	provisional := r.provisional
	r.mu.Unlock()
	all := windows(mark, provisional, at, r.w.opts.Backfill)
	if !mark.IsZero() && provisional.IsZero() && len(all) > 0 {
		span := billing.Period{Start: all[0].Start, End: all[len(all)-1].End}
		if nothing, err := r.nothingNew(ctx, span, mark, at); err != nil || nothing {
			return err
		}
	}
	for _, p := range all {
		if err := r.window(ctx, p, mark, at); err != nil {
			return err
		}
	}
	return nil
}

// nothingNew says that the cloud has delivered no further than was read already and that none of it may still change,
// so that there is no line to read. It is noted as a good reading: an empty window that swaps nothing.
func (r *reader) nothingNew(ctx context.Context, span billing.Period, mark, at time.Time) (bool, error) {
	cover, err := r.account.Provider.(billing.Charger).Billed(ctx, span)
	if err != nil || cover.Through.IsZero() || cover.Through.After(mark) || !cover.Provisional.IsZero() {
		return false, err
	}
	empty := billing.Period{Start: span.End, End: span.End}
	return true, keep(r.w.opts.Store.RecordCharges(ctx, r.account.ID, empty, at, cover, func(func(billing.Charge, error) bool) {}))
}

// windows are the spans of whole UTC days to be read: from two days before what was delivered, or from where figures
// could still change, to the end of today, at most 31 days each.
func windows(mark, provisional, now time.Time, backfill time.Duration) []billing.Period {
	end := now.UTC().Truncate(day).Add(day)
	from := mark.Add(-2 * day)
	if mark.IsZero() {
		from = end.Add(-backfill)
	}
	if !provisional.IsZero() && provisional.Before(from) {
		from = provisional
	}
	from = from.UTC().Truncate(day)
	var ps []billing.Period
	for from.Before(end) {
		p := billing.Period{Start: from, End: from.Add(31 * day)}
		if p.End.After(end) {
			p.End = end
		}
		ps = append(ps, p)
		from = p.End
	}
	return ps
}

// window reads one window and hands it on as it comes. The coverage is asked for first, so that what was delivered in between
// is there and not counted as delivered. Lines beyond it are left for a later reading: the hours they belong to are not
// complete, and our own meter counts those. What was delivered once stays so, even where a cloud takes its word back.
func (r *reader) window(ctx context.Context, p billing.Period, mark, at time.Time) error {
	c := r.account.Provider.(billing.Charger)
	cover, err := c.Billed(ctx, p)
	if err != nil {
		return err
	}
	if cover.From.After(p.Start) { // days before it are missing, not free
		if p.Start = cover.From.UTC().Truncate(day); !p.Start.Before(p.End) {
			return nil
		}
	}
	through := cover.Through
	if mark.After(through) {
		through = mark
	}
	lines := func(yield func(billing.Charge, error) bool) {
		err := caught("read charges", func() error {
			for line, err := range c.Charges(ctx, p) {
				switch {
				case err != nil:
					return err
				case !line.BilledCost.Known():
					return r.wrong("read charges", "a line without an amount")
				case !p.Contains(line.ChargePeriod.Start): // it is in another window, once
				case !through.IsZero() && !line.ChargePeriod.Start.Before(through):
				case !yield(line, nil):
					return nil
				}
			}
			return ctx.Err() // a bill cut short is no bill
		})
		if err != nil {
			yield(billing.Charge{}, &broken{err})
		}
	}
	if err := r.w.opts.Store.RecordCharges(ctx, r.account.ID, p, at, cover, lines); err != nil {
		if b := (*broken)(nil); errors.As(err, &b) {
			return b.err
		}
		return keep(err)
	}
	r.mu.Lock()
	r.provisional = cover.Provisional
	r.mu.Unlock()
	return nil
}

// broken marks what ended a bill on its way through the store: it is the cloud's, not the store's.
type broken struct{ err error }

func (b *broken) Error() string { return b.err.Error() }
func (b *broken) Unwrap() error { return b.err }

func (r *reader) offers(ctx context.Context, at time.Time) error {
	var offers []billing.Offer
	for o, err := range r.account.Provider.(billing.Merchant).Offers(ctx, billing.OfferQuery{}) {
		if err != nil {
			return err
		}
		offers = append(offers, o)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return keep(r.w.opts.Store.RecordOffers(ctx, r.account.ID, at, offers))
}

// members lists the accounts of an organisation. A list cut short is none: whoever is missing would have left.
func (r *reader) members(ctx context.Context, at time.Time) error {
	var all []billing.Member
	for m, err := range r.account.Provider.(billing.Organizer).Members(ctx) {
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(all) == 0 {
		return r.wrong("list members", "an organisation without accounts, though one of them asks")
	}
	return keep(r.w.opts.Store.RecordMembers(ctx, r.account.ID, at, all))
}
