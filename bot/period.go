package bot

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing/ledger"
)

// span is a stretch of whole days: local midnights, to exclusive.
type span struct{ from, to time.Time }

var (
	monthWord = regexp.MustCompile(`^\d{4}-\d{2}$`)
	dayWord   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	daysWord  = regexp.MustCompile(`^(\d{1,3})(d|天)$`)
)

// midnight is the start of a local day; days may be out of a month's range.
func midnight(t time.Time, zone *time.Location, days int) time.Time {
	l := t.In(zone)
	return time.Date(l.Year(), l.Month(), l.Day()+days, 0, 0, 0, 0, zone)
}

// period reads a word of time: today, yesterday, 7d, month, 2026-11, 2026-11-03, 2026-11-03..2026-11-05. A stretch that
// has no end of its own ends with today.
func period(word string, now time.Time, zone *time.Location) (span, bool) {
	tomorrow := midnight(now, zone, 1)
	switch word {
	case "today", "今天", "今日":
		return span{midnight(now, zone, 0), tomorrow}, true
	case "yesterday", "昨天", "昨日":
		return span{midnight(now, zone, -1), midnight(now, zone, 0)}, true
	case "week":
		return span{midnight(now, zone, -6), tomorrow}, true
	case "month", "本月", "这个月":
		l := now.In(zone)
		return span{time.Date(l.Year(), l.Month(), 1, 0, 0, 0, 0, zone), tomorrow}, true
	case "lastmonth", "上月", "上个月":
		l := now.In(zone)
		return span{time.Date(l.Year(), l.Month()-1, 1, 0, 0, 0, 0, zone), time.Date(l.Year(), l.Month(), 1, 0, 0, 0, 0, zone)}, true
	}
	if m := daysWord.FindStringSubmatch(word); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits only
		return span{midnight(now, zone, 1-n), tomorrow}, n > 0
	}
	first, last, ranged := strings.Cut(word, "..")
	from, ok := dates(first, zone)
	if !ok || !ranged {
		return from, ok
	}
	to, ok := dates(last, zone)
	return span{from.from, to.to}, ok && from.from.Before(to.to)
}

// dates reads a month or a day.
func dates(word string, zone *time.Location) (span, bool) {
	switch {
	case monthWord.MatchString(word):
		t, err := time.ParseInLocation("2006-01", word, zone)
		return span{t, t.AddDate(0, 1, 0)}, err == nil
	case dayWord.MatchString(word):
		t, err := time.ParseInLocation(time.DateOnly, word, zone)
		return span{t, time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, zone)}, err == nil
	}
	return span{}, false
}

// cuts are the words after "by", in the order of the usage.
func cuts() []ledger.Cut {
	return []ledger.Cut{ledger.ByProvider, ledger.ByAccount, ledger.ByService, ledger.ByPart, ledger.ByRegion,
		ledger.ByResource, ledger.ByOwner, ledger.ByProject, ledger.ByGPU, ledger.ByMode, ledger.ByCharge,
		ledger.ByDay, ledger.ByWeek, ledger.ByMonth}
}

// cut reads one word after "by".
func cut(word string) (ledger.Cut, bool) {
	switch word {
	case "kind", "parts", "种类", "组成":
		return ledger.ByPart, true
	case "cloud", "平台", "云":
		return ledger.ByProvider, true
	case "账户", "账号":
		return ledger.ByAccount, true
	case "服务":
		return ledger.ByService, true
	case "地域", "区域":
		return ledger.ByRegion, true
	case "machine", "资源":
		return ledger.ByResource, true
	case "team", "user", "负责人", "团队":
		return ledger.ByOwner, true
	case "项目":
		return ledger.ByProject, true
	case "显卡", "型号":
		return ledger.ByGPU, true
	case "付费", "付费方式":
		return ledger.ByMode, true
	case "类别", "费用类型":
		return ledger.ByCharge, true
	case "周", "weeks":
		return ledger.ByWeek, true
	case "月", "months":
		return ledger.ByMonth, true
	case "date", "days", "天", "日", "日期":
		return ledger.ByDay, true
	}
	c := ledger.Cut(word)
	if one, plural := strings.CutSuffix(word, "s"); plural && !slices.Contains(cuts(), c) {
		return cut(one)
	}
	return c, slices.Contains(cuts(), c)
}

// alsoCuts are other words after "by" that may have been meant.
func alsoCuts() []string { return []string{"kind", "cloud", "machine", "team", "user", "date"} }
