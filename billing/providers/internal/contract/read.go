package contract

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

// pages: all that the fake holds comes out, from every page and scope.
func pages(b *bench) {
	got := map[billing.Kind]int{}
	for _, r := range b.list(b.open(false)) {
		got[r.Ref.Kind]++
	}
	if diff := cmp.Diff(b.s.Counts, got); diff != "" {
		b.t.Errorf("things of each kind (-want +got):\n%s", diff)
	}
}

// resources: refs are whole and unique, and lie in the scope in which they were listed.
func resources(b *bench) {
	p := b.open(false)
	all, err := p.Scopes(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	seen := map[billing.ResourceRef]bool{}
	for _, s := range all {
		for r, err := range p.Resources(context.Background(), s) {
			if err != nil {
				b.t.Fatal(err)
			}
			switch {
			case r.Ref.ID == "", r.Ref.Account != 0:
				b.t.Errorf("%+v: an id is needed, and the account is watch's to fill in", r.Ref)
			case seen[r.Ref]:
				b.t.Errorf("%+v is listed twice", r.Ref)
			case r.Ref.Kind != s.Kind, s.Region != "" && r.Ref.Region != s.Region:
				b.t.Errorf("%+v lies outside its scope %+v", r.Ref, s)
			case r.State == "":
				b.t.Errorf("%+v has no state", r.Ref)
			}
			seen[r.Ref] = true
			for _, rate := range []billing.Rate{r.Rate, r.StoppedRate} {
				if m := rate.Hourly; m.Known() && (m.Currency() != b.driver.Currency || m.Sign() < 0) {
					b.t.Errorf("%+v has the rate %v", r.Ref, m)
				}
				if rate.Hourly.Known() != (rate.Source != billing.RateUnknown) {
					b.t.Errorf("%+v: rate %v from %q: known and sourced go together", r.Ref, rate.Hourly, rate.Source)
				}
			}
		}
	}
}

// times: UTC, and what has happened has happened.
func times(b *bench) {
	for _, r := range b.list(b.open(false)) {
		for what, at := range map[string]time.Time{"created": r.CreatedAt, "started": r.StartedAt, "expires": r.ExpiresAt} {
			if at.IsZero() {
				continue
			}
			if at.Location() != time.UTC {
				b.t.Errorf("%+v: %s at %v, want UTC", r.Ref, what, at)
			}
			if what != "expires" && at.After(b.now()) {
				b.t.Errorf("%+v: %s at %v, after now", r.Ref, what, at)
			}
		}
	}
}

// prices: what costs has a price above zero or none, and the rates are exact.
func prices(b *bench) {
	got := map[string]string{}
	for _, r := range b.list(b.open(false)) {
		if r.Billed == billing.Yes && r.Rate.Hourly.Known() && r.Rate.Hourly.Sign() == 0 {
			b.t.Errorf("%+v is billed at zero: a missing price must be unknown", r.Ref)
		}
		if _, ok := b.s.Rates[r.Ref.ID]; ok {
			got[r.Ref.ID] = text(r.Rate.Hourly)
		}
	}
	if diff := cmp.Diff(b.s.Rates, got); diff != "" {
		b.t.Errorf("rates (-want +got):\n%s", diff)
	}
}

// text writes an amount with all its digits, "" for an unknown one.
func text(m billing.Money) string {
	if !m.Known() {
		return ""
	}
	return m.Amount()
}

// identity: the vendor's id of the account, the same each time.
func identity(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanIdentify) {
		return
	}
	for range 2 {
		id, err := p.(billing.Identifier).Identify(context.Background())
		if err != nil || id != b.s.VendorID || id == "" {
			b.t.Errorf("Identify gives %q, %v, want %q", id, err, b.s.VendorID)
		}
	}
}

func balance(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanBalance) {
		return
	}
	got, err := p.(billing.Balancer).Balance(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	if text(got.Cash) != b.s.Cash || got.Cash.Currency() != b.driver.Currency && b.s.Cash != "" {
		b.t.Errorf("cash is %v, want exactly %s %s", got.Cash, b.s.Cash, b.driver.Currency)
	}
	if got.ReadAt.Location() != time.UTC || got.ReadAt.After(b.now()) || got.ReadAt.Before(b.s.Now) {
		b.t.Errorf("read at %v, want now in UTC", got.ReadAt)
	}
	if got.Mode != billing.Prepaid && got.Mode != billing.Postpaid {
		b.t.Errorf("the mode is %q", got.Mode)
	}
}

// found: Find gives what the listing gave, and Missing for what does not exist.
func found(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanFind) {
		return
	}
	finder := p.(billing.Finder)
	all := b.list(p)
	exact := cmp.Comparer(func(x, y billing.Money) bool { return x == y })
	decimals := cmp.Comparer(func(x, y billing.Decimal) bool { return x.Equal(y) })
	for _, want := range all {
		got, err := finder.Find(context.Background(), want.Ref)
		if err != nil {
			b.t.Errorf("find %+v: %v", want.Ref, err)
			continue
		}
		if diff := cmp.Diff(want, got, exact, decimals); diff != "" {
			b.t.Errorf("%+v, listed against found:\n%s", want.Ref, diff)
		}
	}
	for kind := range b.s.Counts {
		if _, err := finder.Find(context.Background(), unknownRef(all, kind)); billing.KindOf(err) != billing.Missing {
			b.t.Errorf("find a %s that does not exist: %v, want Missing", kind, err)
		}
	}
}

// unknownRef is a reference like the others of its kind to a thing that does not exist.
func unknownRef(all []billing.Resource, kind billing.Kind) billing.ResourceRef {
	ref := billing.ResourceRef{Kind: kind}
	for _, r := range all {
		if r.Ref.Kind == kind {
			ref = r.Ref
		}
	}
	ref.ID = "nosuch00thing"
	return ref
}

// utilisation: between 0 and 100, of things that are listed.
func utilisation(b *bench) {
	p := b.open(false)
	if !b.has(p, billing.CanUtilisation) {
		return
	}
	all, n := b.list(p), 0
	for s, err := range p.(billing.Meter).Utilisation(context.Background(), billing.Period{Start: b.s.Now.Add(-time.Hour), End: b.now()}) {
		if err != nil {
			b.t.Fatal(err)
		}
		n++
		if _, ok := find(all, s.Ref); !ok || len(s.GPU) == 0 || s.At.Location() != time.UTC {
			b.t.Errorf("sample %+v: of a listed thing, with cards, in UTC", s)
		}
		for _, v := range append(s.GPU, s.CPU) {
			if v < 0 || v > 100 {
				b.t.Errorf("sample %+v is no percentage", s)
			}
		}
	}
	if n == 0 {
		b.t.Error("no samples")
	}
}
