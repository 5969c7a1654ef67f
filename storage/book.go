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
	keys      []string
	currency  billing.Currency
	seen      [ledger.Correction + 1]bool
	sorts     [ledger.Correction + 1]pair
	effective pair
	amortised bool // effective holds something
	vague     int64
}

// billed is one question being answered.
type billed struct {
	q     ledger.Question
	tx    *sql.Tx
	rival bool
	sums  map[string]*billedRow
	whole bool
	fixed time.Time // while one stretch of a calendar is read: its first local midnight
}

// readSums reads the roll-ups.
func (b *billed) readSums(ctx context.Context) error {
	by := slices.IndexFunc(b.q.By, ledger.Cut.Calendar)
	if by < 0 || slices.Contains(b.q.By, ledger.ByDay) {
		return b.readStretch(ctx, b.q.From, b.q.To)
	}
	for from := b.q.From; from.Before(b.q.To); {
		to := nextPiece(b.q.By, from.In(b.q.Zone))
		if to.After(b.q.To) {
			to = b.q.To
		}
		b.fixed = from
		if err := b.readStretch(ctx, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// nextPiece is where a week or a month that is cut by ends.
func nextPiece(by []ledger.Cut, local time.Time) time.Time {
	y, m, d := local.Date()
	week := time.Date(y, m, d+7-int(local.Weekday()+6)%7, 0, 0, 0, 0, local.Location())
	month := time.Date(y, m+1, 1, 0, 0, 0, 0, local.Location())
	if !slices.Contains(by, ledger.ByWeek) || slices.Contains(by, ledger.ByMonth) && month.Before(week) {
		return month
	}
	return week
}

func (b *billed) readStretch(ctx context.Context, start, stop time.Time) error {
	from, to := stamp(start), stamp(stop)
	first, end := localDay(start, b.q.Zone), localDay(stop, b.q.Zone)
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
	where, args := b.where("s.sort", "s.at / "+strconv.Itoa(dayMillis))
	query := fmt.Sprintf(`SELECT %s, s.currency, s.sort, SUM(s.rows), SUM(s.billed_nanos), SUM(s.billed_rest), %s FROM %s s
		JOIN parts p ON p.id = s.part_id AND p.state = 'live'
		JOIN labels l ON l.id = s.label_id JOIN accounts a ON a.id = p.account_id
		WHERE s.at >= ? AND s.at < ? AND s.whole = ? %s GROUP BY %s, s.currency, s.sort`,
		columns, b.effective("SUM(s.effective_nanos), SUM(s.effective_rest), SUM(s.effective_rows)"), table, where, columns)
	return b.collect(ctx, whole, query, append([]any{from, to, whole}, args...)...)
}

// effective leaves out what only the amortised view asks for.
func (b *billed) effective(columns string) string {
	if b.q.View == ledger.Amortised {
		return columns
	}
	return "0, 0, 0"
}

// sortOfLine is ledger.SortOf in SQL.
const sortOfLine = `CASE WHEN i.class = 'Correction' THEN 4 WHEN i.category = 'Tax' THEN 3 WHEN i.category = 'Credit' THEN 1
	WHEN c.billed_nanos < 0 THEN 2 WHEN i.category = 'Adjustment' THEN 4 ELSE 0 END`

// readCharges answers by resource from the lines themselves, through their index.
func (b *billed) readCharges(ctx context.Context) error {
	columns := b.columns("CASE c.whole WHEN 1 THEN c.day * 86400000 ELSE c.start_at END")
	where, args := b.where(sortOfLine, "c.day")
	head := fmt.Sprintf(`SELECT %s, i.currency, %s AS sort, COUNT(*), SUM(c.billed_nanos), SUM(c.billed_rest), %s
		FROM parts p JOIN charges c ON c.part_id = p.id JOIN items i ON i.id = c.item_id
		JOIN labels l ON l.id = i.label_id JOIN accounts a ON a.id = p.account_id
		WHERE p.state = 'live' %s`, columns, sortOfLine,
		b.effective("COALESCE(SUM(c.effective_nanos), 0), COALESCE(SUM(c.effective_rest), 0), COUNT(c.effective_nanos)"), where)
	tail := fmt.Sprintf(" GROUP BY %s, i.currency, sort", columns)
	if b.q.View == ledger.Amortised {
		tail = " AND NOT " + spreads + tail
	}
	inHours := " AND c.start_at >= ? AND c.start_at < ? AND c.whole = 0"
	if err := b.collect(ctx, 0, head+inHours+tail, append(args, stamp(b.q.From), stamp(b.q.To))...); err != nil {
		return err
	}
	// The vendor's date of a charge is at most half a day from that of its start in UTC.
	first, end := localDay(b.q.From, b.q.Zone), localDay(b.q.To, b.q.Zone)
	inDays := " AND c.start_at >= ? AND c.start_at < ? AND c.whole = 1 AND c.day >= ? AND c.day < ?"
	if err := b.collect(ctx, 1, head+inDays+tail, append(args, (first-1)*dayMillis, (end+1)*dayMillis, first, end)...); err != nil {
		return err
	}
	if b.q.View != ledger.Amortised {
		return nil
	}
	return b.readTerms(ctx, first, end)
}

// spreads is termOf in SQL: what was paid ahead for longer than a day.
const spreads = "(i.category = 'Purchase' AND c.end_at - c.start_at BETWEEN 129600000 AND 345643199999 AND c.effective_nanos IS NOT NULL)"

// readTerms adds the share that falls into the question of what was paid ahead, line by line: there are few.
func (b *billed) readTerms(ctx context.Context, first, end int64) error {
	where, args := b.where(sortOfLine, "c.day")
	rows, err := b.tx.QueryContext(ctx, fmt.Sprintf(`SELECT %s, i.currency, %s, c.day, (c.end_at - c.start_at + 43200000) / 86400000, c.effective_nanos, c.effective_rest
		FROM items i JOIN charges c ON c.item_id = i.id JOIN parts p ON p.id = c.part_id
		JOIN labels l ON l.id = i.label_id JOIN accounts a ON a.id = p.account_id
		WHERE i.category = 'Purchase' AND p.state = 'live' AND %s %s`, b.columns("''"), sortOfLine, spreads, where), args...)
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
		for i, by := range b.q.By {
			if by.Calendar() {
				keys[i] = strconv.FormatInt(from*dayMillis, 10)
			}
		}
		g := group{keys: slices.Clone(keys), currency: currency, sort: sort}
		g.effective.nanos, g.effective.rest = share.Parts()
		if from == day {
			g.rows, g.effectiveRows = 1, 1
		}
		if err := b.add(true, g); err != nil {
			return err
		}
	}
	return nil
}

// where writes the filters, and which source counts on an account's day.
func (b *billed) where(sort, day string) (string, []any) {
	var text strings.Builder
	var args []any
	for _, f := range b.q.Where {
		columns := []string{column(f.By)}
		switch f.By {
		case ledger.ByResource:
			columns = append(columns, "COALESCE(i.resource_name, '')")
		case ledger.ByCharge:
			columns[0] = "CASE " + sort + " WHEN 1 THEN 'credit' WHEN 2 THEN 'refund' WHEN 3 THEN 'tax' WHEN 4 THEN 'correction' ELSE 'usage' END"
		}
		var any []string
		for _, c := range columns {
			for _, v := range f.Values {
				if f.Exact {
					any, args = append(any, c+" = ?"), append(args, v)
					continue
				}
				any, args = append(any, c+" = ? COLLATE NOCASE"), append(args, v)
				if v != "" {
					like := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(v)
					any = append(any, c+` LIKE ? ESCAPE '\'`, c+` LIKE ? ESCAPE '\'`)
					args = append(args, like+"-%", like+" %")
				}
			}
		}
		not := ""
		if f.Not {
			not = "NOT "
		}
		fmt.Fprintf(&text, " AND %s(%s)", not, strings.Join(any, " OR "))
	}
	text.WriteString(" " + b.counting(day))
	return text.String(), args
}

// counting leaves, of each account's day, the source that counts: the first in the account's order, then
// in billing's, that has charges there.
func (b *billed) counting(day string) string {
	if !b.rival {
		return ""
	}
	rank := func(p string) string {
		return "COALESCE(NULLIF(instr(a.sources, ' ' || " + p + ".source || ' '), 0), CASE " + p + ".source WHEN 'focus' THEN 1001 WHEN 'native' THEN 1002 WHEN 'api' THEN 1003 ELSE 1004 END)"
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

func known(by ledger.Cut) bool { return by.Calendar() || by == ledger.ByCharge || column(by) != "" }

// columns lists what the cuts read; at is where a sum or a line stands in time.
func (b *billed) columns(at string) string {
	list := []string{"''"} // there is always one to group by
	for _, by := range b.q.By {
		switch {
		case by.Calendar() && !b.fixed.IsZero(), by == ledger.ByCharge: // known without reading
			list = append(list, "''")
		case by.Calendar():
			list = append(list, at)
		default:
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

func (b *billed) collect(ctx context.Context, whole int, query string, args ...any) error {
	rows, err := b.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	texts := make([]string, 1+len(b.q.By))
	var g group
	cells := make([]any, 0, len(texts)+8)
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
		b.whole = b.whole || whole == 1
		g.keys = slices.Clone(texts[1:])
		if err := b.add(whole == 1, g); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (b *billed) add(whole bool, g group) error {
	for i, by := range b.q.By {
		switch {
		case by == ledger.ByCharge:
			g.keys[i] = g.sort.String()
		case by.Calendar() && !b.fixed.IsZero():
			g.keys[i] = by.Date(b.fixed.In(b.q.Zone))
		case by.Calendar():
			key, err := dateOf(by, g.keys[i], whole, b.q.Zone)
			if err != nil {
				return err
			}
			g.keys[i] = key
		}
	}
	id := strings.Join(g.keys, "\x00") + "\x00" + string(g.currency)
	r := b.sums[id]
	if r == nil {
		r = &billedRow{keys: g.keys, currency: g.currency}
		b.sums[id] = r
	}
	r.seen[g.sort] = r.seen[g.sort] || g.rows > 0
	r.amortised = r.amortised || g.effectiveRows > 0 || g.effective != pair{}
	r.vague += g.rows - g.effectiveRows
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

// dateOf turns the instant of a sum into the key of a local date; that of a whole charge is a date already.
func dateOf(by ledger.Cut, at string, whole bool, zone *time.Location) (string, error) {
	ms, err := strconv.ParseInt(at, 10, 64)
	if whole {
		zone = time.UTC
	}
	return by.Date(fromStamp(ms).In(zone)), err
}

func (b *billed) rows() ([]ledger.Row, error) {
	list := make([]ledger.Row, 0, len(b.sums))
	for _, id := range slices.Sorted(maps.Keys(b.sums)) {
		r := b.sums[id]
		row, err := r.row(b.q.View)
		if err != nil {
			return nil, b.overflowedAt(r, err)
		}
		list = append(list, row)
	}
	return list, nil
}

// row gives a sum its figures: what was billed, by sort, and the one that the view asks for.
func (r *billedRow) row(view ledger.View) (ledger.Row, error) {
	row := ledger.Row{Keys: r.keys, Currency: r.currency}
	var billed pair
	any := false
	for i := range r.sorts {
		if !r.seen[i] {
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
		any = true
	}
	var err error
	if any {
		if row.Billed, err = billing.MoneyFromParts(billed.nanos, billed.rest, r.currency); err != nil {
			return row, err
		}
	}
	switch view {
	case ledger.Gross:
		row.Amount = row.Sorts[ledger.Usage]
	case ledger.Amortised:
		row.Vague = int(r.vague)
		if r.amortised {
			row.Amount, err = billing.MoneyFromParts(r.effective.nanos, r.effective.rest, r.currency)
		}
	default:
		row.Amount = row.Billed
	}
	return row, err
}

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
