package play

import (
	"bufio"
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/mcts"
	"tiro/player"
)

// TestEndlessLine: a very long line uses no memory, and the next lines are read.
func TestEndlessLine(t *testing.T) {
	endless := func() io.Reader {
		return io.MultiReader(io.LimitReader(letters{}, 1<<28), strings.NewReader("\nisready\nhelp\n"))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var engine, terminal strings.Builder
	require.NoError(t, newEngine(t, newGame(t, "mnk")).Run(t.Context(), endless(), &engine))
	require.NoError(t, Terminal{Game: newGame(t, "mnk"), Seats: people(2)}.Run(t.Context(), endless(), &terminal))
	runtime.ReadMemStats(&after)
	require.Equal(t, "info string error: a line of more than 1048576 bytes\nreadyok\ninfo string unknown command \"help\"\n", engine.String())
	require.Contains(t, terminal.String(), "> The line was ignored: a line of more than 1048576 bytes.\n")
	require.Contains(t, terminal.String(), "take back your last move")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// fuzzed returns the games for hostile input: with one action or several a turn, and with two
// seats or three.
func fuzzed(t testing.TB) []env.Game {
	return []env.Game{newGame(t, "mnk"), newGame(t, "coerceo:win=competitive"), newGame(t, "pacru:players=3"), newGame(t, "connect4")}
}

// seedSessions adds the input of the sessions in testdata to the seed corpus.
func seedSessions(f *testing.F, pattern string) {
	for _, s := range scripts(f, pattern) {
		for i, game := range fuzzed(f) {
			if strings.HasPrefix(s.settings["game"], strings.Split(game.Spec().Name, ":")[0]) {
				f.Add(uint8(i), strings.Join(s.typed, ""))
			}
		}
	}
}

// short truncates the input, because every line may start a search.
func short(input string) string {
	lines := strings.SplitAfterN(input, "\n", 30)
	return strings.Join(lines[:min(len(lines), 29)], "")
}

// FuzzEngine: for any input, the engine prints only lines of the protocol and continues to the
// end of the input.
func FuzzEngine(f *testing.F) {
	seedSessions(f, "engine_*.txt")
	f.Add(uint8(0), "position fen xx./oo./... moves c3\ngo nodes 0\ngo infinite\nstop\nquery gameover\nsetoption name Parallel value 4096\ngo nodes 9")
	f.Add(uint8(0), "go ponder depth 3\nponderhit\nsetoption name MultiPV value 9\ngo searchmoves a1 b2 z9 movestogo 3\nsetoption name Ponder value true\ngo ponder searchmoves")
	f.Add(uint8(2), "position startpos moves a1-a2(\ngo p1time 1 p3inc -1\ngo movetime 99999999999\nquery p4turn\nuginewgame")
	games := fuzzed(f)
	f.Fuzz(func(t *testing.T, n uint8, input string) {
		e := newEngine(t, games[int(n)%len(games)])
		e.Evaluator = mcts.Uniform{}
		e.Search.Simulations = 20
		out := answers(t, e, short(input)+"\nstop\nisready\n")
		said := bufio.NewScanner(strings.NewReader(out))
		said.Buffer(nil, 1<<22)
		for said.Scan() {
			word, _, _ := strings.Cut(said.Text(), " ")
			require.Contains(t, []string{"id", "option", "ugiok", "uciok", "readyok", "info", "bestmove", "response"}, word)
		}
		require.NoError(t, said.Err())
	})
}

// FuzzTerminal: a session reads any input to its end.
func FuzzTerminal(f *testing.F) {
	seedSessions(f, "terminal_*.txt")
	f.Add(uint8(0), "a1\nb2\nundo\nresign\nundo\nsides\nposition xx./oo./...\nc3\nnew\nhint\nmoves \x00\ndraw\n")
	f.Add(uint8(2), "moves a\nresign\nresign\nundo\nsides\nhelp\nposition\n")
	games := fuzzed(f)
	f.Fuzz(func(t *testing.T, n uint8, input string) {
		game := games[int(n)%len(games)]
		analyst, err := player.Must(nil, "random").New()
		require.NoError(t, err)
		for _, term := range []Terminal{
			{Game: game, Seats: people(game.Spec().Players), Analyst: analyst},
			{Game: game, Seats: append(people(game.Spec().Players-1), analyst)},
		} {
			var out strings.Builder
			require.NoError(t, term.Run(context.Background(), strings.NewReader(short(input)), &out))
			require.NotEmpty(t, out.String())
		}
	})
}
