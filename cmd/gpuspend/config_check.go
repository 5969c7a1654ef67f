package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"gpuspend/billing"
	"gpuspend/billing/providers"
)

// Check judges a configuration that could be read: every value that can't work, each with its path. Secrets are
// fetched to see that they are there, and forgotten.
func (c Config) Check(ctx context.Context, drivers []billing.Driver) Problems {
	k := &checker{ctx: ctx, drivers: map[string]billing.Driver{}}
	for _, d := range drivers {
		k.drivers[d.Name] = d
	}
	k.installation(c)
	k.accounts(c)
	k.slack(c)
	k.rules(c)
	k.prices(c.Prices)
	k.budgets(c)
	if d := c.PaidCalls.Daily; d.Known() && d.Sign() < 0 {
		k.wrong("paid_calls.daily", "%s is below zero; write an amount in USD like 0.10", d)
	}
	return k.problems
}

type checker struct {
	ctx      context.Context
	drivers  map[string]billing.Driver
	problems Problems
}

func (k *checker) wrong(path, say string, args ...any) {
	k.problems = append(k.problems, Problem{Path: path, Say: fmt.Sprintf(say, args...)})
}

func (k *checker) installation(c Config) {
	if _, err := c.zone(); err != nil {
		k.wrong("zone", "%v", err)
	}
	k.language("language", c.Language)
	k.hours(c.Hours)
	k.places(c)
	for code, r := range c.Rates {
		path := "rates." + code
		if _, err := billing.ParseCurrency(code); err != nil {
			k.wrong(path, "%v", err)
		}
		if !r.Rate.Known() || r.Rate.Sign() <= 0 {
			k.wrong(path+".rate", "a rate above zero is needed")
		}
		if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
			k.wrong(path+".date", "%q is no day; write it like 2026-12-01", r.Date)
		}
		if r.Source == "" {
			k.wrong(path+".source", "say where the rate is from; it is shown beside every converted figure")
		}
	}
	if err := c.owners().Check(); err != nil {
		k.wrong("owners", "%v", err)
	}
	if len(c.Rates) > 0 && c.Currency == "" {
		k.wrong("currency", "rates need the currency into which they convert")
	}
}

// hours judges start, end and days apart, and then whether they go together.
func (k *checker) hours(h HoursConfig) {
	good := true
	for _, one := range []struct {
		path string
		part HoursConfig
	}{
		{"hours.start", HoursConfig{Start: h.Start, End: "23:59"}},
		{"hours.end", HoursConfig{Start: "00:00", End: h.End}},
		{"hours.days", HoursConfig{Days: h.Days}},
		{"hours.calendar", HoursConfig{Calendar: h.Calendar}},
		{"hours.off", HoursConfig{Off: h.Off}},
		{"hours.on", HoursConfig{On: h.On}},
		{"hours.quiet", HoursConfig{Quiet: h.Quiet}},
	} {
		if _, err := (Config{Hours: one.part}).hours(); err != nil {
			k.wrong(one.path, "%v", err)
			good = false
		}
	}
	if _, err := (Config{Hours: h}).hours(); err != nil && good {
		k.wrong("hours", "%v", err)
	}
}

// places judges where the program would listen and keep its store.
func (k *checker) places(c Config) {
	if c.Listen != "" {
		if _, _, err := net.SplitHostPort(c.Listen); err != nil {
			k.wrong("listen", "%q is no address; write it like 127.0.0.1:9090", c.Listen)
		}
	}
	folder := filepath.Dir(c.storePath())
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		k.wrong("store", "there is no folder %s to keep it in", folder)
	}
}

func (k *checker) language(path, lang string) {
	if lang != "" && lang != "en" && lang != "zh" {
		k.wrong(path, "%q is not known; it is en or zh", lang)
	}
}

func (k *checker) accounts(c Config) {
	list := c.Accounts
	if len(list) == 0 {
		k.wrong("accounts", "name at least one account to watch")
	}
	seen := map[string]int{}
	for i, a := range list {
		path := fmt.Sprintf("accounts[%d]", i)
		if a.Name == "" {
			k.wrong(path+".name", "every account needs a name")
		} else if j, twice := seen[a.Name]; twice {
			k.wrong(path+".name", "%q is the name of accounts[%d] too", a.Name, j)
		}
		seen[a.Name] = i
		if a.Release != "" && a.Release != "allow" && a.Release != "deny" {
			k.wrong(path+".release", "%q is neither allow nor deny", a.Release)
		}
		k.provider(path, a)
		k.organization(path, a)
		k.machines(path, c, a)
		k.bills(path, a)
	}
}

// bills judges how an account's bills are to be taken.
func (k *checker) bills(path string, a AccountConfig) {
	for i, s := range a.Sources {
		at := fmt.Sprintf("%s.sources[%d]", path, i)
		if !slices.Contains(billing.Sources(), s) {
			k.wrong(at, "%q is no source; it is focus, native, api or counter", s)
		} else if slices.Index(a.Sources, s) < i {
			k.wrong(at, "%s stands there twice", s)
		}
	}
	for i, b := range a.Bill {
		if b != "no_effective" && b != "no_invoice" {
			k.wrong(fmt.Sprintf("%s.bill[%d]", path, i), "%q is not known; it is no_effective or no_invoice", b)
		}
	}
}

// machines judges what an account declares.
func (k *checker) machines(path string, c Config, a AccountConfig) {
	zone, err := c.zone()
	if err != nil {
		zone = time.UTC // said already
	}
	seen := map[string]int{}
	for i, m := range a.Machines {
		at := fmt.Sprintf("%s.machines[%d]", path, i)
		if _, key, err := m.declared(zone, k.drivers[a.Provider]); err != nil {
			k.wrong(at+"."+key, "%v", err)
		}
		if j, twice := seen[m.Name]; twice && m.Name != "" {
			k.wrong(at+".name", "%q is the name of machines[%d] too", m.Name, j)
		}
		seen[m.Name] = i
	}
}

func (k *checker) provider(path string, a AccountConfig) {
	d, ok := k.drivers[a.Provider]
	if !ok {
		k.wrong(path+".provider", "%q is no cloud I know%s", a.Provider, nearest(a.Provider, k.drivers))
		return
	}
	if _, err := providers.Transport(a.Proxy, ""); err != nil {
		k.wrong(path+".proxy", "%v", err)
	}
	if _, err := providers.Transport("", a.CAFile); err != nil {
		k.wrong(path+".ca_file", "%v", err)
	}
	k.credentials(path+".credentials.read", d, a.Credentials.Read)
	if a.Release == "allow" {
		k.credentials(path+".credentials.release", d, a.Credentials.Release)
	} else if len(a.Credentials.Release) > 0 {
		k.wrong(path+".credentials.release", "a release key stands here, but the account does not say release: allow")
	}
}

func (k *checker) credentials(path string, d billing.Driver, given map[string]SecretConfig) {
	fields := map[string]billing.Field{}
	for _, f := range d.Fields {
		fields[f.Name] = f
		if f.Required && !given[f.Name].Given() {
			k.wrong(path+"."+f.Name, "%s needs it: %s", d.Title, f.Help)
		}
	}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if _, known := fields[name]; !known {
			k.wrong(path+"."+name, "%s has no such key%s", d.Title, nearest(name, fields))
			continue
		}
		k.secret(path+"."+name, given[name])
	}
}

func (k *checker) secret(path string, s SecretConfig) {
	if !s.Given() {
		return
	}
	if _, err := s.Reveal(k.ctx); err != nil {
		k.wrong(path, "%v", err)
	}
}

func (k *checker) slack(c Config) {
	s := c.Slack
	k.secret("slack.bot_token", s.BotToken)
	k.secret("slack.app_token", s.AppToken)
	k.secret("slack.signing_secret", s.SigningSecret)
	if (s.AppToken.Given() || s.SigningSecret.Given()) && !s.BotToken.Given() {
		k.wrong("slack.bot_token", "the app needs its bot token to answer")
	}
	if s.SigningSecret.Given() && c.Listen == "" {
		k.wrong("listen", "slack.signing_secret needs an address to listen on")
	}
	k.receivers(c)
	k.checkRoutes(c)
	k.ids("viewers.users", c.Viewers.Users, "UW")
	k.ids("viewers.groups", c.Viewers.Groups, "S")
	k.ids("viewers.channels", c.Viewers.Channels, "CG")
	k.ids("releases.operators", c.Releases.Operators, "UW")
	k.acting(c)
	k.checklist("releases.checklist", c.Releases.Checklist)
	for owner, list := range c.Releases.Checklists {
		k.checklist("releases.checklists."+owner, list)
	}
	for i, a := range c.Accounts {
		if a.Release == "allow" && len(c.Releases.Operators)+len(c.Releases.OperatorGroups)+len(a.Roles.Operators)+len(a.Roles.OperatorGroups) == 0 {
			k.wrong("releases.operators", "accounts[%d] allows releases, but nobody is listed who may; list Slack user ids", i)
			break
		}
	}
}

// acting checks the lists of who may act, and that what asks for a second person can find one.
func (k *checker) acting(c Config) {
	r := c.Releases
	lists := func(path string, a ActingConfig) {
		k.ids(path+".operators", a.Operators, "UW")
		k.ids(path+".operator_groups", a.OperatorGroups, "S")
		k.ids(path+".approvers", a.Approvers, "UW")
		k.ids(path+".approver_groups", a.ApproverGroups, "S")
	}
	lists("releases", ActingConfig{OperatorGroups: r.OperatorGroups, Approvers: r.Approvers, ApproverGroups: r.ApproverGroups})
	second := r.Approval.Above.Known() || len(r.Approval.Labels) > 0
	for i, a := range c.Accounts {
		path := fmt.Sprintf("accounts[%d].roles", i)
		lists(path, a.Roles)
		if second && a.Release == "allow" && len(r.Approvers)+len(r.ApproverGroups)+len(a.Roles.Approvers)+len(a.Roles.ApproverGroups) == 0 {
			k.wrong("releases.approvers", "releases.approval asks for a second person, but nobody is listed who may approve in accounts[%d]; list Slack user ids", i)
		}
	}
	if r.Approval.Above.Known() && r.Approval.Above.Sign() < 0 {
		k.wrong("releases.approval.above", "%s is less than nothing", r.Approval.Above)
	}
	if r.Approval.Above.Known() && c.Currency == "" {
		k.wrong("releases.approval.above", "give currency, too: the amount is in it")
	}
	if r.Channel != "" {
		k.ids("releases.channel", []string{r.Channel}, "CG")
	}
}

// checklist checks that a form can show a list: Slack takes ten boxes of 75 characters each.
func (k *checker) checklist(path string, list []string) {
	if len(list) > 10 {
		k.wrong(path, "%d items are too many for a form; give at most 10", len(list))
	}
	seen := map[string]bool{}
	for i, item := range list {
		switch n := utf8.RuneCountInString(item); {
		case strings.TrimSpace(item) == "" || n > 75:
			k.wrong(fmt.Sprintf("%s[%d]", path, i), "an item has 1 to 75 characters")
		case seen[item]:
			k.wrong(fmt.Sprintf("%s[%d]", path, i), "%q stands here twice", item)
		}
		seen[item] = true
	}
}

// ids checks that a list holds ids, not names: names can be changed by anybody.
func (k *checker) ids(path string, list []string, first string) {
	for i, id := range list {
		if len(id) < 2 || !strings.Contains(first, id[:1]) || strings.ToUpper(id) != id {
			k.wrong(fmt.Sprintf("%s[%d]", path, i), "%q is no Slack id; such an id begins with %s and stands in the profile, under Copy member ID or About", id, strings.Join(strings.Split(first, ""), " or "))
		}
	}
}

func (k *checker) rules(c Config) {
	names := map[string]bool{}
	for _, a := range c.Accounts {
		names[a.Name] = true
	}
	for name := range c.Rules.Balance.Floors {
		if !names[name] {
			k.wrong("rules.balance.floors."+name, "no account has this name%s", nearest(name, names))
		}
	}
	for code := range c.Rules.Forgotten.Push {
		if _, err := billing.ParseCurrency(code); err != nil {
			k.wrong("rules.forgotten.push."+code, "%v", err)
		}
	}
}

// zone is the installation's time zone; UTC where none is configured, never the machine's.
func (c Config) zone() (*time.Location, error) { return zoneNamed(c.Zone) }

func zoneNamed(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	if strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("%q would be the machine's zone; name one, like Asia/Shanghai", name)
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no time zone; name one like Asia/Shanghai or UTC", name)
	}
	return z, nil
}
