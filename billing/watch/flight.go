package watch

import (
	"context"
	"sync"
)

// flight makes readings of one thing that are asked for at the same time one reading. The zero flight is ready.
type flight struct {
	mu      sync.Mutex
	running map[item]*trip
}

type trip struct {
	done  chan struct{}
	err   error
	ended bool // its own context ended, which says nothing to those who joined
}

// do runs read, or waits for the one that runs. Who joined one that was told to stop begins anew.
func (f *flight) do(ctx context.Context, it item, read func() error) error {
	for {
		f.mu.Lock()
		t := f.running[it]
		if t == nil {
			break
		}
		f.mu.Unlock()
		select {
		case <-t.done:
			if !t.ended {
				return t.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t := &trip{done: make(chan struct{})}
	if f.running == nil {
		f.running = map[item]*trip{}
	}
	f.running[it] = t
	f.mu.Unlock()
	defer func() {
		t.ended = ctx.Err() != nil
		f.mu.Lock()
		delete(f.running, it)
		f.mu.Unlock()
		close(t.done)
	}()
	t.err = read()
	return t.err
}
