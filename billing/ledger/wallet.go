package ledger

import (
	"context"
	"slices"
	"time"

	"gpuspend/billing"
)

// StepKind says how a wallet changed but by use.
type StepKind string

// The kinds of steps.
const (
	StepTopUp   StepKind = "topup"   // money came in
	StepGrant   StepKind = "grant"   // a voucher came in
	StepExpired StepKind = "expired" // a voucher ran out unused: no use, and no burn
	StepFell    StepKind = "fell"    // the lifetime counter went back, which it never may
)

// How the amount of a step is known.
const (
	FromCounter = "counter" // exact: the lifetime counter says what was used meanwhile
	FromBalance = "balance" // the rise between two readings: at least so much
)

// Step is one change of a wallet, seen between two readings.
type Step struct {
	Account billing.AccountID
	At      time.Time // of the reading that shows it
	Kind    StepKind
	Amount  billing.Money
	Source  string
}

// Steps compares two readings of a wallet, one after the other.
func Steps(before, after billing.Balance) []Step {
	var out []Step
	drawn := billing.ZeroMoney(after.Cash.Currency()) // from vouchers
	add := func(k StepKind, m billing.Money, source string) {
		if m.Known() && m.Sign() > 0 {
			out = append(out, Step{At: after.ReadAt, Kind: k, Amount: m, Source: source})
		}
	}
	for _, v := range after.Vouchers {
		if voucherOf(before, v.ID) < 0 {
			add(StepGrant, v.Remaining, FromBalance)
		}
	}
	for _, v := range before.Vouchers {
		i := voucherOf(after, v.ID)
		left := billing.ZeroMoney(v.Remaining.Currency())
		if i >= 0 {
			left = after.Vouchers[i].Remaining
		}
		gone, err := v.Remaining.Sub(left)
		if err != nil || gone.Sign() <= 0 {
			continue
		}
		if !v.ExpiresAt.IsZero() && !v.ExpiresAt.After(after.ReadAt) {
			add(StepExpired, gone, FromBalance)
			continue
		}
		if sum, err := drawn.Add(gone); err == nil {
			drawn = sum
		}
	}
	rise, err := after.Cash.Sub(before.Cash)
	if err != nil {
		return out
	}
	used, err := after.Spent.Sub(before.Spent)
	counted := err == nil
	if counted && used.Sign() < 0 {
		fell, _ := used.Neg()
		add(StepFell, fell, FromCounter)
		counted = false
	}
	if rise.Sign() <= 0 {
		return out
	}
	if counted {
		if paid, err := used.Sub(drawn); err == nil && paid.Sign() >= 0 {
			if sum, err := rise.Add(paid); err == nil {
				add(StepTopUp, sum, FromCounter)
				return out
			}
		}
	}
	add(StepTopUp, rise, FromBalance)
	return out
}

func voucherOf(b billing.Balance, id string) int {
	return slices.IndexFunc(b.Vouchers, func(v billing.Voucher) bool { return v.ID == id })
}

// Wallet is what was seen of a prepaid account over some time. Opening and Closing are the last readings at its ends;
// where nothing was read before it, Opening is the first reading in it.
type Wallet struct {
	Opening, Closing billing.Balance
	Steps            []Step
}

// Wallets is what a book knows of prepaid accounts.
type Wallets interface {
	Wallet(ctx context.Context, account billing.AccountID, p billing.Period) (Wallet, error)
	// TopUps lists money that came into any wallet, and Prepaid the accounts that have one.
	TopUps(ctx context.Context, p billing.Period) ([]Step, error)
	Prepaid(ctx context.Context) ([]billing.Account, error)
}

// Statement is an account's month: Opening + TopUps + Granted - Expired - Used + Returned = Closing - Difference. What
// is not known is unknown in it; then Difference is, too.
type Statement struct {
	Account          billing.Account
	From, To         time.Time // the readings at the ends
	Opening, Closing billing.Money
	TopUps           []Step
	Added            billing.Money // the sum of top-ups
	Granted, Expired billing.Money
	Used, Returned   billing.Money // gross with taxes; credits, refunds and corrections
	Accrued          bool          // a part of Used is our own estimate
	Open             int           // resources at an unknown rate: Used is at least this
	Difference       billing.Money
	AtLeast          bool // a top-up is known by its rise alone
}

// StatementOf makes an account's statement for a span; ok is false where its wallet was never read in it.
func StatementOf(ctx context.Context, book Book, wallets Wallets, a billing.Account, q Question) (s Statement, ok bool, err error) {
	end := earlier(q.To, q.Now)
	w, err := wallets.Wallet(ctx, a.ID, billing.Period{Start: q.From, End: end})
	if err != nil || w.Opening.ReadAt.IsZero() || !w.Closing.ReadAt.After(w.Opening.ReadAt) {
		return s, false, err
	}
	s = Statement{Account: a, From: w.Opening.ReadAt, To: w.Closing.ReadAt, Opening: money(w.Opening), Closing: money(w.Closing)}
	c := s.Opening.Currency()
	zero := billing.ZeroMoney(c)
	s.Added, s.Granted, s.Expired = zero, zero, zero
	for _, step := range w.Steps {
		if err = s.step(step); err != nil {
			return s, false, err
		}
	}
	q.By, q.View, q.Where = nil, Billed, []Filter{{By: ByAccount, Values: []string{a.Name}, Exact: true}}
	r, err := Answer(ctx, book, q)
	if err != nil {
		return s, false, err
	}
	s.Used, s.Returned = zero, zero
	for _, t := range r.Totals {
		if t.Currency == c {
			err = s.use(t)
		}
	}
	if err != nil {
		return s, false, err
	}
	s.Difference, err = s.difference()
	return s, err == nil, err
}

func (s *Statement) step(step Step) (err error) {
	switch step.Kind {
	case StepTopUp:
		s.TopUps = append(s.TopUps, step)
		s.AtLeast = s.AtLeast || step.Source != FromCounter
		s.Added, err = s.Added.Add(step.Amount)
	case StepGrant:
		s.Granted, err = s.Granted.Add(step.Amount)
	case StepExpired:
		s.Expired, err = s.Expired.Add(step.Amount)
	}
	return err
}

func (s *Statement) use(t Row) (err error) {
	s.Accrued, s.Open = t.Accrued.Known() && t.Accrued.Sign() != 0, t.Unpriced
	for _, m := range []billing.Money{t.Sorts[Usage], t.Sorts[Tax], t.Accrued} {
		if s.Used, err = plus(s.Used, m); err != nil {
			return err
		}
	}
	for _, m := range []billing.Money{t.Sorts[Credit], t.Sorts[Refund], t.Sorts[Correction]} {
		if m.Known() {
			if s.Returned, err = s.Returned.Sub(m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Statement) difference() (billing.Money, error) {
	sum, err := s.Closing.Sub(s.Opening)
	for _, m := range []billing.Money{s.Added, s.Granted, s.Returned} {
		if err == nil {
			sum, err = sum.Sub(m)
		}
	}
	for _, m := range []billing.Money{s.Expired, s.Used} {
		if err == nil {
			sum, err = sum.Add(m)
		}
	}
	return sum, err
}
