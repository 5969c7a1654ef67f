package words

import (
	"strconv"
	"time"
)

// Clock writes an instant in the reader's zone: "09:57" today, "Thu 16:11" within six days, beyond that the date alone.
func (p Printer) Clock(t time.Time) string {
	if t.IsZero() {
		return p.unknown()
	}
	local := t.In(p.Zone)
	switch days := p.daysAway(local); {
	case days == 0:
		return local.Format("15:04")
	case days >= -6 && days <= 6:
		return p.weekday(local) + " " + local.Format("15:04")
	}
	return p.Date(t)
}

// Date writes a day in the reader's zone: "Sat 12 Dec", "12 月 12 日（周六）"; with its year where that is not plain.
func (p Printer) Date(t time.Time) string {
	if t.IsZero() {
		return p.unknown()
	}
	local := t.In(p.Zone)
	far := local.Year() != p.Now.In(p.Zone).Year() && abs(p.daysAway(local)) > 180
	if p.Lang == Chinese {
		s := strconv.Itoa(int(local.Month())) + " 月 " + strconv.Itoa(local.Day()) + " 日（" + p.weekday(local) + "）"
		if far {
			return strconv.Itoa(local.Year()) + " 年 " + s
		}
		return s
	}
	if far {
		return local.Format("Mon 2 Jan 2006")
	}
	return local.Format("Mon 2 Jan")
}

// Moment writes an instant with day and clock time, for what happens once: "Sat 12 Dec 23:10".
func (p Printer) Moment(t time.Time) string {
	if s := p.Clock(t); t.IsZero() || abs(p.daysAway(t.In(p.Zone))) <= 6 {
		return s
	}
	clock := t.In(p.Zone).Format("15:04")
	if p.Lang == Chinese {
		return p.Date(t) + clock
	}
	return p.Date(t) + " " + clock
}

// daysAway counts midnights between now and a local instant.
func (p Printer) daysAway(local time.Time) int {
	now := p.Now.In(p.Zone)
	return dayNumber(local) - dayNumber(now)
}

func dayNumber(t time.Time) int {
	return int(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func abs(n int) int { return max(n, -n) }

func (p Printer) weekday(local time.Time) string {
	if p.Lang == Chinese {
		return "周" + [...]string{"日", "一", "二", "三", "四", "五", "六"}[local.Weekday()]
	}
	return local.Format("Mon")
}

// Duration writes how long, rounded down: "46 min", "5 h 31 min", from two days on "12 days".
func (p Printer) Duration(d time.Duration) string {
	d = max(d, -d)
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	switch {
	case d < time.Minute:
		return p.Text("words.duration.moment")
	case hours == 0:
		return p.Text("words.duration.minutes", "minutes", minutes)
	case hours >= 48:
		return p.Text("words.duration.days", "days", hours/24)
	case minutes == 0:
		return p.Text("words.duration.hours", "hours", hours)
	}
	return p.Text("words.duration.both", "hours", hours, "minutes", minutes)
}
