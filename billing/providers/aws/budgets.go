package aws

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gpuspend/billing"
)

// spend is an amount as Budgets writes it.
type spend struct {
	Amount json.Number // a string with a decimal in it
	Unit   string
}

// budget is what DescribeBudgets says of one; what is not needed is left out.
type budget struct {
	Name     string `json:"BudgetName"`
	Type     string `json:"BudgetType"`
	TimeUnit string
	Limit    *spend `json:"BudgetLimit"` // absent where it is planned period by period
	Spent    struct {
		Actual   *spend `json:"ActualSpend"`
		Forecast *spend `json:"ForecastedSpend"`
	} `json:"CalculatedSpend"`
}

// budgets lists the account's own budgets of costs by the month, which AWS brings up to date several times a day and
// charges nothing for: without Cost Explorer or an export they are the only word on the month. A key that may not read
// them has none to show.
func (a *account) budgets(ctx context.Context, id string) ([]billing.CloudBudget, error) {
	const op = "aws: read budgets"
	all, err := walk(ctx, op, func(token *string) ([]budget, *string, error) {
		in := map[string]any{"AccountId": id, "MaxResults": 100}
		if token != nil {
			in["NextToken"] = *token
		}
		var out struct {
			Budgets []budget
			Next    string `json:"NextToken"`
		}
		err := a.askJSON(ctx, op, asked{service: budgetService, action: "DescribeBudgets", signing: "budgets", region: home,
			host: "budgets.amazonaws.com", path: "/", headers: map[string]string{
				"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "AWSBudgetServiceGateway.DescribeBudgets"}}, in, &out)
		return out.Budgets, aws.String(out.Next), err
	})
	if billing.KindOf(err) == billing.Denied {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []billing.CloudBudget
	for _, b := range all {
		if b.Type != "COST" || b.TimeUnit != "MONTHLY" || b.Spent.Actual == nil {
			continue
		}
		var known billing.CloudBudget
		known.Name = b.Name
		if known.Spent, err = b.Spent.Actual.money(op); err != nil {
			return nil, err
		}
		if known.Limit, err = b.Limit.money(op); err != nil {
			return nil, err
		}
		if known.Forecast, err = b.Spent.Forecast.money(op); err != nil {
			return nil, err
		}
		list = append(list, known)
	}
	return list, nil
}

// money is the amount; unknown where there is none.
func (s *spend) money(op string) (billing.Money, error) {
	if s == nil {
		return billing.Money{}, nil
	}
	c, err := billing.ParseCurrency(s.Unit)
	if err != nil {
		return billing.Money{}, garbled(op, "a budget's currency is none")
	}
	m, _, err := billing.ParseMoney(s.Amount.String(), c)
	if err != nil || !m.Known() {
		return billing.Money{}, garbled(op, "a budget's amount is none")
	}
	return m, nil
}
