package arena

import (
	"encoding/json"
	"fmt"
	"math"
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
// independent groups of games, each 0..1.
//
// The interval is Wilson's score interval (1927, "Probable inference, the law
// of succession, and statistical inference") for as many trials as would give
// a proportion the variance that the groups show: the design effect of cluster
// sampling (Kish 1965, Survey Sampling, section 8.2; Korn and Graubard 1998,
// "Confidence intervals for proportions with small expected number of positive
// counts estimated from survey data"). For pairs of games the variance is the
// one of the pentanomial model that Fishtest uses. The interval never leaves
// 0..1, and it keeps an honest width where all groups agree: the variance is
// taken to be no smaller than if one group in all of them had differed, and a
// share of 0 or 1 counts one trial a group.
func ShareInterval(groups []float64) Interval {
	n := float64(len(groups))
	if n == 0 {
		return Interval{Value: math.NaN(), Low: 0, High: 1}
	}
	var mean, square float64
	for _, x := range groups {
		mean += x
	}
	mean /= n
	for _, x := range groups {
		square += (x - mean) * (x - mean)
	}
	trials := n
	if binomial := mean * (1 - mean); n > 1 && binomial > 0 {
		variance := max(square/(n-1), binomial/n) // of one group
		trials = binomial / (variance / n)
	}
	low, high := wilson(mean, trials)
	return Interval{Value: mean, Low: low, High: high}
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

// Elo returns the difference in rating, in favour of the one who scores share
// of the points against players-1 equal opponents (Elo 1978, The Rating of
// Chessplayers, in its logistic form; for more than two players the
// Plackett-Luce model, in which one's chance to win is in proportion to
// 10^(rating/400)). It is infinite for a share of 0 or 1.
func Elo(share float64, players int) float64 {
	return 400 * math.Log10(share*float64(players-1)/(1-share))
}

// EloInterval returns the Elo difference for an interval of shares.
func EloInterval(share Interval, players int) Interval {
	return Interval{Value: Elo(share.Value, players), Low: Elo(share.Low, players), High: Elo(share.High, players)}
}
