package slack

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"gpuspend/bot"
	"gpuspend/notify/words"
)

// people remembers who somebody is and who belongs to a group, for ten minutes; what could not be learnt, for one.
type people struct {
	mu     sync.Mutex
	known  map[string]known
	groups map[string]members
}

type known struct {
	person bot.Person
	till   time.Time
}

type members struct {
	ids  map[string]bool
	till time.Time
}

func (p *people) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.groups = nil, nil
}

// who is somebody as a payload names him.
type who struct{ id, team, enterprise, name string }

// person looks somebody up. Without users:read, and when Slack does not answer, the standing is unknown: then only
// listed ids may anything.
func (c *Client) person(ctx context.Context, w who) bot.Person {
	p, ok := c.people.find(w.id)
	if !ok {
		p = c.lookUp(ctx, w)
	}
	if p.Name == "" {
		p.Name = w.name
	}
	p.Groups = c.groupsOf(ctx, w.id)
	return p
}

func (p *people) find(id string) (bot.Person, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k, ok := p.known[id]
	return k.person, ok && time.Now().Before(k.till)
}

func (p *people) keep(person bot.Person, last time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) > 5000 {
		p.known = map[string]known{}
	}
	p.known[person.ID] = known{person, time.Now().Add(last)}
}

func (c *Client) lookUp(ctx context.Context, w who) bot.Person {
	team, home := c.desk.Load().Roles.Team, c.home(ctx)
	u, err := c.api.GetUserInfoContext(ctx, w.id)
	if err != nil {
		p := bot.Person{ID: w.id, Team: teamOf(team, w.team, w.enterprise), Name: w.name}
		var no slack.SlackErrorResponse
		if errors.As(err, &no) && (no.Err == "user_not_found" || no.Err == "user_not_visible") || home.foreign(w.team, w.enterprise) {
			p.Standing = bot.Stranger
		}
		c.o.Log.Debug("slack: users.info", "user", w.id, "error", failed("slack: users.info", err))
		c.people.keep(p, time.Minute)
		return p
	}
	p := bot.Person{ID: u.ID, Name: displayName(u), Standing: standing(u, home), Zone: zone(u)}
	p.Team = teamOf(team, firstOf(u.TeamID, w.team), firstOf(u.Enterprise.EnterpriseID, w.enterprise))
	if u.Locale != "" {
		p.Lang = words.Language(u.Locale)
	}
	c.people.keep(p, peopleLast)
	if c.o.Remember != nil {
		c.o.Remember(ctx, p, u.Locale)
	}
	return p
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// home is the bot's own workspace, learnt once; zero while Slack does not say.
func (c *Client) home(ctx context.Context) Identity {
	if id := c.identity.Load(); id != nil {
		return *id
	}
	id, err := c.Identity(ctx)
	if err != nil {
		c.o.Log.Warn("slack: who am I", "error", err)
	}
	return id
}

// foreign says that a team is neither the bot's nor of its enterprise. What is not known is not foreign.
func (i Identity) foreign(team, enterprise string) bool {
	return i.Team != "" && team != "" && team != i.Team && (i.Enterprise == "" || enterprise != i.Enterprise)
}

// teamOf picks the id that lists are kept under: the enterprise's where they are its, else the workspace's.
func teamOf(lists, team, enterprise string) string {
	if enterprise != "" && (strings.HasPrefix(lists, "E") || team == "") {
		return enterprise
	}
	return team
}

// standing reads what somebody is. Who belongs to another workspace than the bot is a stranger, whatever lists say.
func standing(u *slack.User, home Identity) bot.Standing {
	switch {
	case home.foreign(u.TeamID, u.Enterprise.EnterpriseID):
		return bot.Stranger
	case u.Deleted:
		return bot.Deactivated
	case u.IsBot || u.IsWorkflowBot || u.IsConnectorBot || u.ID == "USLACKBOT":
		return bot.Automaton
	case u.IsStranger:
		return bot.Stranger
	case u.IsRestricted || u.IsUltraRestricted:
		return bot.Guest
	}
	return bot.Member
}

func displayName(u *slack.User) string {
	for _, name := range []string{u.Profile.DisplayName, u.RealName, u.Name} {
		if name != "" {
			return name
		}
	}
	return u.ID
}

func zone(u *slack.User) *time.Location {
	if u.TZ == "" {
		return nil
	}
	z, err := time.LoadLocation(u.TZ)
	if err != nil {
		return time.FixedZone(u.TZ, u.TZOffset)
	}
	return z
}

// groupsOf says to which of the groups that may look somebody belongs.
// Groups are the user groups, of those that the lists name, that a person is in. A group that can't be read has nobody.
func (c *Client) Groups(ctx context.Context, user string) []string { return c.groupsOf(ctx, user) }

func (c *Client) groupsOf(ctx context.Context, user string) []string {
	var out []string
	for _, g := range c.desk.Load().Roles.AllGroups() {
		if c.group(ctx, g)[user] {
			out = append(out, g)
		}
	}
	return out
}

func (c *Client) group(ctx context.Context, id string) map[string]bool {
	c.people.mu.Lock()
	m, ok := c.people.groups[id]
	c.people.mu.Unlock()
	if ok && time.Now().Before(m.till) {
		return m.ids
	}
	ids, err := c.api.GetUserGroupMembersContext(ctx, id)
	m = members{ids: map[string]bool{}, till: time.Now().Add(peopleLast)}
	if err != nil { // nobody is in a group that can't be read
		c.o.Log.Warn("slack: usergroups.users.list", "group", id, "error", failed("slack: usergroups.users.list", err))
		m.till = time.Now().Add(time.Minute)
	}
	for _, u := range ids {
		m.ids[u] = true
	}
	c.people.mu.Lock()
	defer c.people.mu.Unlock()
	if c.people.groups == nil {
		c.people.groups = map[string]members{}
	}
	c.people.groups[id] = m
	return m.ids
}

// direct finds the direct message with somebody.
func (c *Client) direct(ctx context.Context, user string) (string, error) {
	if id, ok := c.dms.Load(user); ok {
		return id.(string), nil
	}
	ch, _, _, err := c.api.OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{user}})
	if err != nil {
		return "", failed("slack: conversations.open", err)
	}
	c.dms.Store(user, ch.ID)
	return ch.ID, nil
}
