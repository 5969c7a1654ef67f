package release

import (
	"time"

	"gpuspend/billing"
)

// Next is what a mark asks for now.
type Next string

// What can come next. A stop comes only after a delivered notice, and a question is answered by a person.
const (
	Wait   Next = "wait"
	Notice Next = "notice" // say what is coming
	Halt   Next = "halt"   // a lease is over: stop it, in the name of who leased
	Ask    Next = "ask"    // the day has come: a person decides
	Idle   Next = "idle"   // note that it was seen out of use
	Used   Next = "used"   // in use again: the mark falls
	Over   Next = "over"   // nothing is left to do
)

// The delays of marks, all counted from the notice's delivery: a lease's stop comes a while after its reminder, and who
// was told of a removal has a week. A question that nobody answers is asked once more.
const (
	LeaseLead   = 30 * time.Minute
	LeaseGrace  = 10 * time.Minute
	RemoveGrace = 7 * 24 * time.Hour
	AskAgain    = 24 * time.Hour
)

// Due decides what a mark asks for.
func Due(m billing.Mark, h billing.Holding, now time.Time) Next {
	if h.Gone() || h.State == billing.StateTerminated || h.State == billing.StateDeleting {
		return Over
	}
	if m.Kind == billing.MarkLease {
		return leaseDue(m, h, now)
	}
	return removeDue(m, h, now)
}

func leaseDue(m billing.Mark, h billing.Holding, now time.Time) Next {
	lead := min(LeaseLead, m.Due.Sub(m.MadeAt)/4)
	switch {
	case h.State == billing.StateStopped || h.State == billing.StateStopping:
		return Over
	case m.ToldAt.IsZero() && !now.Before(m.Due.Add(-lead)):
		return Notice
	case !m.ToldAt.IsZero() && !now.Before(LeaseEnds(m)):
		return Halt
	}
	return Wait
}

func removeDue(m billing.Mark, h billing.Holding, now time.Time) Next {
	using := inUse(h)
	switch {
	case using && m.Idle:
		return Used
	case !using && !m.Idle:
		return Idle
	case m.ToldAt.IsZero():
		return Notice
	case !m.AskedAt.IsZero() && now.Sub(m.AskedAt) >= AskAgain, m.AskedAt.IsZero() && !now.Before(RemoveAsked(m)):
		return Ask
	}
	return Wait
}

// LeaseEnds is when a lease's machine is stopped: at its end, but never sooner than a while after the delivered notice.
func LeaseEnds(m billing.Mark) time.Time { return later(m.Due, m.ToldAt.Add(LeaseGrace), m.ToldAt) }

// RemoveAsked is when a person is asked: on the day named, but never sooner than a week after the delivered notice.
func RemoveAsked(m billing.Mark) time.Time {
	return later(m.Due, m.ToldAt.Add(RemoveGrace), m.ToldAt)
}

func later(due, earliest, told time.Time) time.Time {
	if told.IsZero() || due.After(earliest) {
		return due
	}
	return earliest
}

// inUse says that a machine runs or something hangs on a machine.
func inUse(h billing.Holding) bool {
	switch h.State {
	case billing.StateStarting, billing.StateRunning, billing.StateAttached:
		return true
	}
	return len(h.AttachedTo) > 0
}
