package storage

import (
	"context"

	"gpuspend/billing"
)

// Snapshot is the present of the store at one instant: no write lies between any two parts of it.
type Snapshot struct {
	Accounts []billing.Account                       // in the order in which they were first seen
	Holdings []billing.Holding                       // not gone, account by account
	Balances map[billing.AccountID]billing.Balance   // the newest one; none where none was ever read
	Readings map[billing.AccountID][]billing.Reading // how the last attempts ended
}

func (d *DB) snapshot(ctx context.Context) (s Snapshot, err error) {
	tx, err := d.readers.BeginTx(ctx, nil)
	if err != nil {
		return s, err
	}
	defer tx.Rollback() // it wrote nothing
	if s.Accounts, err = accounts(ctx, tx); err != nil {
		return s, err
	}
	if s.Holdings, err = d.present.living(ctx, tx); err != nil {
		return s, err
	}
	if s.Balances, err = balances(ctx, tx); err != nil {
		return s, err
	}
	all, err := readings(ctx, tx)
	if err != nil {
		return s, err
	}
	s.Readings = make(map[billing.AccountID][]billing.Reading)
	for _, r := range all {
		s.Readings[r.Account] = append(s.Readings[r.Account], r)
	}
	return s, nil
}
