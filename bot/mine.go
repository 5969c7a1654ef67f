package bot

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// Claimer keeps people's word that something is theirs.
type Claimer interface {
	Claim(ctx context.Context, id billing.ResourceID, owner, user, team string, at time.Time) error
	Owners(ctx context.Context) (ledger.Owners, error)
}

// MineData answers mine.
type MineData struct {
	Handle string `json:"handle"`
	Owner  string `json:"owner"`
	Done   bool   `json:"done"`
}

// mine notes that a resource is the asker's, and the next one of its name.
func mine(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) != 1 {
		return Answer{}, unclear(r.Print, "mine.which", "mine r-7k2f")
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	x, err := find(r, v, r.Words[0], "mine")
	if err != nil {
		return Answer{}, err
	}
	owner, err := d.ownerOf(ctx, r.Person)
	if err != nil {
		return Answer{}, err
	}
	key := "mine.done"
	if r.Dry || d.Claimer == nil {
		key = "mine.would"
	} else if err := d.Claimer.Claim(ctx, x.ID, owner, cmp.Or(r.Person.ID, atTheMachine), r.Person.Team, r.Now); err != nil {
		return Answer{}, err
	}
	a := say(r.Print, key, "name", label(x.Name, x.Ref.ID), "handle", notify.Code(x.Handle), "owner", owner)
	a.Failed, a.Warnings = key == "mine.would", []string{}
	a.Data = MineData{Handle: x.Handle, Owner: owner, Done: !a.Failed}
	return a, nil
}

// ownerOf is the owner that a person stands for.
func (d *Desk) ownerOf(ctx context.Context, p Person) (string, error) {
	var o ledger.Owners
	if d.Claimer != nil {
		var err error
		if o, err = d.Claimer.Owners(ctx); err != nil {
			return "", err
		}
	}
	return cmp.Or(o.Person(p.ID, p.Name), atTheMachine), nil
}

// pressMine takes a resource over, and says so to everybody.
func (d *Desk) pressMine(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	r := d.complete(Request{Words: []string{b.Value}, Person: b.Person, Place: b.Place, Print: p, Now: p.Now})
	r.Print = d.Shared(p.Now)
	a, err := mine(ctx, d, r)
	if err != nil {
		return gone(p, b, err)
	}
	return Outcome{Public: a.Message}, nil
}

// unowned lists what costs and is nobody's, dearest first, each with a button to take it.
func unowned(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) > 0 {
		return Answer{}, unclear(r.Print, "bot.words.none", "unowned", "word", strings.Join(r.Words, " "), "command", "unowned")
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	all := nobodys(v)
	a := Answer{Data: resourcesData(r.Print, v, all), AsOf: oldest(v, billing.ReadInventory), Warnings: warnings(r.Print, v, billing.ReadInventory)}
	a.Message = unownedMessage(r, v, all)
	a.Failed = !slices.ContainsFunc(v.Accounts, polled)
	return a, nil
}

func nobodys(v notify.View) []item {
	var out []item
	for _, a := range v.Accounts {
		for _, h := range a.Holdings {
			if h.Owner == "" && h.Billed != billing.No {
				out = append(out, item{Holding: h, account: a, monthly: ledger.Monthly(h.Rate.Hourly, a.Driver.MonthHours), since: h.FirstSeen})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y item) int {
		if n, err := y.monthly.Cmp(x.monthly); err == nil {
			return n
		}
		return cmp.Compare(x.monthly.Currency(), y.monthly.Currency())
	})
	return out
}

func unownedMessage(r Request, v notify.View, all []item) notify.Message {
	p := r.Print
	switch {
	case len(v.Accounts) == 0:
		return headed(p.Text("bot.empty"))
	case !slices.ContainsFunc(v.Accounts, polled):
		return headed(p.Text("bot.list.imported"))
	case len(all) == 0:
		return headed(p.Text("mine.none"))
	}
	m := headed(p.Text("mine.title", "count", len(all), "sum", sumText(p, all)))
	shown := all
	if !r.Dry && !r.Local && len(all) > mostRows {
		shown = all[:mostRows]
	}
	for i, x := range shown {
		m.Blocks = append(m.Blocks, notify.Section(p.Rich("mine.line", "n", strconv.Itoa(i+1), "name", notify.Bold(label(x.Name, x.Ref.ID)),
			"what", kindText(p, x.Holding), "where", placeText(x), "cost", notify.Bold(p.MoneyPer(x.monthly, words.PerMonth)), "handle", notify.Code(x.Handle)),
			notify.Button{Label: p.Text("mine.button"), Action: ActionMine, Value: x.Handle}))
	}
	if len(shown) < len(all) {
		m.Blocks = append(m.Blocks, notify.Context(p.Rich("bot.more", "count", len(all)-len(shown))))
	}
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", append(warningLines(p, v, billing.ReadInventory), readLine(p, v, billing.ReadInventory))...)))
	return m
}
