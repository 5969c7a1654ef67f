package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gpuspend/billing"
)

// storedBalance is what of a balance has no column of its own.
type storedBalance struct {
	Vouchers []storedVoucher `json:"vouchers,omitempty"`
	Minimum  storedMoney     `json:"minimum,omitzero"`
	Settles  time.Duration   `json:"settles_ns,omitempty"`
	Budgets  []storedBudget  `json:"budgets,omitempty"`
}

type storedBudget struct {
	Name     string      `json:"name"`
	Spent    storedMoney `json:"spent"`
	Limit    storedMoney `json:"limit,omitzero"`
	Forecast storedMoney `json:"forecast,omitzero"`
}

type storedVoucher struct {
	ID        string      `json:"id"`
	Remaining storedMoney `json:"remaining"`
	ExpiresAt storedTime  `json:"expires_at,omitzero"`
}

// RecordBalance keeps a balance in the history and marks the reading good. Cash, credit and the spent counter must be
// of one currency: else it fails with an Invalid error.
func (d *DB) RecordBalance(ctx context.Context, account billing.AccountID, b billing.Balance) error {
	const op = "record balance"
	c, err := oneCurrency(b.Cash, b.Credit, b.Spent)
	if err != nil {
		return fault(billing.Invalid, op, err, billing.Text{})
	}
	rest := storedBalance{Minimum: keepMoney(b.Minimum), Settles: b.Settles}
	for _, v := range b.Vouchers {
		rest.Vouchers = append(rest.Vouchers, storedVoucher{v.ID, keepMoney(v.Remaining), keepTime(v.ExpiresAt)})
	}
	for _, g := range b.Budgets {
		rest.Budgets = append(rest.Budgets, storedBudget{g.Name, keepMoney(g.Spent), keepMoney(g.Limit), keepMoney(g.Forecast)})
	}
	cash, cashRest := nanosAndRest(b.Cash)
	credit, creditRest := nanosAndRest(b.Credit)
	spent, spentRest := nanosAndRest(b.Spent)
	err = d.write(ctx, op, func(tx *sql.Tx) error {
		if err := noteSteps(ctx, tx, account, b); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO balances (account_id, read_at, mode, currency, cash_nanos, cash_rest, credit_nanos, credit_rest, spent_nanos, spent_rest, described)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			account, stamp(b.ReadAt), b.Mode, c, cash, cashRest, credit, creditRest, spent, spentRest, encode(rest))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET currency = ? WHERE id = ? AND currency = ''", c, account); err != nil {
			return err
		}
		return markGood(ctx, tx, account, billing.ReadBalance, billing.Scope{}, b.ReadAt)
	})
	if err != nil {
		return err
	}
	return d.count(ctx, account, b)
}

const balanceColumns = "b.account_id, b.read_at, b.mode, b.currency, b.cash_nanos, b.cash_rest, b.credit_nanos, b.credit_rest, b.spent_nanos, b.spent_rest, b.described"

// ownedBalance is a balance with the account that it is of.
type ownedBalance struct {
	account billing.AccountID
	billing.Balance
}

func scanBalance(r row) (b ownedBalance, err error) {
	var currency string
	var cash, credit, spent parts
	var rest storedBalance
	err = r.Scan(&b.account, when{&b.ReadAt}, &b.Mode, &currency, &cash.nanos, &cash.rest, &credit.nanos, &credit.rest,
		&spent.nanos, &spent.rest, asJSON{&rest})
	if err != nil {
		return b, err
	}
	if b.Cash, err = cash.money(currency); err != nil {
		return b, err
	}
	if b.Credit, err = credit.money(currency); err != nil {
		return b, err
	}
	if b.Spent, err = spent.money(currency); err != nil {
		return b, err
	}
	return b, rest.into(&b.Balance)
}

func (s storedBalance) into(b *billing.Balance) (err error) {
	b.Settles = s.Settles
	if b.Minimum, err = s.Minimum.money(); err != nil {
		return err
	}
	for _, v := range s.Vouchers {
		remaining, err := v.Remaining.money()
		if err != nil {
			return err
		}
		b.Vouchers = append(b.Vouchers, billing.Voucher{ID: v.ID, Remaining: remaining, ExpiresAt: v.ExpiresAt.time()})
	}
	for _, g := range s.Budgets {
		spent, err1 := g.Spent.money()
		limit, err2 := g.Limit.money()
		forecast, err3 := g.Forecast.money()
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		b.Budgets = append(b.Budgets, billing.CloudBudget{Name: g.Name, Spent: spent, Limit: limit, Forecast: forecast})
	}
	return nil
}

// Balances gives the newest balance of each account that has any.
func (d *DB) Balances(ctx context.Context) (map[billing.AccountID]billing.Balance, error) {
	m, err := balances(ctx, d.readers)
	return m, fail("list balances", err)
}

func balances(ctx context.Context, q querier) (map[billing.AccountID]billing.Balance, error) {
	all, err := list(ctx, q, scanBalance, "SELECT "+balanceColumns+` FROM accounts a JOIN balances b
		ON b.id = (SELECT id FROM balances WHERE account_id = a.id ORDER BY read_at DESC, id DESC LIMIT 1)`)
	if err != nil {
		return nil, err
	}
	newest := make(map[billing.AccountID]billing.Balance, len(all))
	for _, b := range all {
		newest[b.account] = b.Balance
	}
	return newest, nil
}

// BalanceHistory lists an account's balances read at or after a time, oldest first.
func (d *DB) BalanceHistory(ctx context.Context, account billing.AccountID, since time.Time) ([]billing.Balance, error) {
	all, err := list(ctx, d.readers, func(r row) (billing.Balance, error) {
		b, err := scanBalance(r)
		return b.Balance, err
	}, "SELECT "+balanceColumns+" FROM balances b WHERE b.account_id = ? AND b.read_at >= ? ORDER BY b.read_at, b.id", account, stamp(since))
	return all, fail("list balance history", err)
}
