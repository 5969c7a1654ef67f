package main

import (
	"context"
	"fmt"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// BudgetConfig is what may be spent in a month: by a team, in an account, or in all.
type BudgetConfig struct {
	Owner    string           `yaml:"owner" doc:"of what this owner has; not beside account; without either of everything"`
	Account  string           `yaml:"account" doc:"of this account"`
	Monthly  billing.Decimal  `yaml:"monthly" doc:"the most for a calendar month in the zone above, before credits and refunds"`
	Currency billing.Currency `yaml:"currency" doc:"of monthly; only what is billed in it counts"`
}

// name is what a message calls a budget.
func (b BudgetConfig) name() string {
	switch {
	case b.Owner != "":
		return b.Owner
	case b.Account != "":
		return b.Account
	}
	return "all"
}

// budgets judges the budgets of a configuration.
func (k *checker) budgets(c Config) {
	seen := map[string]int{}
	for i, b := range c.Budgets {
		path := fmt.Sprintf("budgets[%d]", i)
		if b.Owner != "" && b.Account != "" {
			k.wrong(path, "a budget is of an owner or of an account; leave one of them out")
		}
		if b.Account != "" && !knownAccount(c, b.Account) {
			k.wrong(path+".account", "there is no account %q in this file", b.Account)
		}
		if !b.Monthly.Known() || b.Monthly.Sign() <= 0 {
			k.wrong(path+".monthly", "an amount above zero is needed, such as 5000")
		}
		if _, err := billing.ParseCurrency(string(b.Currency)); err != nil {
			k.wrong(path+".currency", "%v", err)
		}
		key := b.Owner + "\x00" + b.Account + "\x00" + string(b.Currency)
		if first, there := seen[key]; there {
			k.wrong(path, "budgets[%d] is of the same in the same currency", first)
		}
		seen[key] = i
	}
}

func knownAccount(c Config, name string) bool {
	for _, a := range c.Accounts {
		if a.Name == name {
			return true
		}
	}
	return false
}

// budgetViews reckons every budget: the month until now, gross, and what it comes to.
func budgetViews(ctx context.Context, book ledger.Book, list []BudgetConfig, accounts []billing.Account, zone *time.Location, now time.Time) ([]notify.BudgetView, error) {
	local := now.In(zone)
	month := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, zone)
	tomorrow := time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone)
	var out []notify.BudgetView
	for _, b := range list {
		v := notify.BudgetView{Name: b.name(), Month: month, Ends: month.AddDate(0, 1, 0)}
		var err error
		if v.Limit, _, err = billing.ParseMoney(b.Monthly.String(), b.Currency); err != nil {
			return nil, fmt.Errorf("budget %s: %w", v.Name, err)
		}
		for _, a := range accounts {
			if b.Account != "" && a.Name == b.Account {
				v.Account = a.ID
			}
		}
		where := b.filters()
		r, err := ledger.Answer(ctx, book, ledger.Question{From: month, To: tomorrow, Zone: zone, View: ledger.Gross, Now: now, Where: where})
		if err != nil {
			return nil, err
		}
		if v.Spent, v.Unsure = spentOf(r, b.Currency); !v.Spent.Known() && !v.Unsure {
			v.Spent = billing.ZeroMoney(b.Currency) // everything was read, and nothing was spent
		}
		ahead, err := ledger.MonthEnd(ctx, book, now, zone, where...)
		if err != nil {
			return nil, err
		}
		for _, f := range ahead {
			if f.Currency == b.Currency && f.Days > 0 {
				v.Days = f.Days
				v.Expected = middle(f.Least, f.Most)
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// spentOf is what was billed and metered in a currency, and whether a part of the span is not known.
func spentOf(r ledger.Report, c billing.Currency) (billing.Money, bool) {
	unsure := false
	for _, g := range r.Missing {
		unsure = unsure || g.Unseen
	}
	for _, t := range r.Totals {
		if t.Currency != c {
			continue
		}
		sum := t.Amount
		if t.Accrued.Known() {
			if sum = t.Accrued; t.Amount.Known() {
				var err error
				if sum, err = t.Amount.Add(t.Accrued); err != nil {
					return billing.Money{}, true
				}
			}
		}
		return sum, unsure || t.Unpriced > 0
	}
	return billing.Money{}, unsure
}

// filters leave what a budget is of.
func (b BudgetConfig) filters() []ledger.Filter {
	switch {
	case b.Owner != "":
		return []ledger.Filter{{By: ledger.ByOwner, Values: []string{b.Owner}, Exact: true}}
	case b.Account != "":
		return []ledger.Filter{{By: ledger.ByAccount, Values: []string{b.Account}, Exact: true}}
	}
	return nil
}

// middle is half of a sum; unknown where a part is.
func middle(a, b billing.Money) billing.Money {
	sum, err := a.Add(b)
	if err != nil {
		return billing.Money{}
	}
	half, err := sum.MulRatio(1, 2)
	if err != nil {
		return billing.Money{}
	}
	return half
}
