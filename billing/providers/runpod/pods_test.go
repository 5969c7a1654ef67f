package runpod

import (
	"encoding/json"
	"testing"

	"gpuspend/billing"
)

// TestStates holds the declared table: what a pod costs in each state and would cost when stopped.
func TestStates(t *testing.T) {
	const own = `"mounts":{"persistent":{"size":730,"path":"/w"}},`    // 0.10 an hour running, 0.20 stopped
	const net = `"mounts":{"network":[{"volumeId":"v","path":"/w"}]},` // has a line of its own
	const may = `"actions":["stop","terminate"],`
	for _, tt := range []struct {
		name, pod   string
		state       billing.State
		billed      billing.Tri
		rate, after string // "" is unknown
		source      billing.RateSource
		fate        billing.Fate
		data        billing.Tri
	}{
		{"running", may + own + `"status":"RUNNING","disk":730,"cost":1`, billing.StateRunning, billing.Yes, "1.2", "0.2", billing.RateDerived, billing.FateLost, billing.Yes},
		{"running, no disks", may + `"status":"RUNNING","disk":0,"cost":1`, billing.StateRunning, billing.Yes, "1", "0", billing.RateVendor, billing.FateLost, billing.Yes},
		{"running on a network volume", may + net + `"status":"RUNNING","disk":0,"cost":1`, billing.StateRunning, billing.Yes, "1", "0", billing.RateVendor, billing.FateInterrupted, billing.Unsure},
		{"running, stop not offered", net + `"actions":["terminate"],"status":"RUNNING","disk":0,"cost":1`, billing.StateRunning, billing.Yes, "1", "", billing.RateVendor, billing.FateInterrupted, billing.Unsure},
		{"running, no cost", may + own + `"status":"RUNNING","disk":0`, billing.StateRunning, billing.Yes, "", "0.2", "", billing.FateLost, billing.Yes},
		{"running at zero", may + own + `"status":"RUNNING","disk":0,"cost":0`, billing.StateRunning, billing.Yes, "", "0.2", "", billing.FateLost, billing.Yes},
		{"running, disk unknown", may + `"status":"RUNNING","cost":1`, billing.StateRunning, billing.Yes, "", "0", "", billing.FateLost, billing.Yes},
		{"stopped", own + `"status":"EXITED","disk":730,"cost":0.0`, billing.StateStopped, billing.Yes, "0.2", "0.2", billing.RateDerived, billing.FateLost, billing.Yes},
		{"stopped, no volume", `"status":"EXITED","disk":730,"cost":0.0`, billing.StateStopped, billing.No, "0", "0", billing.RateDerived, billing.FateLost, billing.No},
		{"stopped, size unknown", `"mounts":{"persistent":{}},"status":"EXITED","cost":0.0`, billing.StateStopped, billing.Yes, "", "", "", billing.FateLost, billing.Yes},
		{"starting, billed", may + `"status":"STARTING","disk":0,"cost":1`, billing.StateStarting, billing.Yes, "1", "0", billing.RateVendor, billing.FateLost, billing.Yes},
		{"starting, not said", may + `"status":"PROVISIONING","disk":0,"cost":0`, billing.StateStarting, billing.Unsure, "", "0", "", billing.FateLost, billing.Yes},
		{"broken", own + `"status":"ERROR","actions":["start","terminate"],"disk":0,"cost":0`, billing.StateUnknown, billing.Unsure, "", "", "", billing.FateLost, billing.Yes},
		{"a new word", may + `"status":"HIBERNATING","disk":0,"cost":0`, billing.StateUnknown, billing.Unsure, "", "0", "", billing.FateLost, billing.Yes},
		{"terminated", own + `"status":"TERMINATED","disk":0,"cost":0`, billing.StateTerminated, billing.No, "0", "", billing.RateVendor, billing.FateLost, billing.Yes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p pod
			if err := json.Unmarshal([]byte(`{"id":"p",`+tt.pod+`}`), &p); err != nil {
				t.Fatal(err)
			}
			r := p.resource(map[string]string{"v": "nv-1"})
			text := func(m billing.Money) string {
				if !m.Known() {
					return ""
				}
				return m.Amount()
			}
			if r.State != tt.state || r.Billed != tt.billed || r.AtZero != tt.fate || r.HoldsData != tt.data {
				t.Errorf("state %s, billed %d, fate %s, data %d", r.State, r.Billed, r.AtZero, r.HoldsData)
			}
			if got := text(r.Rate.Hourly); got != tt.rate || r.Rate.Source != tt.source {
				t.Errorf("rate %q from %q, want %q from %q", got, r.Rate.Source, tt.rate, tt.source)
			}
			if got := text(r.StoppedRate.Hourly); got != tt.after {
				t.Errorf("stopped rate %q, want %q", got, tt.after)
			}
			if safe := r.SafeOn == "nv-1"; safe != (tt.fate == billing.FateInterrupted) {
				t.Errorf("safe on %q", r.SafeOn)
			}
		})
	}
}
