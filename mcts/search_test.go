package mcts

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
)

// TestValuesBySeat: values are credited to the right seats when a player acts several times
// in a row, and each mover maximises its own value.
func TestValuesBySeat(t *testing.T) {
	four := "(" + binary(3) + binary(3) + ")"
	tests := []struct {
		name    string
		players int
		text    string
		say     script
	}{
		// a acts twice, then b twice; the value of /0/0 counts for a at every node above.
		{"two", 2, "a(a(b" + four + "b" + four + ")a(b" + four + "b" + four + "))", script{
			"/0":   {[]float32{0.8, 0.2}, env.Value{0.2, -0.2}},
			"/1":   {[]float32{0.5, 0.5}, env.Value{-0.4, 0.4}},
			"/0/0": {[]float32{0.5, 0.5}, env.Value{0.6, -0.6}},
			"/0/1": {[]float32{0.5, 0.5}, env.Value{-0.1, 0.1}},
		}},
		// a, then b twice, then c; b maximises its own payoff, not a's.
		{"three", 3, "a(b(b(c" + four + "c" + four + ")b(c" + four + "c" + four + "))b(b" + four + "b" + four + "))", script{
			"/0":   {[]float32{0.5, 0.5}, env.Value{0.5, -0.3, -0.2}},
			"/1":   {[]float32{0.5, 0.5}, env.Value{-0.2, 0.4, -0.2}},
			"/0/0": {[]float32{0.5, 0.5}, env.Value{0.8, -0.6, -0.2}},
			"/0/1": {[]float32{0.5, 0.5}, env.Value{-0.6, 0.7, -0.1}},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := quiet(RootPUCT, 8)
			c.PUCT.CPUCT, c.PUCT.CPUCTBase = 1, 0
			s, _ := run(t, envtest.MustTree(test.players, test.text), c, test.say)
			golden(t, "seats_"+test.name+".txt", draw(s))
		})
	}
}

// failing is an evaluator that fails every other time, after writing invalid values.
type failing struct {
	inner Evaluator
	calls int
	err   error
}

func (e *failing) Evaluate(ctx context.Context, leaves []*Leaf) error {
	if e.calls++; e.calls%2 == 1 {
		for _, leaf := range leaves {
			leaf.Prior[0], leaf.Value = 7, env.Value{7, 7}
		}
		return e.err
	}
	return e.inner.Evaluate(ctx, leaves)
}

// TestRunAfterFailure: Run returns the evaluator's error and can be called again. The
// tree is the same as without the error.
func TestRunAfterFailure(t *testing.T) {
	busy := errors.New("the device is busy")
	for _, root := range []string{RootPUCT, RootGumbel} {
		c := quiet(root, 100)
		want, _ := run(t, endless{}, c, oracle{2})
		s := newSearch(t, endless{}, c)
		e := &failing{inner: oracle{2}, err: busy}
		for !s.Done() {
			if err := s.Run(t.Context(), e); err != nil {
				require.ErrorIs(t, err, busy)
				require.ErrorContains(t, err, "mcts: evaluate ")
			}
		}
		require.Equal(t, draw(want), draw(s))
	}
}

// cancelling cancels its context after a number of calls.
type cancelling struct {
	calls int
	end   context.CancelFunc
}

func (e *cancelling) Evaluate(ctx context.Context, leaves []*Leaf) error {
	if e.calls--; e.calls == 0 {
		e.end()
	}
	return Uniform{}.Evaluate(ctx, leaves)
}

func TestRunStopsWithItsContext(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	s := newSearch(t, endless{}, quiet(RootPUCT, 100))
	err := s.Run(ctx, &cancelling{calls: 10, end: end})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "mcts: search: ")
	require.NoError(t, s.intact())
	require.Len(t, s.nodes, 10)
	require.NoError(t, s.Run(t.Context(), Uniform{}))
	require.Len(t, s.nodes, 101)
}

// TestBudgetIsNew: each move gets its number of new simulations in addition to reused ones.
func TestBudgetIsNew(t *testing.T) {
	for _, root := range []string{RootPUCT, RootGumbel} {
		s := newSearch(t, endless{}, quiet(root, 100))
		require.NoError(t, s.Run(t.Context(), oracle{2}))
		require.EqualValues(t, 101, s.nodes[0].visits)
		var r Result
		s.Result(&r)
		s.SetSimulations(30)
		require.True(t, s.Done(), "until the next move")
		inherited := subtreeOf(s, r.Best).visits
		require.Greater(t, inherited, int32(1))
		s.Advance(r.Best)
		require.NoError(t, s.Run(t.Context(), oracle{2}))
		require.NoError(t, s.intact())
		require.Equal(t, inherited+30, s.nodes[0].visits)
	}
}

// TestForcedMove: a forced move takes one evaluation for its value, or none if the previous
// move visited it. The next move is searched as usual.
func TestForcedMove(t *testing.T) {
	for _, root := range []string{RootPUCT, RootGumbel} {
		s, r := run(t, envtest.MustTree(2, "a("+binary(6)+")"), quiet(root, 20), script{
			"/": {[]float32{1}, env.Value{0.3, -0.3}},
		})
		require.EqualValues(t, 1, s.nodes[0].visits)
		require.EqualValues(t, 0, r.Best)
		require.Equal(t, []float32{1}, r.Policy)
		require.Equal(t, env.Value{0.3, -0.3}, r.Value)
		s.Advance(r.Best)
		require.NoError(t, s.Run(t.Context(), Uniform{}))
		require.EqualValues(t, 21, s.nodes[0].visits)
	}
}

// TestAdvanceKeepsTheSubtree: the reused subtree equals the original, node by node.
func TestAdvanceKeepsTheSubtree(t *testing.T) {
	s, r := run(t, envtest.MustTree(3, "("+binary(7)+binary(7)+")"), quiet(RootPUCT, 60), oracle{3})
	var want string
	{ // the output of draw for the child, as a root
		child := newSearch(t, s.game, s.config)
		child.tree = s.tree
		child.nodes = slices.Clone(s.nodes)
		c := s.child[s.edge(r.Best)]
		child.nodes[root], child.nodes[root].parent = s.nodes[c], none
		child.state.Play(r.Best)
		want = draw(child)
	}
	s.Advance(r.Best)
	require.Equal(t, want, draw(s))
	require.NoError(t, s.intact())
}

// TestMaxNodes: a full tree ends the search; the next move gets room.
func TestMaxNodes(t *testing.T) {
	for _, root := range []string{RootPUCT, RootGumbel} {
		c := quiet(root, 1000)
		c.MaxNodes = 300
		s := newSearch(t, endless{}, c)
		var r Result
		for range 5 {
			require.NoError(t, s.Run(t.Context(), oracle{2}))
			require.True(t, s.Done())
			require.NoError(t, s.intact())
			s.Result(&r)
			require.Equal(t, 300, len(s.nodes))
			s.Advance(r.Best)
			require.LessOrEqual(t, len(s.nodes), 150)
			require.False(t, s.Done())
		}
	}
}

// TestParallel: with ParallelLeaves, different leaves are in flight together, and the
// search is deterministic.
func TestParallel(t *testing.T) {
	for _, root := range []string{RootPUCT, RootGumbel} {
		c := quiet(root, 400)
		c.ParallelLeaves = 16
		var drawn [2]string
		for i := range drawn {
			s := newSearch(t, endless{}, c)
			largest, calls := 0, 0
			for leaves := []*Leaf(nil); !s.Done(); calls++ {
				leaves = s.Gather(leaves[:0], math.MaxInt)
				largest = max(largest, len(leaves))
				seen := map[uint64]bool{}
				for _, leaf := range leaves {
					require.False(t, seen[leaf.State.Hash()])
					seen[leaf.State.Hash()] = true
				}
				require.NoError(t, oracle{2}.Evaluate(t.Context(), leaves))
				s.Apply(leaves)
				require.NoError(t, s.intact())
			}
			require.Equal(t, 16, largest, root)
			require.Less(t, calls, 60, root)
			require.EqualValues(t, 401, s.nodes[0].visits)
			drawn[i] = draw(s)
		}
		require.Equal(t, drawn[0], drawn[1])
	}
}

// TestApplyOfOtherLeaves: applying leaves that are not in flight is a bug of the caller.
func TestApplyOfOtherLeaves(t *testing.T) {
	s := newSearch(t, endless{}, quiet(RootPUCT, 10))
	s.Gather(nil, 1)
	require.PanicsWithValue(t, "mcts: Apply of 0 leaves, but Gather returned 1", func() { s.Apply(nil) })
}

func TestValidate(t *testing.T) {
	require.NoError(t, Default().Validate())
	c := Default()
	c.Root, c.Simulations, c.ParallelLeaves, c.MaxNodes = "alphabeta", 0, 0, 1
	c.Gumbel.MaxConsideredActions, c.PUCT.RootPolicyTemperature, c.PUCT.DirichletWeight = -1, 0, math.NaN()
	_, err := New(endless{}, c)
	require.EqualError(t, err, `mcts: configuration: root is "alphabeta" but must be gumbel, improved or puct
simulations is 0 but must be 1 or more
parallel_leaves is 0 but must be 1 to 4096
max_nodes is 1 but must be 0, or 2 or more
gumbel.max_considered_actions is -1 but must be 0 or more
puct.dirichlet_weight is NaN but must be 0 to 1
puct.root_policy_temperature is 0 but must be 0.1 to 10`)
}

// TestNoAllocation: after warm-up, whole games of searches do not allocate, from Start to
// the results of the last move.
func TestNoAllocation(t *testing.T) {
	if invariants {
		t.Skip("the build tag invariants enables checks that allocate")
	}
	game := ticTacToe(t)
	rng := env.NewRand(1)
	configs := map[string]Config{"puct": quiet(RootPUCT, 50), "gumbel": quiet(RootGumbel, 50)}
	for name, c := range configs {
		c.RootNoise = true
		configs[name] = c
		c.ParallelLeaves = 8
		configs[name+" parallel"] = c
	}
	for name, c := range configs {
		for _, game := range []env.Game{game, endless{}} {
			s := newSearch(t, game, c)
			start := game.New()
			var e Evaluator = NewCache(Uniform{}, 1000)
			if _, over := start.(*endlessState); !over {
				e = NewCache(NewRollout(game, rng), 1000)
			}
			var r Result
			var pv []env.Action
			play := func() {
				s.Start(start, rng)
				for range 10 {
					if err := s.Run(t.Context(), e); err != nil {
						t.Fatal(err)
					}
					s.Result(&r)
					pv = s.Variation(pv[:0], r.Best)
					if r.Best < 0 {
						return
					}
					s.Advance(r.Best)
				}
			}
			for range 100 {
				play()
			}
			require.Zero(t, testing.AllocsPerRun(20, play), name)
		}
	}
}

// TestStartAmongFinishing: a game whose Finishing depends on the legal actions, as Go's after a
// pass, can be searched among some of them.
func TestStartAmongFinishing(t *testing.T) {
	game, err := games.New("go:size=5")
	require.NoError(t, err)
	state := game.New()
	state.Play(25) // a pass
	for _, root := range []string{RootGumbel, RootImproved, RootPUCT} {
		s := newSearch(t, game, quiet(root, 20))
		s.StartAmong(state, nil, []env.Action{0, 1, 2})
		require.NoError(t, s.Run(t.Context(), Uniform{}))
	}
}

// TestStartAmong: only the given actions of the root are considered, for every kind of root, and
// the positions after them keep all of their actions.
func TestStartAmong(t *testing.T) {
	game := envtest.MustTree(2, "((AA)(BB)((AB)(BA)(BB))(AA))")
	for _, root := range []string{RootGumbel, RootImproved, RootPUCT} {
		for _, parallel := range []int{1, 4} {
			c := quiet(root, 40)
			c.ParallelLeaves = parallel
			s := newSearch(t, game, c)
			var r Result
			search := func(want ...env.Action) {
				require.NoError(t, s.Run(t.Context(), Uniform{}))
				s.Result(&r)
				require.Equal(t, want, r.Actions)
				require.Contains(t, want, r.Best)
			}
			s.StartAmong(game.New(), nil, []env.Action{2, 1})
			search(1, 2)
			require.True(t, r.Proven)
			s.Advance(2)
			search(0, 1, 2)
			s.StartAmong(game.New(), nil, []env.Action{1})
			search(1)
			require.True(t, r.Proven, "a single action is searched")
			s.Advance(1)
			search(0, 1)
			s.Start(game.New(), nil)
			search(0, 1, 2, 3)
			require.Contains(t, []env.Action{0, 3}, r.Best, "the winning actions")
		}
	}
}
