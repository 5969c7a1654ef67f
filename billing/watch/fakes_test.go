package watch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
)

// ledger of what was handed over, in order.
type memory struct {
	mu      sync.Mutex
	lines   []string
	bound   map[billing.AccountID]string
	mark    time.Time
	charges []billing.Charge
	served  []billing.ResourceRef
	listed  []billing.Resource
	ats     []time.Time
	fails   error // the store itself fails
	start   time.Time
}

func newMemory() *memory { return &memory{bound: map[billing.AccountID]string{}, start: time.Now()} }

func (m *memory) note(format string, args ...any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, fmt.Sprintf(format, args...))
	return m.fails
}

// take gives the lines since the last take.
func (m *memory) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	lines := m.lines
	m.lines = nil
	return lines
}

// count is how many of the lines taken start with a prefix.
func count(lines []string, prefix string) (n int) {
	for _, l := range lines {
		if len(l) >= len(prefix) && l[:len(prefix)] == prefix {
			n++
		}
	}
	return n
}

func (m *memory) Observe(_ context.Context, a billing.AccountID, s billing.Scope, at time.Time, listed []billing.Resource) error {
	m.mu.Lock()
	m.listed, m.ats = listed, append(m.ats, at)
	m.mu.Unlock()
	return m.note("%d observe %s/%s %d", a, s.Kind, s.Region, len(listed))
}

func (m *memory) Served(context.Context, billing.AccountID) ([]billing.ResourceRef, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.served, m.fails
}

func (m *memory) RecordLeftOut(_ context.Context, a billing.AccountID, s billing.Scope, n int) error {
	return m.note("%d left out %s/%s %d", a, s.Kind, s.Region, n)
}

func (m *memory) RecordBalance(_ context.Context, a billing.AccountID, b billing.Balance) error {
	return m.note("%d balance %s", a, b.Cash.Amount())
}

func (m *memory) RecordCharges(_ context.Context, a billing.AccountID, p billing.Period, _ time.Time, c billing.Coverage, charges iter.Seq2[billing.Charge, error]) error {
	var all []billing.Charge
	for c, err := range charges {
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	m.mu.Lock()
	m.charges = all
	m.mark = c.Through
	n := len(m.charges)
	m.mu.Unlock()
	return m.note("%d charges %s..%s %d", a, p.Start.Format("0102"), p.End.Format("0102"), n)
}

func (m *memory) RecordOffers(_ context.Context, a billing.AccountID, _ time.Time, offers []billing.Offer) error {
	return m.note("%d offers %d", a, len(offers))
}

func (m *memory) RecordMembers(_ context.Context, a billing.AccountID, _ time.Time, all []billing.Member) error {
	return m.note("%d members %d", a, len(all))
}

func (m *memory) RecordFailure(_ context.Context, a billing.AccountID, of billing.ReadingOf, s billing.Scope, _ time.Time, err error) error {
	return m.note("%d failed %s %s %s", a, of, s.Kind, billing.KindOf(err))
}

func (m *memory) Watermark(context.Context, billing.AccountID) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mark, m.fails
}

func (m *memory) Bind(_ context.Context, a billing.AccountID, vendorID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.bound[a]; old != "" && old != vendorID {
		return &billing.Error{Kind: billing.Conflict, Op: "memory: bind", Err: errors.New("another account")}
	}
	m.bound[a] = vendorID
	return m.fails
}

// cloud answers what a test sets, and counts.
type cloud struct {
	mu        sync.Mutex
	vendorID  string
	errs      map[string]error // by operation: identify, scopes, list disk, balance, bill, charges, offers
	panics    map[string]any
	hangs     map[string]bool
	slow      time.Duration
	scopes    []billing.Scope
	resources []billing.Resource
	charges   []billing.Charge
	cover     billing.Coverage
	asked     map[string]int
	at        map[string][]time.Time
	now, most int // at once
}

func newCloud() *cloud {
	return &cloud{vendorID: "v-1", errs: map[string]error{}, panics: map[string]any{}, hangs: map[string]bool{}, asked: map[string]int{},
		at: map[string][]time.Time{}, scopes: []billing.Scope{{Kind: billing.KindInstance, Region: "sh"}, {Kind: billing.KindDisk, Region: "sh"}}}
}

func (c *cloud) ask(ctx context.Context, op string) error {
	c.mu.Lock()
	c.asked[op]++
	c.at[op] = append(c.at[op], time.Now())
	c.now++
	c.most = max(c.most, c.now)
	err, p, hangs, slow := c.errs[op], c.panics[op], c.hangs[op], c.slow
	c.mu.Unlock()
	defer func() { c.mu.Lock(); c.now--; c.mu.Unlock() }()
	if p != nil {
		panic(p)
	}
	if hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	if !pause(ctx, slow) {
		return ctx.Err()
	}
	return err
}

func (c *cloud) fail(op string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs[op] = err
}

func (c *cloud) times(op string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[op]
}

func (c *cloud) Identify(ctx context.Context) (string, error) {
	return c.vendorID, c.ask(ctx, "identify")
}

func (c *cloud) Scopes(ctx context.Context) ([]billing.Scope, error) {
	return c.scopes, c.ask(ctx, "scopes")
}

func (c *cloud) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		for _, r := range c.resources {
			if (r.Ref.Kind == s.Kind || r.Ref.Kind == "odd") && !yield(r, nil) {
				return
			}
		}
		if err := c.ask(ctx, "list "+string(s.Kind)); err != nil {
			yield(billing.Resource{}, err)
		}
	}
}

func (c *cloud) Balance(ctx context.Context) (billing.Balance, error) {
	return billing.Balance{Cash: billing.MustMoney("7", "CNY")}, c.ask(ctx, "balance")
}

func (c *cloud) Charges(ctx context.Context, _ billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		for _, line := range c.charges {
			if !yield(line, nil) {
				return
			}
		}
		if err := c.ask(ctx, "charges"); err != nil {
			yield(billing.Charge{}, err)
		}
	}
}

func (c *cloud) Billed(ctx context.Context, _ billing.Period) (billing.Coverage, error) {
	return c.cover, c.ask(ctx, "bill")
}

func (c *cloud) Offers(ctx context.Context, _ billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		if err := c.ask(ctx, "offers"); err != nil {
			yield(billing.Offer{}, err)
			return
		}
		yield(billing.Offer{Type: "8xA100"}, nil)
	}
}

func account(id billing.AccountID, p billing.Provider) Account {
	return Account{Account: billing.Account{ID: id, Name: fmt.Sprint("acc-", id)}, Provider: p}
}

func newWatcher(t *testing.T, m *memory, change func(*Options), accounts ...Account) *Watcher {
	t.Helper()
	o := Options{Store: m, Accounts: accounts, Now: time.Now}
	if change != nil {
		change(&o)
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
