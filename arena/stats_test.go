package arena

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// The logistic form of Elo's table of percentage expectancies: 400 points are odds of 10 to 1,
// 200 points are 76%, and 75% are 190.8 points.
func TestEloTable(t *testing.T) {
	for _, c := range []struct{ share, elo float64 }{
		{0.5, 0},
		{0.75, 190.848},
		{0.25, -190.848},
		{0.76, 200.241},
		{10.0 / 11, 400},
		{0.64, 99.951},
		{0.99, 798.254},
	} {
		require.InDelta(t, c.elo, Elo(c.share, 1), 1e-3, "share %v", c.share)
	}
	require.True(t, math.IsInf(Elo(1, 1), 1))
	require.True(t, math.IsInf(Elo(0, 1), -1))
}

// Against two equal opponents a third of the points is the equal score, and odds of 10 to 1
// against each of them give 10/12.
func TestEloOfThree(t *testing.T) {
	require.InDelta(t, 0, Elo(1.0/3, 2), 1e-9)
	require.InDelta(t, 400, Elo(10.0/12, 2), 1e-9)
}

// Wilson's interval as tabulated in Newcombe 1998, "Two-sided confidence intervals for the
// single proportion", table I, method 3.
func TestWilsonAgainstNewcombe(t *testing.T) {
	for _, c := range []struct {
		successes, trials float64
		low, high         float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0.0000, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		i := WilsonInterval(c.successes, c.trials)
		require.InDelta(t, c.low, i.Low, 5e-5, "%v of %v", c.successes, c.trials)
		require.InDelta(t, c.high, i.High, 5e-5, "%v of %v", c.successes, c.trials)
	}
}

// pairScore returns the interval of pairs of games with the given scores.
func pairScore(scores []float64) Interval {
	points, games := make([]float64, len(scores)), make([]float64, len(scores))
	for i, x := range scores {
		points[i], games[i] = 2*x, 2
	}
	return GroupScore(2, points, games, nil)
}

// 100 pairs with pentanomial counts 5, 15, 40, 25, 15 (points 0, 1/2, … 2).
// By hand: mean (0.25·15 + 0.5·40 + 0.75·25 + 15)/100 = 0.575; second moment
// (15/16 + 10 + 25·9/16 + 15)/100 = 0.4; variance (0.4 - 0.330625)·100/99 =
// 0.0700758; trials 0.244375/0.000700758 = 348.73.
func TestPairScoreByHand(t *testing.T) {
	var pairs []float64
	for points, n := range []int{5, 15, 40, 25, 15} {
		for range n {
			pairs = append(pairs, float64(points)/4)
		}
	}
	score := pairScore(pairs)
	require.InDelta(t, 0.575, score.Value, 1e-12)
	i := WilsonInterval(0.575*348.7299, 348.7299)
	require.InDelta(t, i.Low, score.Low, 1e-6)
	require.InDelta(t, i.High, score.High, 1e-6)
	// Close to the plain normal interval, mean ± 1.96·0.026472.
	require.InDelta(t, 0.575-0.051884, score.Low, 1.5e-3)
	require.InDelta(t, 0.575+0.051884, score.High, 1.5e-3)

	elo := EloInterval(score, 1)
	require.InDelta(t, 52.51, elo.Value, 0.01)
	require.InDelta(t, 15.3, elo.Low, 1.5)
	require.InDelta(t, 90.3, elo.High, 1.5)
}

func TestPairScoreOfUnanimousGroups(t *testing.T) {
	all := func(n int, x float64) Interval {
		groups := make([]float64, n)
		for i := range groups {
			groups[i] = x
		}
		return pairScore(groups)
	}
	// Close to the exact one-sided bound of Clopper and Pearson, 0.025^(1/50).
	won := all(50, 1)
	require.InDelta(t, math.Pow(0.025, 1.0/50), won.Low, 1e-3)
	require.Equal(t, 1.0, won.High)
	require.True(t, math.IsInf(EloInterval(won, 1).High, 1))
	require.InDelta(t, 446, EloInterval(won, 1).Low, 2)

	lost := all(50, 0)
	require.Equal(t, 0.0, lost.Low)
	require.InDelta(t, 1-won.Low, lost.High, 1e-12)

	even := all(50, 0.5)
	require.InDelta(t, 0.5-0.0196, even.Low, 1e-3)
	require.InDelta(t, 0.5+0.0196, even.High, 1e-3)

	nothing := GroupScore(2, nil, nil, nil)
	require.True(t, math.IsNaN(nothing.Value))
	require.Equal(t, 0.0, nothing.Low)
	require.Equal(t, 1.0, nothing.High)
}

// In simulated matches about 95% of the intervals contain the true score, even with few pairs,
// unequal players and many draws.
func TestPairScoreCovers(t *testing.T) {
	for _, c := range []struct {
		name        string
		pairs       int
		probability [5]float64 // of 0, 1/2, 1, 3/2 and 2 points
	}{
		{"even, few draws", 50, [5]float64{0.2, 0.1, 0.4, 0.1, 0.2}},
		{"even, colour decides", 50, [5]float64{0.05, 0, 0.9, 0, 0.05}},
		{"better", 50, [5]float64{0.05, 0.1, 0.35, 0.2, 0.3}},
		{"far better", 50, [5]float64{0, 0.01, 0.04, 0.1, 0.85}},
		{"few pairs", 10, [5]float64{0.1, 0.2, 0.4, 0.2, 0.1}},
		{"many pairs", 500, [5]float64{0.1, 0.2, 0.3, 0.2, 0.2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := env.NewRand(7, uint64(c.pairs))
			truth := 0.0
			for points, p := range c.probability {
				truth += p * float64(points) / 4
			}
			const matches = 4000
			held := 0
			groups := make([]float64, c.pairs)
			for range matches {
				for i := range groups {
					x, points := rng.Float64(), 0
					for ; points < 4 && x >= c.probability[points]; points++ {
						x -= c.probability[points]
					}
					groups[i] = float64(points) / 4
				}
				if score := pairScore(groups); score.Low <= truth && truth <= score.High {
					held++
				}
			}
			coverage := float64(held) / matches
			t.Logf("coverage %.3f", coverage)
			require.Greater(t, coverage, 0.93)
			require.Less(t, coverage, 0.995)
		})
	}
}

func TestIntervalJSON(t *testing.T) {
	inf := math.Inf(1)
	for _, i := range []Interval{{0.5, 0.25, 0.75}, {inf, 100, inf}, {-inf, -inf, -100}} {
		data, err := json.Marshal(i)
		require.NoError(t, err)
		var back Interval
		require.NoError(t, json.Unmarshal(data, &back))
		require.Equal(t, i, back, "%s", data)
	}
	data, err := json.Marshal(EloInterval(GroupScore(2, nil, nil, nil), 1))
	require.NoError(t, err)
	require.JSONEq(t, `{"value":null,"low":null,"high":null}`, string(data))
}

// TestPoolOfOneGroup: the interval of a mean is Student's. The data are his own sleep data, the
// additional hours with the second drug (1908, section IX): mean 2.33, deviation 2.002, t(9) at
// 97.5% = 2.262.
func TestPoolOfOneGroup(t *testing.T) {
	sleep := meanInterval([]float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4})
	require.InDelta(t, 2.33, sleep.Value, 1e-9)
	require.InDelta(t, 2.33-1.432, sleep.Low, 1e-3)
	require.InDelta(t, 2.33+1.432, sleep.High, 1e-3)

	one := meanInterval([]float64{0.5})
	require.Equal(t, Interval{0.5, math.Inf(-1), math.Inf(1)}, one)
}

// meanInterval returns the interval of the mean of values.
func meanInterval(values []float64) Interval {
	return Pool([][]float64{values}).Interval(Mean(values), 1/float64(len(values)), Pooled{})
}

// TestGroupScoreCoversWithEmptyGroups simulates matches of a strong player and two equal ones,
// with openings that favour either of the two threefold. The interval of their difference
// contains the true one, though in most groups neither scores a point.
func TestGroupScoreCoversWithEmptyGroups(t *testing.T) {
	const trials, games, strong, favoured = 4000, 6, 20, 3
	share := func(worth float64) (of, both float64) {
		return worth / (strong + worth + 1), (worth + 1) / (strong + worth + 1)
	}
	a1, both1 := share(favoured)
	a2, both2 := share(1. / favoured)
	truth := (a1 + a2) / (both1 + both2)
	for _, groups := range []int{10, 30} {
		rng := rand.New(rand.NewPCG(1, 2))
		held, of := 0, 0
		for range trials {
			points, both, sum := make([]float64, groups), make([]float64, groups), 0.0
			for g := range groups {
				a, either := share([]float64{favoured, 1. / favoured}[rng.IntN(2)])
				for range games {
					x := rng.Float64()
					if x < a {
						points[g]++
					}
					if x < either {
						both[g]++
					}
				}
				sum += both[g]
			}
			if sum == 0 {
				continue
			}
			of++
			if i := GroupScore(3, points, both, nil); i.Low <= truth && truth <= i.High {
				held++
			}
		}
		require.Greater(t, float64(held)/float64(of), 0.945, "%d groups", groups)
		require.Less(t, float64(held)/float64(of), 0.98, "%d groups", groups)
	}
}

func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		name  string
		value env.Value
		draw  float64
		want  []float64
	}{
		{"even", env.Value{}, 0.4, []float64{0.3, 0.3, 0.4}},
		{"a sure win leaves no draw", env.Value{1, -1}, 0.4, []float64{1, 0, 0}},
		{"little room", env.Value{0.8, -0.8}, 0.4, []float64{0.8, 0, 0.2}},
		{"three seats", env.Value{}, 0.3, []float64{7.0 / 30, 7.0 / 30, 7.0 / 30, 0.3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.InDeltaSlice(t, test.want, Outcome(test.value, test.draw, len(test.want)-1), 1e-6)
		})
	}
}
