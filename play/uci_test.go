package play

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// word returns the word after name in a line.
func word(line, name string) string {
	words := strings.Fields(line)
	if i := slices.Index(words, name); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// A pondering search has no limits before ponderhit, and prints no best move even if the result
// is proven. Afterwards its limits hold.
func TestPonder(t *testing.T) {
	for _, limit := range []string{"wtime 3000 btime 3000 winc 20 binc 20", "movetime 30", "nodes 50", "depth 2", ""} {
		t.Run(limit, func(t *testing.T) {
			d := drive(t, t.Context(), newEngine(t, newGame(t, "connect4")))
			d.send("ponderhit") // ignored
			d.send("position startpos moves 4 4")
			d.send("go ponder " + limit)
			d.until("info depth") // after a second of the test clock, so the limits would have ended the search
			d.ask("query p1turn")
			d.send("ponderhit")
			require.NotEqual(t, "0000", word(d.until("bestmove")[0], "bestmove"))
			d.send("go ponder " + limit)
			require.NotContains(t, strings.Join(d.ask("isready"), "\n"), "bestmove") // info lines may come first
			d.send("stop")
			d.until("bestmove")
			d.send("go ponder " + limit)
			d.send("position startpos") // ends it, too
			d.until("bestmove")
		})
	}
	d := drive(t, t.Context(), newEngine(t, newGame(t, "mnk")))
	d.send("position fen xx./oo./...")
	d.send("go ponder nodes 9")
	d.until("info")
	answer := d.ask("query gameover")
	require.Equal(t, "response false", answer[len(answer)-1])
	require.NotContains(t, strings.Join(answer, "\n"), "bestmove")
	d.send("ponderhit")
	require.Equal(t, []string{"bestmove c3"}, d.until("bestmove"))
	d.send("go ponder nodes 9")
	d.send("quit")
	d.until("bestmove")
	require.NoError(t, <-d.ended)
	require.Equal(t, 1, strings.Count(answers(t, newEngine(t, newGame(t, "mnk")), "go ponder nodes 9\n"), "bestmove"), "the end of the input")
}

// With the option Ponder the best move comes with the expected reply, as complete turns.
func TestPonderMove(t *testing.T) {
	for _, name := range []string{"connect4", "pacru:players=3"} {
		out := answers(t, newEngine(t, newGame(t, name)), "setoption name Ponder value true\ngo nodes 300\n")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		best := lines[len(lines)-1]
		require.NotEmpty(t, word(best, "ponder"), out)
		game := newGame(t, name)
		_, err := PositionAfter(game, "", []string{word(best, "bestmove"), word(best, "ponder")})
		require.NoError(t, err, out)
	}
	out := answers(t, newEngine(t, newGame(t, "mnk")), "setoption name Ponder value true\nposition fen xx./oo./...\ngo nodes 9\n")
	require.Contains(t, out, "bestmove c3\n", "no reply to the last move")
}

// MultiPV prints the best moves in their order, each with its own score.
func TestMultiPV(t *testing.T) {
	out := answers(t, newEngine(t, newGame(t, "connect4")), "setoption name MultiPV value 3\ngo nodes 400\nsetoption name MultiPV value 500\ngo nodes 400\n")
	for i, search := range strings.Split(out, "bestmove ")[:2] {
		var moves []string
		for line := range strings.Lines(search) {
			if n := word(line, "multipv"); n != "" {
				require.Equal(t, strings.Contains(line, "multipv 1 "), len(moves) == 0)
				moves = append(moves, word(line, "pv"))
			}
		}
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(moves))), []int{3, 7}[i])
		require.Equal(t, moves[0], strings.Fields(strings.Split(out, "bestmove ")[i+1])[0])
	}
}

// A proven best move does not make draws of the other moves.
func TestDrawsAfterAProvenMove(t *testing.T) {
	out := answers(t, newEngine(t, newGame(t, "mnk")), "setoption name MultiPV value 9\nposition fen x.o/.../...\ngo nodes 900\n")
	require.Contains(t, out, "wdl 1000 0 0 exact")
	require.Contains(t, out, "multipv 5 ")
	for line := range strings.Lines(out) {
		if _, wdl, ok := strings.Cut(line, " wdl "); ok {
			require.Equal(t, "0", strings.Fields(wdl)[1], line)
		}
	}
}

// searchmoves restricts a search to moves, which are complete turns, and no later search.
func TestSearchMoves(t *testing.T) {
	for name, moves := range map[string][]string{
		"connect4":        {"1", "7"},
		"pacru:players=3": {"a7-b6(c5)", "a7-b6(a6)", "e9-f8"},
	} {
		e := newEngine(t, newGame(t, name))
		out := answers(t, e, "go searchmoves "+strings.Join(moves, " ")+" nodes 100\ngo nodes 100\n")
		require.NotContains(t, out, "error")
		best := strings.Split(out, "bestmove ")
		require.Contains(t, moves, strings.TrimSpace(strings.Split(best[1], "\n")[0]))
		one := answers(t, e, "position startpos\ngo searchmoves "+moves[1]+" movetime 20\nsetoption name MultiPV value 9\ngo movetime 30 searchmoves "+moves[0]+"\n")
		require.Contains(t, one, "bestmove "+moves[1]+"\n")
		require.Contains(t, one, "bestmove "+moves[0]+"\n")
		require.NotContains(t, one, "multipv 9")
	}
	// Without the winning move, the position is not won at once.
	out := answers(t, newEngine(t, newGame(t, "mnk")), "position fen xx./oo./...\ngo nodes 50 searchmoves c1\ngo nodes 50\n")
	require.Contains(t, out, "bestmove c1\n")
	require.True(t, strings.HasSuffix(out, "bestmove c3\n"), out)
}
