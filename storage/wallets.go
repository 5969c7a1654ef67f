package storage

import (
	"context"
	"database/sql"
	"errors"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

var _ ledger.Wallets = (*DB)(nil)

// noteSteps compares a reading of a wallet with the one before it, before the new one is written.
func noteSteps(ctx context.Context, tx *sql.Tx, account billing.AccountID, b billing.Balance) error {
	if b.Mode != billing.Prepaid {
		return nil
	}
	before, err := scanBalance(tx.QueryRowContext(ctx, "SELECT "+balanceColumns+` FROM balances b
		WHERE b.account_id = ? AND b.read_at < ? ORDER BY b.read_at DESC, b.id DESC LIMIT 1`, account, stamp(b.ReadAt)))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range ledger.Steps(before.Balance, b) {
		nanos, rest := s.Amount.Parts()
		if _, err := tx.ExecContext(ctx, "INSERT INTO wallet_steps (account_id, at, kind, source, nanos, rest, currency) VALUES (?, ?, ?, ?, ?, ?, ?)",
			account, stamp(s.At), s.Kind, s.Source, nanos, rest, string(s.Amount.Currency())); err != nil {
			return err
		}
	}
	return nil
}

func scanStep(r row) (s ledger.Step, err error) {
	var sum pair
	var currency billing.Currency
	if err = r.Scan(&s.Account, when{&s.At}, &s.Kind, &s.Source, &sum.nanos, &sum.rest, &currency); err != nil {
		return s, err
	}
	s.Amount, err = billing.MoneyFromParts(sum.nanos, sum.rest, currency)
	return s, err
}

const stepColumns = "account_id, at, kind, source, nanos, rest, currency"

// TopUps lists money that came into wallets in a period, oldest first.
func (d *DB) TopUps(ctx context.Context, p billing.Period) ([]ledger.Step, error) {
	all, err := list(ctx, d.readers, scanStep, "SELECT "+stepColumns+" FROM wallet_steps WHERE at >= ? AND at < ? AND kind = 'topup' ORDER BY at, id",
		stamp(p.Start), stamp(p.End))
	return all, fail("list top-ups", err)
}

// Prepaid lists the accounts whose newest balance is of a wallet.
func (d *DB) Prepaid(ctx context.Context) ([]billing.Account, error) {
	const op = "list wallets"
	newest, err := d.Balances(ctx)
	if err != nil {
		return nil, err
	}
	all, err := d.Accounts(ctx)
	if err != nil {
		return nil, fail(op, err)
	}
	var out []billing.Account
	for _, a := range all {
		if b, ok := newest[a.ID]; ok && b.Mode == billing.Prepaid {
			out = append(out, a)
		}
	}
	return out, nil
}

// Wallet reads an account's wallet over a period; its balances are zero where nothing was read.
func (d *DB) Wallet(ctx context.Context, account billing.AccountID, p billing.Period) (w ledger.Wallet, err error) {
	const op = "read wallet"
	one := func(where, order string, args ...any) (billing.Balance, error) {
		b, err := scanBalance(d.readers.QueryRowContext(ctx, "SELECT "+balanceColumns+" FROM balances b WHERE b.account_id = ? AND "+where+
			" ORDER BY b.read_at "+order+", b.id "+order+" LIMIT 1", append([]any{account}, args...)...))
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return b.Balance, err
	}
	if w.Opening, err = one("b.read_at <= ?", "DESC", stamp(p.Start)); err == nil && w.Opening.ReadAt.IsZero() {
		w.Opening, err = one("b.read_at > ? AND b.read_at < ?", "ASC", stamp(p.Start), stamp(p.End))
	}
	if err != nil {
		return w, fail(op, err)
	}
	if w.Closing, err = one("b.read_at <= ?", "DESC", stamp(p.End)); err != nil {
		return w, fail(op, err)
	}
	w.Steps, err = list(ctx, d.readers, scanStep, "SELECT "+stepColumns+" FROM wallet_steps WHERE account_id = ? AND at > ? AND at <= ? ORDER BY at, id",
		account, stamp(w.Opening.ReadAt), stamp(w.Closing.ReadAt))
	return w, fail(op, err)
}
