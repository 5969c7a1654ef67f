package storage

import (
	"context"
	"database/sql"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// Coverage says per account how far the sources that count have delivered.
func (d *DB) Coverage(ctx context.Context) ([]ledger.Covered, error) {
	rows, err := d.readers.QueryContext(ctx, `SELECT a.id, a.name, a.currency, a.driver <> '', a.no_effective, a.no_invoice, c.through, c.read_at
		FROM accounts a LEFT JOIN (SELECT account_id, MAX(through) AS through, MAX(read_at) AS read_at FROM coverage GROUP BY account_id) c
		ON c.account_id = a.id ORDER BY a.id`)
	if err != nil {
		return nil, fail("read the coverage", err)
	}
	defer func() { _ = rows.Close() }()
	var list []ledger.Covered
	for rows.Next() {
		var c ledger.Covered
		if err := rows.Scan(&c.Account, &c.Name, &c.Currency, &c.Polled, &c.Bill.NoEffective, &c.Bill.NoInvoice, when{&c.Through}, when{&c.ReadAt}); err != nil {
			return nil, fail("read the coverage", err)
		}
		c.Billing = !c.Through.IsZero()
		list = append(list, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("read the coverage", err)
	}
	return list, fail("read the coverage", d.delivered(ctx, list))
}

// delivered adds which billing periods files delivered, for accounts that live on files alone.
func (d *DB) delivered(ctx context.Context, list []ledger.Covered) error {
	rows, err := d.readers.QueryContext(ctx, `SELECT DISTINCT account_id, period_start, period_end FROM parts
		WHERE state = 'live' AND source IN ('focus', 'native') ORDER BY period_start`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var account billing.AccountID
		var p billing.Period
		if err := rows.Scan(&account, when{&p.Start}, when{&p.End}); err != nil {
			return err
		}
		if !p.Start.Before(p.End) { // the file did not say when the period ends: bills are monthly
			p.End = p.Start.AddDate(0, 1, 0)
		}
		for i := range list {
			if list[i].Account == account && !list[i].Polled {
				list[i].Delivered = append(list[i].Delivered, p)
			}
		}
	}
	return rows.Err()
}

// Metered lists the spans that touch the period, with the labels of their resources.
func (d *DB) Metered(ctx context.Context, p billing.Period) ([]ledger.Metered, error) {
	rows, err := d.readers.QueryContext(ctx, `SELECT s.resource_id, s.from_at, s.to_at, s.seen_to, s.state, s.vendor_state, s.billed,
		s.rate_nanos, s.rate_rest, s.currency, s.rate_source, s.mode,
		a.provider, a.name, a.id, r.region, r.name, r.vendor_id, r.owner, r.project, r.kind, r.gpu
		FROM spans s JOIN resources r ON r.id = s.resource_id JOIN accounts a ON a.id = r.account_id
		WHERE s.from_at < ? AND (s.to_at IS NULL OR s.to_at > ?) ORDER BY s.id`, stamp(p.End), stamp(p.Start))
	if err != nil {
		return nil, fail("read the meter", err)
	}
	defer func() { _ = rows.Close() }()
	var list []ledger.Metered
	for rows.Next() {
		var m ledger.Metered
		var kind billing.Kind
		var rate parts
		var currency sql.NullString
		if err := rows.Scan(&m.Resource, when{&m.From}, when{&m.To}, when{&m.SeenTo}, &m.State, &m.VendorState, &m.Billed, &rate.nanos, &rate.rest, &currency,
			&m.Rate.Source, &m.Mode, &m.Provider, &m.Account, &m.AccountID, &m.Region, &m.Name, &m.VendorID,
			&m.Owner, &m.Project, &kind, &m.GPU); err != nil {
			return nil, fail("read the meter", err)
		}
		m.Part = kind.Part()
		if m.Rate.Hourly, err = rate.money(currency.String); err != nil {
			return nil, fail("read the meter", err)
		}
		list = append(list, m)
	}
	return list, fail("read the meter", rows.Err())
}
