package estimate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// ModeCardHour is renting single cards of a machine, paid by the card and hour.
const ModeCardHour billing.Mode = "card_hour"

// The terms that billing has no word for.
const (
	ModeWeekly    billing.Mode = "weekly"
	ModeQuarterly billing.Mode = "quarterly"
)

// Trust says where a price is from; less is better.
type Trust int

// The sources of prices, in the order of trust.
const (
	TrustDeal    Trust = iota // negotiated, from the configuration
	TrustLive                 // an offer read from the cloud
	TrustFile                 // a list that somebody imported
	TrustBuiltin              // the short list of this program
)

// String is the word in JSON and notes.
func (t Trust) String() string { return [...]string{"negotiated", "live", "file", "builtin"}[t] }

// Row is one price of a machine. A price is for the whole row, all its cards.
type Row struct {
	Provider, Region, Type string
	GPU                    billing.GPU
	Mode                   billing.Mode
	Low, High              billing.Money // an hour, or a term of what is paid ahead
	ByCard                 bool          // single cards of the machine can be had at their part of the price
	Minimum, Grain         time.Duration // shortest time billed, and the step; 0 for the second
	MonthHours             int           // 0 for billing.MonthHours
	Excludes               []billing.Part
	Stock                  string        // the cloud's word
	InterruptedIn          time.Duration // of spot, as the cloud says
	Renewal                billing.Money
	RefundFee              billing.Decimal
	AsOf                   time.Time // zero is undated
	Until                  time.Time // of a negotiated price; zero for good
	Source                 string
	From                   Trust
}

// ahead says that a row is paid for whole terms.
func (r Row) ahead() bool { return Way{Mode: r.Mode}.ahead() }

// Tier is the part of a cloud's offer that a type names behind a comma, such as RunPod's "H100, secure cloud": tiers are
// no alternatives to pick the cheapest of, for they differ in what one gets. "" where there is one.
func (r Row) Tier() string {
	if _, tier, ok := strings.Cut(r.Type, ", "); ok {
		return tier
	}
	return ""
}

// key is what a more trusted row takes the place of.
func (r Row) key() string {
	return strings.Join([]string{r.Provider, r.Region, r.Type, r.GPU.Model, r.GPU.Count.String(), string(r.Mode)}, "\x00")
}

// Way is the row as plans use it.
func (r Row) Way(risk Risk) Way {
	return Way{Provider: r.Provider, Region: r.Region, Type: r.Type, GPU: r.GPU, Mode: r.Mode, Low: r.Low, High: r.High, Renewal: r.Renewal,
		MonthHours: r.MonthHours, ByCard: r.ByCard, Stock: r.Stock, Risk: risk, AsOf: r.AsOf}
}

// Deal is what was negotiated with a cloud. Empty fields are for everything there.
type Deal struct {
	Provider, Region, Type, GPU string
	Mode                        billing.Mode
	Price                       billing.Money   // of one card for an hour, or for a term; unknown for the list's
	Percent                     billing.Decimal // off the machine's price: 0.1
	Coupon                      billing.Money   // then off the machine's cost, once
	Until                       time.Time       // zero for good
	Renewal                     billing.Money   // of every further term, for one card
	RefundFee                   billing.Decimal // share of what would come back
	AsOf                        time.Time
	Source                      string
}

// fits says whether a deal is about a row, and still holds.
func (d Deal) fits(r Row, now time.Time) bool {
	same := func(want, is string) bool { return want == "" || strings.EqualFold(want, is) }
	return same(d.Provider, r.Provider) && same(d.Region, r.Region) && same(d.Type, r.Type) && same(d.GPU, r.GPU.Model) &&
		same(string(d.Mode), string(r.Mode)) && (d.Until.IsZero() || now.Before(d.Until))
}

// row is the price that was negotiated; not sound where the deal has none of its own.
func (d Deal) row() Row {
	return Row{Provider: d.Provider, Region: d.Region, Type: d.Type, GPU: billing.GPU{Model: d.GPU, Count: billing.DecimalFromInt(1)},
		Mode: cmp.Or(d.Mode, billing.ModeOnDemand), Low: d.Price, High: d.Price, ByCard: true, MonthHours: hoursOfMonth(d.Provider),
		AsOf: d.AsOf, Until: d.Until, Source: cmp.Or(d.Source, TrustDeal.String()), From: TrustDeal}
}

// Book is every price there is to go by. It never changes once made.
type Book struct {
	rows   map[string][]Row // by card
	extras map[string][]Extra
	deals  []Deal
	seen   map[string]Sightings // of our own spot machines, by provider and card
	count  int
}

// Sheet is one list that a book is made from.
type Sheet struct {
	Rows   []Row
	Extras []Extra
	Deals  []Deal
	// Seen are interruptions of our own spot machines, by SightingKey.
	Seen map[string]Sightings
}

// SightingKey names the kind of machine that sightings are about.
func SightingKey(provider, gpu string) string { return provider + " " + gpu }

// NewBook joins lists of prices. Of two rows for the same thing the more trusted stands, then the younger. Rows without
// a sound price are left out; whoever read them has counted them.
func NewBook(sheets ...Sheet) *Book {
	b := &Book{rows: map[string][]Row{}, extras: map[string][]Extra{}, seen: map[string]Sightings{}}
	best := map[string]int{}
	var all []Row
	for _, s := range sheets {
		for _, r := range s.Rows {
			if !r.sound() {
				continue
			}
			i, there := best[r.key()]
			switch {
			case !there:
				best[r.key()] = len(all)
				all = append(all, r)
			case r.From < all[i].From || r.From == all[i].From && r.AsOf.After(all[i].AsOf):
				all[i] = r
			}
		}
		for _, e := range s.Extras {
			b.extras[e.Provider] = append(b.extras[e.Provider], e)
		}
		b.deals = append(b.deals, s.Deals...)
		for _, d := range s.Deals {
			if r := d.row(); r.sound() {
				all = append(all, r)
			}
		}
		for k, v := range s.Seen {
			b.seen[k] = v
		}
	}
	for _, r := range all {
		b.rows[r.GPU.Model] = append(b.rows[r.GPU.Model], r)
	}
	b.count = len(all)
	for _, list := range b.extras {
		slices.SortStableFunc(list, func(x, y Extra) int { return cmp.Compare(x.From, y.From) })
	}
	return b
}

// sound says that a row has a price above zero in one currency, and cards.
func (r Row) sound() bool {
	c, err := r.Low.Cmp(r.High)
	return err == nil && c <= 0 && r.Low.Sign() > 0 && r.GPU.Model != "" && r.GPU.Count.Sign() > 0
}

// Rows lists the prices of a card, "" for all cards.
func (b *Book) Rows(gpu string) []Row {
	if gpu != "" {
		return b.rows[gpu]
	}
	var all []Row
	for _, m := range b.Cards() {
		all = append(all, b.rows[m]...)
	}
	return all
}

// Len is how many prices of machines there are.
func (b *Book) Len() int { return b.count }

// Cards lists the cards that there is a price for.
func (b *Book) Cards() []string {
	names := make([]string, 0, len(b.rows))
	for m := range b.rows {
		names = append(names, m)
	}
	slices.Sort(names)
	return names
}

// Providers lists the clouds that there is a price of.
func (b *Book) Providers() []string {
	seen := map[string]bool{}
	for _, list := range b.rows {
		for _, r := range list {
			seen[r.Provider] = true
		}
	}
	names := make([]string, 0, len(seen))
	for m := range seen {
		names = append(names, m)
	}
	slices.Sort(names)
	return names
}

// verdictAge is how old a price may be to decide anything: within 144 days one list price moved by 30 %
// (estimating-methods section 10).
const verdictAge = 90 * day

// Fresh says that a price is young enough for a verdict. Negotiated prices hold until they end.
func (r Row) Fresh(now time.Time) bool {
	return r.From == TrustDeal || !r.AsOf.IsZero() && now.Sub(r.AsOf) <= verdictAge
}

// RowOf is an offer that was read from a cloud.
func RowOf(provider string, o billing.Offer, monthHours int, asOf time.Time) Row {
	return Row{Provider: provider, Region: o.Region, Type: o.Type, GPU: o.GPU, Mode: o.Mode, Low: o.Low, High: o.High, MonthHours: monthHours,
		Excludes: o.Excludes, Stock: o.Stock, InterruptedIn: o.InterruptedIn, AsOf: asOf, Source: o.Source, From: TrustLive}
}
