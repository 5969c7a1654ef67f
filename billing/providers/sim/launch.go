//go:build !nodemo

package sim

import "gpuspend/billing"

// Machine is what is asked for when a machine is launched.
type Machine struct {
	Name      string
	GPU       string // canonical, "" for a machine without cards
	Cards     int64
	Mode      billing.Mode  // on demand where it is not said
	Hourly    billing.Money // the price list's where it is unknown; a card that the list lacks has no rate and is not billed
	SystemGiB int64         // 100 where it is 0
	TrafficGB int64         // up to so much goes out in an hour (Cloud A only)
	Owner     string
	Project   string
	Protected bool
	Managed   string

	region int
}

func (m Machine) filled() Machine {
	if m.Mode == billing.ModeUnknown {
		m.Mode = billing.ModeOnDemand
	}
	if m.SystemGiB == 0 {
		m.SystemGiB = 100
	}
	return m
}

// stock is a thing that is no machine.
type stock struct {
	kind           billing.Kind
	name           string
	gib            int64
	of             string // the name of what it was made from
	owner, project string
	region         int
	ageless        bool // the cloud does not say when it was made
	goesWith       bool
}

func (c *cloud) add(t *thing) *thing {
	t.counted = c.w.at
	t.r.CreatedAt = c.w.at
	t.r.Tags = map[string]string{}
	c.things = append(c.things, t)
	return t
}

// launch puts a machine on. It runs, and costs, at once.
func (c *cloud) launch(m Machine) *thing {
	m = m.filled()
	at := c.regions[m.region]
	t := c.add(&thing{r: billing.Resource{
		Ref:  billing.ResourceRef{Kind: billing.KindInstance, Region: at.id, ID: c.id("i", m.Name)},
		Name: m.Name, Zone: at.zone, Type: c.typeOf(m), Mode: m.Mode, GPU: gpuOf(m.GPU, m.Cards),
		HoldsData: billing.Yes, Protected: m.Protected, Managed: m.Managed, RenewsItself: billing.Unsure,
	}})
	t.tag(m.Owner, m.Project)
	t.main = meter{part: billing.PartInstance, on: true, rate: c.hourly(m)}
	if m.Mode == billing.ModeSpot {
		t.main.rate = c.spot.now()
	}
	if c.name == nameA {
		t.traffic = m.TrafficGB
	}
	t.r.StartedAt = c.w.at
	c.turn(t, billing.StateRunning)
	t.show(billing.RateVendor)
	t.r.StoppedRate = billing.Rate{Hourly: billing.ZeroMoney(cny), Source: billing.RateVendor}
	switch {
	case m.Mode == billing.ModeMonthly: // the plan has the system disk in its price
	case c.systemApart:
		disk := c.make(stock{kind: billing.KindDisk, name: m.Name + "-sys", gib: m.SystemGiB, owner: m.Owner, project: m.Project,
			region: m.region, goesWith: true})
		c.attach(disk, t)
	default:
		t.system = meter{part: billing.PartDisk, rate: diskRate(m.SystemGiB)}
		t.r.StoppedRate = billing.Rate{Hourly: t.system.rate, Source: billing.RateDerived}
	}
	c.setFate(t)
	return t
}

// make adds a thing that is no machine. It costs from now on.
func (c *cloud) make(s stock) *thing {
	at := c.regions[s.region]
	letter := map[billing.Kind]string{billing.KindDisk: "d", billing.KindSnapshot: "s", billing.KindImage: "m", billing.KindIP: "ip"}[s.kind]
	t := c.add(&thing{r: billing.Resource{
		Ref:  billing.ResourceRef{Kind: s.kind, Region: at.id, ID: c.id(letter, s.name)},
		Name: s.name, Zone: at.zone, Mode: billing.ModeOnDemand, GoesWith: s.goesWith,
		HoldsData: billing.Yes, AtZero: billing.FateKeeps,
	}})
	t.tag(s.owner, s.project)
	if source := c.named(s.of); source != nil {
		t.r.Sources = []string{source.r.Ref.ID}
	}
	state, source := billing.StateAvailable, billing.RateDerived
	t.main = meter{part: s.kind.Part(), on: true}
	switch s.kind {
	case billing.KindDisk:
		state, t.main.rate, t.r.Type = billing.StateUnattached, diskRate(s.gib), c.prefix+".nvme"
	case billing.KindIP:
		state, source, t.main.rate, t.r.HoldsData = billing.StateUnattached, billing.RateList, money(ipPerHour), billing.No
	default:
		t.main.rate = snapshotRate(s.gib)
	}
	if s.gib > 0 {
		t.r.SizeGiB = billing.DecimalFromInt(s.gib)
	}
	c.turn(t, state)
	t.show(source)
	return t
}
