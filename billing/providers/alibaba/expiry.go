package alibaba

import (
	"context"
	"iter"
	"time"

	"gpuspend/billing"
)

// renewals says which subscriptions renew themselves; one global list is cheaper than a question per machine.
type renewals struct {
	at  time.Time
	how map[string]billing.Tri
}

func subscriptionsCall() call {
	return call{op: "alibaba: list subscriptions", of: bss(), action: "QueryAvailableInstances",
		query: params("SubscriptionType", "Subscription", "PageSize", "100")}
}

func (c *client) subscriptions(ctx context.Context) iter.Seq2[subscription, error] {
	return count(ctx, c, subscriptionsCall(), "PageNum", func(p *subscriptionsAnswer) (*[]subscription, int) {
		if p.Data == nil {
			return nil, 0
		}
		return p.Data.Instances, p.Data.TotalCount
	})
}

// renews says whether a machine's subscription renews itself; unsure where the key may not read that.
func (a *account) renews(ctx context.Context, id string) (billing.Tri, error) {
	a.mu.Lock()
	r := a.renewals
	a.mu.Unlock()
	if r.how == nil || a.now().Sub(r.at) >= time.Hour {
		list, err := all(a.api.subscriptions(ctx))
		if err != nil && billing.KindOf(err) != billing.Denied {
			return billing.Unsure, err
		}
		r = renewals{at: a.now(), how: map[string]billing.Tri{}}
		for _, s := range list {
			r.how[s.ID] = s.renews()
		}
		a.mu.Lock()
		a.renewals = r
		a.mu.Unlock()
	}
	return r.how[id], nil
}

func (s subscription) renews() billing.Tri {
	switch s.RenewStatus {
	case "AutoRenewal":
		return billing.Yes
	case "ManualRenewal", "NotRenewal":
		return billing.No
	}
	return billing.Unsure
}

// Commitments lists the subscriptions that are no machine and no disk of the inventory: savings plans, reserved
// instances, resource plans, and whatever else is paid ahead.
func (a *account) Commitments(ctx context.Context) iter.Seq2[billing.Commitment, error] {
	return func(yield func(billing.Commitment, error) bool) {
		for s, err := range a.api.subscriptions(ctx) {
			if err != nil {
				yield(billing.Commitment{}, err)
				return
			}
			switch s.ProductCode {
			case "ecs", "yundisk", "eip":
				continue
			}
			if s.Status == "Expired" {
				continue
			}
			c := billing.Commitment{ID: s.ID, Name: s.ProductCode, ExpiresAt: expiry(s.EndTime), RenewsItself: s.renews()}
			if !yield(c, nil) {
				return
			}
		}
	}
}
