package alibaba

import (
	"context"
	"net/url"
	"strings"
	"time"

	"gpuspend/billing"
)

// Balance reads cash, the open credit line and what coupons and cards are left.
func (a *account) Balance(ctx context.Context) (billing.Balance, error) {
	k := call{op: "alibaba: get balance", of: bss(), action: "QueryAccountBalance"}
	var answer balanceAnswer
	if err := a.api.read(ctx, k, &answer); err != nil {
		return billing.Balance{}, err
	}
	if answer.Data == nil {
		return billing.Balance{}, garbled(k.op, "the answer lacks its data")
	}
	d := answer.Data
	currency, err := billing.ParseCurrency(d.Currency)
	if err != nil {
		return billing.Balance{}, garbled(k.op, "the answer lacks its currency")
	}
	b := billing.Balance{Mode: billing.Prepaid, Settles: time.Hour}
	if a.site == international { // an invoice a month; nothing stops at zero
		b.Mode, b.Settles = billing.Postpaid, 0
	}
	if b.Cash, err = money(d.Cash, currency); err != nil || !b.Cash.Known() {
		return billing.Balance{}, garbled(k.op, "the answer lacks the cash")
	}
	if b.Credit, err = credit(currency, d.Credit, d.MybankCredit); err != nil {
		return billing.Balance{}, garbled(k.op, "a credit line that is no number")
	}
	if b.Vouchers, err = a.vouchers(ctx, currency); err != nil {
		return billing.Balance{}, err
	}
	b.ReadAt = a.now().UTC()
	return b, nil
}

// money reads an amount as Alibaba's balance writes it: "1,828.72", though its documentation has no commas.
func money(s string, c billing.Currency) (billing.Money, error) {
	s = strings.ReplaceAll(strings.TrimSpace(s), ",", "")
	if s == "" {
		return billing.Money{}, nil
	}
	m, _, err := billing.ParseMoney(s, c)
	return m, err
}

// credit adds up the credit lines; none is unknown and not zero.
func credit(c billing.Currency, lines ...string) (billing.Money, error) {
	var open billing.Money
	for _, line := range lines {
		m, err := money(line, c)
		if err != nil {
			return billing.Money{}, err
		}
		switch {
		case m.Sign() <= 0:
		case !open.Known():
			open = m
		default:
			open = sum(open, m)
		}
	}
	return open, nil
}

// vouchers lists the coupons and prepaid cards that can still pay. A key that may not read them leaves them out.
func (a *account) vouchers(ctx context.Context, c billing.Currency) ([]billing.Voucher, error) {
	var out []billing.Voucher
	for _, action := range []string{"QueryCashCoupons", "QueryPrepaidCards"} {
		k := call{op: "alibaba: list coupons", of: bss(), action: action, query: url.Values{"EffectiveOrNot": {"true"}}}
		var answer couponsAnswer
		err := a.api.read(ctx, k, &answer)
		if billing.KindOf(err) == billing.Denied {
			continue
		}
		if err != nil {
			return nil, err
		}
		if answer.Data == nil {
			continue
		}
		for _, v := range append(answer.Data.CashCoupon, answer.Data.PrepaidCard...) {
			left, err := money(v.Balance, c)
			if err != nil {
				return nil, garbled(k.op, "a coupon with a balance that is no number")
			}
			if v.Status != available || left.Known() && left.Sign() <= 0 {
				continue
			}
			out = append(out, billing.Voucher{ID: v.CouponNo + v.CardNo, Remaining: left, ExpiresAt: expiry(v.ExpiryTime)})
		}
	}
	return out, nil
}
