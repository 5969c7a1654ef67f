package bot_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/bot"
)

// priceBook is the demo book of field/messages.md section 4: the third cloud has no price beside its machines.
func priceBook() *estimate.Book {
	row := func(provider, low, high string, m billing.Mode, stock string) estimate.Row {
		return estimate.Row{Provider: provider, Region: "r1", Type: "8xa100", GPU: billing.GPU{Model: "A100-80G", Count: billing.DecimalFromInt(8)}, Mode: m,
			Low: cny(low), High: cny(high), Stock: stock, AsOf: wednesday, Source: "test", From: estimate.TrustLive}
	}
	spot := row("A", "96", "144", billing.ModeSpot, "HIGH")
	spot.InterruptedIn = 10 * time.Hour
	card := row("C", "24", "32", estimate.ModeCardHour, "LOW")
	card.ByCard, card.AsOf = true, wednesday.Add(-19*day)
	s := estimate.Sheet{Rows: []estimate.Row{spot, card, row("A", "880", "880", billing.ModeOnDemand, "MEDIUM"), row("B", "840", "840", billing.ModeOnDemand, "LOW"),
		row("B", "75000", "85000", billing.ModeMonthly, "")}}
	for _, p := range []string{"A", "B"} {
		rate := func(part billing.Part, per estimate.Per, price string, whole bool) {
			s.Extras = append(s.Extras, estimate.Extra{Provider: p, Part: part, Per: per, Whole: whole, AsOf: wednesday,
				Tiers: []estimate.Tier{{From: billing.DecimalFromInt(0), Low: cny(price), High: cny(price)}}})
		}
		rate(billing.PartBandwidth, estimate.PerGB, "5", false)
		rate(billing.PartDisk, estimate.PerGBMonth, "0.29296875", false)
		rate(billing.PartSnapshot, estimate.PerGBMonth, "0.12", true)
		rate(billing.PartIP, estimate.PerPiece, "0.2", false)
	}
	return estimate.NewBook(s)
}

const wholeBill = "estimate 8xA100-80G 30h disk=1TB egress=100GB snapshot=120GB ip=1 checkpoint=1h"

// The table of field/messages.md section 4, figure by figure.
func TestEstimateTable(t *testing.T) {
	a, shown := install(t).says(t, viewer(), wholeBill)
	contains(t, shown, "🧮 8×A100-80G, 30 h: CN¥3,788 (spot, if it can resume) · CN¥25,733 without risk",
		"3,788 – 5,415", "15.8–22.6", "Thu 19:58", "25,732.90", "107.22", "26,932.90", "112.22", "75,533 – 85,533", "prepaid", "at least 720 – 960",
		"at least 3.0–4.0", "rare", "C: not comparable yet, no price for bandwidth, data disk, snapshot, IP", "about 3.4 interruptions", "33.9 h",
		"195 h, 18,692 – 28,038 for the machine alone", "89 – 101 h a month", "C 19 days old")
	rows := a.Data.(bot.EstimateData).Rows
	if last := rows[len(rows)-1]; last.Provider != "C" || len(last.Missing) != 4 || last.Standing != "incomplete" {
		t.Errorf("the incomplete row is not last: %+v", last)
	}
	_, chinese := install(t).says(t, bot.Person{ID: viewerID, Team: team, Standing: bot.Member, Lang: "zh"}, wholeBill)
	contains(t, chinese, "稳妥方案 ¥25,733", "至少 720 – 960", "75,533 – 85,533", "先付", "预计被回收约 3.4 次", "数据盘")
}

func TestEstimateJSON(t *testing.T) {
	a, _ := install(t).says(t, viewer(), "estimate 8xA100-80G 30h provider=A mode=on_demand egress=100GB disk=1TB snapshot=120GB ip=1")
	b, err := json.Marshal(a.Data)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(b), `"low":"26932.9","high":"26932.9","bare_low":"26932.9"`, `"instance":{"low":"26400","high":"26400"}`,
		`"disk":{"low":"12.5","high":"12.5"}`, `"missing":[]`, `"wall_hours":"30"`, `"finish":"2026-12-03T08:05:00Z"`, `"break_even":[]`, `"other":{"low":"0","high":"0"}`)
}

// A mistake is named, and the line that was meant is written out.
func TestEstimateMistakes(t *testing.T) {
	in := install(t)
	for _, x := range []struct{ line, word, meant string }{
		{"estimate 8xA100 30h", "A100-40G", "estimate 8xA100-80G 30h"},
		{"estimate 8xA100-80G", "30h", "estimate 8xA100-80G 30h"},
		{"estimate 8xA100-80G 30h disk=big", `"big"`, "disk=1TB"},
		{"estimate 8xA100-80G 30h provider=Z", `"z"`, "provider=A"},
		{"estimate 8xA100-80G 30h diks=1TB", `"diks="`, "disk=1TB"},
		{"estimate 8xB100 30h", `"b100"`, "8xB200"},
		{"estimate 30h", "Which card", "8xA100-80G"},
		{"estimate 8xA100-80G 30h wobble", `"wobble"`, "estimate"},
	} {
		_, err := in.Ask(t.Context(), bot.Request{Words: bot.Split(x.line), Person: viewer()})
		var w *bot.WordsError
		if !errors.As(err, &w) || !strings.Contains(w.Say, x.word) || !strings.Contains(w.Nearest, x.meant) {
			t.Errorf("%s: %v", x.line, err)
		}
	}
}
