package contract

import (
	"context"
	"net/url"
	"time"

	"gpuspend/billing"
)

// claims: one claim a capability, with its source and date, and the same as what is implemented, both ways.
func claims(b *bench) {
	p := b.open(true)
	known := map[billing.Capability]bool{}
	for _, c := range billing.Capabilities() {
		known[c] = true
		claim, ok := b.driver.Claims[c]
		switch {
		case !ok:
			b.t.Errorf("%s: no claim", c)
		case claim.Can == billing.Unsure:
			b.t.Errorf("%s: nobody has tried", c)
		case (claim.Can == billing.Yes) != billing.Has(p, c):
			b.t.Errorf("%s: the claim says %d, the provider has it: %v", c, claim.Can, billing.Has(p, c))
		case claim.Can == billing.No && claim.Note == "":
			b.t.Errorf("%s: the claim does not say why not", c)
		}
		if u, err := url.Parse(claim.Source); !b.s.Simulated && (err != nil || u.Scheme != "https" || u.Host == "") {
			b.t.Errorf("%s: the source %q is no page", c, claim.Source)
		}
		if _, err := time.Parse(time.DateOnly, claim.Checked); err != nil {
			b.t.Errorf("%s: checked on %q, want a date", c, claim.Checked)
		}
	}
	for c := range b.driver.Claims {
		if !known[c] {
			b.t.Errorf("%s: a claim about no capability", c)
		}
	}
}

// describes: name, currency, month, fields, pages and permissions.
func describes(b *bench) {
	d := b.driver
	if d.Name == "" || d.Title == "" {
		b.t.Errorf("name %q, title %q: both are needed", d.Name, d.Title)
	}
	if _, err := billing.ParseCurrency(string(d.Currency)); err != nil {
		b.t.Error(err)
	}
	if d.MonthHours < 672 || d.MonthHours > 744 {
		b.t.Errorf("a month of %d hours", d.MonthHours)
	}
	for _, f := range d.Fields {
		if f.Name == "" || f.Label == "" || f.Help == "" {
			b.t.Errorf("field %+v lacks its name, label or help", f)
		}
		if f.Secret && b.s.Fields[f.Name] == "" {
			b.t.Errorf("the subject gives no %s to search for", f.Name)
		}
	}
	for what, page := range map[string]string{"top-up": d.Console.TopUp, "billing": d.Console.Billing} {
		if u, err := url.Parse(page); err != nil || u.Scheme != "https" {
			b.t.Errorf("the %s page is %q", what, page)
		}
	}
	if d.ReadKeys == billing.Unsure {
		b.t.Error("nobody says whether there are keys that only read")
	}
	for _, p := range d.Permissions {
		if p.Name == "" || d.Claims[p.For].Can != billing.Yes {
			b.t.Errorf("permission %+v serves nothing that the cloud can do", p)
		}
		if writes := p.For == billing.CanStop || p.For == billing.CanRelease || p.For == billing.CanSnapshot || p.For == billing.CanTag; p.Write != writes {
			b.t.Errorf("permission %+v: does it write?", p)
		}
	}
}

// opening: without a required credential it fails with Invalid, and it never calls the cloud.
func opening(b *bench) {
	b.cloud.Break(Hang)
	b.open(false)
	for _, f := range b.driver.Fields {
		if !f.Required {
			continue
		}
		c := billing.Config{Account: "test", Fields: map[string]billing.Secret{}}
		for name, value := range b.s.Fields {
			if name != f.Name {
				c.Fields[name] = billing.NewSecret(value)
			}
		}
		if _, err := b.driver.Open(c, b.env()); billing.KindOf(err) != billing.Invalid {
			b.t.Errorf("open without %s gives %v, want an Invalid error", f.Name, err)
		}
	}
}

// scopes: at least one, each once, each with a kind.
func scopes(b *bench) {
	p := b.open(false)
	all, err := p.Scopes(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	seen := map[billing.Scope]bool{}
	for _, s := range all {
		if s.Kind == "" || seen[s] {
			b.t.Errorf("scope %+v: a kind is needed, and each scope once", s)
		}
		seen[s] = true
	}
	if len(all) == 0 {
		b.t.Error("no scopes")
	}
	for _, err := range p.Resources(context.Background(), billing.Scope{Kind: "no such kind"}) {
		if err == nil {
			b.t.Error("an unknown scope holds something")
		}
	}
}
