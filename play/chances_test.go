package play

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/player"
)

// talk returns the output of a terminal for the given lines of input.
func talk(t *testing.T, terminal Terminal, lines ...string) string {
	var out strings.Builder
	require.NoError(t, terminal.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out))
	return out.String()
}

// expecting returns a terminal whose network predicts the same outcome for every position.
func expecting(t *testing.T, game string, outcome ...float64) Terminal {
	g := newGame(t, game)
	analyst, err := player.Must(g, "mcts:60").New()
	require.NoError(t, err)
	return Terminal{
		Game: g, Seats: make([]player.Player, g.Spec().Players), Analyst: analyst, Seed: 1,
		Outcome: func(env.State) []float64 { return outcome },
	}
}

func TestChances(t *testing.T) {
	terminal := expecting(t, "mnk", 0.5, 0.26, 0.24)
	said := talk(t, terminal, "chances")
	require.Contains(t, said, "  player 1  50% ████████████████████\n  player 2  26% ██████████\n  draw      24% ██████████\n")
	require.Equal(t, 1, strings.Count(said, "draw      24%"))

	said = talk(t, terminal, "chances on", "b2", "a1", "chances off", "c3", "chances maybe", "chances")
	require.Equal(t, 4, strings.Count(said, "draw      24%"), said)
	require.Contains(t, said, `not chances "maybe".`)

	terminal.Colour = true
	require.Contains(t, talk(t, terminal, "chances"), "  player 2  26% \x1b[36m██████████\x1b[0m\n  draw      24% \x1b[90m██████████\x1b[0m\n")

	terminal = expecting(t, "pacru:players=3", 0.1, 0.6, 0.3, 0)
	terminal.Size = func() (int, int) { return 22, 24 }
	said = talk(t, terminal, "chances")
	require.Regexp(t, `  \w+ +10% █\n  \w+ +60% ████\n  \w+ +30% ██\n  draw +0%\n`, said)

	terminal = expecting(t, "mnk", 0.5, 0.26, 0.24)
	require.NotContains(t, talk(t, terminal, "chances on", "a1", "a2", "b1", "b2", "c1"), "wins (k-in-row).\n  player")
	require.Contains(t, talk(t, terminal, "a1", "a2", "b1", "b2", "c1", "chances"), "The game is over.")
	terminal.Outcome = nil
	require.Contains(t, talk(t, terminal, "chances"), `"chances" is neither a legal move nor a command`)
	require.NotContains(t, talk(t, terminal, "help"), "chances")
}

// A hint shows the draw probability unless the result is proven.
func TestHintsShowDraws(t *testing.T) {
	require.Regexp(t, `mcts:60 would play [a-c][1-3]: win \d+%, draw (19|20)%, loss \d+%, 60 nodes`,
		talk(t, expecting(t, "mnk", 0.5, 0.3, 0.2), "hint"))
	require.Regexp(t, `mcts:60 would play (?s:\S+): win \d+%, \w+ \d+%,\s\w+\s\d+%,\sdraw\s\d+%`,
		talk(t, expecting(t, "pacru:players=3", 0.3, 0.3, 0.3, 0.1), "hint"))
	require.Contains(t, talk(t, expecting(t, "mnk", 0.5, 0.3, 0.2), "a1", "a2", "b1", "b2", "hint"), "would play c1: a certain win")
}

// The win that some of the seats are certain to share is not a chance of half a win.
func TestHintsShowSharedWins(t *testing.T) {
	for tree, want := range map[string]string{
		"b( A [-0.5,0.25,0.25] )":  "a certain win shared with player 3",
		"b( A [0,0,0] )":           "a certain draw",
		"b( A [-0.25,-0.25,0.5] )": "win chance 17%, player 3 67%, player 1 17%",
		"b( A A )":                 "a certain loss",
	} {
		game := envtest.MustTree(3, tree)
		said := talk(t, Terminal{Game: game, Seats: people(3), Analyst: seated(t, game, "mcts:20")}, "hint")
		require.Regexp(t, "mcts:20 would play \\d+: "+want, said)
	}
}

// The terminal announces when a player can claim a draw.
func TestClaimIsOffered(t *testing.T) {
	terminal := expecting(t, "coerceo:win=competitive", 0.3, 0.3, 0.4)
	var lines []string
	for range 2 {
		lines = append(lines, "a1a-a1e", "b4b-b4f", "a1e-a1a", "b4f-b4b")
	}
	said := talk(t, terminal, append(lines, "draw")...)
	require.Equal(t, 1, strings.Count(said, "You can claim a draw: type draw."), said)
	require.Contains(t, said, "A draw (claim).")
}
