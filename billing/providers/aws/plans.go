package aws

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gpuspend/billing"
)

// plan is what DescribeSavingsPlans says of one. Its times are texts, and its commitment is an amount an hour.
type plan struct {
	ID         string `json:"savingsPlanId"`
	End        string `json:"end"`
	State      string `json:"state"`
	Type       string `json:"savingsPlanType"`
	Family     string `json:"ec2InstanceFamily"`
	Region     string `json:"region"`
	Currency   string `json:"currency"`
	Commitment string `json:"commitment"`
}

// plans lists savings plans that run or are to run. They end without renewing themselves; a queued follower is one of
// its own.
func (a *account) plans(ctx context.Context) ([]billing.Commitment, error) {
	const op = "aws: list savings plans"
	all, err := walk(ctx, op, func(token *string) ([]plan, *string, error) {
		in := map[string]any{"states": []string{"active", "queued", "payment-pending"}, "maxResults": 100}
		if token != nil {
			in["nextToken"] = *token
		}
		var out struct {
			Plans *[]plan `json:"savingsPlans"`
			Next  string  `json:"nextToken"`
		}
		err := a.askJSON(ctx, op, asked{service: plansService, action: "DescribeSavingsPlans", signing: "savingsplans", region: home,
			host: "savingsplans.amazonaws.com", path: "/DescribeSavingsPlans", headers: map[string]string{"Content-Type": "application/json"}}, in, &out)
		switch {
		case err != nil:
			return nil, nil, err
		case out.Plans == nil:
			return nil, nil, garbled(op, "the answer lacks its list")
		}
		return *out.Plans, aws.String(out.Next), nil
	})
	if err != nil {
		return nil, err
	}
	var list []billing.Commitment
	for _, p := range all {
		if p.State != "active" && p.State != "queued" && p.State != "payment-pending" {
			continue
		}
		ends, err := time.Parse(time.RFC3339, p.End)
		if err != nil || p.ID == "" {
			return nil, garbled(op, "a savings plan lacks its end or its id")
		}
		list = append(list, billing.Commitment{ID: p.ID, Name: p.name(), ExpiresAt: ends.UTC(), RenewsItself: billing.No})
	}
	return list, nil
}

func (p plan) name() string {
	name := fmt.Sprintf("%s savings plan, %s %s/h", p.Type, p.Commitment, p.Currency)
	if p.Family != "" {
		name += ", " + p.Family + " in " + p.Region
	}
	return name
}
