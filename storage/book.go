package storage

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

var _ ledger.Book = (*DB)(nil)

// Billed sums delivered charges, cut as asked. A span is whole UTC days from the day table and its edges from the hour
// table; a cut by local day reads hours wherever a local day is no UTC day.
func (d *DB) Billed(ctx context.Context, q ledger.Question) ([]ledger.Row, bool, error) {
	tx, err := d.readers.BeginTx(ctx, nil)
	if err != nil {
		return nil, false, fail(readBill, err)
	}
	defer tx.Rollback()
	b := &billed{q: q, tx: tx, sums: map[string]*billedRow{}}
	if err := b.answer(ctx); err != nil {
		return nil, false, fail(readBill, b.overflowed(err))
	}
	rows, err := b.rows()
	return rows, b.whole, fail(readBill, err)
}

const readBill = "read the bill"

func (b *billed) answer(ctx context.Context) (err error) {
	for _, by := range b.q.By {
		if !known(by) {
			return fault(billing.Invalid, readBill, fmt.Errorf("there is no cut by %q", by), billing.Text{})
		}
	}
	if b.rival, err = rivals(ctx, b.tx); err != nil {
		return err
	}
	if slices.Contains(b.q.By, ledger.ByResource) {
		return b.readCharges(ctx)
	}
	return b.readSums(ctx)
}

// overflowed knows SQLite's word for a sum that runs over, and names the question.
func (b *billed) overflowed(err error) error {
	if !strings.Contains(err.Error(), "integer overflow") {
		return err
	}
	return fault(billing.Invalid, readBill, fmt.Errorf("the sum from %s to %s by %v passes what can be reckoned: %w",
		b.q.From.Format(time.DateOnly), b.q.To.Format(time.DateOnly), b.q.By, billing.ErrOverflow), billing.Text{})
}

// rivals says whether any account has charges from more than one source, so that days must be told apart.
func rivals(ctx context.Context, tx *sql.Tx) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT account_id FROM
		(SELECT DISTINCT account_id, source FROM parts WHERE state = 'live') GROUP BY account_id HAVING COUNT(*) > 1)`).Scan(&n)
	return n > 0, err
}

type billedRow struct {
	keys     []string
	currency billing.Currency
	sum      pair
}

// billed is one question being answered.
type billed struct {
	q     ledger.Question
	tx    *sql.Tx
	rival bool
	sums  map[string]*billedRow
	whole bool
}

// readSums reads the roll-ups.
func (b *billed) readSums(ctx context.Context) error {
	from, to := stamp(b.q.From), stamp(b.q.To)
	first, end := localDay(b.q.From, b.q.Zone), localDay(b.q.To, b.q.Zone)
	if err := b.read(ctx, "spend_days", 1, first*dayMillis, end*dayMillis); err != nil {
		return err
	}
	if slices.Contains(b.q.By, ledger.ByDay) && !utcDays(b.q) {
		return b.read(ctx, "spend_hours", 0, from, to)
	}
	lo, hi := -floorDiv(-from, dayMillis)*dayMillis, floorDiv(to, dayMillis)*dayMillis
	if lo >= hi {
		return b.read(ctx, "spend_hours", 0, from, to)
	}
	if err := b.read(ctx, "spend_days", 0, lo, hi); err != nil {
		return err
	}
	if err := b.read(ctx, "spend_hours", 0, from, lo); err != nil {
		return err
	}
	return b.read(ctx, "spend_hours", 0, hi, to)
}

// utcDays says that every local midnight of the question is a UTC midnight.
func utcDays(q ledger.Question) bool {
	for t := q.From.In(q.Zone); t.Before(q.To); t = t.AddDate(0, 0, 1) {
		if stamp(t)%dayMillis != 0 {
			return false
		}
	}
	return stamp(q.To)%dayMillis == 0
}

// localDay counts the date of an instant in a zone in days since 1970.
func localDay(t time.Time, zone *time.Location) int64 {
	y, m, d := t.In(zone).Date()
	return floorDiv(stamp(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)), dayMillis)
}

func (b *billed) read(ctx context.Context, table string, whole int, from, to int64) error {
	if from >= to {
		return nil
	}
	columns := b.columns("s.at")
	query := fmt.Sprintf(`SELECT %s, s.currency, SUM(s.billed_nanos), SUM(s.billed_rest) FROM %s s
		JOIN parts p ON p.id = s.part_id AND p.state = 'live'
		JOIN labels l ON l.id = s.label_id JOIN accounts a ON a.id = p.account_id
		WHERE s.at >= ? AND s.at < ? AND s.whole = ? %s GROUP BY %s, s.currency`,
		columns, table, b.counting(fmt.Sprintf("s.at / %d", dayMillis)), columns)
	return b.collect(ctx, whole, query, from, to, whole)
}

// readCharges answers by resource from the lines themselves, through their index.
func (b *billed) readCharges(ctx context.Context) error {
	columns := b.columns("CASE c.whole WHEN 1 THEN c.day * 86400000 ELSE c.start_at END")
	head := fmt.Sprintf(`SELECT %s, i.currency, SUM(c.billed_nanos), SUM(c.billed_rest)
		FROM parts p JOIN charges c ON c.part_id = p.id JOIN items i ON i.id = c.item_id
		JOIN labels l ON l.id = i.label_id JOIN accounts a ON a.id = p.account_id
		WHERE p.state = 'live' AND c.start_at >= ? AND c.start_at < ? AND c.whole = ? %s`, columns, b.counting("c.day"))
	tail := fmt.Sprintf(" GROUP BY %s, i.currency", columns)
	if err := b.collect(ctx, 0, head+tail, stamp(b.q.From), stamp(b.q.To), 0); err != nil {
		return err
	}
	// The vendor's date of a charge is at most half a day from that of its start in UTC.
	first, end := localDay(b.q.From, b.q.Zone), localDay(b.q.To, b.q.Zone)
	return b.collect(ctx, 1, head+" AND c.day >= ? AND c.day < ?"+tail, (first-1)*dayMillis, (end+1)*dayMillis, 1, first, end)
}

// counting leaves, of each account's day, the source that counts: the first in billing's order that has charges there.
func (b *billed) counting(day string) string {
	if !b.rival {
		return ""
	}
	rank := func(p string) string {
		return "CASE " + p + ".source WHEN 'focus' THEN 1 WHEN 'native' THEN 2 WHEN 'api' THEN 3 ELSE 4 END"
	}
	return fmt.Sprintf(`AND NOT EXISTS (SELECT 1 FROM parts o JOIN source_days d ON d.part_id = o.id
		WHERE o.account_id = p.account_id AND o.state = 'live' AND d.day = %s AND %s < %s)`, day, rank("o"), rank("p"))
}

// column names what a cut reads: "l.service". Days are cut in Go, where zones are known; so are the lines' own.
func column(by ledger.Cut) string {
	switch by {
	case ledger.ByAccount:
		return "a.name"
	case ledger.ByResource:
		return "COALESCE(i.resource, '')"
	case ledger.ByProvider, ledger.ByService, ledger.ByPart, ledger.ByRegion, ledger.ByOwner, ledger.ByProject, ledger.ByGPU, ledger.ByMode:
		return "l." + string(by)
	}
	return ""
}

func known(by ledger.Cut) bool { return by == ledger.ByDay || column(by) != "" }

// columns lists what the cuts read; at is where a sum or a line stands in time.
func (b *billed) columns(at string) string {
	list := []string{"''"} // there is always one to group by
	for _, by := range b.q.By {
		if by == ledger.ByDay {
			list = append(list, at)
		} else {
			list = append(list, column(by))
		}
	}
	return strings.Join(list, ", ")
}

func (b *billed) collect(ctx context.Context, whole int, query string, args ...any) error {
	rows, err := b.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	texts := make([]string, 1+len(b.q.By))
	var currency string
	var sum pair
	cells := make([]any, 0, len(texts)+3)
	for i := range texts {
		cells = append(cells, &texts[i])
	}
	cells = append(cells, &currency, &sum.nanos, &sum.rest)
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		b.whole = b.whole || whole == 1
		if err := b.add(whole == 1, slices.Clone(texts[1:]), billing.Currency(currency), sum); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (b *billed) add(whole bool, keys []string, currency billing.Currency, sum pair) error {
	for i, by := range b.q.By {
		if by == ledger.ByDay {
			day, err := dateOf(keys[i], whole, b.q.Zone)
			if err != nil {
				return err
			}
			keys[i] = day
		}
	}
	id := strings.Join(keys, "\x00") + "\x00" + string(currency)
	r := b.sums[id]
	if r == nil {
		b.sums[id] = &billedRow{keys, currency, sum}
		return nil
	}
	if err := r.sum.add(sum.nanos, sum.rest); err != nil {
		return b.overflowedAt(r, err)
	}
	return nil
}

func (b *billed) overflowedAt(r *billedRow, err error) error {
	return fault(billing.Invalid, readBill, fmt.Errorf("the sum of %s from %s to %s passes what can be reckoned: %w", cmp.Or(strings.Join(r.keys, ", "), "all"),
		b.q.From.Format(time.DateOnly), b.q.To.Format(time.DateOnly), err), billing.Text{})
}

// dateOf turns the instant of a sum into the local date; that of a whole charge is a date already.
func dateOf(at string, whole bool, zone *time.Location) (string, error) {
	ms, err := strconv.ParseInt(at, 10, 64)
	if whole {
		zone = time.UTC
	}
	return fromStamp(ms).In(zone).Format(time.DateOnly), err
}

func (b *billed) rows() ([]ledger.Row, error) {
	list := make([]ledger.Row, 0, len(b.sums))
	for _, id := range slices.Sorted(maps.Keys(b.sums)) {
		r := b.sums[id]
		m, err := billing.MoneyFromParts(r.sum.nanos, r.sum.rest, r.currency)
		if err != nil {
			return nil, b.overflowedAt(r, err)
		}
		list = append(list, ledger.Row{Keys: r.keys, Currency: r.currency, Billed: m})
	}
	return list, nil
}

// Coverage says per account how far the sources that count have delivered.
func (d *DB) Coverage(ctx context.Context) ([]ledger.Covered, error) {
	rows, err := d.readers.QueryContext(ctx, `SELECT a.id, a.name, a.currency, a.driver <> '', c.through, c.read_at
		FROM accounts a LEFT JOIN (SELECT account_id, MAX(through) AS through, MAX(read_at) AS read_at FROM coverage GROUP BY account_id) c
		ON c.account_id = a.id ORDER BY a.id`)
	if err != nil {
		return nil, fail("read the coverage", err)
	}
	defer func() { _ = rows.Close() }()
	var list []ledger.Covered
	for rows.Next() {
		var c ledger.Covered
		if err := rows.Scan(&c.Account, &c.Name, &c.Currency, &c.Polled, when{&c.Through}, when{&c.ReadAt}); err != nil {
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
