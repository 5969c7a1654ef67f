package release

import (
	"context"
	"time"

	"gpuspend/billing"
)

// verify looks at a resource once more. Two complete listings of its scope, both begun after the order was given, bear
// an act out; what an order was answered never does.
func (e *Engine) verify(ctx context.Context, a Action) (Action, error) {
	h, err := e.o.Store.Holding(ctx, a.Resource)
	if err != nil {
		return a, err
	}
	looked := error(nil)
	if !h.Gone() {
		if looked = e.look(ctx, h); looked != nil && ctx.Err() != nil {
			return a, nil
		}
		if h, err = e.o.Store.Holding(ctx, a.Resource); err != nil {
			return a, err
		}
	}
	first, both := borneOut(a, h)
	switch {
	case both:
		return e.step(ctx, a, Done, Change{Why: proven(a)})
	case !first.IsZero() && !first.Equal(a.SeenAt):
		if err := e.o.Store.Note(ctx, a.ID, a.Place, first); err != nil {
			return a, err
		}
		a.SeenAt = first
		e.tell(ctx, a)
	}
	if first.IsZero() && looked == nil {
		if why := e.jobFailed(ctx, a); !why.IsZero() {
			return e.step(ctx, a, Failed, Change{Why: billing.Say("release.failed.refused", "name", a.called(), "say", why)})
		}
	}
	if e.since(a) > e.patience(a) && (first.IsZero() || looked != nil) {
		return e.step(ctx, a, Failed, Change{Why: e.unproven(a, h, looked)})
	}
	return a, nil
}

// jobFailed asks what became of an order's job and says why it ended badly; zero where it has not, or can't be asked
// after. A job that ended well proves nothing, and one that can't be asked after speaks against nothing: listings tell.
func (e *Engine) jobFailed(ctx context.Context, a Action) billing.Text {
	if a.Job == "" {
		return billing.Text{}
	}
	ctx, cancel := context.WithTimeout(ctx, orderPatience)
	defer cancel()
	receipt, err := e.followJob(ctx, a)
	if err != nil {
		e.o.Log.Warn("release: the job can't be followed", "action", a.ID, "error_kind", billing.KindOf(err), "error", err)
		return billing.Text{}
	}
	return receipt.Failed
}

func (e *Engine) followJob(ctx context.Context, a Action) (r billing.Receipt, err error) {
	defer recovered("follow", &err)
	cloud, err := e.o.Opener.OpenForRelease(withActor(ctx, a.Approver), a.Account)
	if err != nil {
		return r, err
	}
	f, ok := cloud.(billing.Follower)
	if !ok {
		return r, nil
	}
	return f.Follow(ctx, billing.Receipt{RequestID: a.RequestID, Job: a.Job})
}

// patience is how long to wait for listings to bear an act out. Where the order may never have been given, nobody has to
// wait as long to press again.
func (e *Engine) patience(a Action) time.Duration {
	if a.Why.Key == interrupted {
		return min(e.o.Patience, 5*e.o.Settle)
	}
	return e.o.Patience
}

// borneOut says when a listing first bore an action out, zero for none yet, and whether a second one has.
func borneOut(a Action, h billing.Holding) (first time.Time, both bool) {
	if h.Gone() {
		return a.SeenAt, true
	}
	if !h.AbsentAt.IsZero() {
		return h.AbsentAt, false
	}
	if h.LastSeen.Before(a.MovedAt) || !over(a.Verb, h) {
		return time.Time{}, false
	}
	if a.SeenAt.Before(a.MovedAt) || a.SeenAt.Before(h.StateSince) { // not yet, or it was in another state in between
		return h.LastSeen, false
	}
	return a.SeenAt, h.LastSeen.After(a.SeenAt)
}

// proven says what two listings have shown.
func proven(a Action) billing.Text {
	if a.Verb == billing.VerbStop {
		return billing.Say("release.done.stopped", "name", a.called())
	}
	return billing.Say("release.done.gone", "name", a.called())
}

// over says whether what is listed shows that an act has been done: a deleted machine may be listed as terminated for a
// while; a machine is stopped when its compute is not billed any more, and a state that only says so is not enough.
func over(v billing.Verb, h billing.Holding) bool {
	if v == billing.VerbDelete {
		return h.State == billing.StateTerminated && h.Billed == billing.No
	}
	if h.State == billing.StateTerminated {
		return h.Billed == billing.No
	}
	if h.State != billing.StateStopped {
		return false
	}
	if h.Billed == billing.No {
		return true
	}
	n, err := h.Rate.Hourly.Cmp(h.StoppedRate.Hourly)
	return h.Billed == billing.Yes && err == nil && n <= 0
}

// unproven says what listings show after all patience.
func (e *Engine) unproven(a Action, h billing.Holding, looked error) billing.Text {
	waited := e.since(a).Truncate(time.Minute)
	switch {
	case looked != nil:
		return billing.Say("release.failed.unread", "name", a.called(), "after", waited, "say", billing.SayOf(looked))
	case a.Why.Key == interrupted:
		return billing.Say("release.failed.interrupted", "name", a.called())
	case a.Verb == billing.VerbStop && h.State == billing.StateStopped:
		return billing.Say("release.failed.still_billed", "name", a.called(), "after", waited)
	case a.Verb == billing.VerbStop:
		return billing.Say("release.failed.still_running", "name", a.called(), "after", waited, "state", billing.Say("state."+string(h.State)))
	}
	return billing.Say("release.failed.still_listed", "name", a.called(), "after", waited, "state", billing.Say("state."+string(h.State)))
}
