package storage

import (
	"cmp"
	"context"
	"database/sql"
	"hash/maphash"

	"gpuspend/billing"
)

// label is what a charge is cut by.
type label struct {
	provider, service, part, region, owner, project, gpu, mode string
}

// item is what a charge has in common with others of its part: all but its times, amounts and quantities.
type item struct {
	part                            int64
	label                           label
	currency                        billing.Currency
	category, class, resource, name string
	ownerTag                        string // as the bill says; the label has the owner
	details                         details
}

// details are the columns that no question cuts by, under their FOCUS names. They are stored as JSON.
type details struct {
	PublisherName              string `json:",omitempty"`
	InvoiceIssuerName          string `json:",omitempty"`
	InvoiceId                  string `json:",omitempty"`
	BillingAccountName         string `json:",omitempty"`
	SubAccountId               string `json:",omitempty"`
	SubAccountName             string `json:",omitempty"`
	ListUnitPrice              string `json:",omitempty"`
	ContractedUnitPrice        string `json:",omitempty"`
	ChargeDescription          string `json:",omitempty"`
	ChargeFrequency            string `json:",omitempty"`
	PricingCategory            string `json:",omitempty"`
	PricingCurrency            string `json:",omitempty"`
	PricingUnit                string `json:",omitempty"`
	ConsumedUnit               string `json:",omitempty"`
	CommitmentDiscountId       string `json:",omitempty"`
	CommitmentDiscountName     string `json:",omitempty"`
	CommitmentDiscountType     string `json:",omitempty"`
	CommitmentDiscountCategory string `json:",omitempty"`
	CommitmentDiscountStatus   string `json:",omitempty"`
	CommitmentDiscountUnit     string `json:",omitempty"`
	CapacityReservationId      string `json:",omitempty"`
	CapacityReservationStatus  string `json:",omitempty"`
	ResourceType               string `json:",omitempty"`
	RegionName                 string `json:",omitempty"`
	AvailabilityZone           string `json:",omitempty"`
	ServiceCategory            string `json:",omitempty"`
	ServiceSubcategory         string `json:",omitempty"`
	SkuId                      string `json:",omitempty"`
	SkuMeter                   string `json:",omitempty"`
	SkuPriceId                 string `json:",omitempty"`
	SkuPriceDetails            string `json:",omitempty"`
	Tags                       string `json:",omitempty"`
	ContractApplied            string `json:",omitempty"`
}

func itemOf(c *billing.Charge, part int64) item {
	return item{part: part,
		label:    label{c.Provider, c.ServiceName, string(c.Part), c.RegionID, "", c.Project, c.GPU, string(c.Mode)},
		currency: c.BilledCost.Currency(), category: c.ChargeCategory, class: c.ChargeClass, resource: c.ResourceID, name: c.ResourceName, ownerTag: c.Owner,
		details: details{
			PublisherName:              c.Publisher,
			InvoiceIssuerName:          c.InvoiceIssuer,
			InvoiceId:                  c.InvoiceID,
			BillingAccountName:         c.BillingAccountName,
			SubAccountId:               c.SubAccountID,
			SubAccountName:             c.SubAccountName,
			ListUnitPrice:              c.ListUnitPrice.String(),
			ContractedUnitPrice:        c.ContractedUnitPrice.String(),
			ChargeDescription:          c.ChargeDescription,
			ChargeFrequency:            c.ChargeFrequency,
			PricingCategory:            c.PricingCategory,
			PricingCurrency:            c.PricingCurrency,
			PricingUnit:                c.PricingUnit,
			ConsumedUnit:               c.ConsumedUnit,
			CommitmentDiscountId:       c.CommitmentDiscountID,
			CommitmentDiscountName:     c.CommitmentDiscountName,
			CommitmentDiscountType:     c.CommitmentDiscountType,
			CommitmentDiscountCategory: c.CommitmentDiscountCategory,
			CommitmentDiscountStatus:   c.CommitmentDiscountStatus,
			CommitmentDiscountUnit:     c.CommitmentDiscountUnit,
			CapacityReservationId:      c.CapacityReservationID,
			CapacityReservationStatus:  c.CapacityReservationStatus,
			ResourceType:               c.ResourceType,
			RegionName:                 c.RegionName,
			AvailabilityZone:           c.AvailabilityZone,
			ServiceCategory:            c.ServiceCategory,
			ServiceSubcategory:         c.ServiceSubcategory,
			SkuId:                      c.SkuID,
			SkuMeter:                   c.SkuMeter,
			SkuPriceId:                 c.SkuPriceID,
			SkuPriceDetails:            c.SkuPriceDetails,
			Tags:                       c.Tags,
			ContractApplied:            c.ContractApplied,
		}}
}

// itemRoom bounds what a load remembers. Items that come again after it was full are stored again, which costs room and
// nothing else.
const itemRoom = 1 << 17

// series is one line of the roll-ups through time.
type series struct {
	part, label int64
	currency    billing.Currency
}

type knownItem struct {
	id     int64
	series int32
}

// itemBook knows the numbers of the items, labels and series that a load has met. Items are known by two hashes of
// 64 bits: they are large, and many.
type itemBook struct {
	seeds  [2]maphash.Seed
	items  map[[2]uint64]knownItem
	labels map[label]int64
	seen   map[string]seenThing // of this account, by the cloud's id
	whose  *attribution
	of     billing.AccountID
	number map[series]int32
	series []series
}

func newItemBook() *itemBook {
	return &itemBook{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		items: map[[2]uint64]knownItem{}, labels: map[label]int64{}, number: map[series]int32{}}
}

// find gives the number of what a charge is for, and writes it down where it is new.
func (b *itemBook) find(tx *sql.Tx, c *billing.Charge, part int64) (knownItem, error) {
	i := itemOf(c, part)
	key := [2]uint64{maphash.Comparable(b.seeds[0], i), maphash.Comparable(b.seeds[1], i)}
	if k, ok := b.items[key]; ok {
		return k, nil
	}
	k, err := b.write(tx, &i)
	if err != nil {
		return k, err
	}
	if len(b.items) >= itemRoom {
		clear(b.items)
	}
	b.items[key] = k
	return k, nil
}

func (b *itemBook) write(tx *sql.Tx, i *item) (knownItem, error) {
	b.attribute(i)
	label, err := b.label(tx, i.label)
	if err != nil {
		return knownItem{}, err
	}
	res, err := tx.Exec(`INSERT INTO items (part_id, label_id, currency, category, class, resource, resource_name, details, owner_tag)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		i.part, label, i.currency, i.category, orNull(i.class), orNull(i.resource), orNull(i.name), encode(i.details), i.ownerTag)
	if err != nil {
		return knownItem{}, err
	}
	id, err := res.LastInsertId()
	return knownItem{id, b.seriesOf(series{i.part, label, i.currency})}, err
}

// seenThing is what we know of a resource that a bill names by its id alone.
type seenThing struct{ name, tag string }

// attribute finds the owner of an item. What the bill leaves out is taken from the resource that we saw under that id.
func (b *itemBook) attribute(i *item) {
	if b.whose == nil {
		i.label.owner = i.ownerTag
		return
	}
	seen := b.seen[i.resource]
	i.name, i.ownerTag = cmp.Or(i.name, seen.name), cmp.Or(i.ownerTag, seen.tag)
	i.label.owner = b.whose.owner(b.of, i.resource, i.name, i.ownerTag)
}

// know reads what owners follow from.
func (b *itemBook) know(ctx context.Context, tx *sql.Tx, account billing.AccountID) (err error) {
	if b.whose, err = attributionOf(ctx, tx); err != nil {
		return err
	}
	b.of, b.seen = account, map[string]seenThing{}
	_, err = list(ctx, tx, func(r row) (s seenThing, err error) {
		var id string
		err = r.Scan(&id, &s.name, &s.tag)
		b.seen[id] = s
		return s, err
	}, "SELECT vendor_id, name, owner_tag FROM resources WHERE account_id = ? ORDER BY id", account)
	return err
}

func (b *itemBook) seriesOf(s series) int32 {
	n, ok := b.number[s]
	if !ok {
		n = int32(len(b.series))
		b.number[s], b.series = n, append(b.series, s)
	}
	return n
}

func (b *itemBook) label(tx *sql.Tx, l label) (int64, error) {
	if id, ok := b.labels[l]; ok {
		return id, nil
	}
	_, err := tx.Exec(`INSERT OR IGNORE INTO labels (provider, service, part, region, owner, project, gpu, mode)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, l.provider, l.service, l.part, l.region, l.owner, l.project, l.gpu, l.mode)
	if err != nil {
		return 0, err
	}
	var id int64
	err = tx.QueryRow(`SELECT id FROM labels WHERE provider = ? AND service = ? AND part = ? AND region = ?
		AND owner = ? AND project = ? AND gpu = ? AND mode = ?`,
		l.provider, l.service, l.part, l.region, l.owner, l.project, l.gpu, l.mode).Scan(&id)
	if err != nil {
		return 0, err
	}
	b.labels[l] = id
	return id, nil
}
