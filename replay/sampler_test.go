package replay

import (
	"context"
	"math"
	"slices"
	"testing"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/selfplay"

	"github.com/stretchr/testify/require"
)

// gameOf returns the game of a game string.
func gameOf(t testing.TB, name string) env.Game {
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

// randomGames returns the given number of games with random moves.
func randomGames(t testing.TB, game env.Game, games int) []selfplay.Episode {
	c := selfplay.Default()
	c.Search.Simulations = 4
	c.TemperaturePlies = 1000
	episodes, _, err := selfplay.Play(context.Background(), selfplay.Job{
		Game: game, Config: c, Seed: 1, Games: games, Workers: 1,
		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
	})
	require.NoError(t, err)
	return episodes
}

var lateClocks = net.Config{ClockHorizon: 25}

// samplerOf returns a sampler and its trainer with the given number of rows, with an
// ownership head if ownership is set.
func samplerOf(t testing.TB, game env.Game, rows int, ownership bool) (*Sampler, *graph.Trainer) {
	w := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1, Ownership: ownership, ClockHorizon: lateClocks.ClockHorizon}, env.NewRand(1))
	trainer, err := graph.New(w, graph.Default(), graph.Options{Backend: kernel.Best(), Rows: rows})
	require.NoError(t, err)
	return NewSampler(game, w.Config, Targets{SearchValueWeight: 0.5, Discount: 0.9}, trainer), trainer
}

// TestFill: each row of a batch equals the sample computed by replaying the game's image
// under the symmetry move by move.
func TestFill(t *testing.T) {
	all := []env.Game{
		gameOf(t, "mnk"), gameOf(t, "mnk:m=5,n=4,k=3"), gameOf(t, "connect4"), gameOf(t, "coerceo:maxplies=60"),
		envtest.MustTree(3, "a(a(AB=) b([0.25,0.25,-0.5] c(C=a(AC))) c(c(AB)(=(BC))))"),
	}
	for _, game := range all {
		t.Run(game.Spec().Name, func(t *testing.T) {
			spec := game.Spec()
			b := NewBuffer(game, Keep{}, 0)
			b.Add(randomGames(t, game, 4))
			s, trainer := samplerOf(t, game, 64, false)
			symmetries := []env.Symmetry{{}}
			if symmetric, ok := game.(env.Symmetric); ok {
				symmetries = symmetric.Symmetries()
			}
			used := map[int]bool{}
			s.Fill(&b, 0, b.Len(), env.NewRand(5))
			batch := trainer.Batch()
			for i := range 64 {
				found := false
				for n := 0; n < b.Len() && !found; n++ {
					r, row := b.sample(n)
					e := unpack(r)
					for k, symmetry := range symmetries {
						x, policy, want := imageOf(game, &e, &e.Samples[row], symmetry)
						if slices.Equal(x, batch.X[i*spec.Inputs():(i+1)*spec.Inputs()]) &&
							slices.Equal(policy, batch.Policy[i*spec.Actions():(i+1)*spec.Actions()]) &&
							slices.Equal(want, batch.Outcome[i*spec.Outcomes():(i+1)*spec.Outcomes()]) {
							found = true
							used[k] = true
						}
					}
				}
				require.True(t, found, "row %d", i)
				require.Equal(t, float32(1), batch.Weight[i])
			}
			require.Greater(t, len(used), len(symmetries)/2)
		})
	}
}

// TestVariants: positions of different variants of the run's game are observed under their
// own variant's limits.
func TestVariants(t *testing.T) {
	game := gameOf(t, "pacru")
	var all []selfplay.Episode
	play := func(name string) []selfplay.Episode {
		games := randomGames(t, gameOf(t, name), 2)
		all = append(all, games...)
		return games
	}
	before := play("pacru:maxturns=4")
	b := NewBuffer(game, Keep{}, 1<<10)
	b.Add(play("pacru:maxturns=6"))
	b.Add(play("pacru"))
	b.Prepend(before)

	s, trainer := samplerOf(t, game, 64, false)
	inputs, row := game.Spec().Inputs(), 0
	x := make([]float32, inputs)
	for i := range all {
		e := &all[i]
		for _, sample := range e.Samples {
			if row%64 == 0 {
				s.FillInOrder(&b, row)
			}
			env.After(e.Rules, e.Rules.New(), e.Actions[:sample.Ply]...).Observe(x)
			require.True(t, slices.Equal(x, trainer.Batch().X[row%64*inputs:][:inputs]), "%s, ply %d", e.Rules.Spec().Name, sample.Ply)
			row++
		}
	}
	require.Equal(t, b.Len(), row)
}

// imageOf returns the row of a training batch for the image of a game.
func imageOf(game env.Game, e *selfplay.Episode, row *selfplay.Sample, s env.Symmetry) (x, policy, want []float32) {
	image := func(a env.Action) env.Action {
		if s.Action == nil {
			return a
		}
		return s.Action[a]
	}
	state := game.New()
	for _, a := range e.Actions[:row.Ply] {
		state.Play(image(a))
	}
	spec := game.Spec()
	x = make([]float32, spec.Inputs())
	lateClocks.Observe(state, x)
	policy = slices.Repeat([]float32{-1}, spec.Actions())
	for _, a := range state.Legal(nil) {
		policy[a] = 0
	}
	for _, entry := range row.Policy {
		policy[image(env.Action(entry.Action))] = float32(entry.Weight) / selfplay.Scale
	}
	want = make([]float32, spec.Outcomes())
	writeOutcome(want, e.Result, row.Value, 0.5, math.Pow(0.9, float64(len(e.Actions)-row.Ply)), state.Turn())
	return x, policy, want
}

// TestFillInOrder: every sample of a buffer occurs once without symmetry, and rows without
// a sample have weight 0.
func TestFillInOrder(t *testing.T) {
	game := gameOf(t, "connect4")
	spec := game.Spec()
	b := NewBuffer(game, Keep{}, 0)
	b.Add(randomGames(t, game, 5))
	s, trainer := samplerOf(t, game, 16, false)
	batch, seen := trainer.Batch(), 0
	for first := 0; first < b.Len(); first += 16 {
		n := s.FillInOrder(&b, first)
		require.Equal(t, min(16, b.Len()-first), n)
		for i := range n {
			r, row := b.sample(first + i)
			e := unpack(r)
			x, policy, want := imageOf(game, &e, &e.Samples[row], env.Symmetry{})
			require.Equal(t, x, batch.X[i*spec.Inputs():(i+1)*spec.Inputs()])
			require.Equal(t, policy, batch.Policy[i*spec.Actions():(i+1)*spec.Actions()])
			require.Equal(t, want, batch.Outcome[i*spec.Outcomes():(i+1)*spec.Outcomes()])
			require.Equal(t, float32(1), batch.Weight[i])
			seen++
		}
		require.Equal(t, make([]float32, 16-n), batch.Weight[n:])
	}
	require.Equal(t, b.Len(), seen)
}

// TestDiscountByPlies: each ply before the end multiplies the weight of the result.
func TestDiscountByPlies(t *testing.T) {
	game := gameOf(t, "connect4")
	e := selfplay.Episode{
		Rules: game, Actions: randomGames(t, game, 1)[0].Actions[:4], Result: env.Value{1, -1}, Ending: "four-in-row",
		Samples: []selfplay.Sample{{Ply: 1, Value: env.Value{0.7, -0.7}}, {Ply: 3, Value: env.Value{0.9, -0.9}}},
	}
	b := NewBuffer(game, Keep{}, 0)
	b.Add([]selfplay.Episode{e})
	r, _ := b.sample(0)
	require.Equal(t, 1., r.discounted(1, 1))
	require.InDelta(t, 0.5*0.5*0.5, r.discounted(1, 0.5), 1e-6)

	s, trainer := samplerOf(t, game, 8, false)
	s.targets.Discount, s.targets.SearchValueWeight = 0.5, 0
	b.Trim(0, 0)
	s.Fill(&b, 1, 1, env.NewRand(5))
	require.InDeltaSlice(t, []float32{0, 0.5, 0.5}, trainer.Batch().Outcome[:3], 1e-6, "the loser to move, one ply before the end")
}

// TestPolicySurpriseWeight: the weighted fraction of a game's draws is proportional to the
// samples' surprise, the rest is uniform, and the number of draws per game does not change.
func TestPolicySurpriseWeight(t *testing.T) {
	game := gameOf(t, "connect4")
	b := NewBuffer(game, Keep{Surprise: true}, 0)
	episodes := randomGames(t, game, 2)
	kl := [][]float32{{0, 0.1, 0.3, 0}, {0, 0}}
	for i := range episodes {
		episodes[i].Samples = episodes[i].Samples[:len(kl[i])]
		for j := range kl[i] {
			episodes[i].Samples[j].KL = kl[i][j]
		}
	}
	b.Add(episodes)
	requireBytes(t, &b)
	s, _ := samplerOf(t, game, 64, false)
	s.targets.PolicySurpriseWeight = 0.5
	counts := [][]float64{make([]float64, 4), make([]float64, 2)}
	const batches = 500
	for i := range batches {
		s.Fill(&b, 0, b.Len(), env.NewRand(5, uint64(i)))
		for _, d := range s.draws {
			g := 0
			if d.game == &b.games[1] {
				g = 1
			}
			counts[g][d.at] += 6. / (64 * batches) // a uniform draw counts 1
		}
	}
	require.InDeltaSlice(t, []float64{0.5, 1, 2, 0.5}, counts[0], 0.05)
	require.InDeltaSlice(t, []float64{1, 1}, counts[1], 0.05)
}

// TestOutcomesAfterTurnsOfSeveralActions: each seat's probability goes to that seat's
// class, whatever the order of moves. Seat a has two actions in a row, b three, c one, then
// a again. a and c share the win; the search expected a to win 2 of 3 games, b and c 1 of 6
// each. By hand, the mean of both is a 7/12, b 1/12, c 4/12.
func TestOutcomesAfterTurnsOfSeveralActions(t *testing.T) {
	const text = "a(a(b(b(b(c(a([0.25,-0.5,0.25] B) A) A) A) A) A) A)"
	game := envtest.MustTree(3, text)
	const a, b, c = 7. / 12, 1. / 12, 4. / 12
	want := [][]float32{{a, b, c, 0}, {a, b, c, 0}, {b, c, a, 0}, {b, c, a, 0}, {b, c, a, 0}, {c, a, b, 0}, {a, b, c, 0}}

	e := selfplay.Episode{Rules: game, Actions: make([]env.Action, 7), Result: env.Value{0.25, -0.5, 0.25}}
	for ply := range e.Actions {
		e.Samples = append(e.Samples, selfplay.Sample{Ply: ply, Policy: []selfplay.PolicyEntry{{Weight: selfplay.Scale}}, Value: env.Value{0.5, -0.25, -0.25}})
	}
	buffer := NewBuffer(game, Keep{}, 0)
	buffer.Add([]selfplay.Episode{e})
	s, trainer := samplerOf(t, game, 64, false)
	s.targets.Discount, s.targets.SearchValueWeight = 1, 0.5
	s.Fill(&buffer, 0, buffer.Len(), env.NewRand(1))

	spec := game.Spec()
	batch := trainer.Batch()
	state, x := game.New(), make([]float32, spec.Inputs())
	for ply := range e.Actions {
		state.Observe(x)
		found := 0
		for i := range 64 {
			if slices.Equal(x, batch.X[i*len(x):(i+1)*len(x)]) {
				require.InDeltaSlice(t, want[ply], batch.Outcome[i*4:(i+1)*4], 1e-6, "ply %d", ply)
				found++
			}
		}
		require.Positive(t, found)
		state.Play(0)
	}
}

// TestFillDoesNotAllocate: filling a row does not allocate.
func TestFillDoesNotAllocate(t *testing.T) {
	game := gameOf(t, "connect4")
	b := NewBuffer(game, Keep{}, 0)
	b.Add(randomGames(t, game, 4))
	s, _ := samplerOf(t, game, 64, false)
	s.Fill(&b, 0, b.Len(), env.NewRand(1))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for i := range 64 {
			s.fillers[0].fill(i, &s.draws[i], &s.targets)
		}
	}))
}

// BenchmarkFill measures drawing samples and replaying their games.
func BenchmarkFill(b *testing.B) {
	for _, name := range []string{"connect4", "mnk:m=15,n=15,k=5", "coerceo"} {
		b.Run(name, func(b *testing.B) {
			game := gameOf(b, name)
			buffer := NewBuffer(game, Keep{}, 0)
			buffer.Add(randomGames(b, game, 16))
			s, _ := samplerOf(b, game, 256, false)
			rng := env.NewRand(1)
			b.ReportAllocs()
			for b.Loop() {
				s.Fill(&buffer, 0, buffer.Len(), rng)
			}
			b.ReportMetric(float64(256*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
