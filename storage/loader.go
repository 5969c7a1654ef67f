package storage

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"gpuspend/billing"
)

// A load writes in transactions of at most so many rows and so long, that a running bot on the same file is never kept
// waiting past its own patience.
const (
	batchRows = 10_000
	batchTime = 200 * time.Millisecond
)

// partKey is what a charge is swapped with: of files the billing account and the start of its period, of polled windows
// the UTC day alone.
type partKey struct {
	billingAccount string
	start          int64
}

type loadingPart struct {
	id     int64
	key    partKey
	period billing.Period
	rows   int
	noted  int // rows at the last note of progress
}

// loader writes the charges of one delivery as parts that nobody sees yet.
type loader struct {
	db       *DB
	account  billing.AccountID
	source   billing.ChargeSource
	delivery int64
	provider string           // of the last charge
	bill     billing.BillKind // as the providers' names tell
	amortise bool             // the bill has no EffectiveCost: BilledCost stands for it
	keyed    func(c *billing.Charge) (partKey, billing.Period)

	patience time.Duration // how long an open transaction waits for more

	parts   map[partKey]*loadingPart
	order   []*loadingPart
	last    *loadingPart // charges come in runs
	items   *itemBook
	sums    rollup
	rows    int
	through time.Time // where the newest usage ends

	tx      *sql.Tx
	insert  *sql.Stmt
	inBatch int
	began   time.Time
}

func (d *DB) newLoader(ctx context.Context, im Import) (*loader, error) {
	l := &loader{db: d, account: im.Account, source: im.Source, keyed: byBillingPeriod, patience: batchTime,
		parts: map[partKey]*loadingPart{}, items: newItemBook(), sums: newRollup()}
	err := d.write(ctx, "import", func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO deliveries (account_id, source, adds, files, started_at) VALUES (?, ?, ?, ?, ?)`,
			im.Account, im.Source, im.Add, names(im.Files), stamp(d.now()))
		if err != nil {
			return err
		}
		if l.delivery, err = res.LastInsertId(); err != nil {
			return err
		}
		if err := l.items.know(ctx, tx, im.Account); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT no_effective OR ? NOT IN ('focus', 'native') FROM accounts WHERE id = ?", im.Source, im.Account).Scan(&l.amortise)
	})
	return l, err
}

// byBillingPeriod swaps whole billing periods: what files replace.
func byBillingPeriod(c *billing.Charge) (partKey, billing.Period) {
	return partKey{c.BillingAccountID, stamp(c.BillingPeriod.Start)}, c.BillingPeriod
}

// byUTCDay swaps single days: what polled windows replace.
func byUTCDay(c *billing.Charge) (partKey, billing.Period) {
	return utcDay(c.ChargePeriod.Start.UTC().Truncate(24 * time.Hour))
}

func utcDay(start time.Time) (partKey, billing.Period) {
	return partKey{"", stamp(start)}, billing.Period{Start: start, End: start.Add(24 * time.Hour)}
}

// add writes one charge, in a transaction that it begins where there is none and ends when it is large or old enough.
func (l *loader) add(ctx context.Context, c *billing.Charge) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	p, err := l.part(l.keyed(c))
	if err != nil {
		return failed(err)
	}
	item, err := l.items.find(l.tx, c, p.id)
	if err != nil {
		return failed(err)
	}
	if c.Provider != l.provider {
		l.recognise(c.Provider)
	}
	if l.amortise && !c.EffectiveCost.Known() {
		c.EffectiveCost = c.BilledCost
	}
	at := placeOf(c)
	if err := l.write(c, p.id, item.id, at); err != nil {
		return failed(err)
	}
	if err := l.sums.add(c, item.series, at); err != nil {
		return err
	}
	p.rows++
	l.rows++
	l.inBatch++
	l.reach(c)
	if l.inBatch >= batchRows || l.inBatch%256 == 0 && l.left() <= 0 {
		return l.commit(ctx)
	}
	return nil
}

// recognise notes what a provider's bills lack.
func (l *loader) recognise(provider string) {
	k := billing.BillOf(provider)
	l.provider = provider
	l.bill.NoEffective, l.bill.NoInvoice = l.bill.NoEffective || k.NoEffective, l.bill.NoInvoice || k.NoInvoice
	l.amortise = l.amortise || k.NoEffective
}

// reach notes how far the bill goes. Purchases and taxes say nothing of it: their periods run into the future.
func (l *loader) reach(c *billing.Charge) {
	end := c.ChargePeriod.Start
	if c.ChargeCategory == "Usage" || c.ChargeCategory == "" {
		end = c.ChargePeriod.End
	}
	if end.After(l.through) {
		l.through = end
	}
}

// begin opens a transaction that ends with the context. Rows are written without it: a context that can be cancelled
// costs a goroutine a row.
func (l *loader) begin(ctx context.Context) error {
	if l.tx != nil {
		return nil
	}
	tx, err := l.db.begin(ctx)
	if err != nil {
		return fail("import", err)
	}
	l.tx, l.inBatch, l.began = tx, 0, l.db.wall()
	l.insert, err = tx.Prepare(insertCharge)
	return fail("import", err)
}

// left is how long the open transaction may still hold the store.
func (l *loader) left() time.Duration { return batchTime - l.db.wall().Sub(l.began) }

func (l *loader) commit(ctx context.Context) error {
	if l.tx == nil {
		return nil
	}
	if err := l.progress(); err != nil {
		return fail("import", err)
	}
	began := l.began
	err := l.tx.Commit()
	l.tx = nil
	if err != nil {
		return fail("import", err)
	}
	l.db.wrote("import", began)
	if l.sums.full() {
		if err := l.sums.flush(ctx, l.db, l.items.series); err != nil {
			return failed(err)
		}
	}
	return ctx.Err()
}

// progress keeps the parts' row counts and, in real time, when they were last touched: by that a sweep tells a load that
// was left behind from a running one.
func (l *loader) progress() error {
	now := stamp(l.db.wall())
	for _, p := range l.order {
		if p.noted == p.rows {
			continue
		}
		res, err := l.tx.Exec(`UPDATE parts SET rows = ?, changed_at = ? WHERE id = ? AND state = 'loading'`, p.rows, now, p.id)
		if err := stillOurs(res, err); err != nil {
			return err
		}
		p.noted = p.rows
	}
	return nil
}

// heartbeat touches a part while the delivery keeps us waiting.
func (l *loader) heartbeat(ctx context.Context) error {
	if len(l.order) == 0 {
		return nil
	}
	return l.db.write(ctx, "import", func(tx *sql.Tx) error {
		return stillOurs(tx.ExecContext(ctx, `UPDATE parts SET changed_at = ? WHERE id = ? AND state = 'loading'`,
			stamp(l.db.wall()), l.order[0].id))
	})
}

// stillOurs fails where a part is loading no more.
func stillOurs(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return clearedAway()
}

// clearedAway happens to a load that stood still for long, on a machine that slept: its rows may be gone, so it must not
// go live.
func clearedAway() error {
	return fault(billing.Conflict, "import", errors.New("the load stood still for so long that it was cleared away; import again"),
		billing.Say("error.import_cleared"))
}

// failed says why something could not be written. What misses its part belongs to a load that was cleared away.
func failed(err error) error {
	err = fail("import", err)
	if billing.KindOf(err) == billing.Missing {
		return clearedAway()
	}
	return err
}

// flush writes what is left: the last rows, the roll-ups, and which days each part has.
func (l *loader) flush(ctx context.Context) error {
	if err := l.commit(ctx); err != nil {
		return err
	}
	if err := l.sums.flush(ctx, l.db, l.items.series); err != nil {
		return failed(err)
	}
	for some := range slices.Chunk(l.order, 32) {
		err := l.db.write(ctx, "import", func(tx *sql.Tx) error { return noteDays(ctx, tx, some) })
		if err != nil {
			return failed(err)
		}
	}
	return nil
}

func noteDays(ctx context.Context, tx *sql.Tx, some []*loadingPart) error {
	for _, p := range some {
		if _, err := tx.ExecContext(ctx, `INSERT INTO source_days (part_id, day) SELECT DISTINCT part_id, at / ? FROM spend_days WHERE part_id = ? AND rows > 0`,
			dayMillis, p.id); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) rollback() {
	if l.tx != nil {
		_ = l.tx.Rollback() // may have been rolled back by its context
		l.tx = nil
	}
}

// part finds or begins the part of a key.
func (l *loader) part(key partKey, period billing.Period) (*loadingPart, error) {
	if l.last != nil && l.last.key == key {
		return l.last, nil
	}
	p := l.parts[key]
	if p == nil {
		var err error
		if p, err = l.beginPart(key, period); err != nil {
			return nil, err
		}
		l.parts[key], l.order = p, append(l.order, p)
	}
	l.last = p
	return p, nil
}

// beginPart writes down a part; the end of a period that the file doesn't tell is stored as its start.
func (l *loader) beginPart(key partKey, period billing.Period) (*loadingPart, error) {
	end := max(key.start, stamp(period.End))
	res, err := l.tx.Exec(`INSERT INTO parts (delivery_id, account_id, source, billing_account, period_start, period_end, state, changed_at)
		VALUES (?, ?, ?, ?, ?, ?, 'loading', ?)`,
		l.delivery, l.account, l.source, key.billingAccount, key.start, end, stamp(l.db.wall()))
	if err != nil {
		return nil, err
	}
	id, err := res.LastInsertId()
	return &loadingPart{id: id, key: key, period: period}, err
}
