package main

import (
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// The tags of a cloud in which somebody says that a thing is wanted: until a date such as 2026-12-31, or always, and why.
const (
	tagKeep   = "gpuspend:keep-until"
	tagReason = "gpuspend:reason"
)

// keptByTag takes a cloud's own tags for a word that a thing is wanted, where nobody gave one here that still counts. The
// date is one of the zone, and is still kept; what is no date says nothing.
func keptByTag(all []billing.Holding, zone *time.Location, now time.Time) []billing.Holding {
	all = slices.Clone(all) // what is handed in may be shared by everybody who looks
	if zone == nil {
		zone = time.UTC
	}
	for i, h := range all {
		word := strings.TrimSpace(h.Tags[tagKeep])
		if word == "" || h.Keep.Holds(now) {
			continue
		}
		k := billing.Keep{By: tagKeep, Reason: h.Tags[tagReason], At: h.FirstSeen}
		if word != "always" {
			day, err := time.ParseInLocation(time.DateOnly, word, zone)
			if err != nil {
				continue
			}
			k.Until = day.AddDate(0, 0, 1)
		}
		if k.Holds(now) {
			all[i].Keep = k
		}
	}
	return all
}
