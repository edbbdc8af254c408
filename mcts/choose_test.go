package mcts

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
)

// binary returns a tree of draws in which every inner node has two children.
func binary(depth int) string {
	if depth == 0 {
		return "="
	}
	return "(" + strings.Repeat(binary(depth-1), 2) + ")"
}

// TestPUCTByHand checks four simulations computed by hand, with c(N) = 1 and an FPU
// reduction of 0 at the root, 0.2 elsewhere. Values are player a's.
//
//	root evaluated: value 0.1.
//	1. √1: action 0 has 0.1+0.6 = 0.7, action 1 has 0.1+0.4 = 0.5.
//	   Take 0; its value is 0.2.
//	2. √2, mean (0.1+0.2)/2: action 0 has 0.2+√2·0.6/2 = 0.624, action 1 has
//	   0.15+√2·0.4 = 0.716. Take 1; its value is 0.3.
//	3. √3: action 0 has 0.2+√3·0.6/2 = 0.720, action 1 0.3+√3·0.4/2 = 0.646.
//	   Take 0, and there, b on turn, the likelier action 0; its value is 0.5.
//	4. √4: action 0 has 0.35+2·0.6/3 = 0.750, action 1 0.3+2·0.4/2 = 0.700.
//	   Would take 0; there action 0 has −0.5+√2·0.7/2 = −0.005, and action 1,
//	   unvisited, −0.35−0.2·√0.7+√2·0.3 = −0.093: would take 0.
func TestPUCTByHand(t *testing.T) {
	game := envtest.MustTree(2, binary(5))
	c := quiet(RootPUCT, 3)
	c.PUCT.CPUCT, c.PUCT.CPUCTBase = 1, 0
	s, r := run(t, game, c, script{
		"/":    {[]float32{0.6, 0.4}, env.Value{0.1, -0.1}},
		"/0":   {[]float32{0.7, 0.3}, env.Value{0.2, -0.2}},
		"/1":   {[]float32{0.5, 0.5}, env.Value{0.3, -0.3}},
		"/0/0": {[]float32{0.5, 0.5}, env.Value{0.5, -0.5}},
	})
	golden(t, "puct.txt", draw(s))
	require.EqualValues(t, 0, s.action[s.selector.choose(root)])
	child := s.child[s.edge(0)]
	require.EqualValues(t, 0, s.action[s.selector.choose(child)])

	require.Equal(t, []int32{2, 1}, r.Visits)
	for a, q := range []float32{0.35, 0.3} {
		require.InDelta(t, q, s.completedQ(env.Action(a)), 1e-6)
	}
	require.InDeltaSlice(t, []float32{2. / 3, 1. / 3}, r.Policy, 1e-6)
	require.InDelta(t, 2./3*0.35+1./3*0.3, r.Value[0], 1e-6)
	require.EqualValues(t, 0, r.Best)
	require.Equal(t, []env.Action{0, 0}, s.Variation(nil, r.Best))
}

// TestExplorationGrows checks the growth of c(N) given by Silver et al. 2018.
func TestExplorationGrows(t *testing.T) {
	s := newSearch(t, endless{}, quiet(RootPUCT, 1))
	require.InDelta(t, 10*(1.25+math.Log((1+100+19652)/19652.)), s.selector.(*puct).exploration(100), 1e-5)
	s.selector.(*puct).config.CPUCTBase = 0
	require.InDelta(t, 10*1.25, s.selector.(*puct).exploration(100), 1e-5)
}

// subtrees evaluates every position by the first action of the game.
type subtrees struct {
	prior []float32 // of the root
	raw   float32   // value of the root to player a
	value []float32 // by first action, to player a
}

func (e subtrees) Evaluate(_ context.Context, leaves []*Leaf) error {
	for _, leaf := range leaves {
		path := leaf.State.String()
		v := e.raw
		uniform(leaf.Prior)
		if path == "/" {
			copy(leaf.Prior, e.prior)
		} else {
			v = e.value[path[1]-'0']
		}
		leaf.Value = env.Value{v, -v}
	}
	return nil
}

// TestGumbelByHand checks sixteen simulations with four of five actions considered,
// computed by hand with σ(q) = (1 + max N)·0.5·(q+1)/2.
//
//	                      action 0      1      2      3      4
//	prior                      0.4    0.3   0.15    0.1   0.05
//	value                     −0.5    0.2    0.4    0.9
//	phase 1: 4 actions, 16/(2·4) = 2 rounds
//	visits                       2      2      2      2
//	logit + 0.75(q+1)       −0.541 −0.304 −0.847 −0.878
//	phase 2: actions 1 and 0, 16/(2·2) = 4 rounds
//	visits                       6      6      2      2      0
//	logit + 1.75(q+1)       −0.041  0.896                      action 1 is best
//
//	Σπ = 0.95, Σπq = −0.2+0.06+0.06+0.09 = 0.01
//	v_mix = (0.1 + 16/0.95·0.01)/17 = 0.0157895, completed Q of action 4
func TestGumbelByHand(t *testing.T) {
	game := envtest.MustTree(2, "("+strings.Repeat(binary(6), 5)+")")
	c := quiet(RootGumbel, 16)
	c.Gumbel = Gumbel{MaxConsideredActions: 4, VisitScale: 1, ValueScale: 0.5}
	e := subtrees{
		prior: []float32{0.4, 0.3, 0.15, 0.1, 0.05},
		raw:   0.1,
		value: []float32{-0.5, 0.2, 0.4, 0.9, 0},
	}
	s := newSearch(t, game, c)
	batches := []int{}
	for leaves := []*Leaf(nil); !s.Done(); {
		leaves = s.Gather(leaves[:0], 100)
		batches = append(batches, len(leaves))
		require.NoError(t, e.Evaluate(t.Context(), leaves))
		s.Apply(leaves)
	}
	require.Equal(t, []int{1, 4, 4, 2, 2, 2, 2}, batches, "the root, then one batch per round")
	var r Result
	s.Result(&r)
	require.Equal(t, []int32{6, 6, 2, 2, 0}, r.Visits)
	for a, q := range []float32{-0.5, 0.2, 0.4, 0.9, 0.0157895} {
		require.InDelta(t, q, s.completedQ(env.Action(a)), 1e-6)
	}
	require.InDeltaSlice(t, handPolicy, r.Policy, 1e-5)
	require.EqualValues(t, 1, r.Best)
	// (−0.5·0.116686 + 0.2·0.297914 + 0.4·0.211380 + 0.9·0.338050) / 0.964030; the mean
	// over the simulations is 0.053.
	// the mean over the simulations is 0.053.
	require.InDelta(t, 0.404590, r.Value[0], 1e-5)
	require.InDelta(t, -0.404590, r.Value[1], 1e-5)
	golden(t, "gumbel.txt", draw(s))
}

// TestRootValueByHand checks the value of the root with three seats. Three of five
// simulations go through action 0, which is proven by then, so that its first evaluation no
// longer counts. The simulations through action 1 found 0.6, −0.4, −0.2 and a draw.
//
//	0.6·(0.25, −0.5, 0.25) + 0.4·(0.3, −0.2, −0.1) = (0.27, −0.38, 0.11)
func TestRootValueByHand(t *testing.T) {
	game := envtest.MustTree(3, "a(b([0.25,-0.5,0.25][0.25,-0.5,0.25])"+"c("+binary(3)+binary(3)+"))")
	c := quiet(RootPUCT, 5)
	c.PUCT.CPUCT = 20
	s, r := run(t, game, c, script{
		"/":  {[]float32{0.55, 0.45}, env.Value{0.9, -0.45, -0.45}},
		"/0": {[]float32{0.5, 0.5}, env.Value{-0.5, 1, -0.5}},
		"/1": {[]float32{0.5, 0.5}, env.Value{0.6, -0.4, -0.2}},
	})
	require.Equal(t, []int32{3, 2}, r.Visits, draw(s))
	require.False(t, r.Proven)
	require.InDeltaSlice(t, []float32{0.27, -0.38, 0.11}, r.Value[:3], 1e-6)
}

// handPolicy is softmax(log prior + 3.5·(q+1)/2) of the values above.
var handPolicy = []float32{0.116686, 0.297914, 0.211380, 0.338050, 0.035970}

// TestSequentialHalving checks the phases of algorithm 2 of the paper for other numbers.
func TestSequentialHalving(t *testing.T) {
	times := func(n int, visits int32) []int32 { return slices.Repeat([]int32{visits}, n) }
	tests := []struct {
		simulations, considered int
		want                    []int32 // in descending order
	}{
		{1, 16, times(1, 1)},
		{3, 16, times(3, 1)}, // no more actions than simulations
		{16, 16, times(16, 1)},
		{32, 16, slices.Concat(times(4, 4), times(4, 2), times(8, 1))},                 // 16·1 + 8·1 + 4·2
		{200, 16, slices.Concat(times(2, 49), times(2, 21), times(4, 9), times(8, 3))}, // 16·3 + 8·6 + 4·12 + 2·25 + 2·3
		{20, 1, times(1, 20)},
		{7, 2, []int32{4, 3}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.simulations, " of ", test.considered), func(t *testing.T) {
			c := quiet(RootGumbel, test.simulations)
			c.Gumbel.MaxConsideredActions = test.considered
			_, r := run(t, endless{}, c, Uniform{})
			visits := slices.DeleteFunc(r.Visits, func(v int32) bool { return v == 0 })
			slices.SortFunc(visits, func(a, b int32) int { return int(b - a) })
			require.Equal(t, test.want, visits)
		})
	}
}

// TestChoiceIsTheGreatestOfAll: the fast selection among the visited actions and the
// unvisited one with the greatest prior equals the maximum of the formula over all actions.
func TestChoiceIsTheGreatestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 4).Draw(t, "players")
		rng := env.NewRand(rapid.Uint64().Draw(t, "seed"))
		game, text := randomTree(t, rng, players)
		c := randomConfig(t)
		c.PUCT.ForcedPlayouts = 0
		c.PUCT.RootFPUReduction = 0.1
		s, err := New(game, c)
		require.NoError(t, err)
		s.Start(game.New(), rng)
		require.NoError(t, s.Run(t.Context(), oracle{players}))
		for n := range int32(len(s.nodes)) {
			nd := &s.nodes[n]
			if nd.proven || nd.proofs == nd.edges || nd.visits == 0 || n == root && c.Root == RootGumbel {
				continue
			}
			if nd.expanded == 0 {
				s.promote(n)
			}
			scores := puctOfAll(s, n)
			if c.Root != RootPUCT {
				scores = improvedOfAll(s, n)
			}
			best := math.Inf(-1)
			for i, x := range scores {
				if n == root && int32(i) < nd.expanded && s.nodes[s.child[nd.first+int32(i)]].proven && c.Root == RootImproved {
					continue
				}
				best = max(best, x)
			}
			require.InDelta(t, best, scores[s.selector.choose(n)-nd.first], 1e-5, text)
		}
	})
}

// puctOfAll returns the PUCT score of every edge of n, -Inf for proven losses.
func puctOfAll(s *Search, n int32) []float64 {
	nd, c := &s.nodes[n], &s.config.PUCT
	prior := s.priors(n)[nd.first : nd.first+nd.edges]
	reduction := c.FPUReduction
	if n == root {
		reduction = c.RootFPUReduction
	}
	mass := 0.0
	for i := nd.lost; i < nd.expanded; i++ {
		mass += float64(prior[i])
	}
	u := (c.CPUCT + math.Log((1+float64(nd.visits)+c.CPUCTBase)/c.CPUCTBase)) * math.Sqrt(float64(nd.visits))
	scores := make([]float64, nd.edges)
	for i := range scores {
		e := nd.first + int32(i)
		switch {
		case int32(i) < nd.lost:
			scores[i] = math.Inf(-1)
		case int32(i) < nd.expanded:
			scores[i] = float64(s.q[e]) + u*float64(prior[i])/float64(1+s.visits[e])
		default:
			scores[i] = nd.sum[nd.mover]/float64(nd.visits) - reduction*math.Sqrt(mass) + u*float64(prior[i])
		}
	}
	return scores
}

// improvedOfAll returns π'(a) − N(a)/(1+ΣN) of every edge of n, -Inf for
// proven losses.
func improvedOfAll(s *Search, n int32) []float64 {
	nd, g := &s.nodes[n], &s.config.Gumbel
	var visits, most, mass, value float64
	for i := nd.lost; i < nd.expanded; i++ {
		e := nd.first + i
		visits += float64(s.visits[e])
		most = max(most, float64(s.visits[e]))
		mass += float64(s.prior[e])
		value += float64(s.prior[e]) * float64(s.q[e])
	}
	mixed := float64(nd.value[nd.mover])
	if mass > 0 {
		mixed = (mixed + visits*value/mass) / (1 + visits)
	}
	scores, total := make([]float64, nd.edges), 0.0
	for i := nd.lost; i < nd.edges; i++ {
		q := mixed
		if i < nd.expanded {
			q = float64(s.q[nd.first+i])
		}
		scores[i] = math.Exp(math.Log(float64(s.prior[nd.first+i])) + s.factor*(g.VisitScale+most)*g.ValueScale*(q-float64(s.loss))/(1-float64(s.loss)))
		total += scores[i]
	}
	for i := range scores {
		count := 0.0
		if int32(i) < nd.expanded {
			count = float64(s.visits[nd.first+int32(i)])
		}
		scores[i] = scores[i]/total - count/(1+visits)
		if int32(i) < nd.lost {
			scores[i] = math.Inf(-1)
		}
	}
	return scores
}
