//go:build !nodemo

package sim

import (
	"fmt"
	"time"

	"gpuspend/billing"
)

// The names under which the clouds are configured.
const (
	nameA = "cloud-a"
	nameB = "cloud-b"
	nameC = "compute-c"
)

const (
	monthlyPlan = "80000"
	planC       = "bw-50m"
	bandwidthC  = "600" // of that plan, per month
)

// A cloud is one of the three, with everything its one account holds.
type cloud struct {
	w           *World
	name, title string
	prefix      string // of types and ids
	vendorID    string
	regions     []place
	dayStart    time.Duration // how far its billing day is ahead of UTC
	rows        []row
	words       map[billing.State]string
	systemApart bool // system disks are listed and billed apart from the machine

	mode       billing.BillingMode
	told       billing.Money // the balance at the story's instant
	cash       billing.Money
	creditLine billing.Money
	vouchers   []billing.Voucher
	minimum    billing.Money
	settles    time.Duration
	limited    bool // things stop when the balance is below zero
	grace      time.Duration
	overdrawn  time.Time // since when the balance is below zero

	things    []*thing // listed, in the order in which they were made
	ended     []*thing // gone within the hour that runs
	made      int
	spot      spotPrice
	pending   []line // of the hour that runs, beside use
	lines     []line // of hours that are over, by start
	unsettled billing.Money

	receipts map[string]taken
	acts     int
	fault    Fault
}

// A place is a region with its one zone.
type place struct{ id, name, zone string }

func newCloud(w *World, name, title string) *cloud {
	zero := billing.ZeroMoney(cny)
	return &cloud{w: w, name: name, title: title, cash: zero, unsettled: zero, receipts: map[string]taken{}}
}

func newCloudA(w *World) *cloud {
	c := newCloud(w, nameA, "Cloud A")
	c.prefix, c.vendorID, c.rows, c.dayStart = "a", "1847200913", rowsOfA(), 8*time.Hour
	c.regions = []place{{"cn-shanghai", "Shanghai", "cn-shanghai-b"}, {"cn-beijing", "Beijing", "cn-beijing-f"}}
	c.mode, c.told, c.creditLine, c.settles = billing.Postpaid, money("186402.37"), money("300000"), day
	c.spot = newSpotPrice(c, 96, 144)
	c.vouchers = []billing.Voucher{{ID: "V-2026-12", Remaining: money("500"), ExpiresAt: w.story.Add(31 * day).Truncate(time.Hour)}}
	c.words = map[billing.State]string{billing.StateRunning: "Running", billing.StateStopping: "Stopping", billing.StateStopped: "Stopped",
		billing.StateDeleting: "Releasing", billing.StateTerminated: "Reclaimed", billing.StateAttached: "In_use",
		billing.StateUnattached: "Available", billing.StateAvailable: "Accomplished"}
	return c
}

func newCloudB(w *World) *cloud {
	c := newCloud(w, nameB, "Cloud B")
	c.prefix, c.vendorID, c.rows, c.systemApart = "b", "b-org-55021", rowsOfB(), true
	c.regions = []place{{"cn-east-1", "East 1", "cn-east-1a"}}
	c.mode, c.told, c.settles, c.grace = billing.Prepaid, money("9840.20"), time.Hour, 7*day
	c.minimum = money("100")
	c.spot = newSpotPrice(c, 120, 160)
	c.words = map[billing.State]string{billing.StateRunning: "ACTIVE", billing.StateStopping: "STOPPING", billing.StateStopped: "SHUTOFF",
		billing.StateDeleting: "DELETING", billing.StateTerminated: "RECLAIMED", billing.StateAttached: "in-use",
		billing.StateUnattached: "available", billing.StateAvailable: "available"}
	return c
}

func newCloudC(w *World) *cloud {
	c := newCloud(w, nameC, "Compute C")
	c.prefix, c.vendorID, c.rows = "c", "acct_c_30977", rowsOfC()
	c.regions = []place{{"hall-2", "Hall 2", ""}}
	c.mode, c.told, c.settles, c.grace = billing.Prepaid, money("143.20"), time.Hour, 2*time.Hour
	c.minimum = money("10")
	c.words = map[billing.State]string{billing.StateRunning: "running", billing.StateStopping: "exiting", billing.StateStopped: "exited",
		billing.StateDeleting: "terminating", billing.StateTerminated: "terminated", billing.StateAttached: "mounted",
		billing.StateUnattached: "free", billing.StateAvailable: "ready"}
	c.renewBandwidth()
	return c
}

// id gives the next id, such as "a-i-5c01d7e2"; the name is part of it so that ids do not read like a sequence.
func (c *cloud) id(letter, name string) string {
	c.made++
	return fmt.Sprintf("%s-%s-%08x", c.prefix, letter, uint32(draw(0, c.name, name, fmt.Sprint(c.made))))
}

// find gives a listed thing by its id, nil for none.
func (c *cloud) find(id string) *thing {
	for _, t := range c.things {
		if t.r.Ref.ID == id {
			return t
		}
	}
	return nil
}

// named gives a listed thing by its name, the one made first where several have it, nil for none.
func (c *cloud) named(name string) *thing {
	for _, t := range c.things {
		if t.r.Name == name {
			return t
		}
	}
	return nil
}

func (c *cloud) machines() []*thing {
	var found []*thing
	for _, t := range c.things {
		if t.r.Ref.Kind == billing.KindInstance {
			found = append(found, t)
		}
	}
	return found
}

// on lists what is attached to a machine.
func (c *cloud) on(machine string) []*thing {
	var found []*thing
	for _, t := range c.things {
		for _, id := range t.r.AttachedTo {
			if id == machine {
				found = append(found, t)
			}
		}
	}
	return found
}

// madeFrom lists what names the given thing as its source.
func (c *cloud) madeFrom(source *thing, kind billing.Kind) []*thing {
	var found []*thing
	for _, t := range c.things {
		if t.r.Ref.Kind != kind {
			continue
		}
		for _, id := range t.r.Sources {
			if id == source.r.Ref.ID {
				found = append(found, t)
			}
		}
	}
	return found
}

// startOfDay is the last midnight of the cloud's billing zone.
func (c *cloud) startOfDay(t time.Time) time.Time {
	return t.Add(c.dayStart).Truncate(day).Add(-c.dayStart)
}

// monthOf is the billing month in which an instant lies.
func (c *cloud) monthOf(t time.Time) billing.Period {
	local := t.Add(c.dayStart)
	first := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, time.UTC)
	return billing.Period{Start: first.Add(-c.dayStart), End: first.AddDate(0, 1, 0).Add(-c.dayStart)}
}
