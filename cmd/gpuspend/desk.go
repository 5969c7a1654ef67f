package main

import (
	"context"
	"maps"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/bot"
	"gpuspend/notify"
	"gpuspend/notify/words"
	"gpuspend/storage"
)

// newDesk joins words and a store. Who may have things released adds the engine.
func newDesk(db *storage.DB, in installation, c Config, book *words.Book, now func() time.Time) *bot.Desk {
	all := declaringBook{DB: db, in: in, now: now}
	budgets := func(ctx context.Context) ([]notify.BudgetView, error) {
		accounts, err := db.Accounts(ctx)
		if err != nil || len(c.Budgets) == 0 {
			return nil, err
		}
		return budgetViews(ctx, all, c.Budgets, accounts, in.zone, now())
	}
	return &bot.Desk{
		Budgets: budgets,
		Look:    func(ctx context.Context) (notify.View, error) { return look(ctx, db, in, now()) },
		Book:    all, Keeper: db, Marker: db, Claimer: db, Alerts: db, Rates: c.rates(), Roles: c.roles(), Words: book, Zone: in.zone, Lang: in.lang, Now: now, Source: in.source, Asks: c.Releases.Channel,
		Prices: priceBook(db, in, c),
	}
}

// rates are the exchange rates, by currency.
func (c Config) rates() []bot.Rate {
	var list []bot.Rate
	for _, code := range slices.Sorted(maps.Keys(c.Rates)) {
		r := c.Rates[code]
		list = append(list, bot.Rate{From: billing.Currency(code), To: c.Currency, Rate: r.Rate, Source: r.Source, Date: r.Date})
	}
	return list
}

// roles reads who may look and who may release.
func (c Config) roles() bot.Roles {
	r := c.Releases
	roles := bot.Roles{Team: c.Slack.Team, Viewers: c.Viewers.Users, Groups: c.Viewers.Groups, Channels: c.Viewers.Channels, Owners: c.Owners.People,
		Acting:   bot.Acting{Operators: r.Operators, OperatorGroups: r.OperatorGroups, Approvers: r.Approvers, ApproverGroups: r.ApproverGroups},
		Accounts: map[string]bot.Acting{}}
	for _, a := range c.Accounts {
		if own := bot.Acting(a.Roles); len(own.Operators)+len(own.OperatorGroups)+len(own.Approvers)+len(own.ApproverGroups) > 0 {
			roles.Accounts[a.Name] = own
		}
	}
	return roles
}

// checklist is an owner's own list, else that of the installation; empty for the usual one.
func (c Config) checklist(h billing.Holding) []string {
	if own := c.Releases.Checklists[h.Owner]; len(own) > 0 {
		return own
	}
	return c.Releases.Checklist
}

// about says what plans say of an account.
func (in installation) about(accounts []billing.Account, id billing.AccountID) release.About {
	for _, a := range accounts {
		if a.ID == id {
			return release.About{Name: a.Name, Provider: a.Provider, Currency: a.Currency, MonthHours: in.drivers[a.Driver].MonthHours}
		}
	}
	return release.About{}
}
