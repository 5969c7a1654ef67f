package storage

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
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
	for _, f := range b.q.Where {
		if !known(f.By) || f.By.Calendar() {
			return fault(billing.Invalid, readBill, fmt.Errorf("there is no filter by %q", f.By), billing.Text{})
		}
	}
	if b.rival, err = rivals(ctx, b.tx); err != nil {
		return err
	}
	if b.ofResources() {
		return b.readCharges(ctx)
	}
	return b.readSums(ctx)
}

// ofResources says that only the lines themselves can answer: roll-ups know no resources.
func (b *billed) ofResources() bool {
	return slices.Contains(b.q.By, ledger.ByResource) ||
		slices.ContainsFunc(b.q.Where, func(f ledger.Filter) bool { return f.By == ledger.ByResource })
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

// billedRow is a row being added up. Sums by sort are of what was billed.
type billedRow struct {
	keys          []string
	currency      billing.Currency
	rows          [ledger.Correction + 1]int64
	sorts         [ledger.Correction + 1]pair
	effective     pair
	effectiveRows int64
}

// billed is one question being answered.
type billed struct {
	q      ledger.Question
	tx     *sql.Tx
	rival  bool
	sums   map[string]*billedRow
	whole  bool
	pieces []time.Time // of an answer from roll-ups: its boundaries
}

// effective leaves out what only the amortised view asks for.
func (b *billed) effective(columns, without string) string {
	if b.q.View == ledger.Amortised {
		return columns
	}
	return without
}

// where writes the filters on a table that has a part and a label, and which source counts on an account's day. Labels and
// parts are chosen by their numbers, once a question.
func (b *billed) where(table, sort, day string) (string, []any) {
	var text strings.Builder
	var args []any
	for _, f := range b.q.Where {
		condition, values := matching(f, sort)
		switch f.By {
		case ledger.ByCharge, ledger.ByResource:
			fmt.Fprintf(&text, " AND %s", condition)
		case ledger.ByAccount:
			fmt.Fprintf(&text, " AND +%s.part_id IN (SELECT p.id FROM parts p JOIN accounts a ON a.id = p.account_id WHERE %s)", table, condition)
		default:
			label := table
			if table == "c" {
				label = "i"
			}
			fmt.Fprintf(&text, " AND %s.label_id IN (SELECT l.id FROM labels l WHERE %s)", label, condition)
		}
		args = append(args, values...)
	}
	// The plus keeps SQLite on the index of time: few parts are not live, and none for long.
	fmt.Fprintf(&text, " AND +%s.part_id NOT IN (SELECT id FROM parts WHERE state <> 'live')%s", table, b.counting(table, day))
	return text.String(), args
}

// matching writes one filter as a condition on its columns.
func matching(f ledger.Filter, sort string) (string, []any) {
	columns := []string{column(f.By)}
	switch f.By {
	case ledger.ByResource:
		columns = append(columns, "COALESCE(i.resource_name, '')")
	case ledger.ByCharge:
		columns[0] = "CASE " + sort + " WHEN 1 THEN 'credit' WHEN 2 THEN 'refund' WHEN 3 THEN 'tax' WHEN 4 THEN 'correction' ELSE 'usage' END"
	}
	var alternatives []string
	var args []any
	for _, c := range columns {
		for _, v := range f.Values {
			if f.Exact {
				alternatives, args = append(alternatives, c+" = ?"), append(args, v)
				continue
			}
			alternatives, args = append(alternatives, c+" = ? COLLATE NOCASE"), append(args, v)
			if v != "" {
				like := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(v)
				alternatives = append(alternatives, c+` LIKE ? ESCAPE '\'`, c+` LIKE ? ESCAPE '\'`)
				args = append(args, like+"-%", like+" %")
			}
		}
	}
	not := ""
	if f.Not {
		not = "NOT "
	}
	return not + "(" + strings.Join(alternatives, " OR ") + ")", args
}

// counting leaves, of each account's day, the source that counts: the first in the account's order, then
// in billing's, that has charges there.
func (b *billed) counting(table, day string) string {
	if !b.rival {
		return ""
	}
	rank := func(p string) string {
		return "COALESCE(NULLIF(instr(a.sources, ' ' || " + p + ".source || ' '), 0), CASE " + p + ".source WHEN 'focus' THEN 1001 WHEN 'native' THEN 1002 WHEN 'api' THEN 1003 ELSE 1004 END)"
	}
	return fmt.Sprintf(` AND (%s.part_id, %s) NOT IN (SELECT x.part_id, x.day FROM source_days x
		JOIN parts p ON p.id = x.part_id AND p.state = 'live' JOIN accounts a ON a.id = p.account_id
		JOIN parts o ON o.account_id = p.account_id AND o.state = 'live' JOIN source_days d ON d.part_id = o.id AND d.day = x.day
		WHERE %s < %s)`, table, day, rank("o"), rank("p"))
}

// column names what a cut reads: "l.service". Days are cut in Go, where zones are known; so are the lines' own.
func column(by ledger.Cut) string {
	switch {
	case by == ledger.ByAccount:
		return "a.name"
	case by == ledger.ByResource:
		return "COALESCE(i.resource, '')"
	case by.Label():
		return "l." + string(by)
	}
	return ""
}

func known(by ledger.Cut) bool { return by.Calendar() || by == ledger.ByCharge || column(by) != "" }

// columns lists what the cuts read; what is known without reading is left empty.
func (b *billed) columns() string {
	list := []string{"''"} // there is always one to group by
	for _, by := range b.q.By {
		if by.Calendar() || by == ledger.ByCharge {
			list = append(list, "''")
		} else {
			list = append(list, column(by))
		}
	}
	return strings.Join(list, ", ")
}

// group is one line of SQL's answer.
type group struct {
	keys                []string
	currency            billing.Currency
	sort                ledger.Sort
	rows, effectiveRows int64
	billed, effective   pair
}

// collect reads the groups of a query: an instant, the keys, and what a group holds.
func (b *billed) collect(ctx context.Context, query string, args []any, take func(at int64, g group) error) error {
	rows, err := b.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	texts := make([]string, 1+len(b.q.By))
	var at int64
	var g group
	cells := []any{&at}
	for i := range texts {
		cells = append(cells, &texts[i])
	}
	cells = append(cells, &g.currency, &g.sort, &g.rows, &g.billed.nanos, &g.billed.rest, &g.effective.nanos, &g.effective.rest, &g.effectiveRows)
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		if g.rows == 0 && b.q.View != ledger.Amortised {
			continue
		}
		g.keys = texts[1:]
		if err := take(at, g); err != nil {
			return err
		}
	}
	return rows.Err()
}

// add adds a group to the row of its keys, which it keeps.
func (b *billed) add(g group) error {
	id := strings.Join(g.keys, "\x00") + "\x00" + string(g.currency)
	r := b.sums[id]
	if r == nil {
		r = &billedRow{keys: g.keys, currency: g.currency}
		b.sums[id] = r
	}
	r.rows[g.sort] += g.rows
	r.effectiveRows += g.effectiveRows
	if err := r.sorts[g.sort].add(g.billed.nanos, g.billed.rest); err != nil {
		return b.overflowedAt(r, err)
	}
	if err := r.effective.add(g.effective.nanos, g.effective.rest); err != nil {
		return b.overflowedAt(r, err)
	}
	return nil
}

func (b *billed) overflowedAt(r *billedRow, err error) error {
	return fault(billing.Invalid, readBill, fmt.Errorf("the sum of %s from %s to %s passes what can be reckoned: %w", cmp.Or(strings.Join(r.keys, ", "), "all"),
		b.q.From.Format(time.DateOnly), b.q.To.Format(time.DateOnly), err), billing.Text{})
}

func (b *billed) rows() ([]ledger.Row, error) {
	list := make([]ledger.Row, 0, len(b.sums))
	for _, id := range slices.Sorted(maps.Keys(b.sums)) {
		r := b.sums[id]
		if r.empty() {
			continue
		}
		row, err := r.row(b.q.View)
		if err != nil {
			return nil, b.overflowedAt(r, err)
		}
		list = append(list, row)
	}
	return list, nil
}

// empty says that nothing is left of a row: all that was added was taken off again.
func (r *billedRow) empty() bool {
	return r.rows == [ledger.Correction + 1]int64{} && !r.amortised()
}

// amortised says that the row has an amortised amount.
func (r *billedRow) amortised() bool { return r.effectiveRows > 0 || r.effective != pair{} }

// row gives a sum its figures: what was billed, by sort, and the one that the view asks for.
func (r *billedRow) row(view ledger.View) (ledger.Row, error) {
	row := ledger.Row{Keys: r.keys, Currency: r.currency}
	var billed pair
	var count int64
	for i := range r.sorts {
		if r.rows[i] == 0 {
			continue
		}
		m, err := billing.MoneyFromParts(r.sorts[i].nanos, r.sorts[i].rest, r.currency)
		if err == nil {
			row.Sorts[i] = m
			err = billed.add(r.sorts[i].nanos, r.sorts[i].rest)
		}
		if err != nil {
			return row, err
		}
		count += r.rows[i]
	}
	var err error
	if count > 0 {
		if row.Billed, err = billing.MoneyFromParts(billed.nanos, billed.rest, r.currency); err != nil {
			return row, err
		}
	}
	switch view {
	case ledger.Gross:
		row.Amount = row.Sorts[ledger.Usage]
	case ledger.Amortised:
		row.Vague = int(count - r.effectiveRows)
		if r.amortised() {
			row.Amount, err = billing.MoneyFromParts(r.effective.nanos, r.effective.rest, r.currency)
		}
	default:
		row.Amount = row.Billed
	}
	return row, err
}
