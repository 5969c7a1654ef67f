//go:build !nodemo

package sim

import (
	"context"
	"iter"
	"slices"
	"sort"
	"time"

	"gpuspend/billing"
)

// An account is one opening of a cloud's account: what all three clouds can do.
type account struct {
	w     *World
	c     *cloud
	name  string
	write bool
}

func (p *account) op(what string) string { return p.c.name + ": " + what }

// enter waits for its turn, brings the world up to date and says whether the cloud answers at all. The caller calls
// done when it has what it needs.
func (p *account) enter(ctx context.Context, op string) (now time.Time, done func(), err error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, nil, &billing.Error{Kind: billing.Upstream, Op: op, Err: err}
	}
	p.w.mu.Lock()
	if p.c.fault.Hang {
		p.w.mu.Unlock()
		<-ctx.Done()
		return time.Time{}, nil, &billing.Error{Kind: billing.Upstream, Op: op, Err: ctx.Err()}
	}
	now = p.w.today()
	if err := p.c.fault.any(op); err != nil {
		p.w.mu.Unlock()
		return time.Time{}, nil, err
	}
	return now, p.w.mu.Unlock, nil
}

// Identify gives the account's id at its cloud.
func (p *account) Identify(ctx context.Context) (string, error) {
	_, done, err := p.enter(ctx, p.op("identify"))
	if err != nil {
		return "", err
	}
	defer done()
	return p.c.vendorID, nil
}

// Scopes lists every kind in every region.
func (p *account) Scopes(ctx context.Context) ([]billing.Scope, error) {
	_, done, err := p.enter(ctx, p.op("list regions"))
	if err != nil {
		return nil, err
	}
	defer done()
	var scopes []billing.Scope
	for _, place := range p.c.regions {
		for _, kind := range p.c.kinds() {
			scopes = append(scopes, billing.Scope{Kind: kind, Region: place.id})
		}
	}
	return scopes, nil
}

func (c *cloud) kinds() []billing.Kind {
	all := []billing.Kind{billing.KindInstance, billing.KindDisk, billing.KindSnapshot, billing.KindIP, billing.KindImage}
	switch c.name {
	case nameB:
		return all[:4]
	case nameC:
		return all[:2]
	}
	return all
}

// Resources lists a scope by id, as it is at the first step of the loop.
func (p *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		listed, err := p.list(ctx, s)
		for _, r := range listed {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(billing.Resource{}, err)
		}
	}
}

func (p *account) list(ctx context.Context, s billing.Scope) ([]billing.Resource, error) {
	op := p.op("list " + string(s.Kind) + "s")
	_, done, err := p.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer done()
	if !slices.Contains(p.c.kinds(), s.Kind) || p.c.regionName(s.Region) == "" || s.Project != "" {
		return nil, refuse(op, billing.Invalid, billing.Text{}, "there is no such scope")
	}
	if err := p.c.fault.listing(op, s.Kind); err != nil {
		return nil, err
	}
	var listed []billing.Resource
	for _, t := range p.c.things {
		if t.r.Ref.Kind == s.Kind && t.r.Ref.Region == s.Region {
			listed = append(listed, t.listed())
		}
	}
	sort.Slice(listed, func(i, j int) bool { return listed[i].Ref.ID < listed[j].Ref.ID })
	if p.c.fault.Cut {
		return listed[:len(listed)/2], refuse(op, billing.Upstream, billing.Text{}, "the second page did not come")
	}
	return listed, nil
}

// Find looks one resource up.
func (p *account) Find(ctx context.Context, r billing.ResourceRef) (billing.Resource, error) {
	op := p.op("find " + string(r.Kind))
	_, done, err := p.enter(ctx, op)
	if err != nil {
		return billing.Resource{}, err
	}
	defer done()
	if err := p.c.fault.listing(op, r.Kind); err != nil {
		return billing.Resource{}, err
	}
	t := p.c.find(r.ID)
	r.Account = 0
	if t == nil || t.r.Ref != r {
		return billing.Resource{}, refuse(op, billing.Missing, billing.Text{}, "no "+string(r.Kind)+" "+r.ID)
	}
	return t.listed(), nil
}

// Balance is what is left after the last settlement.
func (p *account) Balance(ctx context.Context) (billing.Balance, error) {
	now, done, err := p.enter(ctx, p.op("read balance"))
	if err != nil {
		return billing.Balance{}, err
	}
	defer done()
	return billing.Balance{
		ReadAt: now, Mode: p.c.mode, Cash: p.c.cash, Credit: p.c.creditLine, Vouchers: slices.Clone(p.c.vouchers),
		Minimum: p.c.minimum, Settles: p.c.settles,
	}, nil
}

// Charges lists the lines that began in p and have been delivered, by their start.
func (p *account) Charges(ctx context.Context, of billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		now, done, err := p.enter(ctx, p.op("read charges"))
		if err != nil {
			yield(billing.Charge{}, err)
			return
		}
		lines, end := p.c.lines, p.c.through(now) // lines are only ever appended to
		done()
		if of.End.Before(end) {
			end = of.End
		}
		first := sort.Search(len(lines), func(i int) bool { return !lines[i].start.Before(of.Start) })
		var month billing.Period
		for i := first; i < len(lines) && lines[i].start.Before(end); i++ {
			if !month.Contains(lines[i].start) {
				month = p.c.monthOf(lines[i].start)
			}
			if !yield(lines[i].charge(month), nil) {
				return
			}
		}
	}
}

// Billed says how far bills are out. Figures never change once they are.
func (p *account) Billed(ctx context.Context, _ billing.Period) (billing.Coverage, error) {
	now, done, err := p.enter(ctx, p.op("read charges"))
	if err != nil {
		return billing.Coverage{}, err
	}
	defer done()
	return billing.Coverage{Through: p.c.through(now)}, nil
}

// Offers lists the demo book's rows.
func (p *account) Offers(ctx context.Context, q billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		_, done, err := p.enter(ctx, p.op("list offers"))
		if err != nil {
			yield(billing.Offer{}, err)
			return
		}
		done()
		for _, r := range p.c.rows {
			if q.GPU != "" && q.GPU != r.gpu {
				continue
			}
			if !yield(r.offer(p.c.regions[0].id), nil) {
				return
			}
		}
	}
}
