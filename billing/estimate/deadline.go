package estimate

import "math"

// The grid on which the chance of a delay is added up.
const (
	lateSteps = 800
	// manyLosses is how many interruptions are too many to go through one by one: beyond, the sum is as good as normal.
	manyLosses = 400
)

// Late is the chance that the job is not done within so many hours. Every stretch between checkpoints is tried until it
// runs through, so the number of losses is negative binomial; each costs the time it ran and a restart. The sum is
// reckoned by Panjer's recursion on a grid; a restart counts with its mean.
func (w Work) Late(hours float64) float64 {
	length, count := w.segment()
	room := hours - length*count
	switch {
	case room < 0:
		return 1
	case w.Mean <= 0:
		return 1
	}
	done := math.Exp(-length / w.Mean)
	expected := count * (1 - done) / done
	if math.IsInf(expected, 1) || expected > manyLosses {
		return w.lateOfMany(room, done, count, length)
	}
	return w.lateOfFew(room, done, count, length)
}

// back is the mean time until the job works again.
func (w Work) back() float64 { return w.Mean * math.Expm1(w.Restart/w.Mean) }

// lateOfFew goes through all sums of losses up to the room there is.
func (w Work) lateOfFew(room, done, count, length float64) float64 {
	step := room / lateSteps
	if step == 0 {
		return 1 - math.Pow(done, count)
	}
	lost := w.losses(step, length, done)
	a, b := 1-done, (count-1)*(1-done)
	sums := make([]float64, lateSteps+1)
	sums[0] = math.Pow(done, count)
	if lost[0] > 0 { // losses smaller than half a step
		sums[0] = math.Pow(done/(1-(1-done)*lost[0]), count)
	}
	total := sums[0]
	for s := 1; s <= lateSteps; s++ {
		x := 0.0
		for j := 1; j <= s; j++ {
			x += (a + b*float64(j)/float64(s)) * lost[j] * sums[s-j]
		}
		sums[s] = x / (1 - a*lost[0])
		total += sums[s]
	}
	return min(max(1-total, 0), 1)
}

// losses is the chance of each loss, rounded to the grid: how far a stretch came before it broke, and the restart.
func (w Work) losses(step, length, done float64) []float64 {
	below := func(x float64) float64 { // chance that a loss is below x
		ran := min(max(x-w.back(), 0), length)
		return -math.Expm1(-ran/w.Mean) / (1 - done)
	}
	p := make([]float64, lateSteps+1)
	for i := range p {
		p[i] = below((float64(i)+0.5)*step) - below((float64(i)-0.5)*step)
	}
	return p
}

// lateOfMany is the normal tail with the mean and variance of the sum of losses.
func (w Work) lateOfMany(room, done, count, length float64) float64 {
	if done == 0 {
		return 1
	}
	m, q := w.Mean, 1-done
	ran := m - length*done/q                            // mean of an interrupted stretch
	square := 2*m*m - done*(length*length+2*m*length)/q // and its second moment
	loss := ran + w.back()
	number, spread := count*q/done, count*q/(done*done)
	mean := number * loss
	variance := number*(square-ran*ran) + spread*loss*loss
	return 0.5 * math.Erfc((room-mean)/math.Sqrt(2*variance))
}
