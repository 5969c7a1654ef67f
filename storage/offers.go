package storage

import (
	"context"
	"database/sql"
	"time"

	"gpuspend/billing"
)

// storedOffer is what of an offer has no column of its own.
type storedOffer struct {
	Unit          string         `json:"unit,omitempty"`
	Stock         string         `json:"stock,omitempty"`
	Excludes      []billing.Part `json:"excludes,omitempty"`
	InterruptedIn time.Duration  `json:"interrupted_in_ns,omitempty"`
	Source        string         `json:"source,omitempty"`
}

// offerRow is an offer as its columns hold it. Two are the same offer when == says so.
type offerRow struct {
	region, kind, gpu, count, mode, currency string
	low, high                                parts
	described                                string
}

func offerRowOf(o billing.Offer) (r offerRow, err error) {
	c, err := oneCurrency(o.Low, o.High)
	if err != nil {
		return r, fault(billing.Invalid, "record offers", err, billing.Text{})
	}
	return offerRow{
		region: o.Region, kind: o.Type, gpu: o.GPU.Model, count: o.GPU.Count.String(), mode: string(o.Mode), currency: string(c),
		low: partsOf(o.Low), high: partsOf(o.High),
		described: encode(storedOffer{o.Unit, o.Stock, o.Excludes, o.InterruptedIn, o.Source}),
	}, nil
}

func (r offerRow) offer() (o billing.Offer, err error) {
	var rest storedOffer
	if err := decode(r.described, &rest); err != nil {
		return o, err
	}
	o = billing.Offer{Region: r.region, Type: r.kind, GPU: billing.GPU{Model: r.gpu}, Mode: billing.Mode(r.mode), Unit: rest.Unit,
		Stock: rest.Stock, Excludes: rest.Excludes, InterruptedIn: rest.InterruptedIn, Source: rest.Source}
	if o.GPU.Count, err = parseDecimal(r.count); err != nil {
		return o, err
	}
	if o.Low, err = r.low.money(r.currency); err != nil {
		return o, err
	}
	o.High, err = r.high.money(r.currency)
	return o, err
}

const offerColumns = "region, type, gpu, gpu_count, mode, currency, low_nanos, low_rest, high_nanos, high_rest, described"

func (r *offerRow) columns() []any {
	return []any{&r.region, &r.kind, &r.gpu, &r.count, &r.mode, &r.currency, &r.low.nanos, &r.low.rest, &r.high.nanos, &r.high.rest, &r.described}
}

// RecordOffers takes one complete list of what an account's cloud sells: an offer that is made as before goes on, one
// that is no longer made or has changed in anything (price, stock) ends, and another begins. It marks the reading good.
// A list that was begun before the last one stored is dropped.
func (d *DB) RecordOffers(ctx context.Context, account billing.AccountID, at time.Time, offers []billing.Offer) error {
	const op = "record offers"
	made := make(map[offerRow]int, len(offers)) // how often each is made: equal ones are several machines
	for _, o := range offers {
		r, err := offerRowOf(o)
		if err != nil {
			return err
		}
		made[r]++
	}
	return d.write(ctx, op, func(tx *sql.Tx) error {
		if newer, err := readSince(ctx, tx, account, billing.ReadOffers, at); err != nil || newer {
			return err
		}
		if err := settleOffers(ctx, tx, account, at, made); err != nil {
			return err
		}
		for r, n := range made {
			for range n {
				if err := beginOffer(ctx, tx, account, at, r); err != nil {
					return err
				}
			}
		}
		return markGood(ctx, tx, account, billing.ReadOffers, billing.Scope{}, at)
	})
}

// openOffer is one interval that has not ended.
type openOffer struct {
	id int64
	offerRow
}

// settleOffers goes on with the open offers that are still made, takes those out of made, and ends the others.
func settleOffers(ctx context.Context, tx *sql.Tx, account billing.AccountID, at time.Time, made map[offerRow]int) error {
	open, err := list(ctx, tx, func(r row) (o openOffer, err error) {
		err = r.Scan(append([]any{&o.id}, o.columns()...)...)
		return o, err
	}, "SELECT id, "+offerColumns+" FROM offers WHERE account_id = ? AND to_at IS NULL ORDER BY id", account)
	if err != nil {
		return err
	}
	for _, o := range open {
		statement := "UPDATE offers SET to_at = ? WHERE id = ?"
		if made[o.offerRow] > 0 {
			made[o.offerRow]--
			statement = "UPDATE offers SET seen_to = ? WHERE id = ?"
		}
		if _, err := tx.ExecContext(ctx, statement, stamp(at), o.id); err != nil {
			return err
		}
	}
	return nil
}

func beginOffer(ctx context.Context, tx *sql.Tx, account billing.AccountID, at time.Time, r offerRow) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO offers ("+offerColumns+", account_id, from_at, seen_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		r.region, r.kind, r.gpu, r.count, r.mode, r.currency, r.low.nanos, r.low.rest, r.high.nanos, r.high.rest, r.described,
		account, stamp(at), stamp(at))
	return err
}

// readSince says that a reading begun after the given time is stored already.
func readSince(ctx context.Context, q querier, account billing.AccountID, of billing.ReadingOf, at time.Time) (newer bool, err error) {
	err = q.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM readings WHERE account_id = ? AND of = ? AND complete_at > ?)",
		account, of, stamp(at)).Scan(&newer)
	return newer, err
}

// Offers lists what an account's cloud sold at its last complete reading.
func (d *DB) Offers(ctx context.Context, account billing.AccountID) ([]billing.Offer, error) {
	all, err := list(ctx, d.readers, func(r row) (billing.Offer, error) {
		var o offerRow
		if err := r.Scan(o.columns()...); err != nil {
			return billing.Offer{}, err
		}
		return o.offer()
	}, "SELECT "+offerColumns+" FROM offers WHERE account_id = ? AND to_at IS NULL ORDER BY region, type, mode, id", account)
	return all, fail("list offers", err)
}
