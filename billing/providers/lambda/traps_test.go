package lambda

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// asked is a network that notes the hosts that were asked.
type asked struct {
	next  http.RoundTripper
	hosts map[string]bool
}

// RoundTrip implements http.RoundTripper.
func (a asked) RoundTrip(r *http.Request) (*http.Response, error) {
	a.hosts[r.URL.Host] = true
	return a.next.RoundTrip(r)
}

// TestDeprecatedHostIsNotAsked: cloud.lambdalabs.com is an alias on its way out.
func TestDeprecatedHostIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := map[string]bool{}
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}},
			billing.Env{Transport: asked{fixture.Over(newFake()), hosts}, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		scopes, _ := p.Scopes(t.Context())
		for _, s := range scopes {
			_, _ = all(p.Resources(t.Context(), s))
		}
		if len(hosts) != 1 || !hosts["cloud.lambda.ai"] {
			t.Errorf("asked %v", hosts)
		}
	})
}

// TestShutDownFromWithinGoesOnCosting: there is no state for it; whoever shuts a machine down must read that it costs on,
// and no stop may be offered as if it saved something.
func TestShutDownFromWithinGoesOnCosting(t *testing.T) {
	if claim := Driver().Claims[billing.CanStop]; claim.Can != billing.No || !strings.Contains(claim.Note, "goes on costing") {
		t.Errorf("the claim says %+v", claim)
	}
	if _, can := billing.Provider(&account{}).(billing.Stopper); can {
		t.Error("a stop is offered")
	}
}

// TestLaunchTimeIsNotInvented: the API names none, and an age that begins with our first look is no creation time.
func TestLaunchTimeIsNotInvented(t *testing.T) {
	r := instance{ID: "i", Status: statusActive}.resource()
	if !r.CreatedAt.IsZero() || !r.StartedAt.IsZero() {
		t.Errorf("created %v, started %v", r.CreatedAt, r.StartedAt)
	}
}
