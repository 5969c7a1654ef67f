package release

import "gpuspend/billing"

// Reckon says what a thing and what hangs on it cost in a month, and what a stop and a delete would save and leave of
// that, whatever its cloud can do. The sums of every choice are today's cost wherever it is known.
func Reckon(h billing.Holding, around []billing.Holding, about About) (today billing.Money, choices []Option) {
	g, sums := gather(h, around), prices{about}
	if h.Ref.Kind == billing.KindInstance {
		choices = append(choices, sums.stop(h, g))
	}
	return sums.total(g.all()), append(choices, sums.delete(g))
}
