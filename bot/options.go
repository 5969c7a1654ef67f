package bot

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify/words"
)

// options are the words of a question in any order: name=value, and words that stand alone. Every name asked for is
// noted, so that one nobody asks for can be named.
type options struct {
	print  words.Printer
	values map[string]string
	alone  []string
	typed  []string // names as they came
	line   []string // all words
}

// optionName gives the English name of an option.
func optionName(name string) string {
	switch name = fold1(name); name {
	case "速度", "吞吐":
		return "speed"
	case "时价", "每小时":
		return "hourly"
	case "单价", "价格":
		return "price"
	case "溢价", "加价":
		return "premium"
	case "缩短":
		return "cut"
	case "通信", "通信占比":
		return "communication"
	case "占比":
		return "share"
	case "利用率":
		return "util"
	case "每":
		return "per"
	case "加价每小时":
		return "extra"
	}
	return name
}

func readOptions(p words.Printer, line []string) options {
	o := options{print: p, values: map[string]string{}, line: line}
	for _, w := range line {
		name, value, ok := strings.Cut(strings.ReplaceAll(w, "＝", "="), "=")
		if !ok {
			o.alone = append(o.alone, w)
			continue
		}
		name = optionName(name)
		o.values[name] = value
		o.typed = append(o.typed, name)
	}
	return o
}

// only refuses what a question has no use for.
func (o options) only(command string, names ...string) error {
	for _, name := range o.typed {
		if !slices.Contains(names, name) {
			near := nearest(name, names)
			if near != "" {
				near = command + " " + near + "=" + o.values[name]
			}
			return unclear(o.print, "compare.words.option", near, "word", name, "words", strings.Join(names, ", "))
		}
	}
	return nil
}

// bad names a value that is not what its option takes.
func (o options) bad(name, example string) error {
	return unclear(o.print, "compare.words.value", "", "name", name, "word", o.values[name], "example", example)
}

// share reads "35%" or "0.35"; unknown where the option is not there.
func (o options) share(name string) (billing.Decimal, error) {
	s, there := o.values[name]
	if !there {
		return billing.Decimal{}, nil
	}
	d, ok := shareOf(s)
	if !ok {
		return d, o.bad(name, name+"=35%")
	}
	return d, nil
}

func shareOf(s string) (billing.Decimal, bool) {
	s = strings.TrimSuffix(strings.ReplaceAll(s, "％", "%"), "\u00a0")
	number, percent := strings.CutSuffix(s, "%")
	d, err := billing.ParseDecimal(number)
	if err != nil || d.Sign() < 0 {
		return billing.Decimal{}, false
	}
	if percent {
		d = d.Mul(billing.MustDecimal("0.01"))
	}
	return d, d.Cmp(billing.DecimalFromInt(100)) < 0
}

// span reads a duration such as 7min, 45s, 28h, 30小时, 3d; 0 where the option is not there.
func (o options) span(name string) (time.Duration, error) {
	s, there := o.values[name]
	if !there {
		return 0, nil
	}
	d, ok := durationOf(s)
	if !ok {
		return 0, o.bad(name, name+"=30h")
	}
	return d, nil
}

var durationWord = regexp.MustCompile(`^(\d{1,6}(?:\.\d{1,6})?)(ms|毫秒|s|sec|秒|m|min|分钟|h|小时|d|天|w|周)$`)

func durationOf(s string) (time.Duration, bool) {
	m := durationWord.FindStringSubmatch(fold1(s))
	if m == nil {
		return 0, false
	}
	unit := time.Hour
	switch m[2] {
	case "ms", "毫秒":
		unit = time.Millisecond
	case "s", "sec", "秒":
		unit = time.Second
	case "m", "min", "分钟":
		unit = time.Minute
	case "d", "天":
		unit = 24 * time.Hour
	case "w", "周":
		unit = 7 * 24 * time.Hour
	}
	d := billing.MustDecimal(m[1]).Mul(billing.DecimalFromInt(int64(unit))).Float64()
	return time.Duration(d), d > 0 && d < float64(10*365*24*time.Hour)
}

// rate reads a price per hour such as 16/h, $2.4, 880元/小时; unknown where the option is not there.
func (o options) rate(name string, currency billing.Currency) (billing.Money, error) {
	s, there := o.values[name]
	if !there {
		return billing.Money{}, nil
	}
	m, ok := rateOf(s, currency)
	if !ok {
		return m, o.bad(name, name+"=16/h")
	}
	return m, nil
}

func rateOf(s string, currency billing.Currency) (billing.Money, bool) {
	s = fold1(s)
	for _, unit := range []string{"/h", "/hour", "/小时", "/时"} {
		s = strings.TrimSuffix(s, unit)
	}
	for sign, c := range map[string]billing.Currency{"cn¥": "CNY", "¥": "CNY", "￥": "CNY", "cny": "CNY", "元": "CNY", "rmb": "CNY", "$": "USD", "usd": "USD"} {
		if cut := strings.TrimSuffix(strings.TrimPrefix(s, sign), sign); cut != s && (sign != "¥" || !strings.HasPrefix(s, "cn")) {
			s, currency = cut, c
			break
		}
	}
	m, _, err := billing.ParseMoney(s, currency)
	return m, err == nil && m.Sign() > 0
}

// number reads a number above zero with an optional unit after it, such as 3200tok/s or 10k; unknown where the option is
// not there.
func (o options) number(name string) (billing.Decimal, string, error) {
	s, there := o.values[name]
	if !there {
		return billing.Decimal{}, "", nil
	}
	d, unit, ok := numberOf(s)
	if !ok {
		return d, unit, o.bad(name, name+"=3200tok/s")
	}
	return d, unit, nil
}

var numberWord = regexp.MustCompile(`^(\d[\d,]{0,14}(?:\.\d{1,9})?)\s*(k|m|万|亿)?\s*([^\d]*)$`)

func numberOf(s string) (billing.Decimal, string, bool) {
	m := numberWord.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return billing.Decimal{}, "", false
	}
	d, err := billing.ParseDecimal(strings.ReplaceAll(m[1], ",", ""))
	if err != nil {
		return d, "", false
	}
	times := map[string]int64{"": 1, "k": 1e3, "m": 1e6, "万": 1e4, "亿": 1e8}[m[2]]
	d = d.Mul(billing.DecimalFromInt(times))
	return d, strings.TrimSpace(m[3]), d.Sign() > 0
}
