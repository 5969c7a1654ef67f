package release

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
)

func (w *world) ending() (told int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.told {
		if s.Final() {
			told++
		}
	}
	return told
}

func (w *world) chat(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellErr = err
}

func TestTheEndIsToldWhenTheChatIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.chat(errors.New("slack is down"))
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		time.AfterFunc(40*time.Minute, func() { w.chat(nil) })
		runs(e, 3*time.Hour)
		got := w.now(a.ID)
		if tries := w.ending(); got.Place.Message == "" || tries < 3 || tries > 8 {
			t.Errorf("the end was told %d times, the message is %+v", tries, got.Place)
		}
		before := w.ending()
		runs(w.engine(), 3*time.Hour) // all has been told, long ago
		if again := w.ending() - before; again != 0 {
			t.Errorf("told %d times again", again)
		}
	})
}

func TestWhatTheChatRefusesIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.chat(&billing.Error{Kind: billing.Invalid, Op: "tell"})
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		runs(e, 3*time.Hour)
		if told := w.ending(); told != 1 {
			t.Errorf("told %d times, want once", told)
		}
	})
}

// The program dies between the last move and its message: the next start tells.
func TestAnEndThatWasNotToldBeforeTheProgramDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		if _, err := w.store.Move(t.Context(), a.ID, Proposed, Declined, time.Now(), Change{Who: ann}); err != nil {
			t.Fatal(err)
		}
		runs(w.engine(), time.Minute)
		if !slices.Equal(w.told, []State{Declined}) || w.now(a.ID).Place.Message == "" {
			t.Errorf("told %v at %+v", w.told, w.now(a.ID).Place)
		}
	})
}
