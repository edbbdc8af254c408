package selfplay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/env/mnk"
	"tiro/internal/leaks"
	"tiro/mcts"
	"tiro/selfplay"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// newGame returns a game of the m,n,k family.
func newGame(t testing.TB, name string) env.Game {
	_, options, err := env.ParseName(name)
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	return game
}

// three is a game of three players with several actions in a row by one seat, and with
// unequal payoffs.
func three() env.Game {
	return envtest.MustTree(3, "a(a(AB=) b([0.25,0.25,-0.5] c(C=a(AC))) c(c(AB)(=(BC))))")
}

// opinion is an evaluator with a different answer for every position.
type opinion struct{ players int }

func (o opinion) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	for _, leaf := range leaves {
		rng := env.NewRand(leaf.State.Hash())
		sum := float32(0)
		for i := range leaf.Prior {
			leaf.Prior[i] = 0.1 + rng.Float32()
			sum += leaf.Prior[i]
		}
		for i := range leaf.Prior {
			leaf.Prior[i] /= sum
		}
		leaf.Value = env.WinFor(env.Player(rng.IntN(o.players)), o.players)
		for i := range leaf.Value {
			leaf.Value[i] *= 0.5
		}
	}
	return nil
}

// newJob returns a job with short searches and all kinds of random draws.
func newJob(game env.Game) selfplay.Job {
	c := selfplay.Default()
	c.ConcurrentGames = 5
	c.Search.Simulations = 12
	c.RandomOpeningProbability = 0.5
	c.TemperaturePlies = 3
	return selfplay.Job{
		Game: game, Config: c, Seed: 7, Generation: 3, Games: 24, Workers: 1,
		Evaluator: func() mcts.Evaluator { return opinion{game.Spec().Players} },
	}
}

// file returns the episode file of the games.
func file(t testing.TB, job selfplay.Job, episodes []selfplay.Episode) []byte {
	var b bytes.Buffer
	h := selfplay.NewHeader(job.Game.Spec(), job.Seed, job.Generation, "test")
	encoded, err := selfplay.EncodeAll(episodes)
	require.NoError(t, err)
	require.NoError(t, selfplay.Write(&b, h, encoded))
	return b.Bytes()
}

func play(t testing.TB, job selfplay.Job) []selfplay.Episode {
	episodes, stats, err := selfplay.Play(context.Background(), job)
	require.NoError(t, err)
	require.Len(t, episodes, job.Games)
	require.Equal(t, job.Games-len(job.Done), stats.Games)
	return episodes
}

func TestSameGamesForAnyWorkers(t *testing.T) {
	for _, game := range []env.Game{newGame(t, "mnk"), newGame(t, "mnk:m=5,n=4,k=4"), three()} {
		t.Run(game.Spec().Name, func(t *testing.T) {
			job := newJob(game)
			want := file(t, job, play(t, job))
			tests := []struct {
				name                  string
				workers, games, cache int
			}{
				{"one game at a time", 1, 1, 0},
				{"three workers", 3, 5, 1 << 10},
				{"more workers than games", 40, 2, 1 << 10},
				{"all games at once", 1, 100, 1 << 10},
				{"a cache too small", 2, 5, 4},
			}
			for _, test := range tests {
				t.Run(test.name, func(t *testing.T) {
					job := newJob(game)
					job.Workers, job.Config.ConcurrentGames, job.Config.CachePositions = test.workers, test.games, test.cache
					require.Equal(t, want, file(t, job, play(t, job)))
				})
			}
		})
	}
}

func TestOtherKeysGiveOtherGames(t *testing.T) {
	job := newJob(newGame(t, "mnk:m=5,n=4,k=4"))
	want := play(t, job)
	job.Seed++
	require.NotEqual(t, want, play(t, job))
	job.Seed--
	job.Generation++
	require.NotEqual(t, want, play(t, job))
}

func TestGamesDoneBeforeAreNotPlayedAgain(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	want := play(t, job)
	job.Done = []selfplay.Episode{want[20], want[3], want[0], want[23]}
	var finished atomic.Int32
	job.Finished = func(e selfplay.Episode, _ selfplay.Encoded) error {
		require.NotContains(t, []int{20, 3, 0, 23}, e.Game)
		finished.Add(1)
		return nil
	}
	require.Equal(t, want, play(t, job))
	require.EqualValues(t, job.Games-4, finished.Load())

	job.Done = want
	require.Equal(t, want, play(t, job))
}

// TestCancel stops a generation in the middle. The games finished so far, together with the
// others played later, form the same generation.
func TestCancel(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	want := play(t, job)
	ctx, cancel := context.WithCancel(context.Background())
	var finished atomic.Int32
	job.Workers = 2
	job.Config.ConcurrentGames = 2
	job.Finished = func(selfplay.Episode, selfplay.Encoded) error {
		if finished.Add(1) == 7 {
			cancel()
		}
		return nil
	}
	some, _, err := selfplay.Play(ctx, job)
	require.ErrorIs(t, err, context.Canceled)
	require.GreaterOrEqual(t, len(some), 7)
	require.Less(t, len(some), job.Games)
	for _, e := range some {
		require.Equal(t, want[e.Game], e)
	}
	job.Done, job.Finished = some, nil
	require.Equal(t, want, play(t, job))
}

// broken is an evaluator that fails after a number of calls.
type broken struct{ calls *int }

var errBroken = errors.New("broken")

func (b broken) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	if *b.calls++; *b.calls > 9 {
		return errBroken
	}
	return mcts.Uniform{}.Evaluate(ctx, leaves)
}

func TestFaultsEndThePlay(t *testing.T) {
	t.Run("evaluator", func(t *testing.T) {
		job := newJob(newGame(t, "mnk"))
		calls := 0
		job.Evaluator = func() mcts.Evaluator { return broken{&calls} }
		_, _, err := selfplay.Play(context.Background(), job)
		require.ErrorIs(t, err, errBroken)
	})
	t.Run("record", func(t *testing.T) {
		job := newJob(newGame(t, "mnk"))
		job.Workers = 3
		job.Finished = func(selfplay.Episode, selfplay.Encoded) error { return errBroken }
		_, _, err := selfplay.Play(context.Background(), job)
		require.ErrorIs(t, err, errBroken)
	})
	t.Run("job", func(t *testing.T) {
		job := newJob(newGame(t, "mnk"))
		job.Games, job.Workers, job.Config.ConcurrentGames = 0, -1, 0
		job.Done = []selfplay.Episode{{Game: 5}}
		_, _, err := selfplay.Play(context.Background(), job)
		for _, part := range []string{"games of a generation is 0", "workers is -1", "concurrent_games is 0", "game 5 among the games done"} {
			require.ErrorContains(t, err, part)
		}
	})
}

// TestEpisodesFollowTheConfig checks the random openings and the recorded policies.
func TestEpisodesFollowTheConfig(t *testing.T) {
	job := newJob(newGame(t, "mnk:m=5,n=4,k=4"))
	job.Games = 200
	openings := map[int]int{}
	for _, e := range play(t, job) {
		openings[e.Opening]++
		require.Len(t, e.Samples, len(e.Actions)-e.Opening)
		for i, r := range e.Samples {
			require.Equal(t, e.Opening+i, r.Ply)
			sum := 0
			for _, entry := range r.Policy {
				sum += int(entry.Weight)
			}
			require.Equal(t, selfplay.Scale, sum)
		}
	}
	require.Len(t, openings, 3)
	require.InDelta(t, 100, openings[0], 30) // half of the games; 4 standard deviations
	require.InDelta(t, 50, openings[1], 25)
}

func TestGrowth(t *testing.T) {
	c := selfplay.Default()
	c.Search.Simulations = 16
	c.SimulationSchedule = []selfplay.SimulationStep{{Generation: 5, Simulations: 32}, {Generation: 9, Simulations: 64}}
	require.NoError(t, c.Validate())
	require.Equal(t, []int{16, 16, 32, 32, 64, 64}, []int{
		c.Simulations(0), c.Simulations(4), c.Simulations(5), c.Simulations(8), c.Simulations(9), c.Simulations(1000),
	})
}

// TestScheduledSimulations: where the schedule applies, Search.Simulations has no effect.
func TestScheduledSimulations(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	for _, root := range []string{mcts.RootGumbel, mcts.RootImproved, mcts.RootPUCT} {
		job := newJob(game)
		job.Config.Search.Root = root
		job.Config.SimulationSchedule = []selfplay.SimulationStep{{Generation: 3, Simulations: 16}}
		want := file(t, job, play(t, job))
		job.Config.Search.Simulations = 200
		require.True(t, bytes.Equal(want, file(t, job, play(t, job))), root)
	}
}

func TestGameSchedule(t *testing.T) {
	c := selfplay.Default()
	c.GameSchedule = []selfplay.GameStep{{Generation: 0, Options: "maxturns=9"}, {Generation: 5, Options: "maxturns=30"}, {Generation: 7}}
	require.NoError(t, c.Validate())
	for name, want := range map[string][]string{
		"pacru":             {"pacru:maxturns=9", "pacru:maxturns=30", "pacru"},
		"pacru:players=4":   {"pacru:players=4,maxturns=9", "pacru:players=4,maxturns=30", "pacru:players=4"},
		"pacru:maxturns=20": {"pacru:maxturns=9", "pacru:maxturns=20", "pacru:maxturns=20"}, // limits are never raised
	} {
		game, err := games.New(name)
		require.NoError(t, err)
		for i, generations := range [][]int{{0, 4}, {5, 6}, {7, 1000}} {
			for _, g := range generations {
				played, err := c.Game(g, game, games.New)
				require.NoError(t, err)
				require.Equal(t, want[i], played.Spec().Name, "generation %d", g)
			}
		}
	}
	c.GameSchedule = []selfplay.GameStep{{Generation: 2, Options: "players=3"}, {Generation: 2}}
	require.ErrorContains(t, c.Validate(), "game_schedule[1].generation is 2 but must be more than 2")
	c.GameSchedule = c.GameSchedule[:1]
	game, err := games.New("pacru")
	require.NoError(t, err)
	_, err = c.Game(2, game, games.New)
	require.ErrorContains(t, err, "its number of seats is 3, not 2")
}

func TestValidateReportsEveryFault(t *testing.T) {
	require.NoError(t, selfplay.Default().Validate())
	c := selfplay.Config{SimulationSchedule: []selfplay.SimulationStep{{Generation: 2, Simulations: 0}, {Generation: 2, Simulations: 1 << 31}}, RandomOpeningProbability: 2, RandomOpeningPlies: -1, TemperaturePlies: -1, CachePositions: -1}
	err := c.Validate()
	for _, field := range []string{
		"concurrent_games is 0", "cache_positions is -1", "random_opening_probability is 2", "random_opening_plies is -1", "temperature_plies is -1", "temperature is 0",
		"simulation_schedule[0].simulations is 0", "simulation_schedule[1].generation is 2", "simulation_schedule[1].simulations is 2147483648", "search.root is ",
	} {
		require.ErrorContains(t, err, field)
	}
}

// TestStats uses a clock that advances with every call.
func TestStats(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	ticks := time.Unix(0, 0)
	job.Clock = func() time.Time { ticks = ticks.Add(time.Second); return ticks }
	episodes, s, err := selfplay.Play(context.Background(), job)
	require.NoError(t, err)
	plies := 0
	for _, e := range episodes {
		plies += len(e.Actions)
	}
	require.Equal(t, plies, s.Plies)
	require.Greater(t, s.Leaves, s.Evaluations)
	require.Positive(t, s.Evaluations)
	for _, part := range []time.Duration{s.Time.Gather, s.Time.Evaluate, s.Time.Apply, s.Time.Other} {
		require.Positive(t, part)
	}
}

// steady is an evaluator that gives every position the same value.
type steady struct{ payoff env.Value }

func (e steady) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	for _, leaf := range leaves {
		for i := range leaf.Prior {
			leaf.Prior[i] = 1 / float32(len(leaf.Prior))
		}
		leaf.Value = e.payoff
	}
	return nil
}

// TestValuesBySeat: the payoff expected for each seat is recorded for that seat, also after
// turns of several actions by one player. Every game and every evaluation pay the same, so
// every sample must contain that value.
func TestValuesBySeat(t *testing.T) {
	tests := []struct {
		players int
		text    string
		payoff  env.Value
	}{
		{3, "a(a(b(b(b(LL)c(LL))b(c(a(LL))))a(b(LL)))a(a(a(b(LL)))))", env.Value{0.25, 0.25, -0.5}},
		{3, "c(c(c(b(LL)a(LL)))a(a(b(LL))))", env.Value{-0.5, 1, -0.5}},
		{4, "a(a(b(d(LL)d(d(LL)))c(c(LL)))d(d(d(b(LL)))))", env.Value{0.5, -0.25, 0.125, -0.375}},
	}
	for _, test := range tests {
		leaf := strings.ReplaceAll(fmt.Sprint(test.payoff[:test.players]), " ", ",")
		game := envtest.MustTree(test.players, strings.ReplaceAll(test.text, "L", leaf))
		for _, root := range []string{mcts.RootGumbel, mcts.RootPUCT} {
			job := newJob(game)
			job.Config.Search.Root = root
			job.Evaluator = func() mcts.Evaluator { return steady{test.payoff} }
			episodes := play(t, job)
			_, back, err := selfplay.Read(bytes.NewReader(file(t, job, episodes)), env.Variants(game, nil))
			require.NoError(t, err)
			require.Equal(t, episodes, back)
			for _, e := range episodes {
				require.Equal(t, test.payoff, e.Result)
				require.Len(t, e.Samples, len(e.Actions)-e.Opening)
				for _, sample := range e.Samples {
					require.InDeltaSlice(t, test.payoff[:], sample.Value[:], 1e-4, "ply %d of %v", sample.Ply, e.Actions)
				}
			}
		}
	}
}

// TestPlayed: every searched action is counted once.
func TestPlayed(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	job.Workers = 3
	want := 0
	var played atomic.Int64
	job.Played = func(actions int) { played.Add(int64(actions)) }
	for _, e := range play(t, job) {
		want += len(e.Actions) - e.Opening
	}
	require.EqualValues(t, want, played.Load())
}

// TestFinishedSideBySide: workers do not wait while another handles a game that has
// ended, such as to write it.
func TestFinishedSideBySide(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	job.Workers = 2
	var calls atomic.Int32
	second := make(chan struct{})
	job.Finished = func(selfplay.Episode, selfplay.Encoded) error {
		switch calls.Add(1) {
		case 1:
			select {
			case <-second:
			case <-time.After(time.Minute):
				return errors.New("no other worker's game ended")
			}
		case 2:
			close(second)
		}
		return nil
	}
	play(t, job)
}

func TestGamesAfterMaxPliesEndThePlay(t *testing.T) {
	game := envtest.WithSpec(newGame(t, "mnk"), func(s *env.Spec) { s.MaxPlies = 4 })
	_, _, err := selfplay.Play(t.Context(), newJob(game))
	require.Regexp(t, `^selfplay: game \d+ of mnk, in .*: the game continues after MaxPlies = 4$`, err.Error())
}
