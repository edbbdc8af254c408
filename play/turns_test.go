package play

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// The engine plays complete turns, however a search ends: each bestmove is a turn in the rules'
// notation, and the principal variation begins with it.
func TestEnginePlaysCompleteTurns(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	d := drive(t, t.Context(), newEngine(t, game))
	state := game.New()
	several, moves := 0, ""
	for i := 0; i < 12 || several == 0; i++ { // the moves depend on the clock
		require.Less(t, i, 100, "no turn of several actions")
		d.send("position startpos" + moves)
		switch i % 4 {
		case 0:
			d.send("go movetime 1")
		case 1:
			d.send("go infinite")
			d.send("stop")
		default:
			d.send("go nodes 30")
		}
		lines := d.until("bestmove")
		turn := strings.TrimPrefix(lines[len(lines)-1], "bestmove ")
		actions, err := state.(env.Turner).ParseTurn(turn)
		require.NoError(t, err)
		for _, a := range actions {
			state.Play(a)
		}
		if len(lines) >= 3 {
			require.Contains(t, lines[len(lines)-3]+" ", " pv "+turn+" ")
		}
		if len(actions) > 1 {
			several++
		}
		if moves == "" {
			moves = " moves"
		}
		moves += " " + turn
	}
}

// Complete turns use the rules' notation; an incomplete turn lists the names of its actions.
func TestNotation(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	s := game.New()
	table := NewTable(game, nil, s)
	first, err := table.Parse("A7-B6(C5)")
	require.NoError(t, err)
	require.Len(t, first, 2)
	require.Equal(t, []string{"a7-b6"}, notation(game, s, first[:1]))
	require.Equal(t, []string{"a7-b6(c5)"}, notation(game, s, first))

	require.False(t, table.MidTurn())
	for i, a := range first {
		table.Play(a)
		require.Equal(t, i == 0, table.MidTurn())
	}
	_, err = table.Parse("a7-b6(c9)")
	require.ErrorContains(t, err, "a7-b6(c9)")
	second, err := table.Parse("g9-f8(d9)")
	require.NoError(t, err)
	require.Equal(t, []string{"a7-b6(c5)", "g9-f8"}, notation(game, s, append(first, second[0])))
}
