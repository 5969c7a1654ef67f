package localslack

import (
	"net/url"
	"slices"
	"strings"
)

func (w *Workspace) apiTest(c *call) (map[string]any, error) {
	if e := c.str("error"); e != "" {
		return nil, refuse(e)
	}
	return map[string]any{"args": map[string]any{"foo": c.str("foo")}}, nil
}

func (w *Workspace) authTest(c *call) (map[string]any, error) {
	return map[string]any{
		"url": c.base() + "/", "team": w.o.Title, "team_id": w.o.TeamID,
		"user": w.bot.Name, "user_id": w.bot.ID, "bot_id": w.botID(), "is_enterprise_install": false,
	}, nil
}

func (w *Workspace) botsInfo(c *call) (map[string]any, error) {
	if id := c.str("bot"); id != "" && id != w.botID() {
		return nil, refuse("bot_not_found")
	}
	return map[string]any{"bot": map[string]any{"id": w.botID(), "app_id": w.appID(), "user_id": w.bot.ID, "name": w.bot.Name, "deleted": false}}, nil
}

func (c *call) base() string {
	scheme := "http"
	if c.tls {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: c.host}).String()
}

func (w *Workspace) botID() string { return "B" + strings.TrimPrefix(w.bot.ID, "U") }
func (w *Workspace) appID() string { return "A" + strings.TrimPrefix(w.bot.ID, "U") }

// teamOf differs for a stranger: that is how an app tells them apart.
func (w *Workspace) teamOf(p Person) string {
	if p.Stranger {
		return "T0STRANGER"
	}
	return w.o.TeamID
}

func (w *Workspace) userJSON(p Person) map[string]any {
	return map[string]any{
		"id": p.ID, "team_id": w.teamOf(p), "name": p.Name, "real_name": p.RealName, "deleted": p.Deleted,
		"locale": p.Locale, "tz": p.TZ, "is_bot": p.Bot, "is_restricted": p.Guest, "is_ultra_restricted": false,
		"is_stranger": p.Stranger, "is_admin": false, "is_owner": false, "is_app_user": false,
		"profile": map[string]any{"email": p.Email, "real_name": p.RealName, "display_name": p.Name, "team": w.teamOf(p)},
	}
}

func (w *Workspace) usersInfo(c *call) (map[string]any, error) {
	p, ok := w.person(c.str("user"))
	if !ok {
		return nil, refuse("user_not_found")
	}
	return map[string]any{"user": w.userJSON(p)}, nil
}

func (w *Workspace) usersList(*call) (map[string]any, error) {
	out := []any{}
	for _, p := range w.o.People {
		out = append(out, w.userJSON(p))
	}
	return map[string]any{"members": out, "response_metadata": map[string]any{"next_cursor": ""}}, nil
}

func (w *Workspace) usersLookupByEmail(c *call) (map[string]any, error) {
	for _, p := range w.o.People {
		if p.Email != "" && !p.Deleted && strings.EqualFold(p.Email, c.str("email")) {
			return map[string]any{"user": w.userJSON(p)}, nil
		}
	}
	return nil, refuse("users_not_found")
}

func (w *Workspace) usergroupsList(c *call) (map[string]any, error) {
	out := []any{}
	for _, g := range w.o.Groups {
		j := map[string]any{"id": g.ID, "team_id": w.o.TeamID, "handle": g.Handle, "name": g.Name, "is_usergroup": true, "user_count": len(g.Members)}
		if c.flag("include_users") {
			j["users"] = g.Members
		}
		out = append(out, j)
	}
	return map[string]any{"usergroups": out}, nil
}

func (w *Workspace) usergroupsUsersList(c *call) (map[string]any, error) {
	for _, g := range w.o.Groups {
		if g.ID == c.str("usergroup") {
			return map[string]any{"users": append([]string{}, g.Members...)}, nil
		}
	}
	return nil, refuse("no_such_subteam")
}

func (w *Workspace) channelJSON(c *channel) map[string]any {
	out := map[string]any{
		"id": c.ID, "name": c.Name, "name_normalized": c.Name, "is_channel": c.DM == "", "is_im": c.DM != "",
		"is_archived": c.archived, "is_member": c.DM == "", "is_private": c.DM != "", "context_team_id": w.o.TeamID,
		"topic": map[string]any{"value": c.Topic, "creator": "", "last_set": 0}, "num_members": len(w.members(c)),
	}
	if c.DM != "" {
		out["user"] = c.DM
	}
	return out
}

func (w *Workspace) members(c *channel) []string {
	if c.DM != "" {
		return []string{c.DM, w.bot.ID}
	}
	out := []string{}
	for _, p := range w.o.People {
		if !p.Deleted {
			out = append(out, p.ID)
		}
	}
	return out
}

// find returns the channel a call names. The caller holds mu.
func (w *Workspace) find(c *call) (*channel, error) {
	ch := w.channel(c.str("channel"))
	if ch == nil {
		return nil, refuse("channel_not_found")
	}
	return ch, nil
}

func (w *Workspace) conversationsInfo(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.find(c)
	if err != nil {
		return nil, err
	}
	return map[string]any{"channel": w.channelJSON(ch)}, nil
}

func (w *Workspace) conversationsList(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	types := strings.Split(c.str("types"), ",")
	out := []any{}
	for _, ch := range w.channels {
		kind := "public_channel"
		if ch.DM != "" {
			kind = "im"
		}
		wanted := slices.Contains(types, kind) || c.str("types") == "" && kind == "public_channel"
		if wanted && !(ch.archived && c.flag("exclude_archived")) {
			out = append(out, w.channelJSON(ch))
		}
	}
	return map[string]any{"channels": out, "response_metadata": map[string]any{"next_cursor": ""}}, nil
}

func (w *Workspace) conversationsMembers(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.find(c)
	if err != nil {
		return nil, err
	}
	return map[string]any{"members": w.members(ch), "response_metadata": map[string]any{"next_cursor": ""}}, nil
}

func (w *Workspace) conversationsOpen(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id := c.str("channel"); id != "" {
		ch, err := w.find(c)
		if err != nil {
			return nil, err
		}
		return map[string]any{"channel": w.channelJSON(ch)}, nil
	}
	users := strings.Split(c.str("users"), ",")
	p, ok := w.person(users[0])
	switch {
	case len(users) > 1:
		return nil, refuse("not_enough_users") // group conversations are not part of this workspace
	case !ok:
		return nil, refuse("user_not_found")
	case p.Deleted:
		return nil, refuse("user_disabled")
	case p.Bot:
		return nil, refuse("cannot_dm_bot")
	}
	return map[string]any{"channel": w.channelJSON(w.openDM(p.ID)), "no_op": false, "already_open": false}, nil
}
