package estimate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// ListKind says what a price list is about.
type ListKind string

// The kinds of lists that can be read.
const (
	ListMachines ListKind = "machines"
	ListExtras   ListKind = "extras"
)

// columnsOf are the columns that a list must have.
func columnsOf(k ListKind) []string {
	if k == ListExtras {
		return []string{"provider", "region", "item", "unit", "tier_from", "tier_to", "price", "currency", "as_of", "source", "note"}
	}
	return []string{"provider", "region", "instance_type", "gpu_model", "gpu_count", "price_mode", "price", "currency", "unit", "as_of", "source"}
}

// Rejected is a line that gave no price, and why.
type Rejected struct {
	Line int
	Why  string
}

// List is a price file as read: records in the columns of its kind.
type List struct {
	Kind     ListKind
	Records  [][]string // of the lines taken
	Rejected []Rejected
	Unused   int // lines about things that an estimate has no part for
}

// mostRejected is the share of lines that may be rejected before the whole list is: with more of them, the file is not
// what it seems to be.
const mostRejected = 0.2

// ErrTooManyRejected says that a list is not to be trusted.
var ErrTooManyRejected = errors.New("more than a fifth of its lines give no sound price")

// ReadList reads a price file by its header. With ErrTooManyRejected it gives the list, too, for what was wrong.
func ReadList(r io.Reader) (List, error) {
	const op = "read prices"
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	header, err := in.Read()
	if err != nil {
		return List{}, fmt.Errorf("%s: the first line must name the columns: %w", op, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	l, at, err := listOf(header)
	if err != nil {
		return List{}, fmt.Errorf("%s: %w", op, err)
	}
	if err := l.take(in, at); err != nil {
		return List{}, fmt.Errorf("%s: %w", op, err)
	}
	l.rejectAbsurd()
	if n := len(l.Rejected); float64(n) > mostRejected*float64(n+len(l.Records)) {
		return l, fmt.Errorf("%s: %d of %d lines: %w", op, n, n+len(l.Records), ErrTooManyRejected)
	}
	return l, nil
}

// listOf tells the kind of a list by its columns, and where each is.
func listOf(header []string) (List, []int, error) {
	l := List{Kind: ListMachines}
	if slices.Contains(header, "item") {
		l.Kind = ListExtras
	}
	var at []int
	for _, c := range columnsOf(l.Kind) {
		i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), c) })
		if i < 0 && c != "note" {
			return l, nil, fmt.Errorf("there is no column %q; a list of %s has %s", c, l.Kind, strings.Join(columnsOf(l.Kind), ","))
		}
		at = append(at, i)
	}
	return l, at, nil
}

func (l *List) take(in *csv.Reader, at []int) error {
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := in.FieldPos(0)
		record := make([]string, len(at))
		for i, c := range at {
			if c >= 0 && c < len(cells) {
				record[i] = strings.TrimSpace(cells[c])
			}
		}
		if l.Kind == ListExtras && partOf(record[2]) == "" {
			l.Unused++
			continue
		}
		if err := l.check(record); err != nil {
			l.Rejected = append(l.Rejected, Rejected{line, err.Error()})
			continue
		}
		l.Records = append(l.Records, record)
	}
}

func (l *List) check(record []string) error {
	if l.Kind == ListExtras {
		_, _, err := extraOf(record)
		return err
	}
	_, err := rowOf(record)
	return err
}

// absurdly is how far from the middle of its kind a price may be, as a factor.
const absurdly = 25

// rejectAbsurd takes out prices far from the middle of those for the same card, mode and currency, where there are
// enough to have a middle.
func (l *List) rejectAbsurd() {
	if l.Kind != ListMachines {
		return
	}
	perCard := map[string][]float64{}
	keyed := make([]string, len(l.Records))
	prices := make([]float64, len(l.Records))
	for i, rec := range l.Records {
		r, err := rowOf(rec)
		if err != nil {
			continue
		}
		m, _ := billing.ParseDecimal(r.High.Amount())
		keyed[i] = r.GPU.Model + " " + string(r.Mode) + " " + string(r.High.Currency())
		prices[i] = m.Float64() / r.GPU.Count.Float64()
		perCard[keyed[i]] = append(perCard[keyed[i]], prices[i])
	}
	kept := l.Records[:0]
	for i, rec := range l.Records {
		like := perCard[keyed[i]]
		middle := median(like)
		if len(like) >= 5 && (prices[i] > absurdly*middle || prices[i]*absurdly < middle) {
			l.Rejected = append(l.Rejected, Rejected{0, fmt.Sprintf("%s %s: %s a card is more than %d times off the middle %.4g", rec[0], rec[2],
				trimFloat(prices[i]), absurdly, middle)})
			continue
		}
		kept = append(kept, rec)
	}
	l.Records = kept
}

func trimFloat(f float64) string { return fmt.Sprintf("%.4g", f) }

func median(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return s[len(s)/2]
}

// Sheet makes prices of the records of a list that was read and stored.
func (l List) Sheet() Sheet {
	var s Sheet
	for _, rec := range l.Records {
		if l.Kind == ListExtras {
			if e, t, err := extraOf(rec); err == nil {
				s.Extras = addTier(s.Extras, e, t)
			}
			continue
		}
		if r, err := rowOf(rec); err == nil {
			s.Rows = append(s.Rows, r)
		}
	}
	return s
}

// rowOf reads the record of a machine.
func rowOf(rec []string) (Row, error) {
	r := Row{Provider: rec[0], Region: rec[1], Type: rec[2], GPU: billing.GPU{Model: rec[3]}, Source: rec[10], From: TrustFile}
	var err error
	if r.Provider == "" || r.GPU.Model == "" {
		return r, errors.New("the cloud or the card is missing")
	}
	if r.GPU.Count, err = billing.ParseDecimal(rec[4]); err != nil || r.GPU.Count.Sign() <= 0 || r.GPU.Count.Cmp(billing.DecimalFromInt(1024)) > 0 {
		return r, fmt.Errorf("%q is no count of cards", rec[4])
	}
	if r.Mode, err = modeOf(rec[5], rec[8]); err != nil {
		return r, err
	}
	if r.Low, err = priceOf(rec[6], rec[7]); err != nil {
		return r, err
	}
	if r.Low.Sign() == 0 {
		return r, errors.New("a machine for nothing is a missing price")
	}
	r.High = r.Low
	r.MonthHours = hoursOfMonth(r.Provider)
	r.ByCard = r.Mode == ModeCardHour
	r.AsOf, err = asOf(rec[9])
	return r, err
}

// modeOf reads how a machine is paid for, and that the unit fits.
func modeOf(mode, unit string) (billing.Mode, error) {
	m := billing.Mode(strings.ToLower(mode))
	switch m {
	case billing.ModeOnDemand, billing.ModeSpot, ModeCardHour:
		if unit != "hour" {
			return m, fmt.Errorf("%q is not paid by the %s", mode, unit)
		}
	case ModeWeekly, billing.ModeMonthly, ModeQuarterly, billing.ModeYearly:
		term := map[billing.Mode]string{ModeWeekly: "week", billing.ModeMonthly: "month", ModeQuarterly: "quarter", billing.ModeYearly: "year"}[m]
		if unit != term {
			return m, fmt.Errorf("%q is paid by the %s, not by the %q", mode, term, unit)
		}
	default:
		return m, fmt.Errorf("%q is no way to pay that I know", mode)
	}
	return m, nil
}

// mostPrice is beyond what anything is rented for.
const mostPrice = 10_000_000

// priceOf reads a price that is not negative. Signs, NaN, blanks and figures beyond belief are refused.
func priceOf(price, currency string) (billing.Money, error) {
	if len(currency) != 3 {
		return billing.Money{}, fmt.Errorf("%q is no currency", currency)
	}
	m, _, err := billing.ParseMoney(price, billing.Currency(strings.ToUpper(currency)))
	switch {
	case err != nil:
		return m, fmt.Errorf("%q is no price", price)
	case m.Sign() < 0:
		return m, fmt.Errorf("%s is less than nothing", price)
	}
	if d, err := m.Cmp(billing.MustMoney(fmt.Sprint(mostPrice), m.Currency())); err != nil || d > 0 {
		return m, fmt.Errorf("%s is beyond belief", price)
	}
	return m, nil
}

// asOf reads a date, a month or a year; blank is undated.
func asOf(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date", s)
}

// hoursOfMonth is what a cloud's month is counted as, where it is not 720 (estimating-methods section 5).
func hoursOfMonth(provider string) int {
	switch provider {
	case "aws", "aws-cn", "runpod", "azure", "gcp":
		return 730
	case "vultr":
		return 672
	}
	return billing.MonthHours
}
