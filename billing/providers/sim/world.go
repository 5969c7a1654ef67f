//go:build !nodemo

package sim

import (
	"container/heap"
	"sync"
	"time"

	"gpuspend/billing"
)

// Options places a world in time.
type Options struct {
	Seed uint64 // of spot prices, reclaims, traffic and the length of releases; amounts of the story do not hang on it
	// Start is the first instant of the history, UTC, cut to the hour: no charge is older. Zero is 40 days before Story.
	Start time.Time
	Story time.Time        // the instant around which the story is told, UTC
	Now   func() time.Time // nil is a clock that stands at Story
}

func (o Options) filled() Options {
	o.Story = o.Story.UTC()
	if o.Start.IsZero() {
		o.Start = o.Story.Add(-storyDays * day)
	}
	if o.Start.After(o.Story) {
		o.Start = o.Story
	}
	o.Start = o.Start.UTC().Truncate(time.Hour)
	if o.Now == nil {
		story := o.Story
		o.Now = func() time.Time { return story }
	}
	return o
}

// World is three clouds that behave. What it shows at an instant hangs on its options, on the acts done so far with
// their instants, and on nothing else: it moves on when it is asked, event by event, so it is the same however often
// that happens. An instant before one that it was asked for already is answered as of the later one. It is safe for
// concurrent use and starts no goroutine and no timer.
type World struct {
	mu     sync.Mutex
	seed   uint64
	start  time.Time // of the history
	epoch  time.Time // from which things move: early enough that the story's machines have run before it is told
	story  time.Time
	now    func() time.Time
	at     time.Time // how far it has come
	events events
	made   int // events so far, which orders those of one instant
	clouds []*cloud
	asked  []Deed
	prices map[billing.Money]billing.Decimal

	rehearsing bool // only the balances matter
}

// NewWorld makes the world of the story and lets it run up to its start.
func NewWorld(o Options) *World {
	o = o.filled()
	// A first run tells what the story costs, so that the balances at the story's instant are the ones told, whatever
	// the start is. Nothing runs dry in it.
	rehearsal := newWorld(o)
	rehearsal.rehearsing = true
	rehearsal.advance(o.Story)
	w := newWorld(o)
	for i, c := range w.clouds {
		c.cash = sum(c.told, negative(rehearsal.clouds[i].cash))
		c.limited = c.mode == billing.Prepaid
	}
	w.advance(o.Start)
	return w
}

func newWorld(o Options) *World {
	w := &World{seed: o.Seed, start: o.Start, story: o.Story, now: o.Now,
		prices: map[billing.Money]billing.Decimal{}}
	w.epoch = o.Start
	if early := o.Story.Add(-prologue).Truncate(time.Hour); early.Before(w.epoch) {
		w.epoch = early
	}
	w.at = w.epoch
	w.clouds = []*cloud{newCloudA(w), newCloudB(w), newCloudC(w)}
	w.tellStory()
	w.tick()
	return w
}

// tick comes back at every full hour: hours are billed, balances settled, spot prices move.
func (w *World) tick() {
	w.schedule(w.at.Truncate(time.Hour).Add(time.Hour), func() {
		for _, c := range w.clouds {
			c.endHour(w.at)
		}
		w.tick()
	})
}

// today is the present instant, with everything done that is due by then. The caller holds the lock.
func (w *World) today() time.Time {
	w.advance(w.now().UTC())
	return w.at
}

func (w *World) advance(to time.Time) {
	for len(w.events) > 0 && !w.events[0].at.After(to) {
		e := heap.Pop(&w.events).(event)
		if e.at.After(w.at) {
			w.at = e.at
		}
		e.do()
	}
	if to.After(w.at) {
		w.at = to
	}
}

func (w *World) schedule(at time.Time, do func()) {
	w.made++
	heap.Push(&w.events, event{at, w.made, do})
}

func (w *World) cloud(name string) *cloud {
	for _, c := range w.clouds {
		if c.name == name {
			return c
		}
	}
	panic("sim: no cloud is called " + name)
}

// An event is due at an instant; events of one instant happen in the order in which they were scheduled.
type event struct {
	at    time.Time
	order int
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }

func (e events) Less(i, j int) bool {
	if e[i].at.Equal(e[j].at) {
		return e[i].order < e[j].order
	}
	return e[i].at.Before(e[j].at)
}

func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

func (e *events) Push(x any) { *e = append(*e, x.(event)) }

func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	(*e)[last] = event{}
	*e = (*e)[:last]
	return x
}
