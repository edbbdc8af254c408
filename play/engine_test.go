package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/mcts"
	"tiro/player"
	"tiro/player/clock"
)

func TestStop(t *testing.T) {
	d := drive(t, t.Context(), newEngine(t, newGame(t, "connect4")))
	for range 3 {
		d.send("go infinite")
		d.ask("query p1turn") // answered during the search
		d.until("info depth") // the test clock advances with the evaluations
		d.send("stop")
		lines := d.until("bestmove")
		require.Contains(t, lines[len(lines)-2], "info depth")
	}
	d.send("go infinite")
	d.send("quit")
	d.until("bestmove")
	require.NoError(t, <-d.ended)
}

// A search without limits prints no best move before stop, even if the result is proven.
func TestInfiniteWaitsForStop(t *testing.T) {
	d := drive(t, t.Context(), newEngine(t, newGame(t, "mnk")))
	d.send("position fen xx./oo./...")
	d.send("go infinite")
	require.Contains(t, d.until("info")[0], " exact pv c3")
	time.Sleep(20 * time.Millisecond)
	require.Equal(t, []string{"response false"}, d.ask("query gameover"))
	d.send("stop")
	require.Equal(t, []string{"bestmove c3"}, d.until("bestmove"))
}

// A command that follows a limited search waits for its end, so that every position of a list
// is searched in full. A command that follows an unlimited search ends it.
func TestCommandsWaitForTheSearch(t *testing.T) {
	for input, want := range map[string][]string{
		"go nodes 700\nposition startpos moves 4\ngo nodes 300\nuginewgame\nsetoption name Nodes value 40\ngo\n": {"nodes 700 ", "nodes 300 ", "nodes 40 "},
		"go infinite\nposition startpos moves 4\ngo nodes 30\n":                                                  {"", "nodes 30 "},
		"go nodes 2000000000\nstop\ngo nodes 30\n":                                                               {"", "nodes 30 "},
	} {
		e := newEngine(t, newGame(t, "connect4"))
		out := answers(t, e, input)
		searches := strings.Split(out, "bestmove ")
		require.Len(t, searches, len(want)+1)
		for i, nodes := range want {
			require.Contains(t, searches[i], nodes)
		}
	}
}

// Commands piped in directly after go do not lose its best move: isready is answered during the
// search, position waits for its end, and quit stops it.
func TestPipedCommands(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        string // substrings of the output, in this order
	}{
		{"isready", "go nodes 2000000000\nisready\nquit\n", "readyok bestmove"},
		{"position", "go nodes 3000\nposition startpos moves 4\nquery p1turn\n", "nodes 3000 bestmove response false"},
		{"end of the input", "go nodes 3000\n", "nodes 3000 bestmove"},
		{"quit", "go nodes 2000000000\nquit\ngo nodes 1\n", "bestmove"},
		{"quit by time", "go movetime 3600000\nquit\n", "bestmove"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := answers(t, newEngine(t, newGame(t, "connect4")), test.input)
			text, words := out, strings.Fields(test.want)
			require.Equal(t, 1, strings.Count(text, "bestmove"), text)
			at := 0
			for _, word := range words {
				i := strings.Index(text[at:], word)
				require.GreaterOrEqual(t, i, 0, "%s in %s", word, text)
				at += i + len(word)
			}
		})
	}
}

// keen is an evaluator that puts all prior probability on action 4 of tic-tac-toe.
type keen struct{ mcts.Uniform }

func (k keen) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	for _, leaf := range leaves {
		for i, a := range leaf.Legal {
			if leaf.Prior[i] = 0; a == 4 {
				leaf.Prior[i] = 1
			}
		}
	}
	return nil
}

// A search that is stopped at once plays the action with the highest prior, and a search that
// cannot begin still prints a best move.
func TestThereIsAlwaysABestMove(t *testing.T) {
	for input, want := range map[string]string{
		"go infinite\nstop":                     "bestmove b2",
		"go nodes 1000000000000000000000\nstop": "bestmove b2",
		"go movetime 0":                         "bestmove b2",
		"go nodes x":                            "bestmove b2",
		"go depth 4":                            "bestmove b2",
		"position startpos moves foo\ngo":       "bestmove 0000",
		"position startpos moves foo\nuginewgame\ngo nodes 1":        "bestmove b2",
		"position startpos moves foo\nposition startpos\ngo nodes 1": "bestmove b2",
	} {
		e := newEngine(t, newGame(t, "mnk"))
		e.Evaluator = keen{}
		out := answers(t, e, input+"\n")
		require.Equal(t, 1, strings.Count(out, "bestmove"), input)
		require.Contains(t, out, want, input)
	}
}

// The options and limits that depend on fields of the Engine, and UCI's limits.
func TestEngineAbilities(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{"ugi", "option name Threads type spin default 3 min 1 max 1024\n"},
		{"setoption name threads value 2\ngo nodes 3", "bestmove "},
		{"setoption name Sims value 2", `unknown option "Sims" (Nodes, Hash, Parallel, MultiPV, Ponder, Threads`},
		{"go nodes 3", " wdl 400 200 400 pv "},
		{"position fen xx./oo./...\ngo nodes 9", " score cp 10000 wdl 1000 0 0 exact pv c3\n"},
		{"go wtime 30 btime 30 winc 0 binc 0", "bestmove "},
		{"ponderhit\nisready", "readyok\n"},
		{"setoption name Ponder value yes", "must be true or false"},
	} {
		t.Run(test.input, func(t *testing.T) {
			e := newEngine(t, newGame(t, "mnk"))
			made := 0
			e.Evaluator = mcts.Uniform{}
			e.Threads, e.WithThreads = 3, func(n int) mcts.Evaluator { made = n; return mcts.Uniform{} }
			e.Outcome = func(env.State) []float64 { return []float64{0.4, 0.4, 0.2} }
			out := answers(t, e, test.input+"\n")
			require.Contains(t, out, test.want)
			require.Equal(t, strings.Contains(test.input, "threads"), made == 2)
		})
	}
}

// An option accepts its values and rejects others.
func TestOptionsKeepTheirWord(t *testing.T) {
	for _, o := range (&engine{}).options() {
		for _, n := range []int{max(o.min, 1), o.max} {
			e := newEngine(t, newGame(t, "mnk"))
			value := strconv.Itoa(n)
			if o.check {
				value = "TRUE"
			}
			input := fmt.Sprintf("setoption name %s value %s\nsetoption name %s value -1\ngo nodes 2\n", o.name, value, o.name)
			out := answers(t, e, input)
			require.Equal(t, 1, strings.Count(out, "error"), out)
			require.Contains(t, out, "bestmove")
		}
	}
}

// The tree fits the option Hash.
func TestHash(t *testing.T) {
	for _, name := range []string{"mnk", "coerceo", "pacru:players=4"} {
		game := newGame(t, name)
		for _, hash := range []int{1, 16, DefaultHash} {
			for _, parallel := range []int{1, 8} {
				c := player.NetworkConfig(400)
				c.ParallelLeaves = parallel
				c = within(game, c, hash)
				require.LessOrEqual(t, c.Bytes(game), int64(hash)<<20)
				require.Greater(t, c.MaxNodes, hash*200)
			}
		}
	}
}

// A search limited only by time ends.
func TestMovetime(t *testing.T) {
	e := newEngine(t, newGame(t, "connect4"))
	e.Now = time.Now
	d := drive(t, t.Context(), e)
	for _, limit := range []string{"go movetime 50", "go movetime 0", "go p1time 600 p2time 1 p1inc 40"} {
		d.send(limit)
		d.until("bestmove")
	}
}

// millis returns the limits of a clock.
func millis(left, increment, moves int) limits {
	return limits{timed: true, time: clock.Time{Left: time.Duration(left) * time.Millisecond, Increment: time.Duration(increment) * time.Millisecond, Moves: moves}}
}

// movetime returns the limits of go movetime.
func movetime(ms, nodes int) limits {
	l := millis(ms, 0, 1)
	l.nodes, l.time.Fixed = nodes, true
	return l
}

// Limits of go, in a position of Connect Four in which the second player is on turn.
func TestLimits(t *testing.T) {
	s := newGame(t, "connect4").New()
	s.Play(3)
	turns := func(actions ...env.Action) (all [][]env.Action) {
		for _, a := range actions {
			all = append(all, []env.Action{a})
		}
		return all
	}
	for args, want := range map[string]limits{
		"":                                      {nodes: 100},
		"infinite":                              {},
		"nodes 5":                               {nodes: 5},
		"nodes 0":                               {nodes: 1},
		"nodes -1":                              {nodes: 1},
		"nodes 1000000000000000000":             {nodes: 1<<31 - 1},
		"nodes 99999999999999999999999":         {nodes: 1<<31 - 1},
		"depth 3":                               {depth: 3},
		"movetime 20":                           movetime(20, 0),
		"movetime 0":                            movetime(1, 0),
		"nodes 5 movetime 20":                   movetime(20, 5),
		"p1time 3000 p2time 9000":               millis(9000, 0, 0),
		"p1time 1 p1inc 1 p2time 0 p2inc 40":    millis(0, 40, 0),
		"wtime 60000 btime 50000 movestogo 40":  millis(50000, 0, 40),
		"wtime 1000 btime -171 winc 20 binc 20": millis(0, 20, 0),
		"btime 1500.5":                          {timed: true, time: clock.Time{Left: 1500500 * time.Microsecond}},
		"ponder":                                {nodes: 100, ponder: true},
		"ponder depth 2":                        {depth: 2, ponder: true},
		"infinite nodes 7":                      {nodes: 7},
		"searchmoves 1 7 nodes 7":               {nodes: 7, only: turns(0, 6)},
		"infinite searchmoves 2":                {only: turns(1)},
		"searchmoves 5":                         {nodes: 100, only: turns(4)},
	} {
		got, faults := parseLimits(strings.Fields(args), s, 100)
		require.Empty(t, faults, args)
		require.Equal(t, want, got, args)
	}
	// Limits that the engine does not support are reported and ignored, and the search still
	// has a limit.
	for args, want := range map[string]limits{
		"p1time 3000":                        {nodes: 100},
		"movestogo 9":                        {nodes: 100},
		"nodes":                              {nodes: 100},
		"nodes x":                            {nodes: 100},
		"movetime nan":                       {nodes: 100},
		"depth":                              {nodes: 100},
		"mate 3":                             {nodes: 100},
		"searchmoves 9":                      {nodes: 100},
		"searchmoves":                        {nodes: 100},
		"searchmoves 1 9 nodes 4":            {nodes: 4, only: turns(0)},
		"btime 60000 mate 2 p9inc p1inc bad": millis(60000, 0, 0),
	} {
		got, faults := parseLimits(strings.Fields(args), s, 100)
		require.Equal(t, args != "searchmoves", len(faults) > 0, args)
		require.Equal(t, want, got, args)
	}
}

// A limited search runs to its limit even after the end of the input.
func TestEngineAtTheEndOfInput(t *testing.T) {
	for input, want := range map[string]string{
		"go nodes 700": "nodes 700 ",
		"go infinite":  "bestmove",
		"":             "",
	} {
		e := newEngine(t, newGame(t, "connect4"))
		out := answers(t, e, input)
		require.Contains(t, out, want)
	}
}

func TestEngineIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := drive(t, ctx, newEngine(t, newGame(t, "connect4")))
	d.send("go infinite")
	d.ask("isready")
	cancel()
	d.until("bestmove")
	d.in.Close() // ends the pending Read
	err := <-d.ended
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "play: engine: ")
}

type sadEvaluator struct{}

func (sadEvaluator) Evaluate(context.Context, []*mcts.Leaf) error { return errors.New("out of memory") }

func TestEngineWhoseEvaluatorFails(t *testing.T) {
	e := newEngine(t, newGame(t, "mnk"))
	e.Evaluator = sadEvaluator{}
	d := drive(t, t.Context(), e)
	d.send("go nodes 10")
	lines := d.until("bestmove")
	require.Contains(t, lines[0], "info string error: ")
	require.Contains(t, lines[0], "out of memory")
	require.Equal(t, "bestmove a1", lines[len(lines)-1], "still a legal move")
}

// full is a writer that always fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestEngineThatCannotWrite(t *testing.T) {
	e := newEngine(t, newGame(t, "mnk"))
	err := e.Run(t.Context(), strings.NewReader("ugi\ngo nodes 10\nisready\n"), full{})
	require.EqualError(t, err, "play: write: no space left")
}

func TestEngineConfiguration(t *testing.T) {
	e := newEngine(t, newGame(t, "mnk"))
	e.Search.Simulations = 0
	err := e.Run(t.Context(), strings.NewReader(""), io.Discard)
	require.ErrorContains(t, err, "play: engine: ")
	require.ErrorContains(t, err, "simulations")
}

func TestResultNames(t *testing.T) {
	require.Equal(t, "none", resultCode(env.WinFor(0, 2), false, 2))
	require.Equal(t, "p2win", resultCode(env.WinFor(1, 2), true, 2))
	require.Equal(t, "p3win", resultCode(env.WinFor(2, 3), true, 3))
	require.Equal(t, "draw", resultCode(env.Value{}, true, 2))
	require.Equal(t, "p1win p2win", resultCode(env.Value{0.25, 0.25, -0.5}, true, 3))
	require.Equal(t, "p2win p3win p4win", resultCode(env.Value{-1. / 3, 1. / 9, 1. / 9, 1. / 9}, true, 4))
	require.Equal(t, "draw", resultCode(env.Value{}, true, 4))
	require.Equal(t, "draw", resultCode(env.Value{0.5, 0, -0.5}, true, 3), "neither won nor shared")
}

// With three players and several actions a turn, the score is the score of the player on turn.
func TestEngineWithThreePlayers(t *testing.T) {
	game := envtest.MustTree(3, "a( a(B b(B C)) b(A C) )")
	d := drive(t, t.Context(), newEngine(t, game))
	d.send("go nodes 200")
	require.NotEmpty(t, d.until("bestmove"))
	d.send("position startpos moves 1")
	d.send("go nodes 50")
	lines := d.until("bestmove")
	require.Contains(t, lines[0], "score cp -10000 wdl 0 0 1000 pv", "b loses either way")
	d.send("position startpos moves 0 1")
	d.send("go nodes 50")
	lines = d.until("bestmove")
	require.Equal(t, []string{"response false"}, d.ask("query p1turn"))
	require.Equal(t, []string{"response true"}, d.ask("query p2turn"))
	require.Equal(t, []string{"info string error: usage: query gameover|p1turn|…|result"}, d.ask("query p4turn"))
	require.Contains(t, lines[0], "score cp 10000 wdl 1000 0 0 exact")
	require.Equal(t, []string{"info string payoffs p1 -0.500 p2 +1.000 p3 -0.500", "bestmove 0"}, lines[1:])

	// A proven shared win is worth half a win to c, who is on turn.
	game = envtest.MustTree(3, "c( c([-0.5,0.25,0.25] B) A )")
	d = drive(t, t.Context(), newEngine(t, game))
	d.send("go nodes 100")
	lines = d.until("bestmove")
	require.Contains(t, lines[0], "score cp 0 wdl 500 0 500 exact pv 0 0")
	require.Equal(t, []string{"info string payoffs p1 -0.500 p2 +0.250 p3 +0.250", "bestmove 0"}, lines[1:])
	d.ask("position startpos moves 0 0")
	require.Equal(t, []string{"response p2win p3win"}, d.ask("query result"))
}

// An error message quotes only the beginning of a long line.
func TestEngineClips(t *testing.T) {
	e := newEngine(nil, newGame(t, "mnk"))
	out := answers(t, e, strings.Repeat("x", 1<<19)+"\nisready\n")
	require.Equal(t, "info string unknown command \""+strings.Repeat("x", 40)+"…\"\nreadyok\n", out)
}

// The engine survives any input and answers isready.
func TestEngineSurvivesAnything(t *testing.T) {
	game := newGame(t, "mnk")
	word := rapid.SampledFrom([]string{
		"ugi", "position", "startpos", "fen", "moves", "a1", "b2", "c3", "xx./oo./...", "go", "nodes", "movetime", "infinite",
		"stop", "setoption", "name", "Nodes", "Hash", "Parallel", "value", "1", "3", "-5", "query", "result", "uginewgame", "é", "\x00",
	})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SliceOfN(word, 0, 8), 0, 12).Draw(t, "lines")
		var in, out strings.Builder
		for _, words := range lines {
			fmt.Fprintln(&in, strings.Join(words, " "))
		}
		in.WriteString("stop\nisready\n")
		e := newEngine(nil, game)
		require.NoError(t, e.Run(context.Background(), strings.NewReader(in.String()), &out))
		require.Contains(t, out.String(), "readyok\n")
	})
}
