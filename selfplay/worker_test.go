package selfplay

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/mnk"
	"tiro/mcts"
)

// TestRoundsDoNotAllocate: a worker reuses its memory between moves.
func TestRoundsDoNotAllocate(t *testing.T) {
	_, options, err := env.ParseName("mnk:m=9,n=9,k=5")
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	job := Job{Game: game, Config: Default(), Games: 8, Workers: 1}
	job.Config.ConcurrentGames = 8
	job.Config.Search.Simulations = 20000
	w := &worker{dispatcher: newDispatcher(&job), evaluator: mcts.Uniform{}}
	require.NoError(t, w.fill(8))
	round := func() { require.NoError(t, w.round(context.Background())) }
	for range 5000 {
		round()
	}
	// Trees grow by doubling, so that most of a thousand rounds do not allocate.
	require.Less(t, testing.AllocsPerRun(1000, round), 1.0)
	require.Zero(t, w.stats.Games)
}

// takeSlots returns the games in flight returned by d.take.
func takeSlots(t *testing.T, d *dispatcher) []*slot {
	slots, _, ok := d.take(t.Context())
	require.False(t, ok)
	return slots
}

// TestGamesArePassedOn: a worker without games gets half of another worker's games, and all
// workers end when none has any.
func TestGamesArePassedOn(t *testing.T) {
	_, options, err := env.ParseName("mnk")
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	job := Job{Game: game, Config: Default(), Games: 5, Workers: 2}
	d := newDispatcher(&job)
	d.busy.Store(2)
	w := &worker{dispatcher: d, evaluator: mcts.Uniform{}}
	require.NoError(t, w.fill(5))
	w.giveHalf()
	require.Len(t, w.slots, 5, "no worker waits")

	taken := make(chan []*slot)
	go func() {
		for range 3 {
			taken <- takeSlots(t, d)
		}
	}()
	for _, left := range []int{3, 2} {
		all := slices.Clone(w.slots)
		for len(w.slots) == len(all) {
			runtime.Gosched()
			w.giveHalf()
		}
		require.Len(t, w.slots, left)
		require.Equal(t, all, append(w.slots, <-taken...))
	}
	require.Empty(t, takeSlots(t, d), "all workers are waiting, so the job ends")
	require.Empty(t, <-taken)
}

// TestRoundingKeepsTheSum: weights sum to Scale, and none is off by more than one unit.
func TestRoundingKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 600).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		power := rapid.IntRange(0, 12).Draw(t, "power")
		actions, policy, total := make([]env.Action, n), make([]float32, n), 0.0
		for i := range policy {
			actions[i], policy[i] = env.Action(i), 1e-6
			for range power {
				policy[i] *= 5 * rng.Float32()
			}
			total += float64(policy[i])
		}
		weights := make([]int, n)
		sum := 0
		for _, entry := range round(actions, policy) {
			require.Positive(t, entry.Weight)
			weights[entry.Action] = int(entry.Weight)
			sum += int(entry.Weight)
		}
		require.Equal(t, Scale, sum)
		for i, p := range policy {
			require.InDelta(t, float64(p)/total*Scale, weights[i], 1.001)
		}
	})
}

func TestDivergence(t *testing.T) {
	require.InDelta(t, 0, divergence([]float32{0.5, 0.5}, []float32{0.5, 0.5}), 1e-9)
	require.InDelta(t, 0.6931, divergence([]float32{1, 0}, []float32{0.5, 0.5}), 1e-4)
	require.InDelta(t, 0.1838, divergence([]float32{0.7, 0.3}, []float32{0.4, 0.6}), 1e-4) // 0.7 ln 1.75 + 0.3 ln 0.5
}
