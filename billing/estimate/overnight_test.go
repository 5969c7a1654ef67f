package estimate_test

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

func TestEveningReleaseAndMorningRent(t *testing.T) {
	e := estimate.UsualEvening()
	saves, err := e.Saves(cny("880"), 22)
	money(t, "22 nights of 13 h less 12 min at 880/h", saves, err, "247808.00")
	shanghai := time.FixedZone("CST", 8*3600)
	at := func(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, shanghai) }
	ran := []billing.Period{{Start: at(2, 10), End: at(5, 8)}, {Start: at(6, 21), End: at(7, 12)}, {Start: at(8, 20), End: at(9, 9)}}
	if n := e.Nights(ran, shanghai); n != 3 {
		t.Errorf("%d nights, want the two whole ones and the one that fits exactly", n)
	}
}
