//go:build !nodemo

package main

import (
	"sync"
	"time"
)

// demoClock is the demo's time: it stands where it was set until Go, and then runs as many times faster as asked.
type demoClock struct {
	mu    sync.Mutex
	at    time.Time
	since time.Time // real; zero while it stands
	speed float64
}

func (c *demoClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		return c.at
	}
	return c.at.Add(time.Duration(float64(time.Since(c.since)) * c.speed))
}

// Set lets the clock stand at an instant.
func (c *demoClock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.since = t, time.Time{}
}

// Go lets it run from where it stands.
func (c *demoClock) Go(speed float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since, c.speed = time.Now(), speed
}
