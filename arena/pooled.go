package arena

import "math"

// Pooled is an estimate of a variance that several groups of values share.
type Pooled struct {
	Variance float64 // variance of a value; 0 if it is unknown
	Freedom  float64 // degrees of freedom of the estimate
}

// Pool estimates the variance within groups that each have their own mean (Fisher 1925,
// Statistical Methods for Research Workers, chapter 7: one-way analysis of variance).
// Groups of one value contribute nothing.
func Pool(groups [][]float64) Pooled {
	square, freedom := 0.0, 0
	for _, group := range groups {
		square += squares(group)
		freedom += max(0, len(group)-1)
	}
	return Pooled{square / float64(max(1, freedom)), float64(freedom)}
}

// PoolBlocks estimates the residual variance of values[group][block] if each group and each
// block has its own mean: the randomised blocks of Fisher (1935, The Design of Experiments,
// chapter 4). All groups have values for the same blocks. With two groups, the resulting
// interval is the interval of paired differences.
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

// Interval returns the 95% interval of an estimate whose variance is p.Variance times weight,
// plus further.Variance. The weight is 1/n for a mean of n values, and 1/n + 1/m for the
// difference of two means. The degrees of freedom of the sum are approximated (Satterthwaite
// 1946, "An approximate distribution of estimates of variance components"). Without degrees of
// freedom of p the interval is unbounded.
func (p Pooled) Interval(value, weight float64, further Pooled) Interval {
	if p.Freedom < 1 {
		return Interval{Value: value, Low: math.Inf(-1), High: math.Inf(1)}
	}
	own, freedom := p.Variance*weight, p.Freedom
	sum := own + further.Variance
	if further.Variance > 0 {
		freedom = sum * sum / (own*own/p.Freedom + further.Variance*further.Variance/further.Freedom)
	}
	half := student(0.975, freedom) * math.Sqrt(sum)
	return Interval{Value: value, Low: value - half, High: value + half}
}
