package estimate

import (
	"fmt"
	"math"
	"strconv"

	"gpuspend/billing"
)

// Work is a job on machines that may be taken away, in hours. Interruptions come at random (Poisson); the model is
// Daly's (FGCS 22(3), 2006, doi 10.1016/j.future.2004.11.016): solve, dump, rework, restart.
type Work struct {
	Useful  float64 // the work itself
	Every   float64 // between checkpoints; 0 saves nothing
	Write   float64 // to save one checkpoint
	Restart float64 // to get a machine again, load and go on
	Mean    float64 // between interruptions of the whole job
}

// What a job is taken to need where nobody says.
const (
	DefaultWrite   = 0.05 // 3 minutes
	DefaultRestart = 0.2  // 12 minutes
)

// JobMean is the time between interruptions of a job on n machines, each interrupted once in mean hours.
func JobMean(mean float64, n int) float64 { return mean / float64(max(n, 1)) }

// segment is a stretch that must run through to count, and how many of them the job has.
func (w Work) segment() (length, count float64) {
	if w.Every <= 0 || w.Every >= w.Useful && w.Write == 0 {
		return w.Useful, 1
	}
	return w.Every + w.Write, w.Useful / w.Every
}

// Wall is the expected time to the end, exact under the model. Infinite where it never ends within anybody's life.
func (w Work) Wall() float64 {
	if w.Mean <= 0 {
		return math.Inf(1)
	}
	length, count := w.segment()
	return w.Mean * math.Exp(w.Restart/w.Mean) * math.Expm1(length/w.Mean) * count
}

// FirstOrder is the expected time as a chat line can explain it: half an interval is lost with every interruption. False
// where interruptions come as fast as the work is repeated.
func (w Work) FirstOrder() (wall float64, ok bool) {
	length, count := w.segment()
	lost := (length/2 + w.Restart) / w.Mean
	return length * count / (1 - lost), w.Mean > 0 && lost < 1
}

// Interruptions is how many are expected until the end.
func (w Work) Interruptions() float64 { return w.Wall() / w.Mean }

// Factor is the wall time for an hour of work.
func (w Work) Factor() float64 { return w.Wall() / w.Useful }

// RetryShare is the share of the total that saving, repeating and restarting take: 0.22 means that 22 of 100 hours paid
// were not work. It is a share of the total, not of the work.
func (w Work) RetryShare() float64 { return 1 - w.Useful/w.Wall() }

// Unsaved is the same job without checkpoints.
func (w Work) Unsaved() Work {
	w.Every, w.Write = 0, 0
	return w
}

// Saved is the same job at the recommended interval.
func (w Work) Saved() Work {
	w.Every = Interval(w.Write, w.Mean)
	return w
}

// Interval is the recommended time between checkpoints: Daly's higher order, and the mean itself where saving takes
// longer than twice that.
func Interval(write, mean float64) float64 {
	if write >= 2*mean {
		return mean
	}
	x := write / (2 * mean)
	return math.Sqrt(2*write*mean)*(1+math.Sqrt(x)/3+x/9) - write
}

// YoungInterval is the older first-order optimum (CACM 17(9), 1974), shown beside for those who know it.
func YoungInterval(write, mean float64) float64 { return math.Sqrt(2 * write * mean) }

// CostOver is what a price per hour comes to over hours that are not exact: reckoned ones of this model. Hours keep nine
// decimals, which is 4 microseconds.
func CostOver(hourly billing.Money, hours float64) (billing.Money, error) {
	d, err := decimalOf(hours)
	if err != nil {
		return billing.Money{}, fmt.Errorf("reckon cost over hours: %w", err)
	}
	return hourly.Mul(d)
}

// decimalOf keeps nine decimals of a float.
func decimalOf(f float64) (billing.Decimal, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return billing.Decimal{}, fmt.Errorf("%v: %w", f, billing.ErrOverflow)
	}
	return billing.ParseDecimal(strconv.FormatFloat(f, 'f', 9, 64))
}

// RetryTotal is the total of which retries are a share: 100 at 0.22 is 128.21.
func RetryTotal(base billing.Money, share billing.Decimal) (billing.Money, error) {
	return base.Div(billing.DecimalFromInt(1).Sub(share))
}

// SpotPays says whether spot is cheaper than going without interruptions: its overhead must stay below the ratio of the
// prices, which is limit.
func SpotPays(spot, onDemand billing.Money, w Work) (pays bool, limit billing.Decimal, err error) {
	limit, err = ratio(onDemand, spot)
	if err != nil {
		return false, limit, err
	}
	return w.Factor() < limit.Float64(), limit, nil
}

// ratio divides two amounts of one currency, at 18 decimals.
func ratio(over, under billing.Money) (billing.Decimal, error) {
	if _, err := over.Cmp(under); err != nil {
		return billing.Decimal{}, err
	}
	x, err := billing.ParseDecimal(over.Amount())
	if err != nil {
		return billing.Decimal{}, err
	}
	y, err := billing.ParseDecimal(under.Amount())
	if err != nil {
		return billing.Decimal{}, err
	}
	return x.Div(y, 18)
}
