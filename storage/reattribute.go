package storage

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"gpuspend/billing"
)

const (
	itemsAtOnce   = 500 // items that are looked at before it is noted how far we are
	movedAtOnce   = 500 // lines that change their owner in one transaction: some 50 ms
	resolveAtOnce = 200 // resources
)

// Reattribute applies changed mappings and new claims to what was written before, in small transactions: after each one
// the roll-ups say what the lines say. It does nothing, and costs nothing, where nothing has changed.
func (d *DB) Reattribute(ctx context.Context) error {
	const op = "reattribute"
	a, err := attributionOf(ctx, d.readers)
	if err != nil {
		return fail(op, err)
	}
	claims, err := list(ctx, d.readers, scanClaim, "SELECT "+claimColumns+" FROM claims WHERE applied = 0 ORDER BY id")
	if err != nil {
		return fail(op, err)
	}
	var from int64
	err = d.readers.QueryRowContext(ctx, "SELECT done_item FROM mappings WHERE version = ? AND applied = 0", a.version).Scan(&from)
	settled := errors.Is(err, sql.ErrNoRows)
	if err != nil && !settled {
		return fail(op, err)
	}
	if settled && len(claims) == 0 {
		return nil
	}
	if err := d.resolveResources(ctx, a); err != nil {
		return fail(op, err)
	}
	for _, c := range claims {
		if err := d.applyClaim(ctx, a, c); err != nil {
			return fail(op, err)
		}
	}
	if settled {
		return nil
	}
	return fail(op, d.applyMapping(ctx, a, from))
}

// resolveResources gives every resource its owner of now.
func (d *DB) resolveResources(ctx context.Context, a *attribution) error {
	ids, err := list(ctx, d.readers, func(r row) (id billing.ResourceID, err error) { return id, r.Scan(&id) }, "SELECT id FROM resources ORDER BY id")
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, resolveAtOnce) {
		err := d.write(ctx, "reattribute", func(tx *sql.Tx) error {
			for _, id := range some {
				if err := a.resource(ctx, tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writtenItem is an item of a live part with what its owner follows from.
type writtenItem struct {
	id, part, label int64
	account         billing.AccountID
	resource, name  string
	tag, owner      string
	category, class string
	currency        billing.Currency
}

const writtenItems = `SELECT i.id, i.part_id, i.label_id, p.account_id, COALESCE(i.resource, ''),
	COALESCE(i.resource_name, r.name, ''), COALESCE(NULLIF(i.owner_tag, ''), r.owner_tag, ''), l.owner,
	i.category, COALESCE(i.class, ''), i.currency
	FROM items i JOIN parts p ON p.id = i.part_id AND p.state = 'live' JOIN labels l ON l.id = i.label_id
	LEFT JOIN resources r ON r.id = (SELECT MAX(id) FROM resources WHERE account_id = p.account_id AND vendor_id = i.resource) `

func scanWritten(r row) (i writtenItem, err error) {
	return i, r.Scan(&i.id, &i.part, &i.label, &i.account, &i.resource, &i.name, &i.tag, &i.owner, &i.category, &i.class, &i.currency)
}

// applyClaim goes through the lines of one thing, and of its namesakes.
func (d *DB) applyClaim(ctx context.Context, a *attribution, c claim) error {
	items, err := list(ctx, d.readers, scanWritten, writtenItems+`WHERE p.account_id = ?1 AND i.resource IN
		(SELECT ?2 UNION SELECT vendor_id FROM resources WHERE account_id = ?1 AND ?3 <> '' AND name = ?3)`, c.account, c.vendor, c.name)
	if err != nil {
		return err
	}
	for _, i := range items {
		if err := d.reown(ctx, a, i); err != nil {
			return err
		}
	}
	return d.write(ctx, "reattribute", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE claims SET applied = 1 WHERE id = ?", c.id)
		return err
	})
}

// applyMapping goes through every line, and remembers how far it came.
func (d *DB) applyMapping(ctx context.Context, a *attribution, from int64) error {
	for {
		items, err := list(ctx, d.readers, scanWritten, writtenItems+"WHERE i.id > ? ORDER BY i.id LIMIT ?", from, itemsAtOnce)
		if err != nil {
			return err
		}
		for _, i := range items {
			if err := d.reown(ctx, a, i); err != nil {
				return err
			}
			from = i.id
		}
		err = d.write(ctx, "reattribute", func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE mappings SET done_item = ?, applied = ? WHERE version = ?", from, len(items) < itemsAtOnce, a.version)
			return err
		})
		if err != nil || len(items) < itemsAtOnce {
			return err
		}
	}
}

// reown moves the lines of an item to its owner of now, where that is another.
func (d *DB) reown(ctx context.Context, a *attribution, i writtenItem) error {
	owner := a.moved(i.account, i.resource, i.name, i.tag, i.owner)
	if owner == i.owner {
		return nil
	}
	m := mover{item: i, owner: owner}
	for !m.done {
		if err := d.write(ctx, "reattribute", func(tx *sql.Tx) error { return m.step(ctx, tx) }); err != nil {
			return err
		}
	}
	return nil
}

// mover moves the lines of one item to another item that differs in its owner alone.
type mover struct {
	item     writtenItem
	owner    string
	to       int64 // the other item; 0 before the first step
	toSeries series
	done     bool
}

func (m *mover) step(ctx context.Context, tx *sql.Tx) error {
	var state string
	err := tx.QueryRowContext(ctx, "SELECT state FROM parts WHERE id = ?", m.item.part).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) || err == nil && state != "live" {
		m.done = true // replaced meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	if m.to == 0 {
		if err := m.begin(ctx, tx); err != nil {
			return err
		}
	}
	lines, err := list(ctx, tx, m.scan, `SELECT id, start_at, end_at, day, whole, billed_nanos, billed_rest, effective_nanos, effective_rest
		FROM charges WHERE item_id = ? ORDER BY start_at LIMIT ?`, m.item.id, movedAtOnce)
	if err != nil {
		return err
	}
	plus, minus := newRollup(), newRollup()
	for _, l := range lines {
		if err := plus.add(&l.Charge, 0, l.place); err != nil {
			return err
		}
		if err := minus.add(&l.Charge, 1, l.place); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE charges SET item_id = ? WHERE id = ?", m.to, l.id); err != nil {
			return err
		}
	}
	if err := m.writeSums(ctx, tx, plus, minus); err != nil {
		return err
	}
	if len(lines) < movedAtOnce {
		m.done = true
		_, err = tx.ExecContext(ctx, "DELETE FROM items WHERE id = ?", m.item.id)
	}
	return err
}

// begin makes the other item, under the label of its owner.
func (m *mover) begin(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO labels (provider, service, part, region, owner, project, gpu, mode)
		SELECT provider, service, part, region, ?, project, gpu, mode FROM labels WHERE id = ?`, m.owner, m.item.label); err != nil {
		return err
	}
	var label int64
	err := tx.QueryRowContext(ctx, `SELECT n.id FROM labels n JOIN labels o ON o.id = ? WHERE n.provider = o.provider AND n.service = o.service AND n.part = o.part
		AND n.region = o.region AND n.owner = ? AND n.project = o.project AND n.gpu = o.gpu AND n.mode = o.mode`, m.item.label, m.owner).Scan(&label)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO items (part_id, label_id, currency, category, class, resource, resource_name, details, owner_tag)
		SELECT part_id, ?, currency, category, class, resource, resource_name, details, owner_tag FROM items WHERE id = ?`, label, m.item.id)
	if err != nil {
		return err
	}
	m.toSeries = series{m.item.part, label, m.item.currency}
	m.to, err = res.LastInsertId()
	return err
}

// writtenLine is a charge as far as roll-ups need it.
type writtenLine struct {
	billing.Charge
	id    int64
	place place
}

func (m *mover) scan(r row) (l writtenLine, err error) {
	var day int64
	var billed pair
	var effective parts
	err = r.Scan(&l.id, when{&l.ChargePeriod.Start}, when{&l.ChargePeriod.End}, &day, &l.place.whole, &billed.nanos, &billed.rest, &effective.nanos, &effective.rest)
	if err != nil {
		return l, err
	}
	l.place.day, l.place.quarter = day, floorDiv(stamp(l.ChargePeriod.Start), quarterMillis)*quarterMillis
	l.ChargeCategory, l.ChargeClass = m.item.category, m.item.class
	if l.BilledCost, err = billing.MoneyFromParts(billed.nanos, billed.rest, m.item.currency); err != nil {
		return l, err
	}
	l.EffectiveCost, err = effective.money(string(m.item.currency))
	return l, err
}

// writeSums takes sums from one owner to the other. What comes to nothing goes.
func (m *mover) writeSums(ctx context.Context, tx *sql.Tx, plus, minus rollup) error {
	names := []series{m.toSeries, {m.item.part, m.item.label, m.item.currency}}
	for _, t := range []struct {
		name        string
		plus, minus map[sumKey]*sums
	}{{"spend_hours", plus.hours, minus.hours}, {"spend_days", plus.days, minus.days}} {
		for _, s := range t.minus {
			s.rows, s.effectiveRows = -s.rows, -s.effectiveRows
			s.billed, s.effective = pair{-s.billed.nanos, -s.billed.rest}, pair{-s.effective.nanos, -s.effective.rest}
		}
		for _, part := range []map[sumKey]*sums{t.plus, t.minus} {
			keys := make([]sumKey, 0, len(part))
			for k := range part {
				keys = append(keys, k)
			}
			if err := writeSums(tx, t.name, part, keys, names); err != nil {
				return err
			}
		}
		for k := range t.minus {
			n := names[k.series]
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.name+` WHERE at = ? AND part_id = ? AND whole = ? AND label_id = ? AND currency = ? AND sort = ?
				AND rows = 0 AND effective_rows = 0 AND billed_nanos = 0 AND billed_rest = 0 AND effective_nanos = 0 AND effective_rest = 0`,
				k.at, n.part, k.whole, n.label, string(n.currency), k.sort); err != nil {
				return err
			}
		}
	}
	return nil
}

// KeepAttributed applies changes of owners as they come, until ctx ends.
func (d *DB) KeepAttributed(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := d.Reattribute(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
