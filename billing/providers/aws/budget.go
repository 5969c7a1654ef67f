package aws

import (
	"context"
	"errors"
	"sync"
	"time"

	"gpuspend/billing"
)

// pagePrice is what AWS charges for one request to Cost Explorer; every page, and every attempt, is one.
const pagePrice = "0.01"

// budget bounds what Cost Explorer costs in a UTC day. It lives as long as the account is open.
type budget struct {
	now  func() time.Time
	most billing.Money

	mu    sync.Mutex
	day   time.Time
	spent billing.Money
}

// spend counts one request, or refuses it.
func (b *budget) spend(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now().UTC()
	if day := now.Truncate(24 * time.Hour); !day.Equal(b.day) {
		b.day, b.spent = day, billing.ZeroMoney(usd)
	}
	after, err := b.spent.Add(billing.MustMoney(pagePrice, usd))
	if err != nil {
		return &billing.Error{Kind: billing.Invalid, Op: "budget", Err: err}
	}
	if over, err := after.Cmp(b.most); err != nil || over > 0 {
		return &billing.Error{Kind: billing.Limited, Op: "budget", RetryAfter: b.day.Add(24 * time.Hour).Sub(now),
			Say: billing.Say("error.aws.budget", "budget", b.most), Err: errors.New("the day's budget for paid requests is used up")}
	}
	b.spent = after
	return nil
}
