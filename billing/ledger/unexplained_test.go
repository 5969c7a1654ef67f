package ledger

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuspend/billing"
)

// reading is a wallet that is settled on the hour, with a lifetime counter.
func reading(at time.Time, cash, spent string) billing.Balance {
	b := billing.Balance{ReadAt: at, Mode: billing.Prepaid, Settles: time.Hour}
	if cash != "" {
		b.Cash = cny(cash)
	}
	if spent != "" {
		b.Spent = cny(spent)
	}
	return b
}

// ran is a machine that ran over a time and is seen until its end; a zero end lasts.
func ran(rate string, from, to time.Time) billing.Span {
	s := span(1, rate, from, to).Span
	if to.IsZero() {
		s.SeenTo = noon.Add(3 * time.Hour)
	}
	return s
}

func TestUnexplained(t *testing.T) {
	const h = time.Hour
	before := reading(noon.Add(55*time.Minute), "86.40", "100")
	old := noon.Add(-24 * h)
	tests := []struct {
		name            string
		after           billing.Balance
		spans           []billing.Span
		taken, explains string
		rest            string
		open            int
		unknown         bool
	}{
		{"the model sentence", reading(noon.Add(h+55*time.Minute), "82.44", "103.96"), []billing.Span{ran("1.98", old, time.Time{})}, "3.96", "1.98", "1.98", 0, false},
		{"all of it", reading(noon.Add(h+55*time.Minute), "84.42", "101.98"), []billing.Span{ran("1.98", old, time.Time{})}, "1.98", "1.98", "0", 0, false},
		{"nothing is seen", reading(noon.Add(h+55*time.Minute), "82.44", "103.96"), nil, "3.96", "0", "3.96", 0, false},
		{"two hours", reading(noon.Add(2*h+55*time.Minute), "", "105.94"), []billing.Span{ran("1.98", old, time.Time{})}, "5.94", "3.96", "0.99", 0, false},
		{"topped up: the counter knows better", reading(noon.Add(h+55*time.Minute), "182.44", "103.96"), []billing.Span{ran("1.98", old, time.Time{})}, "3.96", "1.98", "1.98", 0, false},
		{"no counter", reading(noon.Add(h+55*time.Minute), "82.44", ""), []billing.Span{ran("1.98", old, time.Time{})}, "3.96", "1.98", "1.98", 0, false},
		{"no counter, topped up", reading(noon.Add(h+55*time.Minute), "182.44", ""), nil, "", "", "", 0, true},
		{"the counter went back", reading(noon.Add(h+55*time.Minute), "82.44", "99"), nil, "", "", "", 0, true},
		{"less than was seen", reading(noon.Add(h+55*time.Minute), "", "101"), []billing.Span{ran("1.98", old, time.Time{})}, "1", "1.98", "0", 0, false},
		{"not settled in between", reading(noon.Add(59*time.Minute), "", "103.96"), nil, "", "", "", 0, true},
		{"a machine stopped half-way", reading(noon.Add(h+55*time.Minute), "", "103.96"), []billing.Span{ran("1.98", old, noon.Add(h/2))}, "3.96", "0.99", "2.97", 0, false},
		{"a machine is first seen half-way: it may have run before", reading(noon.Add(h+55*time.Minute), "", "101.98"),
			[]billing.Span{ran("1.98", noon.Add(h/2), time.Time{})}, "1.98", "0.99", "0", 0, false},
		{"a machine is first seen right after", reading(noon.Add(h+55*time.Minute), "", "100.66"),
			[]billing.Span{ran("1.98", noon.Add(h+15*time.Minute), time.Time{})}, "0.66", "0", "0", 0, false},
		{"what is not billed explains nothing", reading(noon.Add(h+55*time.Minute), "", "101.98"),
			[]billing.Span{{From: old, SeenTo: noon.Add(h), Billed: billing.No, Rate: billing.Rate{Hourly: cny("1.98")}}}, "1.98", "0", "1.98", 0, false},
		{"what was paid ahead explains nothing", reading(noon.Add(h+55*time.Minute), "", "101.98"),
			[]billing.Span{{From: old, SeenTo: noon.Add(h), Billed: billing.Yes, Mode: billing.ModeMonthly, Rate: billing.Rate{Hourly: cny("9")}}}, "1.98", "0", "1.98", 0, false},
		{"what was bought meanwhile may be it", reading(noon.Add(h+55*time.Minute), "", "1600"),
			[]billing.Span{{From: noon.Add(h / 2), SeenTo: noon.Add(h), Billed: billing.Yes, Mode: billing.ModeMonthly}}, "1500", "0", "1500", 1, false},
		{"a machine without price may be it", reading(noon.Add(h+55*time.Minute), "", "116"), []billing.Span{ran("", old, time.Time{})}, "16", "0", "16", 1, false},
		{"a disk without price, of a machine that is off, is not", reading(noon.Add(h+55*time.Minute), "", "116"),
			[]billing.Span{{From: old, SeenTo: noon.Add(h), Billed: billing.Yes, State: billing.StateStopped}}, "16", "0", "16", 0, false},
		{"nobody looked", reading(noon.Add(h+55*time.Minute), "", "103.96"),
			[]billing.Span{{From: old, SeenTo: noon.Add(-h), Billed: billing.Yes, State: billing.StateRunning, Rate: billing.Rate{Hourly: cny("1.98")}}}, "", "", "", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first := before
			if !tt.after.Spent.Known() {
				first.Spent = billing.Money{}
			}
			d, ok := Unexplained(first, tt.after, tt.spans)
			if ok == tt.unknown {
				t.Fatalf("%+v, told: %v", d, ok)
			}
			if !ok {
				return
			}
			got := []string{d.Taken.Amount(), d.Explained.Amount(), d.Rest.Amount()}
			if diff := cmp.Diff([]string{tt.taken, tt.explains, tt.rest}, got); diff != "" || d.Open != tt.open {
				t.Errorf("open %d; taken, explained, rest (-want +got):\n%s", d.Open, diff)
			}
		})
	}
}

// A day of a wallet that is read every five minutes, and settles some minutes after the hour.
func TestDrained(t *testing.T) {
	day := func(counter bool, spent func(hour int) string) []billing.Balance {
		var all []billing.Balance
		total := cny("1000")
		for at := noon; at.Before(noon.Add(8 * time.Hour)); at = at.Add(5 * time.Minute) {
			if at.Minute() == 10 { // not before: what is read at 13:05 lacks the hour from 12 to 13
				total, _ = total.Add(cny(spent(int(at.Sub(noon)/time.Hour) - 1)))
			}
			b := billing.Balance{ReadAt: at, Mode: billing.Prepaid, Settles: time.Hour}
			if b.Cash, _ = cny("5000").Sub(total); counter {
				b.Spent = total
			}
			all = append(all, b)
		}
		return all
	}
	steady := func(int) string { return "3.96" }
	machine := []billing.Span{ran("1.98", noon.Add(-24*time.Hour), time.Time{})}
	machine[0].SeenTo = noon.Add(8 * time.Hour)
	for _, tt := range []struct {
		name    string
		history []billing.Balance
		want    string // rest an hour; "" where nobody can tell
		end     int    // hours after noon
	}{
		{"steadily twice as much", day(true, steady), "1.98", 7},
		{"without a counter", day(false, steady), "1.98", 7},
		{"read right after the hour", day(true, steady)[:7*12+2], "1.98", 6},
		{"a fee once a day is no machine", day(true, func(h int) string {
			if h == 6 {
				return "33.98"
			}
			return "1.98"
		}), "0", 7},
		{"since the last hour only", day(true, func(h int) string {
			if h >= 6 {
				return "3.96"
			}
			return "1.98"
		}), "0", 7},
		{"since two hours", day(true, func(h int) string {
			if h >= 5 {
				return "3.96"
			}
			return "1.98"
		}), "1.98", 7},
		{"too young", day(true, steady)[:13], "", 0},
		{"none", nil, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := Drained(tt.history, machine)
			if ok != (tt.want != "") {
				t.Fatalf("%+v, told: %v", d, ok)
			}
			if ok && (d.Rest.Amount() != tt.want || !d.Period.End.Equal(noon.Add(time.Duration(tt.end)*time.Hour))) {
				t.Errorf("rest %s until %v, want %s until %d h after noon", d.Rest, d.Period.End, tt.want, tt.end)
			}
		})
	}
	topped := day(false, steady)
	for i := len(topped) - 5; i < len(topped); i++ {
		topped[i].Cash, _ = topped[i].Cash.Add(cny("1"))
	}
	if d, ok := Drained(topped, machine); ok {
		t.Errorf("a top-up smaller than the use, without a counter, is told: %+v", d)
	}
}

// Whatever runs, and however it is read: what is seen from beginning to end at known rates is never called unexplained.
func TestWhatIsSeenIsExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.IntRange(-300, 700)
		total := cny("0")
		var spans []billing.Span
		for range rapid.IntRange(0, 4).Draw(t, "machines") {
			from := noon.Add(time.Duration(minutes.Draw(t, "from")) * time.Minute)
			s := ran("7.20", from, from.Add(time.Duration(rapid.IntRange(1, 400).Draw(t, "length"))*time.Minute))
			s.Rate.Hourly = cny([]string{"0.1", "1.98", "880"}[rapid.IntRange(0, 2).Draw(t, "rate")])
			spans = append(spans, s)
		}
		var history []billing.Balance
		for h := range 10 {
			hour := billing.Period{Start: noon.Add(time.Duration(h) * time.Hour), End: noon.Add(time.Duration(h+1) * time.Hour)}
			history = append(history, billing.Balance{ReadAt: hour.Start.Add(40 * time.Minute), Settles: time.Hour, Spent: total})
			for _, s := range spans {
				seen, _ := within(s, hour)
				m, err := s.Rate.Hourly.MulRatio(int64(seen), int64(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				total, _ = total.Add(m)
			}
		}
		d, ok := Drained(history, spans)
		if !ok || d.Rest.Known() && d.Rest.Sign() > 0 && d.Rest.Rounded(9) != "0.000000000" {
			t.Fatalf("%+v, told: %v", d, ok)
		}
	})
}
