//go:build !nodemo

package sim

import (
	"context"
	"iter"

	"gpuspend/billing"
)

// accountA can rehearse an act.
type accountA struct{ account }

// accountB gives jobs to follow.
type accountB struct{ account }

// accountC sells its bandwidth by the month.
type accountC struct{ account }

// Stop ends a machine's compute within some two minutes.
func (p *account) Stop(ctx context.Context, a billing.Act) (billing.Receipt, error) {
	return p.act(ctx, billing.VerbStop, a)
}

// Release deletes a resource within two to four minutes.
func (p *account) Release(ctx context.Context, a billing.Act) (billing.Receipt, error) {
	return p.act(ctx, billing.VerbDelete, a)
}

// Rehearse says whether an act would be taken now.
func (p *accountA) Rehearse(ctx context.Context, a billing.Act) error {
	op := p.op("rehearse " + string(a.Verb))
	if !p.write {
		return p.readOnly(op)
	}
	_, done, err := p.enter(ctx, op)
	if err != nil {
		return err
	}
	defer done()
	_, err = p.allow(op, a.Verb, a.Ref)
	return err
}

// Follow says whether a job has finished.
func (p *accountB) Follow(ctx context.Context, r billing.Receipt) (billing.Receipt, error) {
	op := p.op("follow job")
	_, done, err := p.enter(ctx, op)
	if err != nil {
		return billing.Receipt{}, err
	}
	defer done()
	for _, t := range p.c.receipts {
		if t.receipt.Job == r.Job && r.Job != "" {
			return p.c.followed(t), nil
		}
	}
	return billing.Receipt{}, refuse(op, billing.Missing, billing.Text{}, "no job "+r.Job)
}

// Commitments lists the fixed-bandwidth plan.
func (p *accountC) Commitments(ctx context.Context) iter.Seq2[billing.Commitment, error] {
	return func(yield func(billing.Commitment, error) bool) {
		now, done, err := p.enter(ctx, p.op("list plans"))
		if err != nil {
			yield(billing.Commitment{}, err)
			return
		}
		until := p.c.monthOf(now).End
		done()
		yield(billing.Commitment{ID: planC, Name: "Fixed bandwidth 50 Mbps", ExpiresAt: until, RenewsItself: billing.Yes,
			RenewalPrice: money(bandwidthC)}, nil)
	}
}
