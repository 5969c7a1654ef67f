package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gpuspend/billing"
)

// ReservePaid counts one attempt at a request that costs, before it is sent: an attempt that was counted and never sent
// is the smaller harm. It fails with a Limited error, and counts nothing, where the UTC day's requests of all accounts
// would cost more than most; RetryAfter says when the next day begins.
func (d *DB) ReservePaid(ctx context.Context, account string, price, most billing.Money) error {
	const op = "pay for a request"
	now := d.now().UTC()
	day := now.Truncate(24 * time.Hour)
	return d.write(ctx, op, func(tx *sql.Tx) error {
		spent, err := paidBetween(ctx, tx, day, day.Add(24*time.Hour), most.Currency())
		if err != nil {
			return err
		}
		after, err := spent.Cost.Add(price)
		if err != nil {
			return fault(billing.Invalid, op, err, billing.Text{})
		}
		if over, err := after.Cmp(most); err != nil || over > 0 {
			return overBudget(op, most, now, day.Add(24*time.Hour))
		}
		return countPaid(ctx, tx, day, account, price)
	})
}

func overBudget(op string, most billing.Money, now, again time.Time) error {
	return &billing.Error{Kind: billing.Limited, Op: "store: " + op, RetryAfter: again.Sub(now),
		Say: billing.Say("error.paid_budget", "budget", most, "again", again),
		Err: errors.New("the day's budget for requests that cost is used up")}
}

func countPaid(ctx context.Context, tx *sql.Tx, day time.Time, account string, price billing.Money) error {
	var had parts
	err := tx.QueryRowContext(ctx, "SELECT nanos, rest FROM paid_calls WHERE day = ? AND account = ? AND currency = ?",
		stamp(day), account, price.Currency()).Scan(&had.nanos, &had.rest)
	total := price
	if err == nil {
		var before billing.Money
		if before, err = had.money(string(price.Currency())); err == nil {
			total, err = before.Add(price)
		}
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	nanos, rest := total.Parts()
	_, err = tx.ExecContext(ctx, `INSERT INTO paid_calls (day, account, currency, calls, nanos, rest) VALUES (?, ?, ?, 1, ?, ?)
		ON CONFLICT DO UPDATE SET calls = calls + 1, nanos = excluded.nanos, rest = excluded.rest`,
		stamp(day), account, price.Currency(), nanos, rest)
	return err
}

// PaidCalls counts what was paid for, over all accounts, on the UTC days from one to before the other.
func (d *DB) PaidCalls(ctx context.Context, from, to time.Time, c billing.Currency) (billing.PaidCalls, error) {
	p, err := paidBetween(ctx, d.readers, from, to, c)
	return p, fail("count requests that cost", err)
}

func paidBetween(ctx context.Context, q querier, from, to time.Time, c billing.Currency) (billing.PaidCalls, error) {
	rows, err := list(ctx, q, func(r row) (one billing.PaidCalls, err error) {
		var p parts
		if err = r.Scan(&one.Calls, &p.nanos, &p.rest); err == nil {
			one.Cost, err = p.money(string(c))
		}
		return one, err
	}, "SELECT calls, nanos, rest FROM paid_calls WHERE day >= ? AND day < ? AND currency = ?", stamp(from), stamp(to), c)
	sum := billing.PaidCalls{Cost: billing.ZeroMoney(c)}
	for _, one := range rows {
		if err == nil {
			sum.Calls += one.Calls
			sum.Cost, err = sum.Cost.Add(one.Cost)
		}
	}
	return sum, err
}
