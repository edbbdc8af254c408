package play

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/player"
)

// runTerminal returns the output of a terminal for the given lines of input.
func runTerminal(t *testing.T, term Terminal, lines ...string) (string, error) {
	var out strings.Builder
	err := term.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out)
	return out.String(), err
}

func people(n int) []player.Player { return make([]player.Player, n) }

// The start position occurs for the third time. White, who is on turn, may claim a draw with
// the name of the action or with the command.
func TestDrawClaim(t *testing.T) {
	game := newGame(t, "coerceo:win=competitive")
	shuffle := []string{"c5a-c5c", "c1b-c1f", "c5c-c5a", "c1f-c1b"}
	for _, word := range []string{"draw", "claim"} {
		out, err := runTerminal(t, Terminal{Game: game, Seats: people(2)},
			append(append(append([]string{}, shuffle...), "draw"), append(shuffle, "moves cl", word, "undo", "moves cl")...)...)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(out, "allow no draw claim"))
		require.Equal(t, 2, strings.Count(out, "  claim\n"))
		require.Contains(t, out, "White plays claim")
		require.Contains(t, out, "A draw (claim).")
	}
}

// answering is a player whose moves come from a function.
type answering func(ctx context.Context) (env.Action, error)

func (answering) Name() string { return "told" }

func (f answering) Choose(ctx context.Context, _ env.State, _ []env.Action, _ *rand.Rand) (env.Action, error) {
	return f(ctx)
}

func TestCtrlCAtThePrompt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	var out bytes.Buffer
	ended := make(chan error)
	go func() { ended <- Terminal{Game: newGame(t, "mnk"), Seats: people(2)}.Run(ctx, r, &out) }()
	_, err := io.WriteString(w, "b2\n")
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestCtrlCWhileAPlayerThinks(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	thinker := answering(func(ctx context.Context) (env.Action, error) {
		cancel()
		<-ctx.Done()
		return 0, ctx.Err()
	})
	err := Terminal{Game: newGame(t, "mnk"), Seats: []player.Player{thinker, nil}}.Run(ctx, strings.NewReader(""), io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "play: player 1 (told) in .../.../...: context canceled")
}

func TestPlayersThatFail(t *testing.T) {
	sad := errors.New("out of memory")
	fails := answering(func(context.Context) (env.Action, error) { return 0, sad })
	cheats := answering(func(context.Context) (env.Action, error) { return 99, nil })
	game := newGame(t, "mnk")

	_, err := runTerminal(t, Terminal{Game: game, Seats: []player.Player{nil, fails}}, "b2")
	require.ErrorIs(t, err, sad)
	_, err = runTerminal(t, Terminal{Game: game, Seats: []player.Player{nil, cheats}}, "b2")
	require.ErrorIs(t, err, env.ErrIllegal)
	require.EqualError(t, err, "play: player 2 (told) in .../.x./...: illegal action 99")

	out, err := runTerminal(t, Terminal{Game: game, Seats: people(2), Analyst: fails}, "hint", "b2")
	require.NoError(t, err, "a hint that fails costs nothing")
	require.Contains(t, out, "told has no answer: out of memory")
	require.Contains(t, out, "Player 1 plays b2")
	out, err = runTerminal(t, Terminal{Game: game, Seats: people(2)}, "hint")
	require.NoError(t, err)
	require.Contains(t, out, noAnalyst)
}

func TestTerminalIsSetUpWrong(t *testing.T) {
	game := newGame(t, "mnk")
	_, err := runTerminal(t, Terminal{Game: game, Seats: people(3)})
	require.ErrorContains(t, err, "3 players")
	_, err = runTerminal(t, Terminal{Game: game, Seats: people(2), Position: "x"})
	require.ErrorContains(t, err, "play: mnk position")
	err = Terminal{Game: game, Seats: people(2)}.Run(t.Context(), strings.NewReader("b2"), full{})
	require.EqualError(t, err, "play: write: no space left")
}

// Three people play, and one of them makes two decisions in a row. Undo takes back one
// decision, and a game without a drawing is shown as its string.
func TestThreePeople(t *testing.T) {
	game := envtest.MustTree(3, "a( a(B b([0.25,0.25,-0.5] C)) b(A C) )")
	out, err := runTerminal(t, Terminal{Game: game, Seats: people(3)}, "0", "undo", "0", "1", "0", "resign", "undo", "1", "resign", "undo", "sides")
	require.NoError(t, err)
	for _, part := range []string{
		"/0\nPlayer 1 plays 0\nPlayer 1 to move> \n/\nPlayer 1 to move",
		"/0/1\nPlayer 1 plays 1\nPlayer 2 to move",
		"Player 1 and player 2 share the win (leaf).",
		"/0/1/1\nPlayer 2 plays 1\nPlayer 3 wins (leaf).",
	} {
		require.Contains(t, out, part)
	}
}

// When one of three players resigns, the analyst takes the seat and the others continue until
// no person remains. Undo takes resignations back in reverse order.
func TestResignationOfThree(t *testing.T) {
	first := answering(func(context.Context) (env.Action, error) { return 0, nil })
	game := envtest.MustTree(3, "a( B a(b(c(a(B A) A) C) C) )")
	table := Terminal{Game: game, Seats: []player.Player{nil, nil, first}, Analyst: first}
	out, err := runTerminal(t, table, "1", "resign", "0", "undo", "undo", "0")
	require.NoError(t, err)
	for _, part := range []string{
		"/1\nPlayer 1 plays 1\nPlayer 1 to move> Player 1 resigns; told takes the seat.\n",
		"/1/0\nPlayer 1 (told) plays 0\nPlayer 2 to move> Player 2 plays 0\n",
		"/1/0/0/0/0\nPlayer 3 (told) plays 0\nPlayer 1 (told) plays 0\nPlayer 2 wins (leaf).\n",
		"undo, new or quit> \n/1/0\nPlayer 2 to move> \n",
		"> \n/1\nPlayer 1 to move> \n/1/0\nPlayer 1 plays 0\nPlayer 2 to move> \n",
	} {
		require.Contains(t, out, part)
	}

	out, err = runTerminal(t, table, "1", "resign", "resign", "0", "resign", "moves", "undo", "undo", "resign", "new", "1")
	require.NoError(t, err)
	for _, part := range []string{
		"Player 1 resigns; told takes the seat.\n\n/1/0\nPlayer 1 (told) plays 0\nPlayer 2 to move> The game ends without a result (player 2 resigned).\nundo, new or quit> ",
		"> The game is over; type undo, new or quit, not \"0\".\nundo, new or quit> The game is over.\nundo, new or quit> The game is over.\n",
		"undo, new or quit> \n/1/0\nPlayer 2 to move> \n/1\nPlayer 1 to move> Player 1 resigns; told",
		"> \n/\nPlayer 1 to move> \n/1\nPlayer 1 plays 1\nPlayer 1 to move> \n",
	} {
		require.Contains(t, out, part)
	}

	// The moves of the analyst in a seat are reported with the moves of the next players.
	table.Game = envtest.MustTree(3, "b( a(b(c(a(A B) C) C) C) C )")
	out, err = runTerminal(t, table, "resign", "0")
	require.NoError(t, err)
	require.Regexp(t, `/0/0/0/0\nPlayer 2 \(\w+\) plays 0\nPlayer 3 \(\w+\) plays 0\nPlayer 1 to move> `, out)

	// Without an analyst, no player can take the seat.
	table.Game, table.Analyst = game, nil
	out, err = runTerminal(t, table, "resign", "undo", "sides")
	require.NoError(t, err)
	require.Contains(t, out, "The game ends without a result (player 1 resigned).\nundo, new or quit> \n/\nPlayer 1 to move> \n/\n")
}

// When no human has a chevron left, the terminal shows every round, and Ctrl-C leads to a
// prompt.
func TestAllHumansAreOut(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	interrupts := make(chan os.Signal)
	table := Terminal{
		Game: game, Interrupts: interrupts, Thinking: func(string) func() { return func() {} },
		Position: "3;0;" + strings.Repeat(".", 81) + ";c1:2N,g1:1N,a5:2E,i5:1W,b9:0W,g9:1S;-",
		Seats:    []player.Player{nil, seated(t, game, "random"), seated(t, game, "greedy")},
	}
	out, err := runTerminal(t, table, "b9-a9")
	require.NoError(t, err)
	require.Regexp(t, `\n  └\S+\nRed \(random\) plays .*\nBlack \(greedy\) plays (?s:.*?)\n\n    a   b (?s:.*?)\n  └\S+\nRed \(random\) plays .*\nBlack \(greedy\) plays `, out)

	slow := seated(t, game, "mcts:10000000")
	table.Seats = []player.Player{nil, slow, slow}
	table.Thinking = func(string) func() {
		go func() { interrupts <- os.Interrupt }()
		return func() {}
	}
	out, err = runTerminal(t, table, "b9-a9", "go", "quit")
	require.NoError(t, err)
	require.Contains(t, out, "Red (mcts:10000000) was stopped; type go, a move for it, or undo> \n")
	require.Contains(t, out, "Black (mcts:10000000) was stopped; type go, a move for it, or undo> ")

	table.Seats[0], table.Files, table.Autosave = slow, memoryFiles{}, "kept"
	table.Editor = &typing{[]string{"^C", "quit"}}
	out, err = runTerminal(t, table)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(out, " plays "), "Ctrl-C leads to a prompt without humans too")
	require.Contains(t, out, "to leave the game; save FILE saves it first.")
}

// named is a game with seat names.
type named struct{ env.Game }

func (named) SeatName(p env.Player) string { return []string{"North", "East", "South"}[p] }

func TestNames(t *testing.T) {
	game := named{envtest.MustTree(3, "( B )")}
	out, err := runTerminal(t, Terminal{Game: game, Seats: people(3)}, "0")
	require.NoError(t, err)
	require.Contains(t, out, "North to move> \n/0\nNorth plays 0\nEast wins (leaf).\n")
}

func TestLongAndStrangeLines(t *testing.T) {
	out, err := runTerminal(t, Terminal{Game: newGame(t, "mnk"), Seats: people(2)},
		strings.Repeat("x", 1<<20), "", "   ", "\x00\xff", "B2", "a1 a2", "quit", "never read")
	require.NoError(t, err)
	require.Less(t, len(out), 2000)
	require.Contains(t, out, "Player 1 plays b2", "capitals do not matter")
}

func TestClip(t *testing.T) {
	require.Equal(t, "abc…", clipAt(4, "abcäd"))
	require.Equal(t, "abcä", clipAt(5, "abcä"))
}

func TestObjection(t *testing.T) {
	legal := []string{"a1a-a1e", "d1e-d1a", "d1e-d1c", "d2c-d2a", "xc3f"}
	for text, want := range map[string]string{
		"d1e-d2a": "similar moves: d1e-d1a d1e-d1c (",
		"D1E":     "similar moves: d1e-d1a d1e-d1c (",
		"d9":      "similar moves: d1e-d1a d1e-d1c d2c-d2a (",
		"xc3e":    "similar moves: xc3f (",
		"c3f":     "similar moves: xc3f ",
	} {
		require.Contains(t, objection(legal, text), want, text)
	}
}

func TestParseSeats(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	for text, want := range map[string][]string{
		"":                                {"human", "engine", "engine"},
		"human,human,mcts:20":             {"human", "human", "mcts:20"},
		"net:runs/a,sims=64,human,engine": {"net:runs/a,sims=64", "human", "engine"},
		"net:bundled:coerceo:win=casual,price=2,sims=2,human,net:bundled": {"net:bundled:coerceo:win=casual,price=2,sims=2", "human", "net:bundled"},
	} {
		got, err := ParseSeats(game, text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := ParseSeats(game, "human,net:a,sims=4")
	require.ErrorContains(t, err, `2 players ["human" "net:a,sims=4"]`)
	_, err = ParseSeats(newGame(t, "mnk"), "Human,Engine")
	require.ErrorContains(t, err, `1 player ["Human,Engine"]`)
}
