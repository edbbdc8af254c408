package arena

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/envtest"
	"tiro/player"
)

// forced returns a match whose games are all the same: the first player has a single action,
// and wins.
func forced(games int) Match {
	players := []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}
	return Match{Game: envtest.MustTree(2, "( A )"), Players: players, Games: games, Seed: 1, Workers: 1}
}

// TestRepeatedGroupsCountOnce: repeating one group adds no information to a match.
func TestRepeatedGroupsCountOnce(t *testing.T) {
	m := forced(200)
	m.SPRT = &SPRT{Elo0: -20, Elo1: -10, Alpha: 0.05, Beta: 0.05}
	long, err := Play(t.Context(), m)
	require.NoError(t, err)
	m.Games = m.Group()
	short, err := Play(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, 1, long.Distinct)
	require.Equal(t, 100, long.SPRT.Groups)
	require.Equal(t, Undecided, long.Verdict)
	require.InDelta(t, short.SPRT.LLR, long.SPRT.LLR, 1e-12)
	for i := range long.Players {
		require.Equal(t, short.Players[i].Score, long.Players[i].Score)
		require.Equal(t, short.Players[i].Elo, long.Players[i].Elo)
	}
}

// TestDifferentGroupsAllCount: groups count separately if they differ by a single move, by the
// players who made the moves, or by the first position, or if their moves are unknown.
func TestDifferentGroupsAllCount(t *testing.T) {
	group := func(seating []int, moves ...string) []GameRecord {
		return []GameRecord{{Seating: seating, Moves: moves}}
	}
	require.NotContains(t, Repeats([][]GameRecord{
		group([]int{0, 1}, "a", "b"), group([]int{0, 1}, "a", "c"), group([]int{1, 0}, "a", "b"), group([]int{0, 1}), group([]int{0, 1}),
	}), true)
	repeated := Repeats([][]GameRecord{group([]int{0, 1}, "a", "b"), group([]int{0, 1}, "a", "b"), group([]int{0, 1}, "b")})
	require.Equal(t, []bool{false, true, false}, repeated)
	elsewhere := group([]int{0, 1}, "a", "b")
	elsewhere[0].Position = "x"
	require.NotContains(t, Repeats([][]GameRecord{group([]int{0, 1}, "a", "b"), elsewhere}), true)
}

func TestMayRepeat(t *testing.T) {
	m := forced(2)
	for _, test := range []struct {
		a, b    string
		opening int
		want    bool
	}{
		{"alphabeta:4", "greedy", 0, true},
		{"alphabeta:4", "greedy", 1, false},
		{"alphabeta:4", "random", 0, false},
		{"mcts:4", "greedy", 0, false},
	} {
		m.Opening = test.opening
		for i, name := range []string{test.a, test.b} {
			spec, err := player.Parse(name, 1)
			require.NoError(t, err)
			m.Players[i] = player.Factory{Spec: spec}
		}
		require.Equal(t, test.want, m.MayRepeat(), test)
	}
}
