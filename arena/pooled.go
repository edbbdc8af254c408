package arena

import "math"

// Pooled is an estimate of a variance that several groups of values share.
type Pooled struct {
	Variance float64 // of a value; 0 if nothing is known
	Freedom  float64 // degrees of freedom of the estimate
}

// Pool estimates the variance within groups, of which each has a mean of its own (Fisher
// 1925, Statistical Methods for Research Workers, chapter 7: one-way analysis of
// variance). Groups of one value say nothing.
func Pool(groups [][]float64) Pooled {
	square, freedom := 0.0, 0
	for _, group := range groups {
		square += squares(group)
		freedom += max(0, len(group)-1)
	}
	return Pooled{square / float64(max(1, freedom)), float64(freedom)}
}

// PoolBlocks estimates the variance of values[group][block] that is left when each group
// and each block has a mean of its own: the randomised blocks of Fisher (1935, The Design
// of Experiments, chapter 4). All groups have values of the same blocks. With two groups
// an interval by it is that of paired differences.
func PoolBlocks(values [][]float64) Pooled {
	blocks := len(values[0])
	means := make([]float64, blocks)
	for _, group := range values {
		for b, x := range group {
			means[b] += x / float64(len(values))
		}
	}
	square := 0.0
	for _, group := range values {
		rest := make([]float64, blocks)
		for b, x := range group {
			rest[b] = x - means[b]
		}
		square += squares(rest)
	}
	freedom := float64((len(values) - 1) * (blocks - 1))
	return Pooled{square / max(1, freedom), freedom}
}

func squares(values []float64) (sum float64) {
	mean := Mean(values)
	for _, x := range values {
		sum += (x - mean) * (x - mean)
	}
	return sum
}

// Mean returns the mean of values, NaN if there are none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}

// Interval returns the 95% interval of an estimate whose variance is that of a value
// times weight: 1/n for a mean of n values, 1/n + 1/m for the difference of two. Further
// variance, which is known, comes on top. Without degrees of freedom there are no bounds.
func (p Pooled) Interval(value, weight, further float64) Interval {
	if p.Freedom < 1 {
		return Interval{Value: value, Low: math.Inf(-1), High: math.Inf(1)}
	}
	half := student(0.975, p.Freedom) * math.Sqrt(p.Variance*weight+further)
	return Interval{Value: value, Low: value - half, High: value + half}
}
