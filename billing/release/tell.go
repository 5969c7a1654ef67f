package release

import (
	"context"
	"sync"
	"time"

	"gpuspend/billing"
)

// Bounds on telling, in real time: what is done never waits longer than patientTelling for a message, and how an action
// ended is tried again, after pauses that grow to slowestRepeat, mostRepeats times. What ended within retold of a start
// is told again then, for the program may have died before it could.
const (
	patientTelling = 10 * time.Second
	firstRepeat    = time.Minute
	slowestRepeat  = time.Hour
	mostRepeats    = 30
	retold         = time.Hour
)

// telling is the turn to tell of one action, so that a message never falls back to an older state.
type telling struct {
	sync.Mutex
	failed error // of the last telling
}

func (e *Engine) turn(id ActionID) *telling {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.telling[id] == nil {
		e.telling[id] = &telling{}
	}
	return e.telling[id]
}

// tell shows an action as it stands now, one telling at a time.
func (e *Engine) tell(ctx context.Context, a Action) Action {
	if e.o.Teller == nil {
		return a
	}
	turn := e.turn(a.ID)
	turn.Lock()
	defer turn.Unlock()
	now, err := e.o.Store.Action(ctx, a.ID)
	if turn.failed = err; err != nil {
		return a
	}
	within, cancel := context.WithTimeout(ctx, patientTelling)
	defer cancel()
	place, err := e.o.Teller.Tell(within, now)
	if turn.failed = err; err != nil {
		e.o.Log.Warn("release not told", "action", a.ID, "state", now.State, "error", err)
		return a
	}
	if place != now.Place {
		if err := e.o.Store.Note(ctx, a.ID, place, now.SeenAt); err != nil {
			e.o.Log.Warn("place of the message not kept", "action", a.ID, "error", err)
		}
	}
	a.Place = place
	return a
}

// untold says that the last telling of an action failed in a way that may pass.
func (e *Engine) untold(id ActionID) bool {
	turn := e.turn(id)
	turn.Lock()
	defer turn.Unlock()
	return billing.KindOf(turn.failed).Retryable()
}

// lastWord tells again how an action ended, where that could not be told at once: nobody must wait for an end that has
// come.
func (e *Engine) lastWord(ctx context.Context, a Action) {
	wait := firstRepeat
	for range mostRepeats {
		if !e.untold(a.ID) || !rest(ctx, wait) {
			return
		}
		e.tell(ctx, a)
		wait = min(2*wait, slowestRepeat)
	}
}

// retell tells of what ended shortly before the program did. An edit that changes nothing hurts nobody.
func (e *Engine) retell(ctx context.Context) {
	ended, err := e.o.Store.Ended(ctx, e.o.Now().Add(-retold))
	if err != nil {
		e.o.Log.Error("ended actions not read", "error", err)
		return
	}
	for _, a := range ended {
		e.tell(ctx, a)
	}
	for _, a := range ended {
		e.lastWord(ctx, a)
	}
}
