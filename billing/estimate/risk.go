package estimate

import (
	"math"
	"time"
)

// RiskSource says how the time between interruptions is known.
type RiskSource string

// The sources, in order of trust.
const (
	RiskObserved RiskSource = "observed" // our own spot machines
	RiskGiven    RiskSource = "given"    // the asker's word
	RiskBand     RiskSource = "band"     // what the cloud publishes or promises
	RiskDefault  RiskSource = "default"  // the articles' retry share
	RiskUnknown  RiskSource = ""
)

// Band is the share of machines interrupted in a month, as a cloud publishes it. High 0 means that it has no upper end.
type Band struct {
	Low, High float64
	AsOf      time.Time
	Source    string
}

// Sightings is what was seen of our own spot machines of one kind.
type Sightings struct {
	Machines      int
	Interruptions int           // ends that no release of ours explains
	Watched       time.Duration // machine time running
}

// Evidence is all that is known of the risk of one kind of machine. Zero fields are unknown.
type Evidence struct {
	Observed Sightings
	Given    float64 // hours between interruptions of one machine
	Offered  float64 // hours, as the cloud's own offer says
	Band     Band
}

// Risk is how often one machine is interrupted. Low and High are hours between interruptions and differ where only a
// range is known: High is the calmer end.
type Risk struct {
	Low, High float64
	From      RiskSource
	Evidence  Evidence
	// OpenBand says that the cloud's band has no upper end, so that it could not be used: a figure must be given.
	OpenBand bool
}

// Known says that there is a risk to reckon with.
func (r Risk) Known() bool { return r.Low > 0 }

// monthHours is what a monthly share of interruptions refers to (estimating-methods section 3).
const monthHours = 730

// Enough of one's own sightings to rest on: so many interruptions, or so much time without many.
const (
	enoughInterruptions = 3
	enoughWatched       = 168 * time.Hour
)

// enough says whether sightings say more than chance.
func (s Sightings) enough() bool {
	return s.Interruptions >= enoughInterruptions || s.Watched >= enoughWatched
}

// mean is hours between interruptions; where none was seen it is the time watched, which is a lower bound.
func (s Sightings) mean() float64 { return s.Watched.Hours() / float64(max(s.Interruptions, 1)) }

// Judge chooses what to believe, in the order of trust: own observation, the asker's word, the cloud's figure, and the
// articles' default for a job that saves every hour.
func Judge(e Evidence) Risk {
	r := Risk{Evidence: e, OpenBand: e.Band.Low > 0 && e.Band.High == 0}
	switch {
	case e.Observed.enough():
		r.From, r.Low = RiskObserved, e.Observed.mean()
	case e.Given > 0:
		r.From, r.Low = RiskGiven, e.Given
	case e.Offered > 0:
		r.From, r.Low = RiskBand, e.Offered
	case e.Band.High > 0:
		r.From, r.Low = RiskBand, MeanOfMonthly(e.Band.High)
		if e.Band.Low > 0 {
			r.High = MeanOfMonthly(e.Band.Low)
		}
	default:
		r.From, r.Low, r.High = RiskDefault, MeanOfShare(highShare), MeanOfShare(lowShare)
	}
	r.High = max(r.Low, r.High)
	return r
}

// MeanOfMonthly is the hours between interruptions of a machine that is interrupted within a month with probability q.
// A pool's statistic bounds the hazard of scarce cards from below only. Infinite for q 0, 0 for q 1.
func MeanOfMonthly(q float64) float64 { return -monthHours / math.Log1p(-q) }

// The articles' share of retries in the total cost of preemptible training.
const (
	lowShare  = 0.22
	highShare = 0.35
)

// articleJob is the job for which the articles' share is turned into a time between interruptions: it saves every hour
// within 3 minutes and starts again within 12.
func articleJob() Work { return Work{Useful: 1, Every: 1, Write: 0.05, Restart: 0.2} }

// MeanOfShare is the hours between interruptions at which retries take the given share of the articles' job's total,
// found by bisection: the share falls as the time grows.
func MeanOfShare(share float64) float64 {
	low, high := 0.01, 1e6
	for range 200 {
		middle := math.Sqrt(low * high)
		w := articleJob()
		if w.Mean = middle; w.RetryShare() > share {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// Notice is how long before an interruption a cloud says so; 0 is none or unknown. A checkpoint that takes longer can't
// be saved by it. AWS 2 min, Google 30 s, Alibaba ECS 5 min (estimating-methods section 3).
func Notice(provider string) time.Duration {
	switch provider {
	case "aws":
		return 2 * time.Minute
	case "gcp":
		return 30 * time.Second
	case "alibaba":
		return 5 * time.Minute
	}
	return 0
}
