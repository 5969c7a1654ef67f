package autodl

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

// TestStates holds the declared table: what an instance costs in each state, and when it is lost.
func TestStates(t *testing.T) {
	const (
		plain = `{"payg_price":1970,"system_init_disk_size":32212254720,"expand_system_disk_size":32212254720,"usage_info":{"data_disk_total_size":0}}`
		grown = `{"payg_price":1970,"system_init_disk_size":32212254720,"expand_system_disk_size":85899345920}`
		extra = `{"payg_price":1970,"system_init_disk_size":32212254720,"expand_system_disk_size":21474836480}`
		disk  = `{"payg_price":1970,"system_init_disk_size":32212254720,"expand_system_disk_size":0,"usage_info":{"data_disk_total_size":53687091200}}`
		off   = `"status":"shutdown","stopped_at":{"Time":"2025-12-10T23:10:00+08:00","Valid":true}`
		month = `"charge_type":"monthly","expired_at":{"Time":"2025-12-20T00:00:00+08:00","Valid":true}`
	)
	for _, tt := range []struct {
		name, instance, details string
		state                   billing.State
		billed                  billing.Tri
		rate, after             string // "" is unknown
		ends                    string // in UTC, "" for none
	}{
		{"running", `"status":"running"`, plain, billing.StateRunning, billing.Yes, "1.97", "0", ""},
		{"running again: the last stop means nothing", `"status":"running","stopped_at":{"Time":"2025-12-10T23:10:00+08:00","Valid":true}`, plain,
			billing.StateRunning, billing.Yes, "1.97", "0", ""},
		{"running, disk expanded", `"status":"running"`, grown, billing.StateRunning, billing.Yes, "1.97", "", ""},
		{"running, several cards", `"status":"running","req_gpu_amount":2`, plain, billing.StateRunning, billing.Yes, "", "0", ""},
		{"running, cards unknown", `"status":"running","req_gpu_amount":0`, plain, billing.StateRunning, billing.Yes, "", "0", ""},
		{"running, without GPU", `"status":"running","start_mode":"non_gpu"`, plain, billing.StateRunning, billing.Yes, "0.1", "0", ""},
		{"running, price 0", `"status":"running"`, `{"payg_price":0}`, billing.StateRunning, billing.Yes, "", "", ""},
		{"running, no price", `"status":"running"`, `{}`, billing.StateRunning, billing.Yes, "", "", ""},
		{"off", off, plain, billing.StateStopped, billing.No, "0", "0", "2025-12-25T15:10:00Z"},
		{"off, disk expanded", off, grown, billing.StateStopped, billing.Yes, "", "", "2025-12-25T15:10:00Z"},
		{"off, sizes that make no sense", off, extra, billing.StateStopped, billing.Unsure, "", "", "2025-12-25T15:10:00Z"},
		{"off, data disk", off, disk, billing.StateStopped, billing.Unsure, "", "", "2025-12-25T15:10:00Z"},
		{"off, nothing known", off, `{}`, billing.StateStopped, billing.Unsure, "", "", "2025-12-25T15:10:00Z"},
		{"off, only the time of the status", `"status":"shutdown","status_at":"2025-12-12T23:10:00+08:00"`, plain, billing.StateStopped, billing.No, "0", "0", "2025-12-27T15:10:00Z"},
		{"off for longer than AutoDL keeps it", `"status":"shutdown","stopped_at":{"Time":"2025-11-10T23:10:00+08:00","Valid":true}`, plain, billing.StateStopped, billing.No, "0", "0", ""},
		{"going off", `"status":"shutting_down"`, plain, billing.StateStopping, billing.Unsure, "", "0", ""},
		{"being made", `"status":"creating"`, `{}`, billing.StateStarting, billing.Unsure, "", "", ""},
		{"starting", `"status":"oss_merged"`, `{}`, billing.StateStarting, billing.Unsure, "", "", ""},
		{"being released", `"status":"releasing"`, `{}`, billing.StateDeleting, billing.Unsure, "", "", ""},
		{"a new word", `"status":"dreaming"`, plain, billing.StateUnknown, billing.Unsure, "", "0", ""},
		{"paid ahead, running", `"status":"running",` + month, plain, billing.StateRunning, billing.Yes, "", "", "2025-12-19T16:00:00Z"},
		{"paid ahead, off: it counts on", off + "," + month, plain, billing.StateStopped, billing.Yes, "", "", "2025-12-19T16:00:00Z"},
		{"paid ahead, off, the 15 days end first", off + `,"charge_type":"monthly","expired_at":{"Time":"2026-01-20T00:00:00+08:00","Valid":true}`, plain,
			billing.StateStopped, billing.Yes, "", "", "2025-12-25T15:10:00Z"},
		{"the plan is over, the data are there", off + `,"charge_type":"daily","expired_at":{"Time":"2025-12-09T00:00:00+08:00","Valid":true}`, plain,
			billing.StateStopped, billing.Unsure, "", "", "2025-12-25T15:10:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := instance{UUID: "pro-1", Charge: "payg", StartMode: "gpu", GPUs: "1"}
			var d details
			if err := json.Unmarshal([]byte("{"+tt.instance+"}"), &i); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.details), &d); err != nil {
				t.Fatal(err)
			}
			r := i.resource(d, cny, testNow())
			ends := ""
			if !r.ExpiresAt.IsZero() {
				ends = r.ExpiresAt.Format(time.RFC3339)
			}
			if r.State != tt.state || r.Billed != tt.billed {
				t.Errorf("state %s, billed %d; want %s, %d", r.State, r.Billed, tt.state, tt.billed)
			}
			if diff := cmp.Diff([]string{tt.rate, tt.after, tt.ends}, []string{text(r.Rate.Hourly), text(r.StoppedRate.Hourly), ends}); diff != "" {
				t.Errorf("rate, stopped rate, end (-want +got):\n%s", diff)
			}
			if ahead := i.Charge != "payg"; ahead == r.NotReleasable.IsZero() || ahead != (r.AtZero == billing.FateKeeps) {
				t.Errorf("refused with %v, at zero %q", r.NotReleasable, r.AtZero)
			}
		})
	}
}
