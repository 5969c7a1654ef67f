// Package bot answers words and buttons. It knows chat, not Slack: people, places, messages and forms; bot/slack and
// bot/localslack know the rest.
package bot

import (
	"context"
	"log/slog"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/release"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// Standing is what a person is in the workspace.
type Standing string

// The standings. Only a member may ever look or act; unknown (no users:read scope) may only when listed by id.
const (
	Member      Standing = "member"
	Guest       Standing = "guest"
	Stranger    Standing = "stranger" // of another organisation, in a shared channel
	Automaton   Standing = "bot"
	Deactivated Standing = "deactivated"
	Unknown     Standing = ""
)

// Person is who types or clicks. The id counts only together with its team or enterprise.
type Person struct {
	ID, Team string
	Name     string
	Lang     string // "en", "zh"; "" asks for the configured one
	Zone     *time.Location
	Standing Standing
	Groups   []string // user group ids, where known
}

// Place is where words were typed or a button stands.
type Place struct {
	Channel string
	Message string // of a button: the message it stands in
	Thread  string
	Private bool // a direct message
}

// Role is what a person may do.
type Role int

// The roles. Nobody is a stranger's role: he gets one sentence.
const (
	Nobody   Role = 0
	Viewer   Role = 1
	Operator Role = 2 // may release
)

// Roles decides who may look and who may release. Empty lists mean nobody.
type Roles struct {
	Team     string            // the workspace or enterprise that ids belong to; others are strangers
	Acting                     // everywhere, but for accounts with lists of their own
	Viewers  []string          // user ids
	Groups   []string          // user group ids that may look
	Channels []string          // channel ids whose members may look, when they ask there
	Accounts map[string]Acting // by account: a list that is given takes the place of the general one there
	Owners   map[string]string // user id -> the owner that the installation says he is; he may stop what is his
}

// Acting decides who may act: operators release, approvers say yes to what another person proposed.
type Acting struct {
	Operators      []string // user ids
	OperatorGroups []string // user group ids
	Approvers      []string // user ids
	ApproverGroups []string // user group ids
}

// Request is one line of words to answer.
type Request struct {
	Words  []string // without "/gpu"
	Person Person
	Place  Place
	Print  words.Printer // language, zone and instant of the answer
	Zone   *time.Location
	Now    time.Time
	Dry    bool // ask: acts say what they would do and fail
	Local  bool // from the shell of the machine itself: without a person named, no list is asked
}

// Answer is what a command says. Data is its figures for --json; it must marshal to the documented form.
type Answer struct {
	Command  string
	Message  notify.Message
	Data     any
	Warnings []string  // failed or stale reads, one sentence each
	AsOf     time.Time // the oldest reading that the answer rests on; zero for none
	Form     *Form     // to be opened instead of a message
	Failed   bool      // nothing to answer from, or only would have done: ask exits 1
}

// Command is one word of /gpu: a line of the table, from which help, README and role checks are made.
type Command struct {
	Name     string
	Also     []string     // other words for it, Chinese ones too
	Usage    string       // "cost [today|7d|month|…] [by provider|…]"
	Summary  billing.Text // one sentence
	Examples []string     // each runs in a test
	Role     Role
	Owners   bool // an owner may, with what is his: the command looks itself
	Run      func(ctx context.Context, d *Desk, r Request) (Answer, error)
}

// Form is a modal, without a word of Slack.
type Form struct {
	Callback string // which form it is: "release"
	Private  string // carried through, at most 3,000 characters
	Title    string // at most 24 characters
	Submit   string
	Close    string
	Blocks   []FormBlock
}

// FormBlock is a block of a form: text, or an input.
type FormBlock struct {
	Text   *notify.Block
	Choice *Choice // radio buttons, one chosen
	Checks *Checks // checkboxes
	Line   *Line   // one line of text
}

// Choice is a set of radio buttons. Changing it sends the form back when Live is set.
type Choice struct {
	Name    string
	Label   string
	Options []Option
	Chosen  string
	Live    bool
}

// Checks is a set of checkboxes.
type Checks struct {
	Name, Label string
	Options     []Option
	Chosen      []string
	Optional    bool
}

// Option is one choice. Text may be of two lines.
type Option struct{ Value, Label, Hint string }

// Line is a line of text.
type Line struct {
	Name, Label, Hint string
	Optional          bool
}

// Submission is a form sent back.
type Submission struct {
	Callback, Private string
	Values            map[string][]string // by input name
	Person            Person
	Place             Place // where the form was opened from
}

// Reply answers a submission: errors by input name keep the form open. The messages are zero for nothing to say.
type Reply struct {
	Errors  map[string]string
	Private notify.Message // for the person alone
	Public  notify.Message // under the message that the form was opened from
	Place   Place          // where that was
}

// Press is a button or a menu entry pressed.
type Press struct {
	Action, Value string
	Person        Person
	Place         Place
}

// The actions of buttons and menus.
const (
	ActionRelease = "release" // Value is a handle
	ActionStop    = "stop"    // Value is a handle; opens the same form
	ActionKeep    = "keep"    // Value is a handle
	ActionTake    = "take"    // Value is an alert's fingerprint
	ActionSnooze  = "snooze"  // Value is an alert's fingerprint
	ActionMine    = "mine"    // Value is a handle
	ActionRun     = "run"     // Value is a line of words
	ActionApprove = "approve" // Value is an action's number
	ActionDecline = "decline" // Value is an action's number
	ActionAsk     = "ask"     // Value is a handle: asks an operator to release it
	ActionGrant   = "grant"   // Value is a handle and who asked: opens the form for an operator
	ActionExtend  = "extend"  // Value is a handle and for how long
	ActionDeny    = "deny"    // Value is a handle and who asked
)

// Outcome is what a press comes to. The messages are zero for nothing to say.
type Outcome struct {
	Form    *Form          // to be opened
	Private notify.Message // for the person alone
	Public  notify.Message // under the message that was pressed, for everybody
}

// Look gives the present view of everything stored.
type Look func(ctx context.Context) (notify.View, error)

// Keeper keeps people's words about resources.
type Keeper interface {
	KeepResource(ctx context.Context, id billing.ResourceID, k billing.Keep, team string) error
	Unkeep(ctx context.Context, id billing.ResourceID, at time.Time) error
}

// Alerts is what is known of warnings, and what people say of them.
type Alerts interface {
	// Alerts lists alerts that fire, and those resolved since the given time, oldest first.
	Alerts(ctx context.Context, since time.Time) ([]notify.Alert, error)
	// Undelivered lists letters written since the given time that are not delivered: given up, or tried in vain so far.
	Undelivered(ctx context.Context, since time.Time) ([]notify.Letter, error)
	Take(ctx context.Context, fingerprint, userID, teamID string, at time.Time) error
	Snooze(ctx context.Context, fingerprint string, till time.Time, why, userID, teamID string, at time.Time) error
}

// Engine is what the bot needs of release.Engine.
type Engine interface {
	Plan(ctx context.Context, id billing.ResourceID) (release.Plan, error)
	Propose(ctx context.Context, p release.Proposal) (release.Action, error)
	Approve(ctx context.Context, id release.ActionID, who release.Person) (release.Action, error)
	Decline(ctx context.Context, id release.ActionID, who release.Person) (release.Action, error)
	Open(ctx context.Context) ([]release.Action, error)
}

// Desk is where questions are answered: the table of commands and what they read.
type Desk struct {
	Look    Look
	Book    ledger.Book
	Engine  Engine // nil where nothing may be released (ask --db)
	Keeper  Keeper
	Marker  Marker  // nil where nobody can lease or mark
	Claimer Claimer // nil where nobody can claim
	Alerts  Alerts
	Rates   []Rate // of one currency To, that which is shown first
	Roles   Roles
	Asks    string                                                 // channel id where what needs an operator or approver is asked; "" is where it came up
	Budgets func(ctx context.Context) ([]notify.BudgetView, error) // nil where there are none
	Prices  func(ctx context.Context) (Prices, error)              // nil where there is no price book
	Words   *words.Book
	Zone    *time.Location // of the installation
	Lang    string         // of the installation
	Now     func() time.Time
	Source  string // said under every table, such as "demo book, article prices"; "" for none
	Log     *slog.Logger
}
