package storage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// rollupRoom is how many sums of one table are held in memory before they are written in between.
const rollupRoom = 100_000

type sumKey struct {
	at     int64
	series int32
	sort   ledger.Sort
	whole  bool
}

type pair struct{ nanos, rest int64 }

func (p *pair) add(n, r int64) error {
	if (n > 0 && p.nanos > math.MaxInt64-n) || (n < 0 && p.nanos < math.MinInt64-n) {
		return billing.ErrOverflow
	}
	p.nanos += n
	p.rest += r
	if p.rest >= math.MaxInt64/2 { // far beyond a billion rows in one sum
		p.nanos, p.rest = p.nanos+p.rest/1e9, p.rest%1e9
	}
	return nil
}

func (p *pair) addMoney(m billing.Money) error {
	n, r := m.Parts()
	return p.add(n, r)
}

type sums struct {
	rows, effectiveRows int64
	billed, effective   pair
}

// rollup adds charges up at two grains before they are written.
type rollup struct {
	hours, days map[sumKey]*sums
}

func newRollup() rollup { return rollup{map[sumKey]*sums{}, map[sumKey]*sums{}} }

func (r rollup) full() bool { return len(r.hours) > rollupRoom || len(r.days) > rollupRoom }

func (r rollup) add(c *billing.Charge, series int32, at place) error {
	sort := ledger.SortOf(c.ChargeCategory, c.ChargeClass, c.BilledCost.Sign())
	days := termOf(c)
	if !at.whole { // whole rows stand in the day table alone: they have no hour
		if err := addTo(r.hours, sumKey{at.quarter, series, sort, false}, c, days == 1); err != nil {
			return err
		}
	}
	if err := addTo(r.days, sumKey{at.day * dayMillis, series, sort, at.whole}, c, days == 1); err != nil || days == 1 {
		return err
	}
	return r.spread(c, series, sort, at, days)
}

// termOf is over how many days the amortised view spreads a charge: what was paid ahead over its term, everything else
// over one day.
func termOf(c *billing.Charge) int64 {
	days := int64((c.ChargePeriod.Duration() + 12*time.Hour) / (24 * time.Hour))
	if c.ChargeCategory != "Purchase" || days < 2 || days > 4000 || !effective(c) {
		return 1
	}
	return days
}

// effective says that a charge has an amortised amount that can stand beside what was billed.
func effective(c *billing.Charge) bool {
	return c.EffectiveCost.Known() && c.EffectiveCost.Currency() == c.BilledCost.Currency()
}

// spread puts each day's share of what was paid ahead on its day. The first day counts the line.
func (r rollup) spread(c *billing.Charge, series int32, sort ledger.Sort, at place, days int64) error {
	for i := range days {
		share, err := termShare(c.EffectiveCost, i, i+1, days)
		if err != nil {
			return err
		}
		key := sumKey{(at.day + i) * dayMillis, series, sort, at.whole}
		s := r.days[key]
		if s == nil {
			s = &sums{}
			r.days[key] = s
		}
		if i == 0 {
			s.effectiveRows++
		}
		if err := s.effective.addMoney(share); err != nil {
			return overflowAt(key, c)
		}
	}
	return nil
}

// termShare is what falls on some days of a term. Shares of stretches that touch add up exactly to that of the whole.
func termShare(m billing.Money, from, to, days int64) (billing.Money, error) {
	before, err := m.MulRatio(from, days)
	if err != nil {
		return billing.Money{}, err
	}
	after, err := m.MulRatio(to, days)
	if err != nil {
		return billing.Money{}, err
	}
	return after.Sub(before)
}

func addTo(m map[sumKey]*sums, key sumKey, c *billing.Charge, amortise bool) error {
	s := m[key]
	if s == nil {
		s = &sums{}
		m[key] = s
	}
	s.rows++
	if err := s.billed.addMoney(c.BilledCost); err != nil {
		return overflowAt(key, c)
	}
	if !amortise || !effective(c) {
		return nil
	}
	s.effectiveRows++
	if err := s.effective.addMoney(c.EffectiveCost); err != nil {
		return overflowAt(key, c)
	}
	return nil
}

func overflowAt(key sumKey, c *billing.Charge) error {
	return fault(billing.Invalid, "import", fmt.Errorf("the sum of %s, %s, at %s passes what can be stored: %w",
		c.Provider, c.ServiceName, fromStamp(key.at).Format("2006-01-02 15:04"), billing.ErrOverflow), billing.Text{})
}

// flush writes every sum into its table, on top of what earlier flushes of the same load put there, in short steps.
func (r rollup) flush(ctx context.Context, d *DB, names []series) error {
	if err := flushSums(ctx, d, "spend_hours", r.hours, names); err != nil {
		return err
	}
	return flushSums(ctx, d, "spend_days", r.days, names)
}

// flushSums goes through the sums in the order of the table's key, which spares SQLite much searching.
func flushSums(ctx context.Context, d *DB, table string, m map[sumKey]*sums, names []series) error {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b sumKey) int {
		x, y := names[a.series], names[b.series]
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(x.part, y.part), cmp.Compare(x.label, y.label), cmp.Compare(a.sort, b.sort))
	})
	for step := range slices.Chunk(keys, batchRows/2) {
		err := d.write(ctx, "import", func(tx *sql.Tx) error { return writeSums(tx, table, m, step, names) })
		if err != nil {
			return err
		}
	}
	clear(m)
	return nil
}

func writeSums(tx *sql.Tx, table string, m map[sumKey]*sums, step []sumKey, names []series) error {
	st, err := tx.Prepare(`INSERT INTO ` + table + ` (part_id, at, whole, label_id, currency, sort, rows, billed_nanos, billed_rest,
		effective_nanos, effective_rest, effective_rows) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET rows = rows + excluded.rows,
		billed_nanos = billed_nanos + excluded.billed_nanos, billed_rest = billed_rest + excluded.billed_rest,
		effective_nanos = effective_nanos + excluded.effective_nanos, effective_rest = effective_rest + excluded.effective_rest,
		effective_rows = effective_rows + excluded.effective_rows`)
	if err != nil {
		return err
	}
	defer st.Close()
	for _, k := range step {
		s, n := m[k], names[k.series]
		_, err := st.Exec(n.part, k.at, k.whole, n.label, string(n.currency), k.sort, s.rows, s.billed.nanos, s.billed.rest,
			s.effective.nanos, s.effective.rest, s.effectiveRows)
		if isConstraint(err) { // SQLite makes a real of an integer that runs over, which the table refuses
			err = errors.Join(billing.ErrOverflow, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
