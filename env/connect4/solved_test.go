package connect4

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSolved(t *testing.T) {
	s, value, err := (&game{}).ParseSolved("4455 3")
	require.NoError(t, err)
	require.Equal(t, "......./......./......./......./...oo../...xx..", s.String())
	require.Equal(t, 1, value)

	tests := []struct{ name, line, want string }{
		{"empty", "", `connect4: "" is not a solved position (MOVES SCORE, such as "4455 3")`},
		{"no score", "4455", `connect4: "4455" is not a solved position (MOVES SCORE, such as "4455 3")`},
		{"no number", "4455 x", `connect4 moves "4455": score "x" is not a whole number from -19 to 19`},
		{"more", "4455 3 1", `connect4 moves "4455": score "3 1" is not a whole number from -19 to 19`},
		{"score of no position", "4455 -20", `connect4 moves "4455": score "-20" is not a whole number from -19 to 19`},
		{"no column", "448 1", `connect4 moves "448": move 3: illegal action "8" in ......./......./......./......./...o.../...x...`},
		{"full column", "4444444 1", `connect4 moves "4444444": move 7: illegal action "4" in ...o.../...x.../...o.../...x.../...o.../...x...`},
		{"over", "1212121 0", `connect4 moves "1212121": the game is over`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := (&game{}).ParseSolved(test.line)
			require.EqualError(t, err, test.want)
		})
	}
}

// TestJudge compares the judge with published scores: an action is a mistake exactly if the
// value of the next position is worse.
func TestJudge(t *testing.T) {
	judge, solver := (&game{}).NewJudge(), NewSolver(18)
	errors := map[int]int{}
	for _, p := range append(readSolved(t, "L2_R2")[:60], readSolved(t, "L3_R1")[:60]...) {
		s, value, err := (&game{}).ParseSolved(p.line())
		require.NoError(t, err)
		require.Equal(t, sign(p.score), value)
		right := 0
		for _, a := range s.Legal(nil) {
			next := *s.(*State)
			next.Play(a)
			worse, err := judge(t.Context(), s, a, value)
			require.NoError(t, err)
			require.Equal(t, -solver.Value(&next) < value, worse, "%s then %s", p.moves, s.ActionString(a))
			if worse {
				errors[value]++
			} else {
				right++
			}
		}
		require.Positive(t, right, p.moves)
	}
	require.Zero(t, errors[-1])
	require.Positive(t, errors[0])
	require.Positive(t, errors[1])
}

// TestJudgeGivesUp cancels a search of minutes before it begins, and then a quick search,
// which must not find wrong results of the first in the table.
func TestJudgeGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	solver := NewSolver(18)
	_, err := solver.Decide(ctx, &State{}, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "connect4: solve ......./")
	require.LessOrEqual(t, solver.nodes, 2*askEvery)
	for _, p := range readSolved(t, "L2_R1")[:50] {
		s, err := FromMoves(p.moves)
		require.NoError(t, err)
		exceeds, err := solver.Decide(t.Context(), s, p.score-1)
		require.NoError(t, err)
		require.True(t, exceeds, p.moves)
	}
}
