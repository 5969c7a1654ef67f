package main

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
)

// toyCloud is the smallest cloud there is: each account has a balance and one machine. It remembers who read it.
type toyCloud struct {
	mu     sync.Mutex
	reads  map[string]int  // balances read, by account
	broken map[string]bool // accounts whose key is refused
}

// driver describes the toy. Its title is a name that no real cloud has.
func (c *toyCloud) driver() billing.Driver {
	return billing.Driver{Name: "toy", Title: "Toy Cloud", Currency: "CNY", MonthHours: 720,
		Fields: []billing.Field{{Name: "api_key", Label: "API key", Secret: true, Required: true}},
		Open: func(conf billing.Config, e billing.Env) (billing.Provider, error) {
			if conf.BaseURL == "wrong" {
				return nil, errors.New("the address is no address")
			}
			return &toyAccount{c, conf.Account, e.Now}, nil
		}}
}

func (c *toyCloud) readsOf(account string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads[account]
}

func (c *toyCloud) refuse(account string, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken[account] = on
}

func (c *toyCloud) read(account string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken[account] {
		return &billing.Error{Kind: billing.Auth, Op: "toy: read " + account}
	}
	c.reads[account]++
	return nil
}

type toyAccount struct {
	cloud *toyCloud
	name  string
	now   func() time.Time
}

func (a *toyAccount) Balance(context.Context) (billing.Balance, error) {
	if err := a.cloud.read(a.name); err != nil {
		return billing.Balance{}, err
	}
	return billing.Balance{ReadAt: a.now(), Mode: billing.Prepaid, Cash: billing.MustMoney("500", "CNY")}, nil
}

func (a *toyAccount) Scopes(context.Context) ([]billing.Scope, error) {
	return []billing.Scope{{Kind: billing.KindInstance}}, nil
}

func (a *toyAccount) Resources(_ context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		if err := a.cloud.read(a.name); err != nil {
			yield(billing.Resource{}, err)
			return
		}
		yield(billing.Resource{Ref: billing.ResourceRef{Kind: s.Kind, ID: "i-" + a.name}, Name: "train-" + a.name, State: billing.StateRunning,
			Billed: billing.Yes, Rate: billing.Rate{Hourly: billing.MustMoney("2", "CNY"), Source: billing.RateVendor}}, nil)
	}
}

// rig is a program over the toy cloud, without a chat.
type rig struct {
	*App
	cloud *toyCloud
	log   *logged
	at    time.Time
	store string
}

func toyAccounts(names ...string) (list []AccountConfig) {
	for _, n := range names {
		list = append(list, AccountConfig{Name: n, Provider: "toy"})
	}
	return list
}

func newRig(t *testing.T, c Config) *rig {
	t.Helper()
	r := &rig{cloud: &toyCloud{reads: map[string]int{}, broken: map[string]bool{}}, log: &logged{},
		at: time.Date(2026, 12, 2, 2, 0, 0, 0, time.UTC), store: filepath.Join(t.TempDir(), "rig.db")}
	if c.Store == "" {
		c.Store = r.store
	}
	var err error
	r.App, err = New(t.Context(), Options{Config: c, Drivers: []billing.Driver{r.cloud.driver()}, Log: r.log.logger(), Now: func() time.Time { return r.at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// holds says whether the store knows an account by name.
func (r *rig) holds(t *testing.T, name string) bool {
	t.Helper()
	all, err := r.db.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(all, func(a billing.Account) bool { return a.Name == name })
}

// logged keeps everything that is logged, debug lines too.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}))
}
