package words

import (
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/notify"
)

var shanghai = time.FixedZone("Asia/Shanghai", 8*3600)

// wednesday is the scene of the model messages: Wed 2 Dec 2026, 01:12 in Shanghai.
var wednesday = time.Date(2026, 12, 2, 1, 12, 0, 0, shanghai)

// loaded reads the catalogues once for all tests.
var loaded = sync.OnceValues(New)

func book(t *testing.T) *Book {
	t.Helper()
	b, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMoney(t *testing.T) {
	b := book(t)
	tests := []struct {
		amount   string
		currency billing.Currency
		en, zh   string
	}{
		{"1234.5", "CNY", "CN¥1,234.50", "¥1,234.50"},
		{"38.4", "USD", "$38.40", "$38.40"},
		{"12", "EUR", "EUR 12.00", "EUR 12.00"},
		{"1200", "JPY", "JPY 1,200", "JPY 1,200"},
		{"0.025", "CNY", "CN¥0.03", "¥0.03"},
		{"-0.025", "USD", "-$0.03", "-$0.03"},
		{"-1234567.891", "CNY", "-CN¥1,234,567.89", "-¥1,234,567.89"},
		{"0", "USD", "$0.00", "$0.00"},
	}
	for _, tt := range tests {
		m := billing.MustMoney(tt.amount, tt.currency)
		if got := b.For(English, nil, wednesday).Money(m); got != tt.en {
			t.Errorf("Money(%s) = %q, want %q", m, got, tt.en)
		}
		if got := b.For(Chinese, nil, wednesday).Money(m); got != tt.zh {
			t.Errorf("zh: Money(%s) = %q, want %q", m, got, tt.zh)
		}
	}
	if got := b.For(English, nil, wednesday).Money(billing.Money{}); got != "unknown" {
		t.Errorf("an unknown amount is %q", got)
	}
	if got := b.For(Chinese, nil, wednesday).MoneyPer(billing.Money{}, PerHour); got != "未知" {
		t.Errorf("zh: an unknown rate is %q", got)
	}
}

func TestMoneyPer(t *testing.T) {
	tenPer730, err := billing.MustMoney("10", "USD").MulRatio(1, 730)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		m    billing.Money
		unit string
		en   string
		zh   string
	}{
		{billing.MustMoney("7.92", "CNY"), PerHour, "CN¥7.92/h", "¥7.92/小时"},
		{billing.MustMoney("358.4", "CNY"), PerMonth, "CN¥358.40/month", "¥358.40/月"},
		{tenPer730, PerHour, "$0.0137/h", "$0.0137/小时"},
		{billing.MustMoney("0.2", "CNY"), PerHour, "CN¥0.20/h", "¥0.20/小时"},
		{billing.MustMoney("0.105", "CNY"), PerHour, "CN¥0.105/h", "¥0.105/小时"},
		{billing.MustMoney("0", "CNY"), PerDay, "CN¥0.00/day", "¥0.00/天"},
	}
	for _, tt := range tests {
		if got := book(t).For(English, nil, wednesday).MoneyPer(tt.m, tt.unit); got != tt.en {
			t.Errorf("MoneyPer(%s) = %q, want %q", tt.m, got, tt.en)
		}
		if got := book(t).For(Chinese, nil, wednesday).MoneyPer(tt.m, tt.unit); got != tt.zh {
			t.Errorf("zh: MoneyPer(%s) = %q, want %q", tt.m, got, tt.zh)
		}
	}
}

// A total with a part that has no price is a lower bound, and says so (case C17).
func TestSumC17(t *testing.T) {
	var tally billing.Tally
	for _, m := range []billing.Money{billing.MustMoney("12.4", "CNY"), {}} {
		if err := tally.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := book(t).For(English, nil, wednesday).Sum(tally), "at least CN¥12.40 (1 item without price)"; got != want {
		t.Errorf("Sum = %q, want %q", got, want)
	}
	if got, want := book(t).For(Chinese, nil, wednesday).Sum(tally), "至少 ¥12.40（1 项没有价格）"; got != want {
		t.Errorf("zh: Sum = %q, want %q", got, want)
	}
}

func TestClock(t *testing.T) {
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, shanghai).UTC()
	}
	tests := []struct {
		t      time.Time
		en, zh string
	}{
		{at(12, 2, 9, 57), "09:57", "09:57"},
		{at(12, 3, 16, 11), "Thu 16:11", "周四 16:11"},
		{at(12, 1, 18, 55), "Tue 18:55", "周二 18:55"},
		{at(12, 8, 0, 0), "Tue 00:00", "周二 00:00"},
		{at(12, 9, 0, 0), "Wed 9 Dec", "12 月 9 日（周三）"},
		{at(12, 12, 23, 10), "Sat 12 Dec", "12 月 12 日（周六）"},
		{time.Date(2027, 12, 1, 0, 0, 0, 0, shanghai), "Wed 1 Dec 2027", "2027 年 12 月 1 日（周三）"},
		{time.Date(2027, 1, 15, 0, 0, 0, 0, shanghai), "Fri 15 Jan", "1 月 15 日（周五）"},
		{time.Time{}, "unknown", "未知"},
	}
	for _, tt := range tests {
		if got := book(t).For(English, shanghai, wednesday).Clock(tt.t); got != tt.en {
			t.Errorf("Clock(%s) = %q, want %q", tt.t, got, tt.en)
		}
		if got := book(t).For(Chinese, shanghai, wednesday).Clock(tt.t); got != tt.zh {
			t.Errorf("zh: Clock(%s) = %q, want %q", tt.t, got, tt.zh)
		}
	}
}

func TestDuration(t *testing.T) {
	tests := []struct {
		d      time.Duration
		en, zh string
	}{
		{59 * time.Second, "under a minute", "不到 1 分钟"},
		{46*time.Minute + 59*time.Second, "46 min", "46 分钟"},
		{5*time.Hour + 31*time.Minute + 50*time.Second, "5 h 31 min", "5 小时 31 分"},
		{24 * time.Hour, "24 h", "24 小时"},
		{12*24*time.Hour + 23*time.Hour, "12 days", "12 天"},
	}
	for _, tt := range tests {
		if got := book(t).For(English, nil, wednesday).Duration(tt.d); got != tt.en {
			t.Errorf("Duration(%s) = %q, want %q", tt.d, got, tt.en)
		}
		if got := book(t).For(Chinese, nil, wednesday).Duration(tt.d); got != tt.zh {
			t.Errorf("zh: Duration(%s) = %q, want %q", tt.d, got, tt.zh)
		}
	}
}

func TestLanguage(t *testing.T) {
	for locale, want := range map[string]string{
		"zh-CN": Chinese, "zh_TW": Chinese, "zh": Chinese, "en-GB": English, "de-DE": English, "": English, "?!": English,
	} {
		if got := Language(locale); got != want {
			t.Errorf("Language(%q) = %q, want %q", locale, got, want)
		}
	}
}

// What fills a gap is never read for marks, whatever a resource is named.
func TestNamesCannotFormat(t *testing.T) {
	m, err := markup("*Stop* `{{.name}}` now, [open]({{.url}})")
	if err != nil {
		t.Fatal(err)
	}
	want := string(notify.Bold("Stop")) + " " + string(notify.CodeStart) + "{{.name}}" + string(notify.CodeEnd) + " now, " +
		string(notify.LinkStart) + "{{.url}}" + string(notify.LinkText) + "open" + string(notify.LinkEnd)
	if m != want {
		t.Errorf("markup = %q, want %q", m, want)
	}
	p := book(t).For(English, nil, wednesday)
	name := "*a* <!channel> `b`\ue000c\ue010"
	if got, want := string((value{p, name}).rich()), "*a* <!channel> `b`c"; got != want {
		t.Errorf("a name became %q, want %q", got, want)
	}
}

func TestMarkupRefusesOpenMarks(t *testing.T) {
	for _, s := range []string{"*open", "`open", "a *b* c*"} {
		if _, err := markup(s); err == nil {
			t.Errorf("markup(%q) is content", s)
		}
	}
	if got, err := markup(`2 \* 3 [no link] a]`); err != nil || got != "2 * 3 [no link] a]" {
		t.Errorf("markup = %q, %v", got, err)
	}
}

// Chinese keeps a space to Latin letters and digits where a gap begins or ends, and none to Chinese.
func TestSpacing(t *testing.T) {
	gap := func(s string) string { return string(gapStart) + s + string(gapEnd) }
	code := func(s string) string { return string(notify.CodeStart) + s + string(notify.CodeEnd) }
	tests := []struct{ in, want string }{
		{"够用到" + gap("09:57"), "够用到 09:57"},
		{"够用到 " + gap("周四 16:11"), "够用到周四 16:11"},
		{gap("周四 16:11") + "用完", "周四 16:11 用完"},
		{gap("阿里云") + " " + gap("上海"), "阿里云 上海"},
		{"停掉" + code(gap("notebook-3")) + "。", "停掉 " + "notebook-3" + "。"},
		{"停掉" + code(gap("训练机a1")) + "后", "停掉训练机a1 后"},
		{"省" + gap("¥358.40") + "，" + gap("x"), "省 ¥358.40，x"},
		{"no gap 中a", "no gap 中a"},
	}
	for _, tt := range tests {
		if got := settle(tt.in).String(); got != tt.want {
			t.Errorf("settle(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Texts that were stored come back with JSON's types.
func TestSayAfterJSON(t *testing.T) {
	p := book(t).For(English, nil, wednesday)
	text := billing.Say("words.at_least", "sum", "CN¥1.00", "count", float64(1))
	if got, want := p.Say(text), "at least CN¥1.00 (1 item without price)"; got != want {
		t.Errorf("Say = %q, want %q", got, want)
	}
	if got := p.Say(billing.Say("no.such.key")); got != "no.such.key" {
		t.Errorf("a key without a sentence reads %q", got)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever a thing is named, its name stands unchanged in a sentence, in both languages: people type it.
func TestNamesStayWhole(t *testing.T) {
	b := book(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.RuneFrom([]rune("ab 1-*`_[](){}<!@中文盘，"))).Draw(t, "name")
		for _, lang := range Languages() {
			got := b.For(lang, nil, wednesday).Text("notify.balance.help.stop", "name", name, "gain", time.Hour, "until", wednesday)
			if !strings.Contains(got, name) {
				t.Fatalf("%s: %q is not in %q", lang, name, got)
			}
		}
	})
}
