package train

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

func TestOutcome(t *testing.T) {
	const win, loss = 1, -1
	tests := []struct {
		name    string
		players int
		result  env.Value
		value   env.Value
		share   float64
		viewer  env.Player
		want    []float32
	}{
		{"won", 2, env.Value{win, loss}, env.Value{}, 0, 0, []float32{1, 0, 0}},
		{"won by the other", 2, env.Value{win, loss}, env.Value{}, 0, 1, []float32{0, 1, 0}},
		{"drawn", 2, env.Value{}, env.Value{0.3, -0.3}, 0, 1, []float32{0, 0, 1}},
		{"search sure", 2, env.Value{win, loss}, env.Value{loss, win}, 1, 0, []float32{0, 1, 0}},
		{"search even, game won", 2, env.Value{win, loss}, env.Value{}, 1, 0, []float32{0.5, 0.5, 0}},
		{"search even, game drawn", 2, env.Value{}, env.Value{}, 1, 0, []float32{0, 0, 1}},
		{"search hopeful, game drawn", 2, env.Value{}, env.Value{0.25, -0.25}, 1, 0, []float32{0.25, 0, 0.75}},
		{"half each", 2, env.Value{win, loss}, env.Value{0.5, -0.5}, 0.5, 0, []float32{0.875, 0.125, 0}},
		{"three, last one won", 3, env.WinFor(2, 3), env.Value{}, 0, 1, []float32{0, 1, 0, 0}},
		{"three, two shared the win", 3, env.Value{0.25, 0.25, -0.5}, env.Value{}, 0, 2, []float32{0, 0.5, 0.5, 0}},
		{"three, drawn, search sees one lost", 3, env.Value{}, env.Value{0.25, 0.25, -0.5}, 1, 0, []float32{0.5, 0.5, 0, 0}},
		{"four, drawn", 4, env.Value{}, env.Value{}, 0.5, 3, []float32{0, 0, 0, 0, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := make([]float32, test.players+1)
			outcome(got, test.result, test.value, test.share, 1, test.viewer)
			require.InDeltaSlice(t, test.want, got, 1e-6)
		})
	}
}

// TestDiscount: a win far away is less than one at hand, and the rest a draw.
func TestDiscount(t *testing.T) {
	got := make([]float32, 3)
	outcome(got, env.Value{1, -1}, env.Value{1, -1}, 0, 0.75, 1)
	require.InDeltaSlice(t, []float32{0, 0.75, 0.25}, got, 1e-6)
	outcome(got, env.Value{}, env.Value{}, 0, 0.75, 1)
	require.InDeltaSlice(t, []float32{0, 0, 1}, got, 1e-6)
	got = make([]float32, 4)
	outcome(got, env.WinFor(1, 3), env.Value{}, 0, 0.5, 0)
	require.InDeltaSlice(t, []float32{0, 0.5, 0, 0.5}, got, 1e-6)
}

// TestOutcomeKeepsThePayoff: whatever the numbers, the wanted outcome is a
// distribution whose payoff, as networks compute it, is the mixed one.
func TestOutcomeKeepsThePayoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 4).Draw(t, "players")
		payoff := func(name string) env.Value {
			var v env.Value // a mixture of wins and draws
			for seat := range players {
				p := rapid.Float64Range(0, 1/float64(players)).Draw(t, name)
				for i, x := range env.WinFor(env.Player(seat), players) {
					v[i] += float32(p) * x
				}
			}
			return v
		}
		result, value := payoff("result"), payoff("value")
		if rapid.Bool().Draw(t, "drawn") {
			result = env.Value{}
		}
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		viewer := env.Player(rapid.IntRange(0, players-1).Draw(t, "viewer"))
		got := make([]float32, players+1)
		certain := rapid.Float64Range(0, 1).Draw(t, "certain")
		outcome(got, result, value, share, certain, viewer)
		sum := float32(0)
		for _, p := range got {
			require.GreaterOrEqual(t, p, float32(0))
			sum += p
		}
		require.InDelta(t, 1, sum, 1e-5)
		for i := range players {
			others := float32(0)
			for j := range players {
				if j != i {
					others += got[j]
				}
			}
			seat := (int(viewer) + i) % players
			want := (1-share)*certain*float64(result[seat]) + share*float64(value[seat])
			require.InDelta(t, want, got[i]-others/float32(players-1), 1e-5)
		}
	})
}

func TestWindow(t *testing.T) {
	r := Replay{Window: 1000, Alpha: 0.75, Beta: 0.4}
	require.Equal(t, 1000, r.Size(0))
	require.Equal(t, 1000, r.Size(1000))
	require.Equal(t, 3465, r.Size(10_000)) // 1000·(1 + 0.4·(10^0.75 - 1)/0.75) = 3465.8…
	r.Beta = 0
	require.Equal(t, 1000, r.Size(1_000_000))
}

// TestWindowNeverGoesBack: a row that has left the window stays out, which
// restoring a buffer relies on.
func TestWindowNeverGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Replay{
			Window: rapid.IntRange(1, 10_000).Draw(t, "window"),
			Alpha:  rapid.Float64Range(0.01, 1).Draw(t, "alpha"),
			Beta:   rapid.Float64Range(0, 1).Draw(t, "beta"),
		}
		n := rapid.IntRange(0, 1_000_000).Draw(t, "n")
		more := rapid.IntRange(0, 10_000).Draw(t, "more")
		require.LessOrEqual(t, r.Size(n+more)-r.Size(n), more+1) // 1 for rounding
	})
}

// randomGames returns some games of random moves.
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

func newLearnerOf(t testing.TB, game env.Game, batch int) *learner {
	c := Default(game.Spec().Name).Learner
	c.Batch, c.Discount = batch, 0.9
	w := net.NewWeights(game.Spec(), net.Config{Channels: 4, Blocks: 0, OutcomeChannels: 1}, env.NewRand(1))
	l, err := newLearner(game, c, kernel.Best(), w)
	require.NoError(t, err)
	return l
}

func gameOf(t testing.TB, name string) env.Game {
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

// TestFill: each row of a batch is what one gets by playing the image of the
// game under a symmetry, move by move: nothing is permuted after the fact.
func TestFill(t *testing.T) {
	all := []env.Game{
		gameOf(t, "mnk"), gameOf(t, "mnk:m=5,n=4,k=3"), gameOf(t, "connect4"), gameOf(t, "coerceo:maxplies=60"),
		envtest.MustTree(3, "a(a(AB=) b([0.25,0.25,-0.5] c(C=a(AC))) c(c(AB)(=(BC))))"),
	}
	for _, game := range all {
		t.Run(game.Spec().Name, func(t *testing.T) {
			spec := game.Spec()
			b := NewBuffer(game, 0)
			b.Add(randomGames(t, game, 4))
			l := newLearnerOf(t, game, 64)
			symmetries := []env.Symmetry{{}}
			if s, ok := game.(env.Symmetric); ok {
				symmetries = s.Symmetries()
			}
			used := map[int]bool{}
			l.fill(&b, 0, b.Len(), env.NewRand(5))
			batch := l.trainer.Batch()
			for i := range 64 {
				found := false
				for n := 0; n < b.Len() && !found; n++ {
					r, row := b.Row(n)
					e := unpack(r)
					for k, s := range symmetries {
						x, policy, want := imageOf(game, &e, &e.Samples[row], s)
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
	state.Observe(x)
	policy = slices.Repeat([]float32{-1}, spec.Actions())
	for _, a := range state.Legal(nil) {
		policy[a] = 0
	}
	for _, share := range row.Policy {
		policy[image(env.Action(share.Action))] = float32(share.Weight) / selfplay.Scale
	}
	want = make([]float32, spec.Outcomes())
	outcome(want, e.Result, row.Value, 0.5, math.Pow(0.9, float64(len(e.Actions)-row.Ply)), state.Turn())
	return x, policy, want
}

// TestBrokenOffWorth: the end of a game that was broken off is as far away as its
// last search says, and searches that found the last action decide nothing.
func TestBrokenOffWorth(t *testing.T) {
	game := gameOf(t, "connect4")
	e := selfplay.Episode{
		Actions: randomGames(t, game, 1)[0].Actions[:4], Result: env.Value{1, -1}, Ending: selfplay.Resignation, NoResign: true,
		Samples: []selfplay.Sample{{Ply: 1, Value: env.Value{0.7, -0.7}}, {Ply: 3, Value: env.Value{0.9, -0.9}}},
	}
	b := NewBuffer(game, 0)
	b.Add([]selfplay.Episode{e})
	r, _ := b.Row(0)
	require.InDelta(t, 0.9*0.5*0.5*0.5, r.certain(1, 0.5), 1e-6)
	require.Equal(t, 1., r.certain(1, 1))
	require.Equal(t, []selfplay.CalibrationGame{{Values: []env.Value{{0.7, -0.7}}, Result: e.Result}}, b.playedOn())

	e.Ending = "four-in-row"
	b.Add([]selfplay.Episode{e})
	r, _ = b.Row(2)
	require.InDelta(t, 0.5*0.5*0.5, r.certain(1, 0.5), 1e-6)

	l := newLearnerOf(t, game, 8)
	l.config.Discount, l.config.ValueShare = 0.5, 0
	b.Trim(0, 0)
	l.fill(&b, 1, 1, env.NewRand(5))
	require.InDeltaSlice(t, []float32{0, 0.5, 0.5}, l.trainer.Batch().Outcome[:3], 1e-6, "the loser is on turn, one ply before the end")
}

// TestDrawsBySurprise: of a game's draws the share goes by how much the search
// changed the network's mind, the rest is even, and games are drawn as before.
func TestDrawsBySurprise(t *testing.T) {
	game := gameOf(t, "connect4")
	b := NewBuffer(game, 0)
	b.surprises = true
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
	l := newLearnerOf(t, game, 64)
	l.config.Surprise = 0.5
	counts := [][]float64{make([]float64, 4), make([]float64, 2)}
	const batches = 500
	for i := range batches {
		l.fill(&b, 0, b.Len(), env.NewRand(5, uint64(i)))
		for _, d := range l.draws {
			g := 0
			if d.game == &b.games[1] {
				g = 1
			}
			counts[g][d.row] += 6. / (64 * batches) // an even draw counts 1
		}
	}
	require.InDeltaSlice(t, []float64{0.5, 1, 2, 0.5}, counts[0], 0.05)
	require.InDeltaSlice(t, []float64{1, 1}, counts[1], 0.05)
}

func TestRate(t *testing.T) {
	l := Learner{Rate: 0.1, WarmUp: 4, Drops: []Drop{{Step: 10, Factor: 0.5}, {Step: 20, Factor: 0.1}}}
	for step, want := range map[int]float64{0: 0.025, 1: 0.05, 3: 0.1, 4: 0.1, 9: 0.1, 10: 0.05, 19: 0.05, 20: 0.005, 1000: 0.005} {
		require.InDelta(t, want, l.rate(step), 1e-12, "step %d", step)
	}
	require.InDelta(t, 0.1, Learner{Rate: 0.1}.rate(0), 1e-12)
}

// TestFillRowDoesNotAllocate holds the line for what runs for every row.
func TestFillRowDoesNotAllocate(t *testing.T) {
	game := gameOf(t, "connect4")
	b := NewBuffer(game, 0)
	b.Add(randomGames(t, game, 4))
	l := newLearnerOf(t, game, 64)
	l.fill(&b, 0, b.Len(), env.NewRand(1))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for i := range 64 {
			l.fillRow(l.fillers[0], i)
		}
	}))
}

// BenchmarkFill measures how long it takes to draw rows and to play their games
// again.
func BenchmarkFill(b *testing.B) {
	for _, name := range []string{"connect4", "mnk:m=15,n=15,k=5", "coerceo"} {
		b.Run(name, func(b *testing.B) {
			game := gameOf(b, name)
			buffer := NewBuffer(game, 0)
			buffer.Add(randomGames(b, game, 16))
			l := newLearnerOf(b, game, 256)
			rng := env.NewRand(1)
			b.ReportAllocs()
			for b.Loop() {
				l.fill(&buffer, 0, buffer.Len(), rng)
			}
			b.ReportMetric(float64(256*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
