package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// sortOfLine is ledger.SortOf in SQL.
const sortOfLine = `CASE WHEN i.class = 'Correction' THEN 4 WHEN i.category = 'Tax' THEN 3 WHEN i.category = 'Credit' THEN 1
	WHEN c.billed_nanos < 0 THEN 2 WHEN i.category = 'Adjustment' THEN 4 ELSE 0 END`

// readCharges answers by resource from the lines themselves, through an index: that of the things charged for where the
// question is about some of them, else that of time.
func (b *billed) readCharges(ctx context.Context) error {
	columns, at := b.columns(), "0"
	if slices.ContainsFunc(b.q.By, ledger.Cut.Calendar) {
		at = "CASE c.whole WHEN 1 THEN c.day * 86400000 ELSE c.start_at END"
	}
	where, args := b.where("c", sortOfLine, "c.day")
	from := "parts p CROSS JOIN charges c ON c.part_id = p.id CROSS JOIN items i ON i.id = c.item_id"
	if slices.ContainsFunc(b.q.Where, func(f ledger.Filter) bool { return f.By != ledger.ByCharge && f.By != ledger.ByAccount }) {
		from = "parts p CROSS JOIN items i ON i.part_id = p.id CROSS JOIN charges c ON c.item_id = i.id"
	}
	head := fmt.Sprintf(`SELECT %s AS at, %s, i.currency, %s AS sort, COUNT(*), SUM(c.billed_nanos), SUM(c.billed_rest), %s
		FROM %s JOIN labels l ON l.id = i.label_id JOIN accounts a ON a.id = p.account_id
		WHERE p.state = 'live' %s`, at, columns, sortOfLine,
		b.effective(lineEffective, "0, 0, 0"), from, where)
	tail := fmt.Sprintf(" GROUP BY 1, %s, i.currency, sort", columns)
	inHours := " AND c.start_at >= ? AND c.start_at < ? AND c.whole = 0"
	if err := b.collect(ctx, head+inHours+tail, append(args, stamp(b.q.From), stamp(b.q.To)), b.line(false)); err != nil {
		return err
	}
	// The vendor's date of a charge is at most half a day from that of its start in UTC.
	first, end := localDay(b.q.From, b.q.Zone), localDay(b.q.To, b.q.Zone)
	inDays := " AND c.start_at >= ? AND c.start_at < ? AND c.whole = 1 AND c.day >= ? AND c.day < ?"
	if err := b.collect(ctx, head+inDays+tail, append(args, (first-1)*dayMillis, (end+1)*dayMillis, first, end), b.line(true)); err != nil {
		return err
	}
	if b.q.View != ledger.Amortised {
		return nil
	}
	return b.readTerms(ctx, first, end)
}

// line takes a group of lines at an instant, or at a vendor's date, which is one in every zone.
func (b *billed) line(whole bool) func(at int64, g group) error {
	zone := b.q.Zone
	if whole {
		zone = time.UTC
	}
	return func(at int64, g group) error {
		b.whole = b.whole || whole
		g.keys = slices.Clone(g.keys)
		for i, by := range b.q.By {
			switch {
			case by == ledger.ByCharge:
				g.keys[i] = g.sort.String()
			case by.Calendar():
				g.keys[i] = by.Date(fromStamp(at).In(zone))
			}
		}
		return b.add(g)
	}
}

// spreads is termOf in SQL: what was paid ahead for longer than a day.
const spreads = "(i.category = 'Purchase' AND c.end_at - c.start_at BETWEEN 129600000 AND 345643199999 AND c.effective_nanos IS NOT NULL)"

// lineEffective is what lines add to the amortised view. What is spread over a term counts on its day, but its amount is
// left to the term.
const lineEffective = "COALESCE(SUM(CASE WHEN " + spreads + " THEN 0 ELSE c.effective_nanos END), 0), " +
	"COALESCE(SUM(CASE WHEN " + spreads + " THEN 0 ELSE c.effective_rest END), 0), COUNT(c.effective_nanos)"

// readTerms adds the share that falls into the question of what was paid ahead, line by line: there are few.
func (b *billed) readTerms(ctx context.Context, first, end int64) error {
	where, args := b.where("c", sortOfLine, "c.day")
	rows, err := b.tx.QueryContext(ctx, fmt.Sprintf(`SELECT %s, i.currency, %s, c.day, (c.end_at - c.start_at + 43200000) / 86400000, c.effective_nanos, c.effective_rest
		FROM items i JOIN charges c ON c.item_id = i.id JOIN parts p ON p.id = c.part_id
		JOIN labels l ON l.id = i.label_id JOIN accounts a ON a.id = p.account_id
		WHERE i.category = 'Purchase' AND p.state = 'live' AND %s %s`, b.columns(), sortOfLine, spreads, where), args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		keys := make([]string, 1+len(b.q.By))
		var currency billing.Currency
		var sort ledger.Sort
		var day, days int64
		var cost pair
		cells := make([]any, 0, len(keys)+6)
		for i := range keys {
			cells = append(cells, &keys[i])
		}
		if err := rows.Scan(append(cells, &currency, &sort, &day, &days, &cost.nanos, &cost.rest)...); err != nil {
			return err
		}
		if err := b.addTerm(keys[1:], currency, sort, cost, [2]int64{day, days}, first, end); err != nil {
			return err
		}
	}
	return rows.Err()
}

// addTerm adds the days of a term that lie in the question, each on its own where the question cuts by time.
func (b *billed) addTerm(keys []string, currency billing.Currency, sort ledger.Sort, cost pair, term [2]int64, first, end int64) error {
	m, err := billing.MoneyFromParts(cost.nanos, cost.rest, currency)
	if err != nil {
		return err
	}
	day, days := term[0], term[1]
	from, to := max(first, day), min(end, day+days)
	step := max(to-from, 1)
	if slices.ContainsFunc(b.q.By, ledger.Cut.Calendar) {
		step = 1
	}
	for ; from < to; from += step {
		share, err := termShare(m, from-day, from-day+step, days)
		if err != nil {
			return err
		}
		g := group{keys: keys, currency: currency, sort: sort}
		g.effective.nanos, g.effective.rest = share.Parts()
		if err := b.line(true)(from*dayMillis, g); err != nil {
			return err
		}
	}
	return nil
}
