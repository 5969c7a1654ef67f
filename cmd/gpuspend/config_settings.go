package main

import (
	"fmt"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// hours reads the working hours; 10:00 to 20:00 from Monday to Friday where none are configured.
func (c Config) hours() (notify.Hours, error) {
	h := notify.WorkingDays()
	for _, e := range []struct {
		text string
		into *time.Duration
	}{{c.Hours.Start, &h.Start}, {c.Hours.End, &h.End}} {
		if e.text == "" {
			continue
		}
		t, err := timeOfDay(e.text)
		if err != nil {
			return h, err
		}
		*e.into = t
	}
	if h.End <= h.Start {
		return h, fmt.Errorf("work ends at %s, before it starts", c.Hours.End)
	}
	if len(c.Hours.Days) > 0 {
		h.Days = [7]bool{}
	}
	for _, d := range c.Hours.Days {
		n := strings.Index("sunmontuewedthufrisat", strings.ToLower(d))
		if len(d) != 3 || n < 0 || n%3 != 0 {
			return h, fmt.Errorf("%q is no day; write mon, tue, wed, thu, fri, sat or sun", d)
		}
		h.Days[n/3] = true
	}
	var err error
	if h.Calendar, err = c.Hours.calendar(); err != nil {
		return h, err
	}
	h.QuietFrom, h.QuietTo, err = c.Hours.quiet(h)
	return h, err
}

func timeOfDay(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, fmt.Errorf("%q is no time of day; write it like 09:30", s)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

// calendar is a country's days, and over them the days of the configuration.
func (h HoursConfig) calendar() (notify.Calendar, error) {
	all := notify.Calendar{}
	switch h.Calendar {
	case "", "none":
	case "cn":
		all = notify.China()
	default:
		return nil, fmt.Errorf("%q is no calendar; it is cn or none, and single days stand under off and on", h.Calendar)
	}
	for _, list := range []struct {
		days  []string
		works bool
	}{{h.Off, false}, {h.On, true}} {
		for _, d := range list.days {
			if _, err := time.Parse(time.DateOnly, d); err != nil {
				return nil, fmt.Errorf("%q is no day; write it like 2026-12-25", d)
			}
			all[d] = list.works
		}
	}
	return all, nil
}

// quiet reads the night; that of the default hours where none is configured.
func (h HoursConfig) quiet(standard notify.Hours) (from, to time.Duration, err error) {
	switch h.Quiet {
	case "":
		return standard.QuietFrom, standard.QuietTo, nil
	case "none":
		return 0, 0, nil
	}
	begin, end, ok := strings.Cut(h.Quiet, "-")
	from, err1 := timeOfDay(strings.TrimSpace(begin))
	to, err2 := timeOfDay(strings.TrimSpace(end))
	if !ok || err1 != nil || err2 != nil || from == to {
		return 0, 0, fmt.Errorf("%q is no night; write it like 22:00-08:00, or none", h.Quiet)
	}
	return from, to, nil
}

// settings resolves the thresholds: the configuration's where it names them, else the documented defaults.
func (c Config) settings(accounts []billing.Account) (notify.Settings, error) {
	s := notify.Defaults()
	s.BalanceFloors = map[string][]billing.Money{}
	r := c.Rules
	if len(r.Balance.Steps) > 0 {
		s.BalanceSteps = spans(r.Balance.Steps)
	}
	for _, a := range accounts {
		floor, ok := r.Balance.Floors[a.Name]
		if !ok || a.Currency == "" {
			continue
		}
		m, _, err := billing.ParseMoney(floor.String(), a.Currency)
		if err != nil {
			return s, fmt.Errorf("rules.balance.floors.%s: %w", a.Name, err)
		}
		s.BalanceFloors[a.Name] = []billing.Money{m}
	}
	s.DiskAge = r.Forgotten.Disk.Or(s.DiskAge)
	s.SnapshotAge = r.Forgotten.Snapshot.Or(s.SnapshotAge)
	if len(r.Forgotten.Push) > 0 {
		s.ForgottenPush = nil
		for code, d := range r.Forgotten.Push {
			m, _, err := billing.ParseMoney(d.String(), billing.Currency(code))
			if err != nil {
				return s, fmt.Errorf("rules.forgotten.push.%s: %w", code, err)
			}
			s.ForgottenPush = append(s.ForgottenPush, m)
		}
	}
	s.StoppedAge = r.Stopped.After.Or(s.StoppedAge)
	s.StoppedPush = r.Stopped.Push.Or(s.StoppedPush)
	if len(r.Expiry.Steps) > 0 {
		s.ExpirySteps = spans(r.Expiry.Steps)
	}
	s.UnreachableFor = r.Unreachable.After.Or(s.UnreachableFor)
	return s, nil
}

func spans(list []Duration) []time.Duration {
	out := make([]time.Duration, len(list))
	for i, d := range list {
		out[i] = time.Duration(d)
	}
	return out
}

// owners is the mapping of owners.
func (c Config) owners() ledger.Owners {
	return ledger.Owners{Pattern: c.Owners.Pattern, Table: c.Owners.Table, Accounts: c.Owners.Accounts, People: c.Owners.People}
}
