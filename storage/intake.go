package storage

import (
	"context"
	"errors"
	"io"
	"time"

	"gpuspend/billing"
)

// ChargeReader yields the charges of one file into c, which is reused, and io.EOF after the last. focus.Reader is one.
type ChargeReader interface {
	Read(c *billing.Charge) error
}

// ChargeFile is one file of a delivery. A reader that is an io.Closer is closed after its last charge.
type ChargeFile struct {
	Name string
	Open func() (ChargeReader, error)
}

const (
	intakeRows  = 256 // charges that are handed over at a time
	polledRows  = 32  // of a polled bill: many accounts are read at once
	intakeDepth = 4   // hands
	beatEvery   = time.Minute
)

// intake reads the files of a delivery beside the writing of their charges. Nothing is locked while a file, or whoever
// feeds standard input, is slow.
type intake struct {
	full  chan []billing.Charge
	empty chan []billing.Charge
	err   error // why reading ended early; set before full is closed
}

// startIntake reads until the context ends, or at most a hand of charges longer. A read that hangs is left behind.
func startIntake(ctx context.Context, files []ChargeFile, rows int) *intake {
	in := &intake{full: make(chan []billing.Charge, intakeDepth), empty: make(chan []billing.Charge, intakeDepth)}
	for range intakeDepth {
		in.empty <- make([]billing.Charge, 0, rows)
	}
	go func() {
		defer close(in.full)
		for _, f := range files {
			if in.err = in.readFile(ctx, f); in.err != nil {
				return
			}
		}
	}()
	return in
}

func (in *intake) readFile(ctx context.Context, f ChargeFile) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	if c, ok := r.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	for {
		var hand []billing.Charge
		select {
		case hand = <-in.empty:
		case <-ctx.Done():
			return ctx.Err()
		}
		hand, err = fill(r, hand[:0])
		in.full <- hand // there is room for every hand there is
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func fill(r ChargeReader, hand []billing.Charge) ([]billing.Charge, error) {
	for len(hand) < cap(hand) {
		hand = hand[:len(hand)+1]
		if err := r.Read(&hand[len(hand)-1]); err != nil {
			return hand[:len(hand)-1], err
		}
	}
	return hand, nil
}

// loadFiles writes what comes in. It waits for charges in the middle of a transaction only for as long as that may last.
func (l *loader) loadFiles(ctx context.Context, files []ChargeFile) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	rows := intakeRows
	if l.patience == polledPatience {
		rows = polledRows
	}
	in := startIntake(ctx, files, rows)
	for {
		hand, more, err := l.next(ctx, in)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		for i := range hand {
			if err := l.add(ctx, &hand[i]); err != nil {
				return err
			}
		}
		in.empty <- hand
	}
	if in.err != nil {
		return in.err
	}
	return l.flush(ctx)
}

// next gives the next hand of charges, or more = false after the last.
func (l *loader) next(ctx context.Context, in *intake) (hand []billing.Charge, more bool, err error) {
	for {
		wait := beatEvery
		if l.tx != nil {
			wait = min(l.left(), l.patience)
		}
		timer := time.NewTimer(wait)
		select {
		case hand, more = <-in.full:
			timer.Stop()
			return hand, more, nil
		case <-ctx.Done():
			timer.Stop()
			return nil, false, ctx.Err()
		case <-timer.C:
			if l.tx != nil {
				err = l.commit(ctx)
			} else {
				err = l.heartbeat(ctx)
			}
			if err != nil {
				return nil, false, err
			}
		}
	}
}
