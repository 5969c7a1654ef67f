package billing

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"time"
)

// Scope is one thing to look at whole: completeness is kept, and "gone" decided, inside one scope.
type Scope struct {
	Kind    Kind
	Region  string
	Project string
}

// Provider is one account at one cloud. Listing what it pays for is the one thing every cloud can do; the rest are
// capabilities, found by type assertion. Never wrap a Provider: a wrapper hides capabilities.
//
// Every method gives up soon after ctx ends and fails with an *Error.
type Provider interface {
	// Scopes lists what there is to look at.
	Scopes(ctx context.Context) ([]Scope, error)
	// Resources lists a scope completely, or yields an error last.
	Resources(ctx context.Context, s Scope) iter.Seq2[Resource, error]
}

// The capabilities.
type (
	// Identifier tells which account of the cloud the credential belongs to.
	Identifier interface {
		Identify(ctx context.Context) (vendorID string, err error)
	}
	// Balancer reads the account's balance.
	Balancer interface {
		Balance(ctx context.Context) (Balance, error)
	}
	// Charger reads the bill. Billed says how far it has been delivered within p.
	Charger interface {
		Charges(ctx context.Context, p Period) iter.Seq2[Charge, error]
		Billed(ctx context.Context, p Period) (Coverage, error)
	}
	// Committer lists what expires and is no machine.
	Committer interface {
		Commitments(ctx context.Context) iter.Seq2[Commitment, error]
	}
	// Merchant lists what can be rented and for how much.
	Merchant interface {
		Offers(ctx context.Context, q OfferQuery) iter.Seq2[Offer, error]
	}
	// Meter says how busy machines are.
	Meter interface {
		Utilisation(ctx context.Context, p Period) iter.Seq2[Sample, error]
	}
	// Finder looks one resource up. A Missing error never proves that it is gone.
	Finder interface {
		Find(ctx context.Context, r ResourceRef) (Resource, error)
	}
	// Rehearser asks the cloud whether an act would be allowed, without doing it.
	Rehearser interface {
		Rehearse(ctx context.Context, a Act) error
	}
	// Stopper ends the billing of a machine's compute and keeps its disks.
	Stopper interface {
		Stop(ctx context.Context, a Act) (Receipt, error)
	}
	// Releaser gives a resource back for good.
	Releaser interface {
		Release(ctx context.Context, a Act) (Receipt, error)
	}
	// Snapshotter keeps a copy of a disk.
	Snapshotter interface {
		Snapshot(ctx context.Context, a Act) (Receipt, error)
	}
	// Tagger writes tags.
	Tagger interface {
		Tag(ctx context.Context, r ResourceRef, tags map[string]string) error
	}
	// Follower looks after a job that finishes later. A job that ended badly says so in Receipt.Failed; an error means that
	// it could not be asked after.
	Follower interface {
		Follow(ctx context.Context, r Receipt) (Receipt, error)
	}
	// Organizer lists the accounts of an organisation.
	Organizer interface {
		Members(ctx context.Context) iter.Seq2[Member, error]
	}
	// Examiner says what this key may do.
	Examiner interface {
		Examine(ctx context.Context) ([]Grant, error)
	}
)

// Verb is what an act does.
type Verb string

// The verbs.
const (
	VerbStop   Verb = "stop"
	VerbDelete Verb = "delete"
)

// Act is one order to a cloud. Token is the same at every attempt, so that a cloud with idempotency tokens does it once.
type Act struct {
	Verb  Verb
	Ref   ResourceRef
	Token string
}

// Receipt is a cloud's answer to an act: a request taken, which proves nothing yet.
type Receipt struct {
	RequestID string // the cloud's id of the request; "" where it gives none
	Job       string // to be followed, where the cloud has jobs
	Done      bool   // the cloud says that it has finished
	Failed    Text   // why the job ended without doing it; zero where it has not
	Created   []ResourceRef
}

// Capability names an ability of a cloud: one per interface, and one per column of the README's table.
type Capability string

// The capabilities.
const (
	CanBalance     Capability = "balance"
	CanCharges     Capability = "charges"
	CanCommitments Capability = "commitments"
	CanResources   Capability = "inventory"
	CanOffers      Capability = "offers"
	CanUtilisation Capability = "utilisation"
	CanFind        Capability = "find"
	CanRehearse    Capability = "rehearse"
	CanStop        Capability = "stop"
	CanRelease     Capability = "release"
	CanSnapshot    Capability = "snapshot"
	CanTag         Capability = "tag"
	CanFollow      Capability = "follow"
	CanMembers     Capability = "members"
	CanExamine     Capability = "examine"
	CanIdentify    Capability = "identify"
)

// Capabilities lists them all in the order of the README's table.
func Capabilities() []Capability {
	return []Capability{CanIdentify, CanBalance, CanCharges, CanResources, CanCommitments, CanOffers, CanUtilisation,
		CanFind, CanRehearse, CanStop, CanRelease, CanSnapshot, CanTag, CanFollow, CanMembers, CanExamine}
}

// Has says whether a provider implements the capability's interface.
func Has(p Provider, c Capability) bool {
	var ok bool
	switch c {
	case CanResources:
		ok = true
	case CanBalance:
		_, ok = p.(Balancer)
	case CanCharges:
		_, ok = p.(Charger)
	case CanCommitments:
		_, ok = p.(Committer)
	case CanOffers:
		_, ok = p.(Merchant)
	case CanUtilisation:
		_, ok = p.(Meter)
	case CanFind:
		_, ok = p.(Finder)
	case CanRehearse:
		_, ok = p.(Rehearser)
	case CanStop:
		_, ok = p.(Stopper)
	case CanRelease:
		_, ok = p.(Releaser)
	case CanSnapshot:
		_, ok = p.(Snapshotter)
	case CanTag:
		_, ok = p.(Tagger)
	case CanFollow:
		_, ok = p.(Follower)
	case CanMembers:
		_, ok = p.(Organizer)
	case CanExamine:
		_, ok = p.(Examiner)
	case CanIdentify:
		_, ok = p.(Identifier)
	}
	return ok
}

// Claim is what a cloud can do of one capability, with where that is written and when it was looked up.
type Claim struct {
	Can     Tri    // Unsure means that nobody has tried
	Note    string // English, for the README: what it is limited to, or why not
	Source  string // URL
	Checked string // date, YYYY-MM-DD
}

// Driver describes one cloud: enough to configure it, document it and open it.
type Driver struct {
	Name, Title string // "runpod", "RunPod"
	Currency    Currency
	MonthHours  int // hours for which a price per month is divided
	Fields      []Field
	Claims      map[Capability]Claim // one for every capability, absent ones too
	Console     ConsoleLinks
	Permissions []Permission
	// ReadKeys says whether the cloud gives keys that can read and not write; where not, any key that watches can delete.
	ReadKeys Tri
	// Open makes the provider of one account and calls no cloud.
	Open func(c Config, e Env) (Provider, error)
}

// Field is one entry of an account's credentials: one description for validation, doctor and README.
type Field struct {
	Name, Label, Help string
	Secret, Required  bool
}

// ConsoleLinks are the cloud's own pages.
type ConsoleLinks struct {
	TopUp, Billing string
	Resource       func(r ResourceRef) string // nil where there is no page per resource
}

// Permission is one right that the key needs, for reading or for releasing.
type Permission struct {
	Name  string
	For   Capability
	Write bool
}

// Config is an account's part of the configuration, resolved.
type Config struct {
	Account string            // the account's name, for messages
	Fields  map[string]Secret // by Field.Name
	BaseURL string            // "" for the cloud's own
	Members MemberDetail      // what is asked of an organisation's accounts beyond their names
	Write   bool              // whether this opening may change things; false for everything but the release engine
	Actor   string            // chat user id of who has the change made, for the cloud's own records; "" where nobody has yet
}

// MemberDetail says that the account's key reads an organisation, and what of each of its accounts, at a request or more
// each. Where it is Listed the bill says which account each line is for.
type MemberDetail struct{ Listed, Units, Tags bool }

// Env is what a provider gets from the program.
type Env struct {
	Transport http.RoundTripper // the network; a provider puts its own chain before it
	Log       *slog.Logger
	Now       func() time.Time
	Purse     Purse // pays for requests that cost; nil refuses them
}
