package ledger

import (
	"math/big"
	"time"

	"gpuspend/billing"
)

// Refill is the least top-up that carries an account to an instant.
type Refill struct {
	Short  billing.Money // what is missing until then, rounded up to the minor unit; 0 where nothing is
	Amount billing.Money // what to pay: the cloud's smallest top-up where that is more; 0 where nothing is short
	Until  time.Time     // when the money is gone after paying Amount; zero for never at this burn
}

// TopUp reckons the least top-up that makes the balance last until an instant, at the burn of its outlook. Everything in
// it is unknown where the burn or the cash is, and for a postpaid account.
func TopUp(b billing.Balance, o Outlook, now, until time.Time) Refill {
	if !o.Burn.Known() || !b.Cash.Known() || b.Mode == billing.Postpaid {
		return Refill{}
	}
	c, burn := b.Cash.Currency(), amount(o.Burn)
	owed := amount(o.Unsettled)
	span := hours(max(0, until.Sub(now)))
	paid, rest := spend(grants(b, c, now), owed, burn, now, span)
	short := new(big.Rat).Mul(burn, span)
	short.Sub(short.Add(short, rest), paid)
	short.Sub(short, amount(b.Cash))
	r := Refill{Short: billing.ZeroMoney(c), Amount: billing.ZeroMoney(c), Until: o.EmptyAt}
	if short.Sign() <= 0 {
		return r
	}
	r.Short = atLeast(short, c)
	r.Amount = r.Short
	if n, err := b.Minimum.Cmp(r.Short); err == nil && n > 0 {
		r.Amount = b.Minimum
	}
	cash, err := b.Cash.Add(r.Amount)
	if err != nil {
		return Refill{}
	}
	b.Cash = cash
	r.Until, _ = end(b, c, owed, burn, o.Unpriced, now)
	return r
}
