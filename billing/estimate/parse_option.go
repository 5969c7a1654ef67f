package estimate

import (
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// option is a word with a value.
type option struct {
	names   []string // the first is shown
	example string
	take    func(p *parser, value string) bool
}

func optionsKnown() []option {
	return []option{
		{[]string{"disk", "磁盘", "数据盘", "硬盘"}, "disk=1TB", size(func(r *Request) *billing.Decimal { return &r.Disk })},
		{[]string{"disk_type", "disktype", "盘类型"}, "disk_type=ssd", func(p *parser, v string) bool { p.r.DiskKind = v; return v != "" }},
		{[]string{"iops"}, "iops=5000", count(func(r *Request) *billing.Decimal { return &r.IOPS })},
		{[]string{"egress", "traffic", "out", "流量", "出网", "公网流量"}, "egress=100GB", size(func(r *Request) *billing.Decimal { return &r.Egress })},
		{[]string{"mbps", "bandwidth", "带宽"}, "mbps=50", func(p *parser, v string) bool {
			return count(func(r *Request) *billing.Decimal { return &r.Mbps })(p, strings.TrimSuffix(strings.TrimSuffix(v, "mbps"), "m"))
		}},
		{[]string{"snapshot", "snapshots", "image", "快照", "镜像"}, "snapshot=120GB", size(func(r *Request) *billing.Decimal { return &r.Snapshot })},
		{[]string{"ip", "ips", "公网ip"}, "ip=1", count(func(r *Request) *billing.Decimal { return &r.IPs })},
		{[]string{"provider", "cloud", "平台", "云", "厂商"}, "provider=aws", (*parser).provider},
		{[]string{"region", "地域", "区域"}, "region=us-east-1", func(p *parser, v string) bool { p.r.Region = v; return v != "" }},
		{[]string{"mode", "方式", "计费"}, "mode=spot", (*parser).mode},
		{[]string{"hours", "时长"}, "hours=30h", decimalHours(func(r *Request) *billing.Decimal { return &r.Hours })},
		{[]string{"checkpoint", "检查点", "存档"}, "checkpoint=1h", hours(func(r *Request) *float64 { return &r.Checkpoint })},
		{[]string{"interrupted", "中断", "回收"}, "interrupted=10h", hours(func(r *Request) *float64 { return &r.Interrupted })},
		{[]string{"write", "存盘"}, "write=3m", hours(func(r *Request) *float64 { return &r.Write })},
		{[]string{"restart", "重启"}, "restart=12m", hours(func(r *Request) *float64 { return &r.Restart })},
		{[]string{"deadline", "due", "by", "截止"}, "deadline=fri 18:00", (*parser).deadline},
		{[]string{"resumable", "resume", "续训", "断点续训"}, "resumable=no", (*parser).resumable},
		{[]string{"utilisation", "utilization", "util", "利用率"}, "utilisation=0.95", (*parser).utilisation},
		{[]string{"price", "单价", "价格"}, "price=4", (*parser).price},
		{[]string{"used", "每月用量", "月用量"}, "used=320h", decimalHours(func(r *Request) *billing.Decimal { return &r.Used })},
	}
}

func optionNamed(name string) (option, bool) {
	for _, o := range optionsKnown() {
		if slices.Contains(o.names, name) {
			return o, true
		}
	}
	return option{}, false
}

// option takes name=value.
func (p *parser) option(name, value string) error {
	o, ok := optionNamed(name)
	if !ok {
		return mistake("option", name, nearOption(name)...)
	}
	if o.take(p, value) {
		return nil
	}
	_, like, _ := strings.Cut(o.example, "=")
	m := mistake("value", value, like)
	m.Say.Args["name"], m.Say.Args["example"] = o.names[0], o.example
	if o.names[0] == "provider" {
		m = mistake("provider", value, p.known.Providers...)
	}
	return m
}

// mostGB is the most data that is reckoned for: an exabyte.
const mostGB = 1 << 30

// size takes an amount of data in GB: 100GB, 1TB. A bare number is in GB.
func size(of func(*Request) *billing.Decimal) func(*parser, string) bool {
	return func(p *parser, v string) bool {
		m := sizeWord.FindStringSubmatch(v)
		if m == nil {
			return false
		}
		d := billing.MustDecimal(m[1])
		switch strings.TrimSuffix(strings.TrimSuffix(m[2], "b"), "i") {
		case "t":
			d = d.Mul(billing.DecimalFromInt(1024))
		case "p":
			d = d.Mul(billing.DecimalFromInt(1 << 20))
		case "m":
			d = d.Mul(billing.MustDecimal("0.0009765625"))
		case "k":
			d = d.Mul(billing.MustDecimal("0.00000095367431640625"))
		case "":
			if m[2] == "b" {
				return false
			}
		}
		*of(&p.r) = d
		return d.Cmp(billing.DecimalFromInt(mostGB)) <= 0
	}
}

// count takes a number of pieces, none included.
func count(of func(*Request) *billing.Decimal) func(*parser, string) bool {
	return func(p *parser, v string) bool {
		d, err := billing.ParseDecimal(v)
		if err != nil || d.Sign() < 0 || d.Cmp(billing.DecimalFromInt(1_000_000)) > 0 {
			return false
		}
		*of(&p.r) = d
		return true
	}
}

func hours(of func(*Request) *float64) func(*parser, string) bool {
	return func(p *parser, v string) bool {
		h, ok := hoursNamed(v)
		if ok {
			*of(&p.r) = h.Float64()
		}
		return ok
	}
}

func decimalHours(of func(*Request) *billing.Decimal) func(*parser, string) bool {
	return func(p *parser, v string) bool {
		h, ok := hoursNamed(v)
		if !ok {
			h, ok = hoursNamed(v + "h")
		}
		if ok {
			*of(&p.r) = h
		}
		return ok
	}
}

func (p *parser) provider(v string) bool {
	for _, known := range p.known.Providers {
		if strings.EqualFold(known, v) {
			p.r.Provider = known
			return true
		}
	}
	return false
}

func (p *parser) resumable(v string) bool {
	switch v {
	case "yes", "y", "true", "1", "能", "可以", "是":
		p.r.Resumable = billing.Yes
	case "no", "n", "false", "0", "不能", "不可以", "否":
		p.r.Resumable = billing.No
	default:
		return false
	}
	return true
}

// utilisation takes a share above zero, at most one: 0.95, 95%.
func (p *parser) utilisation(v string) bool {
	text, percent := strings.CutSuffix(v, "%")
	d, err := billing.ParseDecimal(text)
	if err != nil {
		return false
	}
	if percent {
		d = d.Mul(billing.MustDecimal("0.01"))
	}
	p.r.Utilisation = d
	return d.Cmp(billing.MustDecimal("0.001")) >= 0 && d.Cmp(billing.DecimalFromInt(1)) <= 0
}

// price takes the price of a card for an hour: 4, $2.50, 15元.
func (p *parser) price(v string) bool {
	c := p.known.Currency
	for _, s := range []struct {
		sign string
		is   billing.Currency
	}{{"cn¥", "CNY"}, {"¥", "CNY"}, {"￥", "CNY"}, {"cny", "CNY"}, {"rmb", "CNY"}, {"元", "CNY"}, {"usd", "USD"}, {"$", "USD"}, {"eur", "EUR"}, {"€", "EUR"}} {
		if cut := strings.TrimSuffix(strings.TrimPrefix(v, s.sign), s.sign); cut != v {
			v, c = cut, s.is
			break
		}
	}
	for _, unit := range []string{"/h", "/卡时", "/小时"} {
		v = strings.TrimSuffix(v, unit)
	}
	if c == "" {
		c = "CNY"
	}
	m, _, err := billing.ParseMoney(v, c)
	if err != nil || m.Sign() <= 0 {
		return false
	}
	most, err := m.Cmp(billing.MustMoney("100000", c))
	p.r.Price = m
	return err == nil && most <= 0
}

// deadline takes a day and a clock time in the asker's zone: fri 18:00, 周五 18:00, 2026-12-05 18:00, 18:00.
func (p *parser) deadline(v string) bool {
	if len(p.rest) > 0 && isClock(p.rest[0]) {
		v, p.rest = v+" "+p.rest[0], p.rest[1:]
	}
	date, clock, _ := strings.Cut(strings.Replace(v, "t", " ", strings.Count(v[:min(len(v), 11)], "-")/2), " ")
	if isClock(date) {
		date, clock = "", date
	}
	if clock == "" {
		clock = "23:59"
	}
	at, ok := p.dayNamed(date)
	hm, err := time.Parse("15:04", clock)
	if !ok || err != nil {
		return false
	}
	at = time.Date(at.Year(), at.Month(), at.Day(), hm.Hour(), hm.Minute(), 0, 0, p.zone)
	if !at.After(p.now) && date == "" {
		at = at.AddDate(0, 0, 1)
	} else if !at.After(p.now) && !strings.Contains(date, "-") {
		at = at.AddDate(0, 0, 7)
	}
	p.r.Deadline = at
	return at.After(p.now)
}

func isClock(s string) bool {
	_, err := time.Parse("15:04", s)
	return err == nil
}

// dayNamed finds the next day of a name, or a date.
func (p *parser) dayNamed(s string) (time.Time, bool) {
	today := p.now.In(p.zone)
	for i, names := range [][]string{{"sun", "sunday", "周日", "周天", "星期日"}, {"mon", "monday", "周一", "星期一"}, {"tue", "tuesday", "周二", "星期二"},
		{"wed", "wednesday", "周三", "星期三"}, {"thu", "thursday", "周四", "星期四"}, {"fri", "friday", "周五", "星期五"}, {"sat", "saturday", "周六", "星期六"}} {
		if slices.Contains(names, s) {
			return today.AddDate(0, 0, (i-int(today.Weekday())+7)%7), true
		}
	}
	switch s {
	case "", "today", "今天":
		return today, true
	case "tomorrow", "明天":
		return today.AddDate(0, 0, 1), true
	}
	t, err := time.ParseInLocation("2006-01-02", s, p.zone)
	return t, err == nil
}

// near finds cards whose name begins as a word does; a few at most.
func near(name string, more []string) []string {
	var found []string
	want := bare(name)
	for _, c := range append(knownCards(), more...) {
		b := bare(c)
		if len(want) > 0 && !slices.Contains(found, c) && (strings.HasPrefix(b, want) || strings.HasPrefix(want, b) && len(b) > 2 || swapped(want, b)) {
			found = append(found, c)
		}
	}
	return found[:min(len(found), 6)]
}

// swapped says that two words of one length have the same letters, or differ in one.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for i := range len(a) {
		if a[i] != b[i] {
			differ++
		}
	}
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return differ == 1 || string(x) == string(y)
}

// nearOption finds the option that a word was meant for.
func nearOption(name string) []string {
	var found []string
	for _, o := range optionsKnown() {
		for _, n := range o.names {
			if len(name) > 2 && len(n) > 2 && (strings.HasPrefix(n, name[:3]) || swapped(n, name)) && !slices.Contains(found, o.example) {
				found = append(found, o.example)
			}
		}
	}
	return found
}
