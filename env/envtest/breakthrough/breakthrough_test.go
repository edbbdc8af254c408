package breakthrough

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// newGame returns the game of a game string.
func newGame(t *testing.T, text string) env.Game {
	t.Helper()
	game, err := env.Table{Entry()}.New(text)
	require.NoError(t, err)
	return game
}

func TestConformance(t *testing.T) {
	for _, text := range []string{"breakthrough", "breakthrough:size=5"} {
		t.Run(text, func(t *testing.T) { envtest.Run(t, newGame(t, text)) })
	}
}

func TestMoves(t *testing.T) {
	for _, test := range []struct {
		name, position string
		want           []string
	}{
		{"three moves ahead", "bb.../...../...../.w.../..... w", []string{"b2-a3", "b2-b3", "b2-c3"}},
		{"Black moves down", "...../...b./...../...../w.... b", []string{"d4-e3", "d4-d3", "d4-c3"}},
		{"not off the board", "bb.../...../...../w..../..... w", []string{"a2-a3", "a2-b3"}},
		{"takes diagonally only", "bb.../...../bbb../.w.../..... w", []string{"b2-a3", "b2-c3"}},
		{"own pieces block", "bb.../...../.ww../.w.../..... w", []string{"b3-a4", "c3-b4", "b2-a3", "b3-b4", "c3-c4", "b3-c4", "c3-d4"}},
		{"the last row ends the game", "b.w../...../...../...../..... b", nil},
		{"the last piece ends the game", "b..../...../...../...../..... w", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newGame(t, "breakthrough:size=5").New()
			require.NoError(t, s.(env.Positioner).SetPosition(test.position))
			require.ElementsMatch(t, test.want, env.Names(s))
			_, over := s.Result()
			require.Equal(t, test.want == nil, over)
		})
	}
}
