package estimate

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
)

var factsNow = time.Date(2026, 12, 2, 2, 5, 0, 0, time.UTC)

func factRow(provider, gpu string, cards int64, m billing.Mode, low, high, currency string) Row {
	c := billing.Currency(currency)
	return Row{Provider: provider, Region: "any", Type: "t", GPU: billing.GPU{Model: gpu, Count: billing.DecimalFromInt(cards)}, Mode: m,
		Low: billing.MustMoney(low, c), High: billing.MustMoney(high, c), ByCard: m == ModeCardHour, AsOf: factsNow, From: TrustLive}
}

// articleBook is the table of pricing-facts section 1 with the rates of TEST 3.1.
func articleBook(deals ...Deal) *Book {
	const card = "A100-80G"
	row := func(p string, m billing.Mode, low, high string) Row { return factRow(p, card, 8, m, low, high, "CNY") }
	s := Sheet{Deals: deals, Rows: []Row{
		row("A", billing.ModeOnDemand, "880", "880"), row("A", billing.ModeSpot, "96", "144"), row("A", billing.ModeMonthly, "80000", "90000"),
		row("B", billing.ModeOnDemand, "840", "840"), row("B", billing.ModeSpot, "120", "160"), row("B", billing.ModeMonthly, "75000", "85000"),
		row("C", ModeCardHour, "24", "32"), row("C", billing.ModeMonthly, "50000", "60000")}}
	for i := range s.Rows {
		if s.Rows[i].Mode == billing.ModeSpot {
			s.Rows[i].InterruptedIn = 10 * time.Hour
		}
	}
	for _, p := range []string{"A", "B", "C"} {
		for _, e := range []Extra{{Part: billing.PartBandwidth, Per: PerGB}, {Part: billing.PartDisk, Per: PerGBMonth}, {Part: billing.PartSnapshot, Per: PerGBMonth, Whole: true},
			{Part: billing.PartIP, Per: PerPiece}} {
			price := map[billing.Part]string{billing.PartBandwidth: "5", billing.PartDisk: "0.29296875", billing.PartSnapshot: "0.12", billing.PartIP: "0.2"}[e.Part]
			m := billing.MustMoney(price, "CNY")
			e.Provider, e.AsOf, e.Tiers = p, factsNow, []Tier{{From: billing.DecimalFromInt(0), Low: m, High: m}}
			s.Extras = append(s.Extras, e)
		}
	}
	return NewBook(s)
}

func quoteOf(t testing.TB, b *Book, words string) Quote {
	t.Helper()
	r, err := Parse([]string{words}, Known{Cards: b.Cards(), Providers: b.Providers(), Currency: "CNY"}, factsNow, time.UTC)
	if err != nil {
		t.Fatalf("%s: %v", words, err)
	}
	q, err := b.Estimate(r, factsNow)
	if err != nil {
		t.Fatalf("%s: %v", words, err)
	}
	return q
}

func one(t testing.TB, b *Book, words string) Option {
	t.Helper()
	q := quoteOf(t, b, words)
	if len(q.Options) != 1 {
		t.Fatalf("%s: %d options", words, len(q.Options))
	}
	return q.Options[0]
}

func isRange(t *testing.T, what string, r Range, low, high string) {
	t.Helper()
	if r.Low.Rounded(2) != low || r.High.Rounded(2) != high {
		t.Errorf("%s: %s to %s, want %s to %s", what, r.Low.Rounded(2), r.High.Rounded(2), low, high)
	}
}

func TestFacts_1_1(t *testing.T) {
	isRange(t, "A", one(t, articleBook(), "8xA100-80G 30h provider=A mode=on_demand").Total, "26400.00", "26400.00")
}

func TestFacts_1_2(t *testing.T) {
	b := articleBook()
	isRange(t, "spot", one(t, b, "8xA100-80G 30h provider=A mode=spot").Bare, "2880.00", "4320.00")
	isRange(t, "at 15", one(t, b, "8xA100-80G 30h provider=A mode=spot price=15").Bare, "3600.00", "3600.00")
}

func TestFacts_1_3(t *testing.T) {
	b := articleBook()
	isRange(t, "B", one(t, b, "8xA100-80G 30h provider=B mode=on_demand").Total, "25200.00", "25200.00")
	isRange(t, "B spot", one(t, b, "8xA100-80G 30h provider=B mode=spot").Bare, "3600.00", "4800.00")
}

func TestFacts_1_4(t *testing.T) {
	isRange(t, "C", one(t, articleBook(), "8xA100-80G 30h provider=C mode=card_hour").Total, "720.00", "960.00")
}

// The articles' 30 to 50 % is not repeated for a cloud that it does not hold for.
func TestFacts_1_5_Noted(t *testing.T) {
	if n := one(t, articleBook(), "8xA100-80G 30h provider=A mode=monthly").Notes; strings.Contains(strings.Join(n, " "), NoteRatio) {
		t.Errorf("judged without its on-demand price: %q", n)
	}
	for _, o := range quoteOf(t, articleBook(), "8xA100-80G 30h provider=A").Options {
		if o.Mode == billing.ModeMonthly && !strings.Contains(strings.Join(o.Notes, " "), NoteRatio) {
			t.Errorf("notes: %q", o.Notes)
		}
	}
}

func TestFacts_1_6_InAQuote(t *testing.T) {
	q := quoteOf(t, articleBook(), "8xA100-80G 30h provider=C")
	if len(q.BreakEven) != 2 || q.BreakEven[0].Hours.Rounded(2) != "1562.50" || q.BreakEven[1].Hours.Rounded(2) != "2500.00" ||
		q.BreakEven[0].Verdict != VerdictNever || q.BreakEven[1].Verdict != VerdictNever {
		t.Errorf("%+v", q.BreakEven)
	}
}

func TestFacts_2_1_InAQuote(t *testing.T) {
	b := NewBook(Sheet{Rows: []Row{factRow("B", "A100-80G", 8, billing.ModeMonthly, "80000", "80000", "CNY")}})
	a := one(t, b, "8xA100-80G 30h used=320h").Ahead
	isRange(t, "cash", a.Cash, "80000.00", "80000.00")
	isRange(t, "calendar", a.Calendar, "3333.33", "3333.33")
	isRange(t, "used", a.Used, "7500.00", "7500.00")
}

func TestFacts_2_2(t *testing.T) {
	b := articleBook()
	isRange(t, "4 of 8 cards", one(t, b, "4xA100-80G 28h provider=C price=4").Total, "448.00", "448.00")
	isRange(t, "8 cards", one(t, b, "8xA100-80G 28h provider=C price=4").Total, "896.00", "896.00")
}

func TestFacts_3_1(t *testing.T) {
	o := one(t, articleBook(), "8xA100-80G 30h provider=A mode=on_demand egress=100GB disk=1TB snapshot=120GB ip=1")
	isRange(t, "total", o.Total, "26932.90", "26932.90")
	for part, want := range map[billing.Part]string{billing.PartInstance: "26400.00", billing.PartBandwidth: "500.00", billing.PartDisk: "12.50", billing.PartSnapshot: "14.40", billing.PartIP: "6.00"} {
		isRange(t, string(part), o.Parts[part], want, want)
	}
}

func tierOf(from, to, price string) Tier {
	m := billing.MustMoney(price, "CNY")
	t := Tier{From: billing.MustDecimal(from), Low: m, High: m}
	if to != "" {
		t.To = billing.MustDecimal(to)
	}
	return t
}

func TestFacts_3_3(t *testing.T) {
	e := Extra{Tiers: []Tier{tierOf("0", "2", "20"), tierOf("2", "5", "25"), tierOf("5", "", "90")}}
	for mbps, want := range map[string]string{"2": "40.00", "5": "115.00", "10": "565.00", "50": "4165.00"} {
		r, err := e.Tiered(billing.MustDecimal(mbps))
		if err != nil {
			t.Fatal(err)
		}
		isRange(t, mbps, r, want, want)
	}
}

func TestMethods_7_Tiers(t *testing.T) {
	slab := Extra{Slab: true, Tiers: []Tier{tierOf("0", "5", "23"), tierOf("5", "", "80")}}
	egress := Extra{Tiers: []Tier{tierOf("0", "10240", "0.09"), tierOf("10240", "51200", "0.085"), tierOf("51200", "153600", "0.07"), tierOf("153600", "", "0.05")}}
	free := Extra{Tiers: []Tier{tierOf("0", "10240", "0"), tierOf("10240", "", "0.0085")}}
	for _, x := range []struct {
		e           Extra
		units, want string
	}{{slab, "6", "480.00"}, {egress, "57000", "4809.20"}, {egress, "60000", "5019.20"}, {free, "12000", "14.96"}, {free, "100", "0.00"}} {
		r, err := x.e.Tiered(billing.MustDecimal(x.units))
		if err != nil {
			t.Fatal(err)
		}
		isRange(t, x.units, r, x.want, x.want)
	}
}

func TestFacts_3_5(t *testing.T) {
	s := Sheet{Rows: []Row{factRow("C", "A100-80G", 8, ModeCardHour, "24", "32", "CNY"), factRow("A", "A100-80G", 8, billing.ModeOnDemand, "880", "880", "CNY")},
		Extras: []Extra{{Provider: "A", Part: billing.PartBandwidth, Per: PerGB, Tiers: []Tier{tierOf("0", "", "5")}}}}
	q := quoteOf(t, NewBook(s), "8xA100-80G 30h egress=100GB")
	if last := q.Options[1]; last.Provider != "C" || last.Standing != Incomplete || len(last.Missing) != 1 {
		t.Errorf("%+v", q.Options)
	}
}

func TestFacts_4_1(t *testing.T) {
	deal := Deal{Provider: "A", Mode: billing.ModeOnDemand, Percent: billing.MustDecimal("0.1"), Coupon: billing.MustMoney("500", "CNY")}
	isRange(t, "both", one(t, articleBook(deal), "8xA100-80G 30h provider=A mode=on_demand").Total, "23260.00", "23260.00")
	deal.Until = factsNow
	isRange(t, "ended", one(t, articleBook(deal), "8xA100-80G 30h provider=A mode=on_demand").Total, "26400.00", "26400.00")
}

func TestMethods_6_Rounding(t *testing.T) {
	for grain, want := range map[time.Duration]string{time.Second: "1320.24", time.Minute: "1334.67", time.Hour: "1760.00"} {
		r := factRow("A", "A100-80G", 8, billing.ModeOnDemand, "880", "880", "CNY")
		r.Grain = grain
		isRange(t, grain.String(), one(t, NewBook(Sheet{Rows: []Row{r}}), "8xA100-80G 5401s").Total, want, want)
	}
}

// Example of estimating-methods section 9: spot with the extras over wall hours.
func TestMethods_9_WholeBillOnSpot(t *testing.T) {
	o := one(t, articleBook(), "8xA100-80G 30h provider=A mode=spot price=15 checkpoint=1h interrupted=10h egress=100GB disk=1TB snapshot=120GB ip=1")
	isRange(t, "machine", o.Parts[billing.PartInstance], "4066.10", "4066.10")
	isRange(t, "disk", o.Parts[billing.PartDisk], "14.12", "14.12")
	isRange(t, "ip", o.Parts[billing.PartIP], "6.78", "6.78")
	isRange(t, "per useful GPU-hour", o.PerGPU, "19.17", "19.17")
}

func TestTrust(t *testing.T) {
	file := factRow("A", "H100", 8, billing.ModeOnDemand, "10", "10", "USD")
	file.From = TrustFile
	live := factRow("A", "H100", 8, billing.ModeOnDemand, "12", "12", "USD")
	deal := Deal{Provider: "A", GPU: "H100", Mode: billing.ModeOnDemand, Price: billing.MustMoney("2", "USD")}
	isRange(t, "live before file", one(t, NewBook(Sheet{Rows: []Row{file, live}}), "8xH100 1h").Total, "12.00", "12.00")
	isRange(t, "negotiated first", one(t, NewBook(Sheet{Rows: []Row{file, live}, Deals: []Deal{deal}}), "8xH100 1h").Total, "16.00", "16.00")
}

// The tiers of one cloud stand apart, each at its own price for the whole machine and for a card; the disk is a line of its
// own; the total is both, to the cent.
func TestC18TiersStandApart(t *testing.T) {
	tier := func(name, rate string) Row {
		r := factRow("RunPod", "RTX-4090", 1, billing.ModeOnDemand, rate, rate, "USD")
		r.Type = "RTX 4090, " + name
		return r
	}
	disk := billing.MustMoney("0.1", "USD")
	b := NewBook(Sheet{Rows: []Row{tier("community", "0.49"), tier("secure", "0.76")}, Extras: []Extra{{Provider: "RunPod", Part: billing.PartDisk, Per: PerGBMonth, MonthHours: 720,
		AsOf: factsNow, Tiers: []Tier{{From: billing.DecimalFromInt(0), Low: disk, High: disk}}}}})
	q := quoteOf(t, b, "2xRTX-4090 10h disk=100GB")
	if len(q.Options) != 2 || q.Options[0].Tier() != "community" || q.Options[1].Tier() != "secure" {
		t.Fatalf("%+v", q.Options)
	}
	for i, want := range []struct{ machine, total, perCard string }{{"9.80", "9.94", "0.50"}, {"15.20", "15.34", "0.77"}} {
		o := q.Options[i]
		isRange(t, o.Type+" machine", o.Parts[billing.PartInstance], want.machine, want.machine)
		isRange(t, o.Type+" disk", o.Parts[billing.PartDisk], "0.14", "0.14") // 100 GB of 0.1 a month of 720 h, for 10 h
		isRange(t, o.Type+" in all", o.Total, want.total, want.total)
		isRange(t, o.Type+" per card-hour", o.PerGPU, want.perCard, want.perCard)
	}
}

// A card without a price has none: no default stands in for it.
func TestX19NoDefaultPrice(t *testing.T) {
	b := NewBook(Sheet{Rows: []Row{factRow("A", "H100", 8, billing.ModeOnDemand, "20", "20", "USD")}})
	r, err := Parse([]string{"8xB200 1h"}, Known{Cards: append(b.Cards(), "B200"), Providers: b.Providers(), Currency: "USD"}, factsNow, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if q, err := b.Estimate(r, factsNow); err == nil && len(q.Options) != 0 {
		t.Errorf("%+v", q.Options)
	}
}

// An old price is shown and decides nothing.
func TestX20OldPricesDecideNothing(t *testing.T) {
	old := factRow("A", "H100", 8, billing.ModeOnDemand, "1", "1", "CNY")
	old.AsOf = factsNow.Add(-91 * day)
	undated := factRow("B", "H100", 8, billing.ModeOnDemand, "1", "1", "CNY")
	undated.AsOf = time.Time{}
	q := quoteOf(t, NewBook(Sheet{Rows: []Row{old, undated, factRow("C", "H100", 8, billing.ModeOnDemand, "9", "9", "CNY")}}), "8xH100 1h")
	if best, _ := q.Best(); q.Options[best].Provider != "C" || len(q.Options) != 3 {
		t.Errorf("best %d of %+v", best, q.Options)
	}
}

const machineHeader = "provider,region,instance_type,gpu_model,gpu_count,price_mode,price,currency,unit,as_of,source\n"

func TestUnsoundPricesAreRejected(t *testing.T) {
	good := strings.Repeat("x,r,t,H100,8,on_demand,20,USD,hour,2026-11-01,s\n", 30)
	for _, price := range []string{"", "-1", "NaN", "Inf", "0", "1e30", "0.05"} {
		l, err := ReadList(strings.NewReader(machineHeader + good + "x,r,bad,H100,8,on_demand," + price + ",USD,hour,2026-11-01,s\n"))
		if err != nil || len(l.Rejected) != 1 || len(l.Records) != 30 {
			t.Errorf("%q: %d rejected, %v", price, len(l.Rejected), err)
		}
	}
	bad := strings.Repeat("x,r,t,H100,8,on_demand,,USD,hour,,s\n", 8)
	if _, err := ReadList(strings.NewReader(machineHeader + good + bad)); !errors.Is(err, ErrTooManyRejected) {
		t.Errorf("8 of 38: %v", err)
	}
}

// sharedBook is made of the shared lists; nil where they are not beside the repository.
func sharedBook(t testing.TB) *Book {
	var sheets []Sheet
	for _, name := range []string{"catalog.csv", "ancillary.csv"} {
		f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", name))
		if err != nil {
			t.Skip("the shared price lists are not there")
		}
		l, err := ReadList(f)
		_ = f.Close() // only read
		if err != nil {
			t.Fatal(err)
		}
		sheets = append(sheets, l.Sheet())
	}
	return NewBook(sheets...)
}

func TestSharedLists(t *testing.T) {
	q := quoteOf(t, sharedBook(t), "8xH100 72h disk=1TB egress=100GB")
	if len(q.Options) < 8 || len(q.LeftOut) == 0 {
		t.Errorf("%d options, left out %+v", len(q.Options), q.LeftOut)
	}
	seen := Sound
	for _, o := range q.Options {
		if o.Standing < seen {
			t.Errorf("%s stands before %s", seen, o.Standing)
		}
		seen = o.Standing
	}
}

func BenchmarkEstimateOverAllClouds(b *testing.B) {
	book := sharedBook(b)
	for b.Loop() {
		quoteOf(b, book, "8xH100 72h")
	}
}

// Whatever is typed: no panic, and no price that is negative, zero or no number.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"8xA100-80G 30h disk=1TB egress=100GB snapshot=120GB ip=1", "8卡A100 30小时", "4x A100 80G 2d 竞价 检查点=1h 中断=10h", "A100-80Gx8 1h price=0.001",
		"8×A100－80G 30h deadline=fri 18:00 resumable=no", "包月 8 卡 a100 80g 3个月 used=1h", "deadline=2026-12-05t18:00 8xa100-80g 5s utilisation=0.1%", "= == x=", "8x 30h", "0xA100-80G 1h"} {
		f.Add(s)
	}
	b := articleBook()
	f.Fuzz(func(t *testing.T, words string) {
		r, err := Parse(strings.Fields(words), Known{Cards: b.Cards(), Providers: b.Providers(), Currency: "CNY"}, factsNow, time.UTC)
		if err != nil {
			var m *Mistake
			if !errors.As(err, &m) || m.Say.Key == "" {
				t.Errorf("%q: %v", words, err)
			}
			return
		}
		q, err := b.Estimate(r, factsNow)
		if err != nil {
			return
		}
		for _, o := range q.Options {
			if o.Total.Low.Sign() <= 0 || o.Total.High.Sign() <= 0 || math.IsNaN(o.Wall.Float64()) || o.Wall.Sign() <= 0 {
				t.Errorf("%q: %+v", words, o)
			}
		}
	})
}
