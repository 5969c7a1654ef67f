package ledger

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuspend/billing"
)

var noon = time.Date(2026, 12, 2, 4, 0, 0, 0, time.UTC)

func cny(s string) billing.Money { return billing.MustMoney(s, "CNY") }

// machine is a running machine at an hourly rate, "" for an unknown one.
func machine(id billing.ResourceID, rate string) billing.Holding {
	h := billing.Holding{ID: id}
	h.Ref.Kind, h.State, h.Billed = billing.KindInstance, billing.StateRunning, billing.Yes
	if rate != "" {
		h.Rate.Hourly = cny(rate)
	}
	return h
}

func TestAhead(t *testing.T) {
	owed := func(h billing.Holding, change func(*billing.Holding)) billing.Holding { change(&h); return h }
	voucher := func(amount string, in time.Duration) billing.Voucher {
		v := billing.Voucher{Remaining: cny(amount)}
		if in != 0 {
			v.ExpiresAt = noon.Add(in)
		}
		return v
	}
	tests := []struct {
		name     string
		balance  billing.Balance
		holdings []billing.Holding
		burn     string // "" for unknown
		unpriced int
		runway   time.Duration
		end      bool
	}{
		{"pricing facts, 8.5", billing.Balance{Cash: cny("1000")}, []billing.Holding{machine(1, "880")}, "880", 0, 68*time.Minute + 10*time.Second + 909090909, true},
		{"nothing runs", billing.Balance{Cash: cny("1000")}, nil, "0", 0, 0, false},
		{"nothing known", billing.Balance{Cash: cny("1000")}, []billing.Holding{machine(1, "")}, "", 1, 0, false},
		{"an unknown rate beside a known one", billing.Balance{Cash: cny("1000")}, []billing.Holding{machine(1, "500"), machine(2, "")}, "500", 1, 2 * time.Hour, true},
		{"a rate in another currency", billing.Balance{Cash: cny("1000")}, []billing.Holding{machine(1, "500"),
			owed(machine(2, ""), func(h *billing.Holding) { h.Rate.Hourly = billing.MustMoney("1", "USD") })}, "500", 1, 2 * time.Hour, true},
		{"perhaps billed", billing.Balance{Cash: cny("1000")}, []billing.Holding{machine(1, "500"),
			owed(machine(2, "7"), func(h *billing.Holding) { h.Billed = billing.Unsure })}, "500", 1, 2 * time.Hour, true},
		{"not billed, gone, paid ahead", billing.Balance{Cash: cny("1000")}, []billing.Holding{machine(1, "500"),
			owed(machine(2, "7"), func(h *billing.Holding) { h.Billed = billing.No }),
			owed(machine(3, "7"), func(h *billing.Holding) { h.GoneAt = noon }),
			owed(machine(4, "7"), func(h *billing.Holding) { h.Mode = billing.ModeMonthly })}, "500", 0, 2 * time.Hour, true},
		{"postpaid", billing.Balance{Mode: billing.Postpaid, Cash: cny("1000")}, []billing.Holding{machine(1, "500")}, "500", 0, 0, false},
		{"a credit line never counts", billing.Balance{Cash: cny("1000"), Credit: cny("5000")}, []billing.Holding{machine(1, "500")}, "500", 0, 2 * time.Hour, true},
		{"nothing left", billing.Balance{Cash: cny("0")}, []billing.Holding{machine(1, "500")}, "500", 0, 0, true},
		{"owed", billing.Balance{Cash: cny("-1"), Vouchers: []billing.Voucher{voucher("9999", 0)}}, []billing.Holding{machine(1, "500")}, "500", 0, 0, true},
		{"owed and nothing runs", billing.Balance{Cash: cny("-1")}, nil, "0", 0, 0, true},
		{"empty and unused", billing.Balance{Cash: cny("0")}, nil, "0", 0, 0, false},
		{"no balance", billing.Balance{}, []billing.Holding{machine(1, "500")}, "500", 0, 0, false},
		{"vouchers count while they last", billing.Balance{Cash: cny("500"), Vouchers: []billing.Voucher{voucher("500", 0), voucher("500", -time.Hour)}},
			[]billing.Holding{machine(1, "500")}, "500", 0, 2 * time.Hour, true},
		{"a voucher as far as it can be used up", billing.Balance{Cash: cny("500"), Vouchers: []billing.Voucher{voucher("5000", time.Hour)}},
			[]billing.Holding{machine(1, "500")}, "500", 0, 2 * time.Hour, true},
		{"the sooner voucher goes first", billing.Balance{Cash: cny("0"), Vouchers: []billing.Voucher{voucher("500", 0), voucher("500", time.Hour)}},
			[]billing.Holding{machine(1, "500")}, "500", 0, 2 * time.Hour, true},
		{"use since the balance was read", billing.Balance{Cash: cny("1000"), ReadAt: noon.Add(-30 * time.Minute)},
			[]billing.Holding{machine(1, "500")}, "500", 0, 90 * time.Minute, true},
		{"use since the hour was settled", billing.Balance{Cash: cny("1000"), ReadAt: noon.Add(-10 * time.Minute), Settles: time.Hour},
			[]billing.Holding{machine(1, "500")}, "500", 0, time.Hour, true},
		{"a machine started since", billing.Balance{Cash: cny("1000"), ReadAt: noon.Add(-time.Hour)},
			[]billing.Holding{owed(machine(1, "500"), func(h *billing.Holding) { h.StartedAt = noon.Add(-12 * time.Minute) })}, "500", 0, 108 * time.Minute, true},
		{"more used than there was", billing.Balance{Cash: cny("100"), ReadAt: noon.Add(-time.Hour)},
			[]billing.Holding{machine(1, "500")}, "500", 0, 0, true},
		{"centuries", billing.Balance{Cash: cny("9000000000")}, []billing.Holding{machine(1, "0.001")}, "0.001", 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Ahead(tt.balance, tt.holdings, noon)
			got := fmt.Sprint(o.Burn.Amount(), " ", o.Unpriced, " ", o.Runway, " ", !o.EmptyAt.IsZero())
			want := fmt.Sprint(tt.burn, " ", tt.unpriced, " ", tt.runway, " ", tt.end)
			if got != want {
				t.Errorf("burn, unpriced, runway, end:\n got %s\nwant %s", got, want)
			}
			if tt.end && !o.EmptyAt.Equal(noon.Add(tt.runway)) {
				t.Errorf("empty at %s, which is no %s from now", o.EmptyAt, tt.runway)
			}
		})
	}
}

func TestAheadNamesTheDearestFirst(t *testing.T) {
	o := Ahead(billing.Balance{Cash: cny("1")}, []billing.Holding{machine(1, "2"), machine(2, ""), machine(3, "5")}, noon)
	if diff := cmp.Diff([]billing.ResourceID{3, 1, 2}, o.Running); diff != "" {
		t.Error(diff)
	}
}

// The night of the model message: stopping the notebook buys 46 minutes, topping up $30 carries to about 11:01.
func TestModelNight(t *testing.T) {
	usd := func(s string) billing.Money { return billing.MustMoney(s, "USD") }
	now := time.Date(2026, 12, 2, 1, 12, 0, 0, time.UTC)
	b := billing.Balance{ReadAt: now, Cash: usd("38.40"), Minimum: usd("10")}
	var hs []billing.Holding
	for i, rate := range []string{"5.38", "0.86", "0.69", "0.03"} {
		h := machine(billing.ResourceID(i+1), "")
		h.Rate.Hourly, h.StoppedRate.Hourly = usd(rate), usd("0")
		hs = append(hs, h)
	}
	o := Ahead(b, hs, now)
	if o.Burn != usd("6.96") || o.EmptyAt.Format("15:04") != "06:43" {
		t.Errorf("burn %s until %s", o.Burn, o.EmptyAt)
	}
	w := Without(b, hs, now, 2)
	if w.Burn != usd("6.1") || w.EmptyAt.Format("15:04") != "07:29" {
		t.Errorf("without the notebook: burn %s until %s", w.Burn, w.EmptyAt)
	}
	work := time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)
	r := TopUp(b, o, now, work)
	if r.Short != usd("22.85") || r.Amount != usd("22.85") || r.Until.Before(work) {
		t.Errorf("top-up: %+v", r)
	}
	b.Minimum = usd("30")
	if r = TopUp(b, o, now, work); r.Amount != usd("30") || r.Until.Format("15:04") != "11:01" {
		t.Errorf("with a least top-up of 30: %+v", r)
	}
}

func TestWithoutLeavesTheStoppedRate(t *testing.T) {
	disk := machine(2, "2")
	disk.Ref.Kind = billing.KindDisk
	m := machine(1, "98")
	hs := []billing.Holding{m, disk}
	if w := Without(billing.Balance{Cash: cny("100")}, hs, noon, 1); w.Burn != cny("2") || w.Unpriced != 1 {
		t.Errorf("an unknown stopped rate: burn %s, %d unpriced", w.Burn, w.Unpriced)
	}
	hs[0].StoppedRate.Hourly = cny("8")
	if w := Without(billing.Balance{Cash: cny("100")}, hs, noon, 1); w.Burn != cny("10") || w.Runway != 10*time.Hour {
		t.Errorf("a stopped machine that costs 8: %+v", w)
	}
	if w := Without(billing.Balance{Cash: cny("98")}, hs, noon, 2); w.Burn != cny("98") || w.Runway != time.Hour {
		t.Errorf("a disk given back: %+v", w)
	}
	late := billing.Balance{Cash: cny("100"), ReadAt: noon.Add(-30 * time.Minute)}
	if w := Without(late, hs, noon, 1); w.Unsettled != cny("50") || w.Runway != 5*time.Hour {
		t.Errorf("what was used until now is owed at the old rate: %+v", w)
	}
}

func TestTopUp(t *testing.T) {
	run := []billing.Holding{machine(1, "880")}
	tests := []struct {
		name          string
		b             billing.Balance
		in            time.Duration
		short, amount string
	}{
		{"enough", billing.Balance{Cash: cny("1000")}, time.Hour, "0", "0"},
		{"exactly enough", billing.Balance{Cash: cny("880")}, time.Hour, "0", "0"},
		{"rounded up to the fen", billing.Balance{Cash: cny("1000")}, 100 * time.Minute, "466.67", "466.67"},
		{"the cloud's least", billing.Balance{Cash: cny("1000"), Minimum: cny("500")}, 100 * time.Minute, "466.67", "500"},
		{"debts first", billing.Balance{Cash: cny("-20")}, time.Hour, "900", "900"},
		{"unsettled hours that end on the hour", billing.Balance{Cash: cny("0"), ReadAt: noon.Add(-20 * time.Minute)}, 40 * time.Minute, "880", "880"},
		{"vouchers help", billing.Balance{Cash: cny("0"), Vouchers: []billing.Voucher{{Remaining: cny("80")}}}, time.Hour, "800", "800"},
		{"a voucher that expires helps only until then", billing.Balance{Cash: cny("0"),
			Vouchers: []billing.Voucher{{Remaining: cny("9999"), ExpiresAt: noon.Add(30 * time.Minute)}}}, time.Hour, "440", "440"},
		{"no balance", billing.Balance{}, time.Hour, "", ""},
		{"postpaid", billing.Balance{Mode: billing.Postpaid, Cash: cny("1")}, time.Hour, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := TopUp(tt.b, Ahead(tt.b, run, noon), noon, noon.Add(tt.in))
			if r.Short.Amount() != tt.short || r.Amount.Amount() != tt.amount {
				t.Errorf("short %s, pay %s; want %s, %s", r.Short, r.Amount, tt.short, tt.amount)
			}
		})
	}
	yen := machine(1, "")
	yen.Rate.Hourly = billing.MustMoney("10.5", "JPY")
	b := billing.Balance{Cash: billing.MustMoney("0", "JPY")}
	if r := TopUp(b, Ahead(b, []billing.Holding{yen}, noon), noon, noon.Add(time.Hour)); r.Short.Amount() != "11" {
		t.Errorf("yen have no decimals: %s", r.Short)
	}
}

// Whatever the figures, the top-up carries to the instant asked for, and a minor unit less does not.
func TestTopUpIsTheLeast(t *testing.T) {
	const grain = 5 * time.Millisecond // what the 12th decimal buys at the lowest rate
	rapid.Check(t, func(t *rapid.T) {
		fen := func(name string, most int64) billing.Money {
			m, err := cny("0.01").MulRatio(rapid.Int64Range(-most/10, most).Draw(t, name), 1)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		b := billing.Balance{Cash: fen("cash", 1e8), ReadAt: noon.Add(-time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "ago")))}
		if rapid.Bool().Draw(t, "voucher") {
			b.Vouchers = []billing.Voucher{{Remaining: fen("grant", 1e6), ExpiresAt: noon.Add(time.Duration(rapid.Int64Range(1, int64(72*time.Hour)).Draw(t, "expires")))}}
		}
		h := machine(1, "0")
		h.Rate.Hourly = cny(fmt.Sprintf("%d.%06d", rapid.IntRange(0, 900).Draw(t, "rate"), rapid.IntRange(1, 999999).Draw(t, "micro")))
		until := noon.Add(time.Duration(rapid.Int64Range(int64(time.Minute), int64(96*time.Hour)).Draw(t, "until")))
		o := Ahead(b, []billing.Holding{h}, noon)
		r := TopUp(b, o, noon, until)
		if r.Amount.Sign() == 0 {
			if !o.EmptyAt.IsZero() && o.EmptyAt.Add(grain).Before(until) {
				t.Fatalf("nothing to pay, yet empty at %s before %s", o.EmptyAt, until)
			}
			return
		}
		if !r.Until.IsZero() && r.Until.Add(grain).Before(until) {
			t.Fatalf("paying %s carries to %s only, not to %s", r.Amount, r.Until, until)
		}
		less, _ := r.Amount.Sub(cny("0.01"))
		b.Cash, _ = b.Cash.Add(less)
		if got := Ahead(b, []billing.Holding{h}, noon); !got.EmptyAt.Before(until) {
			t.Fatalf("%s is not the least: %s carries to %s", r.Amount, less, got.EmptyAt)
		}
	})
}

func TestMonthly(t *testing.T) {
	for _, tt := range []struct {
		rate  billing.Money
		hours int
		want  string
	}{
		{cny("880"), 720, "633600"}, {cny("880"), 0, "633600"}, {billing.MustMoney("0.005", "USD"), 730, "3.65"},
		{billing.Money{}, 720, ""}, {cny("9000000000"), 720, ""},
	} {
		if got := Monthly(tt.rate, tt.hours).Amount(); got != tt.want {
			t.Errorf("%s for %d hours is %q, want %q", tt.rate, tt.hours, got, tt.want)
		}
	}
}
