package notify_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// paper is a notify.Log in memory, for tests of the pipeline alone. It outlives pipelines like a store outlives a restart.
type paper struct {
	mu      sync.Mutex
	alerts  []notify.Alert
	letters []notify.Letter
	deaf    bool // Sent fails: the program died between sending and recording
}

func (p *paper) Alerts(_ context.Context, since time.Time) ([]notify.Alert, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []notify.Alert
	for _, a := range p.alerts {
		if a.State == notify.Firing || !a.ResolvedAt.Before(since) {
			out = append(out, a)
		}
	}
	return out, nil
}

func (p *paper) Commit(_ context.Context, alerts []notify.Alert, letters []notify.Letter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range alerts {
		if a.ID == 0 {
			a.ID = int64(len(p.alerts) + 1)
			p.alerts = append(p.alerts, a)
			continue
		}
		p.alerts[a.ID-1] = a
	}
	for _, l := range letters {
		l.ID = int64(len(p.letters) + 1)
		p.letters = append(p.letters, l)
	}
	return nil
}

func (p *paper) Due(_ context.Context, now time.Time) ([]notify.Letter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []notify.Letter
	for _, l := range p.letters {
		if l.DeliveredAt.IsZero() && l.Failed == "" && !l.TryAt.After(now) {
			out = append(out, l)
		}
	}
	return out, nil
}

func (p *paper) Sent(_ context.Context, l notify.Letter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaf {
		return &billing.Error{Kind: billing.Upstream, Op: "record letter"}
	}
	l.Edits = p.letters[l.ID-1].Edits
	p.letters[l.ID-1] = l
	return nil
}

func (p *paper) Last(_ context.Context, fingerprint, route string) (notify.Letter, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []notify.Letter
	for _, l := range p.letters {
		if l.Fingerprint == fingerprint && l.Route.Name == route && !l.DeliveredAt.IsZero() {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return notify.Letter{}, false, nil
	}
	return slices.MaxFunc(found, func(x, y notify.Letter) int {
		return cmp.Or(x.DeliveredAt.Compare(y.DeliveredAt), cmp.Compare(x.ID, y.ID))
	}), true, nil
}

// channel is a receiver that keeps what it was handed and answers as told.
type channel struct {
	mu      sync.Mutex
	answers []error // taken from the front; nil, and none left, is fine
	posted  []notify.Letter
	edited  []notify.Letter
	tries   int
}

func (c *channel) Deliver(_ context.Context, l notify.Letter) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tries++
	if len(c.answers) > 0 {
		err := c.answers[0]
		c.answers = c.answers[1:]
		if err != nil {
			return "", err
		}
	}
	if l.Edits != "" {
		c.edited = append(c.edited, l)
		return l.Edits, nil
	}
	c.posted = append(c.posted, l)
	return "C1/" + l.CreatedAt.Format("150405"), nil
}

func failure(k billing.ErrorKind, wait time.Duration) error {
	return &billing.Error{Kind: k, Op: "post", RetryAfter: wait}
}
