package huawei

import (
	"context"
	"strconv"
	"time"

	"gpuspend/billing"
)

// Balance reads cash less what is owed, the open credit line apart, and the coupons that can still pay. Huawei settles
// use every hour.
func (a *account) Balance(ctx context.Context) (billing.Balance, error) {
	const op = "huawei: get balance"
	var answer balancesAnswer
	if err := a.api.read(ctx, call{op: op, service: bss, path: "/v2/accounts/customer-accounts/balances"}, &answer); err != nil {
		return billing.Balance{}, err
	}
	if answer.Accounts == nil {
		return billing.Balance{}, garbled(op, "the answer lacks its accounts")
	}
	b := billing.Balance{Mode: billing.Prepaid, Settles: time.Hour}
	for _, one := range *answer.Accounts {
		currency := one.Currency
		if currency == "" {
			currency = answer.Currency
		}
		m, err := a.money(one.Amount, one.Measure, currency)
		if err != nil {
			return billing.Balance{}, garbled(op, "an amount that cannot be read")
		}
		switch one.Type {
		case accountCash:
			b.Cash, err = plus(b.Cash, m)
		case accountCredit:
			b.Credit, err = plus(b.Credit, m)
		}
		if err != nil {
			return billing.Balance{}, garbled(op, "accounts that do not add up")
		}
	}
	debt, err := a.money(answer.Debt, answer.Measure, answer.Currency)
	if err != nil || !b.Cash.Known() {
		return billing.Balance{}, garbled(op, "the answer lacks the cash")
	}
	if debt.Known() {
		if b.Cash, err = b.Cash.Sub(debt); err != nil {
			return billing.Balance{}, garbled(op, "cash and debt do not add up")
		}
	}
	if b.Vouchers, err = a.vouchers(ctx); err != nil {
		return billing.Balance{}, err
	}
	b.ReadAt = a.now().UTC()
	return b, nil
}

// plus adds amounts of which the first may not be there yet.
func plus(sum, m billing.Money) (billing.Money, error) {
	switch {
	case !sum.Known():
		return m, nil
	case !m.Known():
		return sum, nil
	}
	return sum.Add(m)
}

// vouchers lists the coupons that can still pay; discounts are no money. A key that may not read them leaves them out.
func (a *account) vouchers(ctx context.Context) ([]billing.Voucher, error) {
	const op = "huawei: list coupons"
	all, err := walk(op, true, func(c coupon) string { return c.ID }, func(at place) (*[]coupon, int, error) {
		var page couponsAnswer
		q := params("status", "2", "offset", strconv.Itoa(at.items), "limit", "100")
		err := a.api.read(ctx, call{op: op, service: bss, path: "/v2/promotions/benefits/coupons", query: q}, &page)
		list, n := counted(page.Coupons, page.Count)
		return list, n, err
	})
	if billing.KindOf(err) == billing.Denied {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []billing.Voucher
	for _, c := range all {
		if c.Type == "2" || c.Frozen == "1" || c.Status != "2" && c.Status != "" {
			continue
		}
		m, err := a.money(c.Balance, c.Measure, c.Currency)
		if err != nil {
			return nil, garbled(op, "an amount that cannot be read")
		}
		out = append(out, billing.Voucher{ID: c.ID, Remaining: m, ExpiresAt: instant(c.Expires)})
	}
	return out, nil
}
