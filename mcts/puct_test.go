package mcts

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// forcedSearch runs 80 simulations with forced playouts and no other noise.
func forcedSearch(t *testing.T, playouts float64) (*Search, Result) {
	game := envtest.MustTree(2, "("+strings.Repeat(binary(7), 4)+")")
	c := Default()
	c.Root, c.Simulations = RootPUCT, 80
	c.PUCT.ForcedPlayouts, c.PUCT.DirichletWeight, c.PUCT.RootPolicyTemperature = playouts, 0, 1
	e := subtrees{
		prior: []float32{0.5, 0.2, 0.2, 0.1},
		value: []float32{0.6, -0.9, -0.9, 0.5},
	}
	s := newSearch(t, game, c)
	s.Start(game.New(), env.NewRand(1))
	require.NoError(t, s.Run(t.Context(), e))
	require.NoError(t, s.intact())
	var r Result
	s.Result(&r)
	return s, r
}

// TestForcedPlayouts: every visited action of the root has √(2·P·ΣN) visits. For bad
// actions these are √(2·0.2·80) = 5.7, and they get no more.
func TestForcedPlayouts(t *testing.T) {
	_, free := forcedSearch(t, 0)
	require.Less(t, free.Visits[1], int32(4))
	require.InDelta(t, float64(free.Visits[0])/80, free.Policy[0], 1e-6)
	_, r := forcedSearch(t, 2)
	require.EqualValues(t, 80, r.Visits[0]+r.Visits[1]+r.Visits[2]+r.Visits[3])
	require.InDelta(t, 6, r.Visits[1], 1)
	require.InDelta(t, 6, r.Visits[2], 1)
}

// TestPolicyTargetPruning: the policy target excludes forced playouts. Removing visits one
// at a time, as described in the paper, gives the same result.
func TestPolicyTargetPruning(t *testing.T) {
	s, r := forcedSearch(t, 2)
	u := (1.25 + math.Log((1+81+19652)/19652.)) * math.Sqrt(81)
	puct := func(i, visits int) float64 {
		return float64(s.completedQ(env.Action(i))) + u*float64(r.Prior[i])/float64(1+visits)
	}
	want, total := make([]float64, 4), 0.0
	for i := range want {
		visits := int(r.Visits[i])
		for off := 1; i != int(r.Best) && float64(off) <= math.Sqrt(2*float64(r.Prior[i])*80); off++ {
			if puct(i, visits-1) >= puct(int(r.Best), int(r.Visits[r.Best])) {
				break
			}
			visits--
		}
		if visits > 1 {
			want[i] = float64(visits)
		}
		total += want[i]
	}
	for i := range want {
		require.InDelta(t, want[i]/total, r.Policy[i], 1e-6, draw(s))
	}
	require.Zero(t, r.Policy[1])
	require.Zero(t, r.Policy[2])
	require.Positive(t, r.Policy[3])
}

// TestRootTemperature: the root temperature flattens the prior; at temperature 2, priors of
// 0.8 and 0.2 become 2:1.
func TestRootTemperature(t *testing.T) {
	game := envtest.MustTree(2, "("+binary(5)+binary(5)+")")
	c := Default()
	c.Root, c.Simulations = RootPUCT, 1
	c.PUCT.DirichletWeight, c.PUCT.RootPolicyTemperature = 0, 2
	s := newSearch(t, game, c)
	s.Start(game.New(), env.NewRand(1))
	require.NoError(t, s.Run(t.Context(), script{"/": {prior: []float32{0.2, 0.8}}}))
	require.EqualValues(t, 1, s.action[0], "the greater prior first")
	require.InDeltaSlice(t, []float32{2. / 3, 1. / 3}, s.rootPrior, 1e-6)
	var r Result
	s.Result(&r)
	require.Equal(t, []float32{0.2, 0.8}, r.Prior)
}

// TestDirichletNoise: the noise sums to 1. With α = 10.83/48, an action's noise has mean
// 1/48 and variance (1/48)(47/48)/(10.83+1).
func TestDirichletNoise(t *testing.T) {
	c := Default()
	c.Root, c.PUCT.DirichletWeight, c.PUCT.RootPolicyTemperature = RootPUCT, 1, 1
	s := newSearch(t, endless{}, c)
	rng := env.NewRand(5)
	var sum, squares, count float64
	for range 1000 {
		s.Start(s.state, rng)
		leaves := s.Gather(nil, 1)
		require.NoError(t, Uniform{}.Evaluate(t.Context(), leaves))
		s.Apply(leaves)
		total := 0.0
		for i, p := range s.rootPrior {
			require.LessOrEqual(t, p, s.rootPrior[0], i)
			total += float64(p)
			squares += float64(p * p)
			count++
		}
		require.InDelta(t, 1, total, 1e-5)
		sum += total
	}
	mean := 1. / 48
	require.InDelta(t, mean, sum/count, 1e-6)
	require.InDelta(t, mean*(1-mean)/11.83, squares/count-mean*mean, 1e-4)
}

// TestGamma: the gamma distribution with shape α has mean α and variance α.
func TestGamma(t *testing.T) {
	rng := env.NewRand(9)
	for _, alpha := range []float64{0.05, 0.3, 1, 4} {
		var sum, squares float64
		const count = 50000
		for range count {
			x := gamma(rng, alpha)
			sum += x
			squares += x * x
		}
		mean := sum / count
		require.InEpsilon(t, alpha, mean, 0.05)
		require.InEpsilon(t, alpha, squares/count-mean*mean, 0.1)
	}
}

// TestGumbelNoisePicksByPrior: with Gumbel noise, action i is ranked first with probability
// prior i.
func TestGumbelNoisePicksByPrior(t *testing.T) {
	game := envtest.MustTree(2, "("+binary(4)+binary(4)+binary(4)+")")
	c := Default()
	c.Simulations = 1
	s := newSearch(t, game, c)
	rng := env.NewRand(3)
	say := script{"/": {prior: []float32{0.6, 0.3, 0.1}}}
	var picked [3]float64
	var r Result
	for range 4000 {
		s.Start(game.New(), rng)
		require.NoError(t, s.Run(t.Context(), say))
		s.Result(&r)
		picked[r.Best]++
	}
	require.InDeltaSlice(t, []float64{2400, 1200, 400}, picked[:], 100)
}

// TestNoNoise: without noise or without a generator, a search is deterministic.
func TestNoNoise(t *testing.T) {
	for _, root := range []string{RootPUCT, RootGumbel} {
		c := Default()
		c.Root, c.RootNoise = root, false
		s := newSearch(t, endless{}, c)
		var drawn []string
		for seed := range uint64(2) {
			s.Start(s.state, env.NewRand(seed))
			require.NoError(t, s.Run(t.Context(), oracle{2}))
			drawn = append(drawn, draw(s))
		}
		c.RootNoise = true
		s = newSearch(t, endless{}, c)
		s.Start(s.state, nil)
		require.NoError(t, s.Run(t.Context(), oracle{2}))
		require.Equal(t, drawn[0], drawn[1])
		require.Equal(t, drawn[0], draw(s))
		s.Start(s.state, env.NewRand(1))
		require.NoError(t, s.Run(t.Context(), oracle{2}))
		require.NotEqual(t, drawn[0], draw(s))
	}
}
