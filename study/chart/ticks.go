package chart

import "math"

// Bounds of a range with ticks. In a range below finest, relative to its larger end,
// neighbouring multiples of a step may be the same number. In a range below least, a step may
// be 0.
const (
	finest = 1e-12
	least  = 1e-300
)

// ticks returns at most n positions to mark on an axis from low to high, ascending. They are
// multiples of a step, the smallest possible one of the form 1, 2 or 5 times a power of ten.
// An empty or infinite range, or a rounding error, has no ticks.
func ticks(low, high float64, n int) (all []float64) {
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
