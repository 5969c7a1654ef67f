package bot_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/bot"
)

// claims keeps what was claimed.
type claims struct{ said []string }

func (c *claims) Claim(_ context.Context, id billing.ResourceID, owner, user, team string, _ time.Time) error {
	c.said = append(c.said, fmt.Sprint(id, " ", owner, " ", user, " ", team))
	return nil
}

func (*claims) Owners(context.Context) (ledger.Owners, error) {
	return ledger.Owners{People: map[string]string{viewerID: "ana"}}, nil
}

// The button Mine and the word do the same: the thing is the owner's that the person stands for, and everybody sees it.
func TestMine(t *testing.T) {
	in := install(t)
	c := &claims{}
	in.Desk.Claimer = c
	_, shown := in.says(t, viewer(), "mine r-aaaa")
	contains(t, shown, "ds-imagenet-old", "belongs to ana now")
	out, err := in.Desk.Press(t.Context(), bot.Press{Action: bot.ActionMine, Value: "r-aaaa", Person: viewer()})
	if err != nil || out.Public.Push == "" {
		t.Errorf("%v, %v", out, err)
	}
	if got := fmt.Sprint(c.said); got != "[2 ana U0VIEW T0OURS 2 ana U0VIEW T0OURS]" {
		t.Error(got)
	}
	_, shown = in.says(t, viewer(), "unowned")
	contains(t, shown, "4 things without an owner cost at least", "ds-imagenet-old")
}
