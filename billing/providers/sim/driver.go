//go:build !nodemo

package sim

import (
	"fmt"

	"gpuspend/billing"
)

// checked is the day on which the claims were last compared with what the code does.
const checked = "2026-11-30"

// Drivers describes the three clouds. What their Open gives looks at this world.
func (w *World) Drivers() []billing.Driver {
	return []billing.Driver{
		w.driver(w.cloud(nameA), func(p account) billing.Provider { return &accountA{p} }),
		w.driver(w.cloud(nameB), func(p account) billing.Provider { return &accountB{p} }),
		w.driver(w.cloud(nameC), func(p account) billing.Provider { return &accountC{p} }),
	}
}

func (w *World) driver(c *cloud, wrap func(account) billing.Provider) billing.Driver {
	return billing.Driver{
		Name: c.name, Title: c.title, Currency: cny, MonthHours: billing.MonthHours,
		Fields: []billing.Field{{Name: "key", Label: "Key", Help: "Any text: a simulated cloud does not look at it.", Secret: true}},
		Claims: c.claims(),
		Console: billing.ConsoleLinks{
			TopUp:   "https://" + c.name + ".example/billing/top-up",
			Billing: "https://" + c.name + ".example/billing",
			Resource: func(r billing.ResourceRef) string {
				return fmt.Sprintf("https://%s.example/%s/%s", c.name, r.Kind, r.ID)
			},
		},
		Permissions: []billing.Permission{
			{Name: c.name + ":ListResources", For: billing.CanResources},
			{Name: c.name + ":ReadBalance", For: billing.CanBalance},
			{Name: c.name + ":ReadBills", For: billing.CanCharges},
			{Name: c.name + ":StopMachines", For: billing.CanStop, Write: true},
			{Name: c.name + ":DeleteResources", For: billing.CanRelease, Write: true},
		},
		ReadKeys: billing.Yes,
		Open: func(config billing.Config, _ billing.Env) (billing.Provider, error) {
			return wrap(account{w: w, c: c, name: config.Account, write: config.Write}), nil
		},
	}
}

// claims says what a simulated cloud can do, of everything a cloud could.
func (c *cloud) claims() map[billing.Capability]billing.Claim {
	notes := map[billing.Capability]string{
		billing.CanIdentify:  "the simulated account's number",
		billing.CanBalance:   "cash and credit line, settled " + c.settled(),
		billing.CanCharges:   "hourly lines, a day late",
		billing.CanResources: "every kind in every region",
		billing.CanOffers:    articlePrices,
		billing.CanFind:      "by kind, region and id",
		billing.CanStop:      "takes about two minutes; the disks go on billing, " + c.systemDisk(),
		billing.CanRelease:   "takes two to four minutes; refused while in use, protected, managed or paid ahead",
	}
	switch c.name {
	case nameA:
		notes[billing.CanRehearse] = "the checks of an act, without the act"
	case nameB:
		notes[billing.CanFollow] = "stops and releases are jobs"
	case nameC:
		notes[billing.CanCommitments] = "the fixed-bandwidth plan"
	}
	claims := map[billing.Capability]billing.Claim{}
	for _, capability := range billing.Capabilities() {
		note, can := notes[capability]
		claim := billing.Claim{Can: billing.Yes, Note: note, Source: "demo book", Checked: checked}
		if !can {
			claim.Can, claim.Note = billing.No, "not simulated"
		}
		claims[capability] = claim
	}
	return claims
}

func (c *cloud) settled() string {
	if c.settles == day {
		return "once a day"
	}
	return "every full hour"
}

func (c *cloud) systemDisk() string {
	if c.systemApart {
		return "the system disk among them"
	}
	return "the system disk too, which the running machine has in its price"
}
