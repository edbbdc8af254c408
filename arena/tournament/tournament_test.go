package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/player"
)

// cup returns a tournament.
func cup(t *testing.T, name string, players ...string) Tournament {
	game, err := games.New(name)
	require.NoError(t, err)
	c := Tournament{Match: arena.Match{Game: game, Games: 8, Seed: 3, Workers: 2, Opening: 2}, By: arena.Builder{Tiro: "test", Backend: "go"}}
	for _, text := range players {
		s, err := player.Parse(text, 1)
		require.NoError(t, err)
		f, err := s.Factory(game, player.Resources{})
		require.NoError(t, err)
		c.Players = append(c.Players, f)
	}
	return c
}

var five = []string{"alphabeta:2", "alphabeta:1", "greedy", "mcts:10", "random"}

// TestKilledTenTimes: a tournament of five players that is killed ten times ends with the same
// table, and the same report to the byte, as an undisturbed one.
func TestKilledTenTimes(t *testing.T) {
	undisturbed := cup(t, "connect4", five...)
	want, err := Play(t.Context(), undisturbed)
	require.NoError(t, err)
	require.Equal(t, 80, want.Games)

	path, rng, kills := filepath.Join(t.TempDir(), "cup.jsonl"), rand.New(rand.NewPCG(1, 2)), 0
	for {
		c := cup(t, "connect4", five...)
		c.Log, err = arena.OpenGameLog(disk.OS{}, path, c.Game)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + rng.IntN(7)
		if kills == 10 {
			left = 1000
		}
		c.Begun = func(Meeting) func(arena.Progress) {
			seen := -1
			return func(p arena.Progress) {
				if seen >= 0 || p.Done == 1 {
					left--
				}
				if seen = p.Done; left == 0 {
					cancel()
				}
			}
		}
		got, err := Play(ctx, c)
		cancel()
		require.NoError(t, c.Log.Close())
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			require.Less(t, got.Games, 80)
			require.Contains(t, got.String(), "stopped")
			kills++
			continue
		}
		require.Equal(t, 10, kills)
		require.Equal(t, want.String(), got.String())
		require.Equal(t, text(t, want), text(t, got))
		return
	}
}

func text(t *testing.T, r Report) string {
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return string(data)
}

// TestTable: the points of a row are the sum of its cells, two opposite cells share the points
// of their games, and a stronger player is rated higher.
func TestTable(t *testing.T) {
	r, err := Play(t.Context(), cup(t, "connect4", five...))
	require.NoError(t, err)
	elo := map[string]arena.Interval{}
	for i, s := range r.Players {
		sum := 0.0
		for j, c := range s.Cross {
			sum += c.Points
			if i != j {
				require.Equal(t, 8, c.Games)
				require.Equal(t, 8.0, c.Points+r.Players[j].Cross[i].Points)
			}
		}
		require.Equal(t, s.Points, sum)
		elo[s.Name] = s.Elo
	}
	require.Equal(t, arena.Interval{}, elo["alphabeta:2"])
	require.Less(t, elo["random"].High, -100.0)
}

// TestRepeatedGroupsCountOnce: the same games again change no rating.
func TestRepeatedGroupsCountOnce(t *testing.T) {
	ratings := func(games int) (all []arena.Interval) {
		tree := envtest.MustTree(2, "( A )") // a single move
		c := Tournament{Match: arena.Match{Game: tree, Games: games, Seed: 3, Workers: 1}}
		for _, text := range []string{"random", "mcts:1", "mcts:2"} {
			c.Players = append(c.Players, player.Must(tree, text))
		}
		r, err := Play(t.Context(), c)
		require.NoError(t, err)
		for _, s := range r.Players {
			all = append(all, s.Elo)
		}
		return all
	}
	require.Equal(t, ratings(2), ratings(20))
}

// TestSeats: in a game of three, every three players meet in all six seatings.
func TestSeats(t *testing.T) {
	c := cup(t, "pacru:players=3", "random", "greedy", "mcts:1", "mcts:2")
	c.Games, c.Adjudication.MaxPlies = 6, 8
	r, err := Play(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, r.Matches, 4)
	require.Equal(t, 24, r.Games)
	for _, s := range r.Players {
		require.Equal(t, 18, s.Games)
		require.InDelta(t, 6, s.Points, 1e-9, "all games are draws")
		for _, cell := range s.Cross {
			require.Contains(t, []int{0, 12}, cell.Games)
		}
	}
	c.Gauntlet = true
	meetings, err := c.Meetings()
	require.NoError(t, err)
	require.Len(t, meetings, 3)

	c.Players = c.Players[:2]
	_, err = c.Meetings()
	require.ErrorContains(t, err, "2 players of a game of 3")
	twice := cup(t, "connect4", "random", "greedy", "random")
	_, err = Play(t.Context(), twice)
	require.ErrorContains(t, err, "same player")
}

// TestGauntlet: only the first player meets the others.
func TestGauntlet(t *testing.T) {
	c := cup(t, "mnk", five...)
	c.Gauntlet, c.Games = true, 4
	r, err := Play(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, r.Matches, 4)
	for _, s := range r.Players {
		played := 0
		for _, cell := range s.Cross {
			played += cell.Games
		}
		require.Equal(t, s.Games, played)
	}
}

// TestStarts: every pair plays the given openings from both seats, and a log with other
// openings is another tournament.
func TestStarts(t *testing.T) {
	c := cup(t, "mnk", "random", "greedy", "alphabeta:1")
	c.Opening, c.Games, c.Starts = 0, 6, []arena.Start{{Moves: []string{"b2", "a1"}}, {Position: "x../.o./..."}}
	path := filepath.Join(t.TempDir(), "cup.jsonl")
	log, err := arena.OpenGameLog(disk.OS{}, path, c.Game)
	require.NoError(t, err)
	c.Log = log
	r, err := Play(t.Context(), c)
	require.NoError(t, err)
	for _, m := range r.Matches {
		for _, g := range m.Records {
			if g.Group%2 == 0 {
				require.Equal(t, []string{"b2", "a1"}, g.Moves[:2])
				require.Equal(t, 2, g.Opening)
			} else {
				require.Equal(t, "x../.o./...", g.Position)
				require.Zero(t, g.Opening)
			}
		}
	}
	require.NoError(t, log.Close())
	data, err := disk.ReadFile(disk.OS{}, path, 1<<20)
	require.NoError(t, err)
	matches, err := arena.ReadGames(data, c.Game)
	require.NoError(t, err)
	require.Len(t, matches, 3)
	for i := range matches[0].Games {
		m := c.Match
		m.Players = c.Players[:2]
		require.NoError(t, m.Check(&matches[0].Games[i]))
	}
	other := c.Match
	other.Starts = other.Starts[:1]
	require.NotEqual(t, matches[0].Starts, other.Conditions(c.By).Starts)

	c.Log, c.Starts = nil, []arena.Start{{Position: "xxx/oo./..."}}
	_, err = Play(t.Context(), c)
	require.ErrorContains(t, err, "starts[0]")
}

// TestPlayerFails: an error of a player ends the tournament, which reports the finished games.
func TestPlayerFails(t *testing.T) {
	c := cup(t, "mnk", "random", "greedy", "alphabeta:1")
	broken := errors.New("broken")
	c.Players[2].New = func() (player.Player, error) { return failing{broken}, nil }
	r, err := Play(t.Context(), c)
	require.ErrorIs(t, err, broken)
	require.Equal(t, 8, r.Games)
	require.Contains(t, r.String(), "stopped   16 of 24 games")
}

type failing struct{ err error }

func (failing) Name() string { return "failing" }

func (f failing) Choose(context.Context, env.State, []env.Action, *rand.Rand) (env.Action, error) {
	return 0, f.err
}

// nearby plays games of several matches, one after the other.
type nearby struct{ most int }

func (n *nearby) PlayGames(ctx context.Context, games []arena.Wanted) error {
	n.most = max(n.most, len(games))
	for _, w := range games {
		next := func(bool) (int, bool) {
			if len(w.Games) == 0 {
				return 0, false
			}
			number := w.Games[0]
			w.Games = w.Games[1:]
			return number, true
		}
		done := func(g arena.GameRecord) error {
			w.Take(g)
			return nil
		}
		if err := w.Match.PlayNumbers(ctx, 1, next, done); err != nil {
			return err
		}
	}
	return nil
}

// TestElsewhere: other machines play all meetings at once, with the same report.
func TestElsewhere(t *testing.T) {
	want, err := Play(t.Context(), cup(t, "mnk", five...))
	require.NoError(t, err)
	c, other := cup(t, "mnk", five...), &nearby{}
	c.Elsewhere, c.Workers = other, 0
	got, err := Play(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, 10, other.most)
	require.Equal(t, text(t, want), text(t, got))
}
