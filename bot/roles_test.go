package bot_test

import (
	"strings"
	"testing"

	"gpuspend/bot"
)

// Who may what: guests, strangers, bots and people of other teams never, whatever list names them.
func TestRoles(t *testing.T) {
	listed := bot.Roles{Team: team, Acting: bot.Acting{Operators: []string{operatorID}}, Viewers: []string{viewerID}, Groups: []string{"S0GPU"}, Channels: []string{"C0GPU"}}
	person := func(id string, s bot.Standing, groups ...string) bot.Person {
		return bot.Person{ID: id, Team: team, Standing: s, Groups: groups}
	}
	other := operator()
	other.Team = "T0THEIRS"
	gpu, elsewhere := bot.Place{Channel: "C0GPU"}, bot.Place{Channel: "C0OTHER"}
	for _, c := range []struct {
		name   string
		roles  bot.Roles
		person bot.Person
		place  bot.Place
		want   bot.Role
	}{
		{"an operator", listed, operator(), elsewhere, bot.Operator},
		{"a viewer", listed, viewer(), elsewhere, bot.Viewer},
		{"an unlisted member", listed, person("U0X", bot.Member), elsewhere, bot.Nobody},
		{"a member of a listed group", listed, person("U0X", bot.Member, "S0GPU"), elsewhere, bot.Viewer},
		{"a member of another group", listed, person("U0X", bot.Member, "S0X"), elsewhere, bot.Nobody},
		{"a member in a listed channel", listed, person("U0X", bot.Member), gpu, bot.Viewer},
		{"a private place is no channel", listed, person("U0X", bot.Member), bot.Place{Channel: "C0GPU", Private: true}, bot.Nobody},
		{"a guest, listed", listed, person(operatorID, bot.Guest), gpu, bot.Nobody},
		{"a stranger, listed", listed, person(operatorID, bot.Stranger), gpu, bot.Nobody},
		{"a bot, listed", listed, person(operatorID, bot.Automaton), gpu, bot.Nobody},
		{"deactivated, listed", listed, person(operatorID, bot.Deactivated), gpu, bot.Nobody},
		{"the same id of another team", listed, other, gpu, bot.Nobody},
		{"standing unknown, listed operator", listed, person(operatorID, bot.Unknown), elsewhere, bot.Operator},
		{"standing unknown, in a listed channel", listed, person("U0X", bot.Unknown), gpu, bot.Nobody},
		{"standing unknown, in a listed group", listed, person("U0X", bot.Unknown, "S0GPU"), elsewhere, bot.Nobody},
		{"nobody at all", listed, bot.Person{}, gpu, bot.Nobody},
		{"empty lists mean nobody", bot.Roles{Team: team}, operator(), gpu, bot.Nobody},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.roles.Of(c.person, c.place); got != c.want {
				t.Errorf("role %d, want %d", got, c.want)
			}
		})
	}
}

// Who may not look gets one sentence, for every command, button and form, and learns nothing from it.
func TestRefusals(t *testing.T) {
	guest, stranger, unlisted := operator(), operator(), viewer()
	guest.Standing, stranger.Team, unlisted.ID = bot.Guest, "T0THEIRS", "U0X"
	for name, p := range map[string]bot.Person{"guest": guest, "stranger": stranger, "unlisted": unlisted} {
		for _, c := range bot.Commands() {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				in := install(t)
				a, shown := in.says(t, p, c.Examples[0])
				if !a.Failed || a.Data != nil || a.Form != nil || len(a.Message.Blocks) != 1 {
					t.Errorf("answered %+v", a)
				}
				lacks(t, shown, secrets()...)
			})
		}
		for _, action := range []string{bot.ActionRelease, bot.ActionStop, bot.ActionKeep, bot.ActionTake, bot.ActionSnooze, bot.ActionRun, "x"} {
			t.Run(name+"/press "+action, func(t *testing.T) {
				in := install(t)
				out, err := in.Press(t.Context(), bot.Press{Action: action, Value: "r-7k2f", Person: p})
				if err != nil || out.Form != nil || len(out.Public.Blocks) > 0 || len(in.notes.taken) > 0 {
					t.Errorf("%+v, %v", out, err)
				}
				lacks(t, bot.Plain(out.Private, 100), secrets()...)
			})
		}
	}
}

func TestEmptyListsAreSaid(t *testing.T) {
	in := install(t)
	in.Roles = bot.Roles{Team: team}
	_, shown := in.says(t, operator(), "status")
	contains(t, shown, "Nobody may look yet")
}

// A role of the table is held: what only operators may do, a viewer is refused, politely.
func TestRoleOfCommands(t *testing.T) {
	for _, c := range bot.Commands() {
		in := install(t)
		a, shown := in.says(t, viewer(), c.Examples[0])
		refused := strings.Contains(shown, "You can look but not release")
		if refused != (c.Role == bot.Operator) || refused && (a.Form != nil || !a.Failed) {
			t.Errorf("%s: %s", c.Name, shown)
		}
	}
}

// From the shell of the machine no list is asked, unless a person is named.
func TestLocal(t *testing.T) {
	in := install(t)
	in.Roles = bot.Roles{}
	a, err := in.Ask(t.Context(), bot.Request{Words: []string{"balance"}, Local: true, Dry: true})
	if err != nil || a.Failed {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = in.Ask(t.Context(), bot.Request{Words: []string{"balance"}, Local: true, Dry: true, Person: viewer()})
	if err != nil || !a.Failed {
		t.Errorf("a named person is not checked: %+v, %v", a, err)
	}
}
