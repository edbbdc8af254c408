package arena

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/env/mnk"
	"tiro/internal/leaks"
	"tiro/player"
)

func TestMain(m *testing.M) { leaks.Main(m) }

func ticTacToe(t testing.TB) env.Game {
	_, options, err := env.ParseName("mnk")
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	return game
}

func TestMatchIsTheSameForAnyWorkers(t *testing.T) {
	m := Match{Game: ticTacToe(t), Players: []player.Factory{player.Must(ticTacToe(t), "alphabeta:2"), player.Must(ticTacToe(t), "mcts:20")}, Games: 60, Seed: 5, Opening: 2}
	var first []byte
	for _, workers := range []int{1, 2, 7} {
		m.Workers = workers
		report, err := Play(t.Context(), m)
		require.NoError(t, err)
		data, err := json.Marshal(report)
		require.NoError(t, err)
		if first == nil {
			first = data
		}
		require.JSONEq(t, string(first), string(data), "%d workers", workers)
	}
	m.Seed++
	report, err := Play(t.Context(), m)
	require.NoError(t, err)
	data, err := json.Marshal(report)
	require.NoError(t, err)
	require.NotEqual(t, first, data)
}

func TestOpeningsAvoidFinishedGames(t *testing.T) {
	// Two of the three first actions end the game, and so does every action after the third
	// one. An opening therefore has one action.
	game := envtest.MustTree(2, "( A B (AB) )")
	report, err := Play(t.Context(), Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 20, Seed: 1, Workers: 1, Opening: 2})
	require.NoError(t, err)
	for _, r := range report.Records {
		require.Equal(t, 1, r.Opening)
		require.Equal(t, "2", r.Moves[0])
	}
	require.Equal(t, 2, report.Distinct)
	require.Contains(t, report.String(), "distinct  2 of 20 games; ")
}

// begun is a game that calls count for each new state.
type begun struct {
	env.Game
	count func()
}

func (g begun) New() env.State {
	g.count()
	return g.Game.New()
}

// Nearly all games end before the last ply, so that drawing a long opening takes many tries.
func TestCancelledWhileAnOpeningIsDrawn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tries := 0
	game := begun{ticTacToe(t), func() {
		if tries++; tries == 10 {
			cancel()
		}
	}}
	report, err := Play(ctx, Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 2, Seed: 1, Workers: 1, Opening: 9})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "arena: match stopped after 0 of 2 games: context canceled")
	require.Zero(t, report.Games)
	require.Equal(t, 10, tries)
}

// broken is a player whose answers come from a function.
type broken struct {
	answer func(ctx context.Context, ply int) (env.Action, error)
	closed *int
}

func (broken) Name() string { return "broken" }

func (b broken) Choose(ctx context.Context, s env.State, history []env.Action, _ *rand.Rand) (env.Action, error) {
	return b.answer(ctx, len(history))
}

func (b broken) Close() error {
	*b.closed++
	return nil
}

func TestFailingPlayers(t *testing.T) {
	sad := errors.New("out of luck")
	for _, c := range []struct {
		name   string
		answer func(ctx context.Context, ply int) (env.Action, error)
		want   string
		is     error
	}{
		{"error", func(context.Context, int) (env.Action, error) { return 0, sad }, "out of luck", sad},
		{"illegal", func(context.Context, int) (env.Action, error) { return 7, nil }, "illegal action 7", env.ErrIllegal},
	} {
		t.Run(c.name, func(t *testing.T) {
			closed := 0
			bad := player.Custom("broken", func() (player.Player, error) { return broken{c.answer, &closed}, nil })
			game := envtest.MustTree(2, "( a((AB)(BA)) )")
			report, err := Play(t.Context(), Match{Game: game, Players: []player.Factory{bad, player.Must(nil, "random")}, Games: 40, Seed: 1, Workers: 2, Opening: 1})
			require.ErrorIs(t, err, c.is)
			// Either of the two workers may fail first.
			require.Regexp(t, `^arena: game \d+, ply (1: broken as player 1 in /0|2: broken as player 2 in /0/0): `+c.want+"$", err.Error())
			require.Less(t, report.Games, 40)
			require.Equal(t, 2, closed, "players are closed")
		})
	}
}

func TestCancelledMatchReportsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	game := ticTacToe(t)
	m := Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 1 << 20, Seed: 1, Workers: 2, Opening: 2}
	var seen []int
	m.Progress = func(p Progress) {
		seen = append(seen, p.Done)
		require.Equal(t, p.Done, p.Players[0].Wins+p.Players[0].Draws+p.Players[0].Losses)
		require.Equal(t, p.Players[0].Wins, p.Players[1].Losses)
		if p.Done == 50 {
			cancel()
		}
	}
	report, err := Play(ctx, m)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "arena: match stopped after")
	require.GreaterOrEqual(t, report.Games, 50)
	require.Less(t, report.Games, 1000)
	require.Len(t, seen, report.Games)
	require.True(t, slices.IsSorted(seen))
	require.Contains(t, report.String(), "games unfinished")
	require.Positive(t, report.Groups)
}

func TestMatchValidates(t *testing.T) {
	_, err := Play(t.Context(), Match{Game: ticTacToe(t), Players: []player.Factory{player.Must(nil, "random"), {}}, Games: 3, Opening: -1})
	require.ErrorContains(t, err, "player 2 is missing")
	require.ErrorContains(t, err, "games is 3")
	require.ErrorContains(t, err, "workers is 0")
	require.ErrorContains(t, err, "opening is -1")
	for _, players := range []int{0, 1, 3} {
		_, err = Play(t.Context(), Match{Game: ticTacToe(t), Players: slices.Repeat([]player.Factory{player.Must(nil, "random")}, players), Games: 2, Workers: 1})
		require.ErrorContains(t, err, fmt.Sprintf("number of players is %d", players))
	}
	_, err = Play(t.Context(), Match{Game: ticTacToe(t), Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 2, Workers: 1, Opening: 10})
	require.ErrorContains(t, err, "opening is 10")
	_, err = Play(t.Context(), Match{})
	require.ErrorContains(t, err, "no game")
}

func TestPlayersThatCannotBeMade(t *testing.T) {
	closed := 0
	good := player.Custom("broken", func() (player.Player, error) { return broken{closed: &closed}, nil })
	bad := player.Custom("bad", func() (player.Player, error) { return nil, errors.New("no weights") })
	_, err := Play(t.Context(), Match{Game: ticTacToe(t), Players: []player.Factory{good, bad}, Games: 2, Workers: 1})
	require.EqualError(t, err, "arena: make the players: no weights")
	require.Equal(t, 1, closed)
}

// TestPlayersOfNoGames: a match without open games, or that has been cancelled, makes no players.
func TestPlayersOfNoGames(t *testing.T) {
	random := player.Must(nil, "random")
	m := Match{Game: ticTacToe(t), Players: []player.Factory{random, random}, Games: 4, Workers: 1, Seed: 1}
	var err error
	m.Record = func(r GameRecord) error {
		m.Finished = append(m.Finished, r)
		return nil
	}
	whole, err := Play(t.Context(), m)
	require.NoError(t, err)
	bad := player.Custom("random", func() (player.Player, error) { return nil, errors.New("no weights") })
	m.Players = []player.Factory{bad, bad}
	again, err := Play(t.Context(), m)
	require.NoError(t, err)
	requireSameReport(t, whole, again)

	m.Finished = m.Finished[:3]
	_, err = Play(t.Context(), m)
	require.EqualError(t, err, "arena: make the players: no weights")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rest, err := Play(ctx, m)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 3, rest.Games)
}

// TestDefaultGames: the default number of games never exceeds a limit, and each opening is
// played from every seat.
func TestDefaultGames(t *testing.T) {
	for _, test := range []struct {
		name, game string
		players    int
		sprt       *SPRT
		want       int
	}{
		{"no test", "connect4", 2, nil, 100},
		{"no test, three players", "pacru:players=3", 3, nil, 102},
		{"a short test", "connect4", 2, &SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}, 440},
		{"a long test", "connect4", 2, &SPRT{Elo0: 0, Elo1: 1, Alpha: 0.05, Beta: 0.05}, MaxGames},
		{"a long test, three players", "pacru:players=3", 3, &SPRT{Elo0: 0, Elo1: 1, Alpha: 0.05, Beta: 0.05}, MaxGames / 6 * 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			game, err := games.New(test.game)
			require.NoError(t, err)
			m := Match{Game: game, Players: slices.Repeat([]player.Factory{player.Must(nil, "random")}, test.players), Workers: 1, SPRT: test.sprt}
			m.Games = m.DefaultGames()
			require.Equal(t, test.want, m.Games)
			require.NoError(t, m.Validate())
		})
	}
}

// unfair is a game in which all seats win.
type unfair struct{ env.Game }

func (g unfair) New() env.State { return unfairState{g.Game.New()} }

type unfairState struct{ env.State }

func (s unfairState) CopyFrom(src env.State) { s.State.CopyFrom(src.(unfairState).State) }

func (s unfairState) Result() (env.Value, bool) {
	_, over := s.State.Result()
	return env.Value{1, 1}, over
}

func TestFaultyGamesEndTheMatch(t *testing.T) {
	for want, game := range map[string]env.Game{
		"the game continues after MaxPlies = 4": envtest.WithSpec(ticTacToe(t), func(s *env.Spec) { s.MaxPlies = 4 }),
		"payoffs [1 1 0 0] sum to 2, not 0":     unfair{ticTacToe(t)},
	} {
		_, err := Play(t.Context(), Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 2, Seed: 1, Workers: 1})
		require.ErrorContains(t, err, want)
	}
}
