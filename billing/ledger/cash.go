package ledger

import (
	"context"
	"slices"

	"gpuspend/billing"
)

// paid takes what was paid into wallets in the time of the question, and gives the question that is left: the bills of
// accounts without a wallet. What a wallet's bill says was paid for with its top-ups.
func (s *sheet) paid(ctx context.Context, book Book) (Question, error) {
	rest := s.q
	wallets, ok := book.(Wallets)
	if !ok {
		return rest, nil
	}
	prepaid, err := wallets.Prepaid(ctx)
	if err != nil || len(prepaid) == 0 {
		return rest, err
	}
	others := Filter{By: ByAccount, Not: true, Exact: true}
	of := map[billing.AccountID]billing.Account{}
	for _, a := range prepaid {
		others.Values = append(others.Values, a.Name)
		of[a.ID] = a
	}
	rest.Where = append(slices.Clone(rest.Where), others)
	steps, err := wallets.TopUps(ctx, billing.Period{Start: s.q.From, End: s.q.To})
	if err != nil {
		return rest, err
	}
	for _, step := range steps {
		a := of[step.Account]
		m := Metered{Provider: a.Provider, Account: a.Name, AccountID: a.ID}
		if a.Name == "" || !s.q.lets(m) {
			continue
		}
		l := s.line(s.keys(m, step.At), step.Amount.Currency())
		if l.Amount, err = plus(l.Amount, step.Amount); err != nil {
			return rest, s.overflow(err)
		}
	}
	return rest, nil
}
