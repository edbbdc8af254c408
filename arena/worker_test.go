package arena

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/player"
)

// watched is an evaluator that counts the sizes of its batches, advances a clock by a
// millisecond for each batch, and fails for the positions that fails selects.
type watched struct {
	mcts.Uniform
	sizes map[int]int
	now   *time.Time
	fails func(*mcts.Leaf) bool
}

var errBad = errors.New("the network's answer is not finite")

func (w watched) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	w.sizes[len(leaves)]++
	*w.now = w.now.Add(time.Millisecond)
	for _, leaf := range leaves {
		if w.fails != nil && w.fails(leaf) {
			return errBad
		}
	}
	return w.Uniform.Evaluate(ctx, leaves)
}

// TestConcurrentGames: the games of a worker share batches, for any seats and any number of
// networks, without an effect on the report. The players' times add up to the whole time.
func TestConcurrentGames(t *testing.T) {
	for _, name := range []string{"tictactoe", "shacru", "pacru:players=3"} {
		t.Run(name, func(t *testing.T) {
			game, err := games.New(name)
			require.NoError(t, err)
			var now time.Time
			sizes := map[int]int{}
			network := func(name string, simulations int) player.Factory {
				return searching(name, game, player.NetworkConfig(simulations), func() mcts.Evaluator { return watched{sizes: sizes, now: &now} })
			}
			m := Match{
				Game: game, Games: 12, Seed: 3, Workers: 1, Opening: 2, concurrent: 1,
				Players:      []player.Factory{network("a", 6), network("b", 3)},
				Adjudication: Adjudication{MaxPlies: 30},
				Clock:        player.Clock{Now: func() time.Time { return now }},
			}
			play := func(concurrent int) (Report, time.Duration) {
				clear(sizes)
				began := now
				m.concurrent = concurrent
				report, err := Play(t.Context(), m)
				require.NoError(t, err)
				spent := time.Duration(0)
				for i := range report.Players {
					spent += report.Players[i].Effort.Wall
					report.Players[i].Effort.Wall = 0
				}
				for i := range report.Records {
					for k := range report.Records[i].Effort {
						report.Records[i].Effort[k].Wall = 0
					}
				}
				require.InDelta(t, now.Sub(began).Seconds(), spent.Seconds(), 1e-5)
				return report, now.Sub(began)
			}
			want, alone := play(1)
			require.Len(t, sizes, 1)
			for concurrent, most := range map[int]time.Duration{2: alone, 5: alone / 2, 100: alone / 3} {
				got, together := play(concurrent)
				require.Equal(t, want, got)
				require.Greater(t, len(sizes), 1)
				require.Less(t, together, most, "batches are fewer")
			}
		})
	}
}

// TestConcurrentFaults: a position that cannot be evaluated ends all games, and the error names
// the first game with such a position.
func TestConcurrentFaults(t *testing.T) {
	game := ticTacToe(t)
	var now time.Time
	bad := false
	m := Match{
		Game: game, Games: 40, Seed: 1, Workers: 1, Opening: 3,
		Players: []player.Factory{searching("a", game, player.NetworkConfig(4), func() mcts.Evaluator {
			return watched{sizes: map[int]int{}, now: &now, fails: func(leaf *mcts.Leaf) bool {
				return bad && len(leaf.Legal) == 6 && leaf.Legal[0] == 2
			}}
		}), player.Must(nil, "random")},
	}
	all, err := Play(t.Context(), m)
	require.NoError(t, err)
	bad = true
	m.concurrent = 1
	alone, first := Play(t.Context(), m)
	require.ErrorIs(t, first, errBad)
	m.concurrent = 6
	some, err := Play(t.Context(), m)
	require.EqualError(t, err, first.Error())
	for _, r := range append(some.Records, alone.Records...) {
		require.Equal(t, all.Records[r.Number], r)
	}
}

// TestConcurrentGamesStop: a match that is stopped during shared batches ends and reports the
// finished games.
func TestConcurrentGamesStop(t *testing.T) {
	game := ticTacToe(t)
	ctx, cancel := context.WithCancel(t.Context())
	m := Match{
		Game: game, Games: 40, Seed: 1, Workers: 2,
		Players:  []player.Factory{searching("a", game, player.NetworkConfig(4), func() mcts.Evaluator { return mcts.Uniform{} }), player.Must(nil, "random")},
		Progress: func(p Progress) { cancel() },
	}
	report, err := Play(ctx, m)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, report.Games, 40)
}

// TestOneGameAtOnce: players with a time limit or without a network play one game at a time.
func TestOneGameAtOnce(t *testing.T) {
	game := ticTacToe(t)
	clock := player.Clock{Now: time.Now}
	for name, want := range map[string]int{"net:a,sims=8": 8, "net:a,time=1ms": 1, "mcts:8": 1, "alphabeta:2": 1} {
		s, err := player.Parse(name, 1)
		require.NoError(t, err)
		f, err := s.Factory(game, player.Resources{Clock: clock, Open: func(player.Spec) (player.Network, error) {
			return player.Network{Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }}, nil
		}})
		require.NoError(t, err)
		require.Equal(t, want, (&Match{Game: game, Players: []player.Factory{f, player.Must(nil, "random")}}).AtOnce(), name)
	}
}

// searching returns players that search with an evaluator.
func searching(name string, game env.Game, c mcts.Config, evaluator func() mcts.Evaluator) player.Factory {
	f, err := player.Searching(name, game, c, 0, player.Network{Evaluator: evaluator})
	if err != nil {
		panic(err)
	}
	return f
}
