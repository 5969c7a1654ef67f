package billing

import "time"

// Kind is what a resource is.
type Kind string

// The kinds of resources that cost money.
const (
	KindInstance    Kind = "instance"
	KindCluster     Kind = "cluster"
	KindEndpoint    Kind = "endpoint"
	KindDisk        Kind = "disk"
	KindFilesystem  Kind = "filesystem"
	KindSnapshot    Kind = "snapshot"
	KindImage       Kind = "image"
	KindIP          Kind = "ip"
	KindReservation Kind = "reservation"
)

// Part is the word for the five parts of a bill, and for what is none of them.
type Part string

// The parts of a bill.
const (
	PartInstance  Part = "instance"
	PartBandwidth Part = "bandwidth"
	PartDisk      Part = "disk"
	PartSnapshot  Part = "snapshot" // images too
	PartIP        Part = "ip"
	PartOther     Part = "other"
)

// Part says in which part of the bill a kind of resource appears.
func (k Kind) Part() Part {
	switch k {
	case KindInstance, KindCluster, KindEndpoint, KindReservation:
		return PartInstance
	case KindDisk, KindFilesystem:
		return PartDisk
	case KindSnapshot, KindImage:
		return PartSnapshot
	case KindIP:
		return PartIP
	}
	return PartOther
}

// Mode is how a resource is paid for.
type Mode string

// The modes of payment.
const (
	ModeOnDemand Mode = "on_demand"
	ModeSpot     Mode = "spot"
	ModeMonthly  Mode = "monthly"
	ModeYearly   Mode = "yearly"
	ModeReserved Mode = "reserved"
	ModeUnknown  Mode = ""
)

// State is what a resource is doing, in our words. The cloud's own word is kept beside it.
type State string

// The states. Recoverable, terminated and gone are three things: a recycle bin still bills, a terminated machine may
// still be listed, and gone is decided by us from complete listings only.
const (
	StateStarting    State = "starting"
	StateRunning     State = "running"
	StateStopping    State = "stopping"
	StateStopped     State = "stopped"
	StateDeleting    State = "deleting"
	StateAttached    State = "attached"   // disk, ip
	StateUnattached  State = "unattached" // disk, ip
	StateAvailable   State = "available"  // snapshot, image, file system
	StateRecoverable State = "recoverable"
	StateTerminated  State = "terminated"
	StateUnknown     State = "unknown"
)

// Tri is yes, no or unknown; the zero value is unknown.
type Tri int8

// The values of a Tri.
const (
	Unsure Tri = 0
	Yes    Tri = 1
	No     Tri = -1
)

// Fate is what happens to a resource when a prepaid balance reaches zero.
type Fate string

// The fates. FateLost and FateInterrupted differ in whether the data lives on.
const (
	FateUnknown     Fate = ""
	FateKeeps       Fate = "keeps"       // goes on (postpaid, or paid ahead)
	FateInterrupted Fate = "interrupted" // the run dies, the data is safe
	FateLost        Fate = "lost"        // deleted with everything on it
)

// ResourceRef names a thing at a cloud. It stays the same when the thing is deleted and another made under that id:
// a generation (a resource's row in the store) tells those apart.
type ResourceRef struct {
	Account AccountID `json:"-"` // filled in by watch; a provider leaves it 0
	Kind    Kind      `json:"kind"`
	Region  string    `json:"region"`
	ID      string    `json:"id"` // the cloud's own id
}

// GPU says which cards a machine has. Count is a decimal: clouds rent a quarter of a card.
type GPU struct {
	Model string // canonical, such as "A100-80G"; "" for none
	Count Decimal
}

// Rate is a price per hour and where it is from.
type Rate struct {
	Hourly Money      // unknown where the cloud does not say and no book does
	Source RateSource // how we know
}

// RateSource says how a rate is known.
type RateSource string

// The sources of a rate.
const (
	RateVendor  RateSource = "vendor"  // the cloud's API says so for this very resource
	RateList    RateSource = "list"    // a published list price
	RateDerived RateSource = "derived" // from size and a unit price
	// RateDeclared is a price that somebody wrote into the configuration, for what no API shows.
	RateDeclared RateSource = "declared"
	RateUnknown  RateSource = ""
)

// Resource is one thing that costs, as its cloud describes it now.
type Resource struct {
	Ref           ResourceRef
	Name          string
	Zone          string
	Type          string // the cloud's instance or disk type
	State         State
	VendorState   string // the cloud's own word
	Billed        Tri    // does it cost in this state; declared per cloud and state
	Rate          Rate   // what it costs in this state
	StoppedRate   Rate   // machines: what it would cost when stopped; a zero amount where nothing is left
	Mode          Mode
	GPU           GPU
	SizeGiB       Decimal   // disks, snapshots, images
	CreatedAt     time.Time // UTC; zero is unknown and never counts as old
	StartedAt     time.Time // UTC; zero is unknown
	ExpiresAt     time.Time // UTC; prepaid end, zero for none or unknown
	RenewsItself  Tri
	AttachedTo    []string // ids of the machines a disk or ip is on
	Sources       []string // snapshots and images: ids of what they were made from; images: ids of their snapshots
	GoesWith      bool     // a disk or ip that is deleted with its machine
	HoldsData     Tri      // whether deleting it can lose somebody's data
	AtZero        Fate     // when the balance is gone
	SafeOn        string   // where the data lives on, for FateInterrupted: a volume's name
	Protected     bool     // deletion protection is on
	Managed       string   // what would recreate it, such as "Auto Scaling group asg-infer"; "" for nothing known
	NotReleasable Text     // why our release must refuse it (paid ahead, say); zero for no reason
	Owner         string   // from a tag, as the cloud has it
	Project       string   // from a tag
	Tags          map[string]string
}

// Declared says that no cloud showed the resource: somebody wrote it into the configuration.
func (r Resource) Declared() bool { return r.Rate.Source == RateDeclared }

// MonthHours is the length of a month for a price per month. 720 is the articles' and the Chinese clouds' convention;
// a cloud with another one (AWS and RunPod 730, Vultr 672) says so in its Driver.
const MonthHours = 720
