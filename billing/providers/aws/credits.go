package aws

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"gpuspend/billing"
)

// credit is what GetCredits says of one; what is not needed is left out.
type credit struct {
	ID        string      `json:"creditId"`
	Remaining *amount     `json:"remainingAmount"`
	Estimated *amount     `json:"estimatedAmount"` // with the bills that are still open
	Products  []string    `json:"applicableProductNames"`
	Ends      json.Number `json:"endDate"` // seconds since 1970, with a fraction at times; absent for never
	Status    string      `json:"creditStatus"`
}

type amount struct {
	Currency string      `json:"currencyCode"`
	Amount   json.Number `json:"currencyAmount"` // a string with a decimal in it
}

// Balance lists the credits that can pay for EC2, with their ends. AWS is paid by invoice: there is no money ahead, so
// that cash stays unknown and a low one stops nothing. The account's own budgets say what the month has cost so far.
func (a *account) Balance(ctx context.Context) (billing.Balance, error) {
	const op = "aws: read credits"
	id, err := a.Identify(ctx)
	if err != nil {
		return billing.Balance{}, err
	}
	now := a.now().UTC()
	var out struct {
		Credits *[]credit `json:"credits"`
	}
	in := map[string]any{"accountId": id, "startDate": now.AddDate(-1, 0, 1).Truncate(aDay).Unix()} // a year back at most
	err = a.askJSON(ctx, op, asked{service: billingService, action: "GetCredits", signing: "billing", region: home,
		host: "billing.us-east-1.api.aws", path: "/", headers: map[string]string{
			"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "AWSBilling.GetCredits"}}, in, &out)
	switch {
	case err != nil:
		return billing.Balance{}, err
	case out.Credits == nil:
		return billing.Balance{}, garbled(op, "the answer lacks its credits")
	}
	b := billing.Balance{ReadAt: now, Mode: billing.Postpaid}
	for _, c := range *out.Credits {
		if c.Status != "ENABLED" || !paysForEC2(c.Products) {
			continue
		}
		v, err := c.voucher(op)
		if err != nil {
			return billing.Balance{}, err
		}
		b.Vouchers = append(b.Vouchers, v)
	}
	b.Budgets, err = a.budgets(ctx, id)
	return b, err
}

// voucher puts a credit into our words. What open bills will take off is taken off where AWS says it.
func (c credit) voucher(op string) (v billing.Voucher, err error) {
	left := c.Remaining
	if c.Estimated != nil {
		left = c.Estimated
	}
	if left == nil || c.ID == "" {
		return v, garbled(op, "a credit lacks its amount or its id")
	}
	v.ID = c.ID
	currency, err := billing.ParseCurrency(left.Currency)
	if err != nil {
		return v, garbled(op, "a credit's currency is none")
	}
	if v.Remaining, _, err = billing.ParseMoney(left.Amount.String(), currency); err != nil || !v.Remaining.Known() {
		return v, garbled(op, "a credit's amount is none")
	}
	if c.Ends == "" {
		return v, nil
	}
	seconds, err := c.Ends.Float64()
	if err != nil || seconds <= 0 {
		return v, garbled(op, "a credit's end is no time")
	}
	v.ExpiresAt = time.Unix(int64(seconds), 0).UTC()
	return v, nil
}

// paysForEC2 says whether a credit is good for machines: one for other products only keeps none of them running. One
// that names no products is good for all.
func paysForEC2(products []string) bool {
	for _, p := range products {
		if p = strings.ToLower(p); strings.Contains(p, "elastic compute cloud") || strings.Contains(p, "ec2") {
			return true
		}
	}
	return len(products) == 0
}
