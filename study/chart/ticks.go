package chart

import "math"

// The smallest range that has ticks: as a part of its larger end, since in smaller ones
// neighbouring multiples of a step may be the same number, and as a number, since steps may
// be 0 in smaller ones.
const (
	finest = 1e-12
	least  = 1e-300
)

// Ticks returns where to mark an axis from low to high, ascending: the multiples of a step,
// which is 1, 2 or 5 times a power of ten and the smallest of which at most n fit into the
// axis. A range that is empty, infinite or a rounding error has no ticks.
func Ticks(low, high float64, n int) (all []float64) {
	if !(high-low >= max(least, finest*max(math.Abs(low), math.Abs(high)))) || math.IsInf(high-low, 0) {
		return nil
	}
	step := 1.0
	for (high-low)/step <= float64(n) {
		step /= 10
	}
	for i := 0; (high-low)/step > float64(n); i++ {
		step *= [...]float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10
	}
	for i := math.Ceil(low / step); i*step <= high; i++ {
		all = append(all, i*step)
	}
	return all
}
