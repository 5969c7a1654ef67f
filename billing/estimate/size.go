package estimate

import "math"

// Training says what is done with a model, which decides the memory.
type Training string

// What is done with a model.
const (
	TrainFull Training = "full"
	TrainLoRA Training = "lora"
	Serve     Training = "serve"
)

// Scale is what a model of some size needs.
type Scale struct {
	GiB       float64  // of card memory, without activations
	Cards     []string // classes of cards, best value first
	Count     int      // of the first class, so that the memory fits
	Nodes     bool     // more than one machine
	PerWeight float64  // bytes a weight that were reckoned with
}

// bytesPerWeight is the memory of one weight: half precision alone when serving; the same and the adapter's small part
// when adapting; and weights, gradients and both moments of Adam, with a full copy, when training everything (16 bytes:
// Rajbhandari et al., ZeRO, 2020, section 3.1). A fifth more is left for activations and fragments.
func (t Training) bytesPerWeight() float64 {
	switch t {
	case TrainFull:
		return 16 * 1.2
	case TrainLoRA:
		return 2.2 * 1.2
	}
	return 2 * 1.2
}

// ScaleOf brings a model of so many thousand million weights to a class of cards: to 13 L20 or 4090, to 70 eight A100 or
// H800, above 100 several machines (pricing-facts section 12), and counts cards by memory.
func ScaleOf(billions float64, t Training) Scale {
	s := Scale{PerWeight: t.bytesPerWeight()}
	s.GiB = billions * 1e9 * s.PerWeight / (1 << 30)
	memory := 80.0
	switch {
	case billions <= 13:
		s.Cards, memory = []string{"L20", "RTX-4090"}, 48
	default:
		s.Cards = []string{"A100-80G", "H800"}
	}
	s.Count = int(math.Ceil(s.GiB / memory))
	s.Nodes = billions >= 100 || s.Count > 8
	return s
}
