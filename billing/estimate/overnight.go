package estimate

import (
	"fmt"
	"time"

	"gpuspend/billing"
)

// Evening is a machine that is given back in the evening and rented again in the morning, local times of day.
type Evening struct {
	Release, Rent time.Duration // since midnight: 20 h and 9 h
	Restart       time.Duration // paid every morning until work goes on
}

// UsualEvening is from eight in the evening to nine in the morning; getting going again takes twelve minutes.
func UsualEvening() Evening {
	return Evening{Release: 20 * time.Hour, Rent: 9 * time.Hour, Restart: 12 * time.Minute}
}

// off is how long the machine is away every night.
func (e Evening) off() time.Duration { return (e.Rent - e.Release + day) % day }

// Saves is what so many nights without the machine save, less the restarts.
func (e Evening) Saves(hourly billing.Money, nights int) (billing.Money, error) {
	m, err := hourly.MulRatio(int64(max(e.off()-e.Restart, 0)), int64(time.Hour))
	if err == nil {
		m, err = m.MulRatio(int64(nights), 1)
	}
	if err != nil {
		return billing.Money{}, fmt.Errorf("reckon nights: %w", err)
	}
	return m, nil
}

// Nights counts the nights of a zone through which something ran without a break, from the evening's release to the
// morning.
func (e Evening) Nights(ran []billing.Period, zone *time.Location) int {
	n := 0
	for _, p := range ran {
		y, m, d := p.Start.In(zone).Date()
		for i := 0; ; i++ {
			evening := time.Date(y, m, d+i, 0, 0, 0, 0, zone).Add(e.Release)
			if evening.After(p.End) {
				break
			}
			if !evening.Before(p.Start) && !evening.Add(e.off()).After(p.End) {
				n++
			}
		}
	}
	return n
}
