package arena

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MeanInterval estimates the mean that further values would have from a few
// independent ones: Student's interval (1908, "The probable error of a mean").
// One value alone has no bounds, and none of none is known.
func MeanInterval(values []float64) Interval {
	n := float64(len(values))
	if n == 0 {
		return Interval{Value: math.NaN(), Low: math.Inf(-1), High: math.Inf(1)}
	}
	if n == 1 {
		return Interval{Value: values[0], Low: math.Inf(-1), High: math.Inf(1)}
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	return Interval{Value: mean, Low: mean - half, High: mean + half}
}
