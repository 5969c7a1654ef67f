package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/billing/release"
	"gpuspend/billing/watch"
)

// open opens every account of a configuration with its reading credential. It touches no store, so that a configuration
// that can't work leaves nothing behind; resolve tells which account of the store each one is.
func (a *App) open(ctx context.Context, c Config) ([]watch.Account, error) {
	var list []watch.Account
	for _, ac := range c.Accounts {
		provider, err := a.provider(ctx, ac, false)
		if err != nil {
			return nil, err
		}
		list = append(list, watch.Account{Provider: provider, Schedule: watch.Schedule{
			Balance: time.Duration(ac.Poll.Balance), Inventory: time.Duration(ac.Poll.Inventory),
			Charges: time.Duration(ac.Poll.Charges), Offers: time.Duration(ac.Poll.Offers),
		}, Members: ac.Organization.Role != ""})
	}
	return list, nil
}

// provider opens one account, for reading or for the release engine.
func (a *App) provider(ctx context.Context, ac AccountConfig, write bool) (billing.Provider, error) {
	d, ok := a.driver(ac.Provider)
	if !ok {
		return nil, fmt.Errorf("account %s: %q is no cloud I know", ac.Name, ac.Provider)
	}
	return ac.open(ctx, d, write, billing.Env{Log: a.o.Log.With("account", ac.Name), Now: a.o.Now, Purse: a.purse(ac.Name)}, nil)
}

// open opens an account with its reading or its release key, over its own network, which through may put something
// before.
func (ac AccountConfig) open(ctx context.Context, d billing.Driver, write bool, env billing.Env, through func(http.RoundTripper) http.RoundTripper) (billing.Provider, error) {
	given := ac.Credentials.Read
	if write {
		given = ac.Credentials.Release
	}
	c := billing.Config{Account: ac.Name, BaseURL: ac.BaseURL, Write: write, Members: ac.Organization.detail(), Fields: map[string]billing.Secret{}}
	if write {
		c.Actor = release.ActorOf(ctx).ID
	}
	for name, s := range given {
		secret, err := s.Reveal(ctx)
		if err != nil {
			return nil, fmt.Errorf("account %s: credential %s: %w", ac.Name, name, err)
		}
		c.Fields[name] = secret
	}
	var err error
	if env.Transport, err = providers.Transport(ac.Proxy, ac.CAFile); err != nil {
		return nil, fmt.Errorf("account %s: %w", ac.Name, err)
	}
	if through != nil {
		env.Transport = through(env.Transport)
	}
	p, err := d.Open(c, env)
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", ac.Name, err)
	}
	return p, nil
}

// OpenForRelease opens an account with its release credential, for the engine alone. It fails with a Denied error where
// the configuration does not allow releases.
func (a *App) OpenForRelease(ctx context.Context, id billing.AccountID) (billing.Provider, error) {
	p := a.present.Load()
	for i, account := range p.accounts {
		if account.ID != id {
			continue
		}
		if ac := p.config.Accounts[i]; ac.Release == "allow" {
			return a.provider(ctx, ac, true)
		}
		break
	}
	return nil, &billing.Error{Kind: billing.Denied, Op: "open for release",
		Say: billing.Say("release.refused.read_only", "account", a.about(id).Name)}
}
