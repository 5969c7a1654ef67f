package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// Answer says what was spent: what the clouds billed, and beside it what our own meter accrued in hours that no bill
// covers yet. It fails with the book's error, or with an Invalid error that names the question where a sum leaves the
// range of Money.
func Answer(ctx context.Context, book Book, q Question) (Report, error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	if q.View == "" {
		q.View = Billed
	}
	r := Report{Question: q}
	covered, err := book.Coverage(ctx)
	if err != nil {
		return Report{}, err
	}
	s := newSheet(q, covered)
	asked := q
	if q.View == Cash {
		if asked, err = s.paid(ctx, book); err != nil {
			return Report{}, err
		}
	}
	rows, whole, err := book.Billed(ctx, asked)
	if err != nil {
		return Report{}, err
	}
	for _, row := range rows {
		if err = s.bill(row); err != nil {
			return Report{}, s.overflow(err)
		}
	}
	if end := earlier(q.To, q.Now); q.From.Before(end) && q.View != Cash { // what was not billed was not paid
		spans, err := book.Metered(ctx, billing.Period{Start: q.From, End: end})
		if err != nil {
			return Report{}, err
		}
		for _, m := range spans {
			if err = s.meter(m); err != nil {
				return Report{}, s.overflow(err)
			}
		}
	}
	for _, c := range s.order {
		if !c.Bill.Plain() {
			r.Declared = append(r.Declared, c)
		}
	}
	r.WholeDays, r.Missing, r.AsOf = whole, s.missing(), s.asOf
	r.Rows, r.Totals, err = s.close()
	if err != nil {
		return Report{}, s.overflow(err)
	}
	return r, nil
}

// sheet is one answer being written.
type sheet struct {
	q       Question
	covered map[billing.AccountID]Covered
	order   []Covered
	lines   map[string]*line
	whole   map[billing.Currency]*line // the totals
	blind   map[billing.AccountID][]billing.Period
	asOf    time.Time
}

// line is a row with what it lacks: resources, each counted once.
type line struct {
	Row
	unpriced map[billing.ResourceID]bool
	dark     billing.Money // what the gaps of our watching may hold
}

func newSheet(q Question, covered []Covered) *sheet {
	s := &sheet{q: q, order: covered, covered: map[billing.AccountID]Covered{}, lines: map[string]*line{},
		whole: map[billing.Currency]*line{}, blind: map[billing.AccountID][]billing.Period{}}
	for _, c := range covered {
		s.covered[c.Account] = c
		s.asOf = later(s.asOf, c.ReadAt)
	}
	return s
}

// line finds the row of some keys and a currency.
func (s *sheet) line(keys []string, c billing.Currency) *line {
	id := strings.Join(append(slices.Clone(keys), string(c)), "\x00")
	if s.lines[id] == nil {
		s.lines[id] = &line{Row: Row{Keys: keys, Currency: c}, unpriced: map[billing.ResourceID]bool{}}
	}
	return s.lines[id]
}

// bill takes a row of the book. Where nothing else is asked, its figure is what was billed.
func (s *sheet) bill(r Row) error {
	if s.q.View == Billed {
		r.Amount = r.Billed
	}
	return s.line(r.Keys, r.Currency).add(r)
}

// add takes what was delivered of another row into a line.
func (l *line) add(r Row) (err error) {
	if l.Billed, err = plus(l.Billed, r.Billed); err != nil {
		return err
	}
	if l.Amount, err = plus(l.Amount, r.Amount); err != nil {
		return err
	}
	for i, m := range r.Sorts {
		if l.Sorts[i], err = plus(l.Sorts[i], m); err != nil {
			return err
		}
	}
	l.Vague += r.Vague
	return nil
}

// meant adds what our own meter says in another line.
func (l *line) meant(o *line) (err error) {
	if l.Accrued, err = plus(l.Accrued, o.Accrued); err != nil {
		return err
	}
	l.dark, err = plus(l.dark, o.dark)
	for id := range o.unpriced {
		l.unpriced[id] = true
	}
	return err
}

// row closes a line.
func (l *line) row() (Row, error) {
	l.Unpriced = len(l.unpriced)
	if !l.dark.Known() {
		return l.Row, nil
	}
	var err error
	if l.AccruedMost, err = plus(l.Accrued, l.dark); err == nil && !l.Accrued.Known() {
		l.Accrued = billing.ZeroMoney(l.Currency)
	}
	return l.Row, err
}

// close sorts the rows and adds them up. What the view has no figure of is in the totals alone.
func (s *sheet) close() (rows, totals []Row, err error) {
	for _, l := range s.lines {
		t := s.whole[l.Currency]
		if t == nil {
			t = &line{Row: Row{Currency: l.Currency}, unpriced: map[billing.ResourceID]bool{}}
			s.whole[l.Currency] = t
		}
		if err = t.add(l.Row); err == nil {
			err = t.meant(l)
		}
		if err != nil {
			return nil, nil, err
		}
		row, err := l.row()
		if err != nil {
			return nil, nil, err
		}
		if row.Amount.Known() || row.Accrued.Known() || row.Unpriced > 0 || row.Vague > 0 {
			rows = append(rows, row)
		}
	}
	for _, t := range s.whole {
		row, err := t.row()
		if err != nil {
			return nil, nil, err
		}
		totals = append(totals, row)
	}
	slices.SortFunc(totals, func(x, y Row) int { return cmp.Compare(x.Currency, y.Currency) })
	slices.SortFunc(rows, s.before)
	return rows, totals, nil
}

// before orders rows: by time where the question cuts by time, then by currency, the greatest first.
func (s *sheet) before(x, y Row) int {
	if i := slices.IndexFunc(s.q.By, Cut.Calendar); i >= 0 {
		if n := cmp.Compare(x.Keys[i], y.Keys[i]); n != 0 {
			return n
		}
	}
	if n := cmp.Compare(x.Currency, y.Currency); n != 0 {
		return n
	}
	ax, _ := plus(x.Amount, x.Accrued)
	ay, _ := plus(y.Amount, y.Accrued)
	if n := amount(ay).Cmp(amount(ax)); n != 0 {
		return n
	}
	return slices.Compare(x.Keys, y.Keys)
}

// missing lists, account by account, for how long the bill is not there yet, and where the meter was blind.
func (s *sheet) missing() []Gap {
	var gaps []Gap
	end := earlier(s.q.To, s.q.Now)
	for _, c := range s.order {
		for _, p := range undelivered(c, billing.Period{Start: s.q.From, End: earlier(end, c.Through)}) {
			gaps = append(gaps, Gap{Account: c.Name, From: p.Start, To: p.End})
		}
		if from := later(s.q.From, c.Through); c.Billing && from.Before(end) {
			gaps = append(gaps, Gap{Account: c.Name, From: from, To: end})
		}
		for _, p := range joined(s.blind[c.Account]) {
			gaps = append(gaps, Gap{Account: c.Name, From: p.Start, To: p.End, Unseen: true})
		}
	}
	return gaps
}

// undelivered are the stretches of a span that no delivered file covers: a month between two that were imported is not
// a month without charges.
func undelivered(c Covered, span billing.Period) []billing.Period {
	if len(c.Delivered) == 0 {
		return nil
	}
	var holes []billing.Period
	from := span.Start
	for _, p := range joined(c.Delivered) {
		if upto := earlier(p.Start, span.End); from.Before(upto) {
			holes = append(holes, billing.Period{Start: from, End: upto})
		}
		from = later(from, p.End)
	}
	if from.Before(span.End) {
		holes = append(holes, billing.Period{Start: from, End: span.End})
	}
	return holes
}

func (s *sheet) overflow(err error) error {
	return &billing.Error{Kind: billing.Invalid, Op: "add up spend",
		Err: fmt.Errorf("%s to %s by %v: %w", s.q.From.Format(time.DateOnly), s.q.To.Format(time.DateOnly), s.q.By, err)}
}

// plus adds two amounts of one currency; an unknown one counts for nothing beside a known one.
func plus(x, y billing.Money) (billing.Money, error) {
	switch {
	case !x.Known():
		return y, nil
	case !y.Known():
		return x, nil
	}
	return x.Add(y)
}

func earlier(x, y time.Time) time.Time {
	if y.Before(x) {
		return y
	}
	return x
}

func later(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}
