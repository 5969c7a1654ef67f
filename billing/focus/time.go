package focus

import "time"

// parseTime reads a time as FOCUS writes it, 2026-05-01T00:00:00Z, and as clouds do: with a space for the T, without
// seconds, with a fraction, with an offset, with " UTC" (BigQuery), or a date alone. Without a zone it is UTC, which
// FOCUS prescribes. The result is in UTC.
func parseTime(s string) (t time.Time, ok bool) {
	p := clock{s: s, ok: true}
	year, month, day := p.digits(4), p.after('-', 2), p.after('-', 2)
	var hour, minute, second, nano, offset int
	if p.s != "" {
		p.ok = p.ok && (p.s[0] == 'T' || p.s[0] == ' ')
		p.s = p.s[1:]
		hour, minute = p.digits(2), p.after(':', 2)
		if p.starts(':') {
			second = p.after(':', 2)
		}
		nano, offset = p.fraction(), p.offset()
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC)
	// time.Date carries 31 June over to July; a bill that says so is wrong.
	ok = p.ok && p.s == "" && t.Day() == day && t.Month() == time.Month(month) && hour < 24 && minute < 60 && second < 60
	return t.Add(-time.Duration(offset) * time.Minute), ok
}

// clock takes a time apart from the left. ok stays false after the first thing that doesn't fit.
type clock struct {
	s  string
	ok bool
}

func (p *clock) starts(c byte) bool { return p.s != "" && p.s[0] == c }

func (p *clock) after(c byte, n int) int {
	if !p.starts(c) {
		p.ok = false
		return 0
	}
	p.s = p.s[1:]
	return p.digits(n)
}

func (p *clock) digits(n int) (v int) {
	if len(p.s) < n {
		p.ok, p.s = false, ""
		return 0
	}
	for i := range n {
		d := p.s[i] - '0'
		p.ok = p.ok && d <= 9
		v = v*10 + int(d)
	}
	p.s = p.s[n:]
	return v
}

// fraction gives the nanoseconds of a fraction of a second; digits beyond those are cut off.
func (p *clock) fraction() (nano int) {
	if !p.starts('.') {
		return 0
	}
	p.s = p.s[1:]
	p.ok = p.ok && p.s != "" && p.s[0]-'0' <= 9
	for unit := 100_000_000; p.s != "" && p.s[0]-'0' <= 9; unit /= 10 {
		nano += int(p.s[0]-'0') * unit
		p.s = p.s[1:]
	}
	return nano
}

// offset gives the minutes by which the written time is ahead of UTC: Z, +08:00, +0800, +08.
func (p *clock) offset() (minutes int) {
	switch {
	case p.s == "" || p.s == "Z" || p.s == " UTC":
		p.s = ""
		return 0
	case !p.starts('+') && !p.starts('-'):
		p.ok = false
		return 0
	}
	sign := 1
	if p.s[0] == '-' {
		sign = -1
	}
	p.s = p.s[1:]
	hours := p.digits(2)
	if p.starts(':') {
		p.s = p.s[1:]
		minutes = p.digits(2)
	} else if p.s != "" {
		minutes = p.digits(2)
	}
	p.ok = p.ok && hours <= 14 && minutes < 60
	return sign * (hours*60 + minutes)
}
