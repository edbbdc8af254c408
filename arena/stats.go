package arena

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// z95 is the 97.5% point of the normal distribution.
const z95 = 1.959963984540054

// Interval is an estimate with its 95% confidence interval. In JSON a number
// that is infinite or unknown is null.
type Interval struct {
	Value float64 // NaN if nothing is known
	Low   float64 // -Inf if there is no lower bound
	High  float64 // +Inf if there is no upper bound
}

// MarshalJSON implements json.Marshaler.
func (i Interval) MarshalJSON() ([]byte, error) {
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return json.Marshal(struct {
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
	}{finite(i.Value), finite(i.Low), finite(i.High)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Interval) UnmarshalJSON(data []byte) error {
	var j struct{ Value, Low, High *float64 }
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("arena: interval: %w", err)
	}
	or := func(x *float64, none float64) float64 {
		if x == nil {
			return none
		}
		return *x
	}
	i.Low, i.High = or(j.Low, math.Inf(-1)), or(j.High, math.Inf(1))
	switch none := math.NaN(); {
	case j.Low == nil && j.High == nil:
		i.Value = or(j.Value, none)
	case j.High == nil:
		i.Value = or(j.Value, i.High)
	default:
		i.Value = or(j.Value, i.Low)
	}
	return nil
}

// ShareInterval estimates a share of points from the shares scored in
// independent pairs of games, each 0..1.
//
// The interval is Wilson's score interval (1927, "Probable inference, the law
// of succession, and statistical inference") for as many trials as would give
// a proportion the variance that the pairs show: the design effect of cluster
// sampling (Kish 1965, Survey Sampling, section 8.2; Korn and Graubard 1998,
// "Confidence intervals for proportions with small expected number of positive
// counts estimated from survey data"). The variance is the one of the
// pentanomial model that Fishtest uses. The interval never leaves 0..1, and it
// keeps an honest width where all pairs agree: the variance is taken to be no
// smaller than if one pair in all of them had differed, and a share of 0 or 1
// counts one trial a pair.
func ShareInterval(pairs []float64) Interval {
	points, of := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, share := range pairs {
		points[i], of[i] = 2*share, 2
	}
	return ratio(points, of, 1)
}

// RatioInterval estimates the share of points that one side has of what it and
// another have, from groups of games of any size: points[i] of of[i] in group i.
// A group in which neither has any says nothing.
//
// It is ShareInterval with the variance of a ratio of sums (Cochran 1977,
// Sampling Techniques, section 6.3), and as many trials fewer as Student's
// distribution asks for where groups are few (Korn and Graubard): without this,
// intervals of 10 groups of 6 games hold the truth in 92% of simulated matches,
// not 95%.
func RatioInterval(points, of []float64) Interval {
	few := 1.0
	if n := len(of); n > 1 {
		few = z95 / distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	}
	return ratio(points, of, few*few)
}

// ratio is RatioInterval with the number of trials times factor.
func ratio(points, of []float64, factor float64) Interval {
	var sum, whole, squares float64
	for i, w := range of {
		sum += points[i]
		whole += w
		squares += w * w
	}
	if whole == 0 {
		return Interval{Value: math.NaN(), Low: 0, High: 1}
	}
	share, n := sum/whole, float64(len(of))
	groups := whole * whole / squares // as many of equal size say as much (Kish, section 11.7)
	trials := groups
	if binomial := share * (1 - share); groups > 1 && binomial > 0 {
		var square float64
		for i, w := range of {
			square += (points[i] - share*w) * (points[i] - share*w)
		}
		variance := max(square/(n-1)*(n/squares), binomial*2/whole) // of one group
		trials = factor * binomial / (variance / groups)
	}
	low, high := wilson(share, trials)
	return Interval{Value: share, Low: low, High: high}
}

// wilson returns Wilson's 95% interval for a proportion p seen in n trials.
func wilson(p, n float64) (low, high float64) {
	zz := z95 * z95
	middle := (p + zz/(2*n)) / (1 + zz/n)
	half := z95 / (1 + zz/n) * math.Sqrt(p*(1-p)/n+zz/(4*n*n))
	low, high = max(0, middle-half), min(1, middle+half)
	if p == 0 {
		low = 0 // exactly: Elo is to be infinite there
	}
	if p == 1 {
		high = 1
	}
	return low, high
}

// Elo returns the difference in rating, in favour of one player, who has share
// of the points that it and another have. The other has against seats for each
// of its own: 1 in a game of two, 2 for one against two.
//
// This is the logistic form of Elo (1978, The Rating of Chessplayers) and, for
// more than two seats, Luce's choice axiom (1959, Individual Choice Behavior)
// for first places: a seat's chance to win is in proportion to 10^(rating/400)
// of the player on it, so that between two players only these count, whoever
// else sits at the board. It is infinite for a share of 0 or 1.
func Elo(share, against float64) float64 {
	return 400 * math.Log10(share*against/(1-share))
}

// EloInterval returns the Elo difference for an interval of shares.
func EloInterval(share Interval, against float64) Interval {
	return Interval{Value: Elo(share.Value, against), Low: Elo(share.Low, against), High: Elo(share.High, against)}
}
