package solved_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/env"
	"tiro/env/connect4"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/study/exam/solved"
)

// examiner counts what is judged of connect4, which has an exact solver.
type examiner struct {
	env.Solvable
	judged *atomic.Int64
}

func newExaminer(t testing.TB) examiner {
	t.Helper()
	game, err := games.New("connect4")
	require.NoError(t, err)
	require.Implements(t, (*env.Solvable)(nil), game)
	return examiner{game.(env.Solvable), &atomic.Int64{}}
}

func (x examiner) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	judge := x.Solvable.NewJudge()
	return func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
		x.judged.Add(1)
		return judge(ctx, s, a, value)
	}
}

// solvedQuestions are 50 positions of P. Pons's sets L3_R1 and of L2_R1.
func solvedQuestions(t *testing.T, game env.Solvable) []solved.Question {
	t.Helper()
	var all []solved.Question
	for _, set := range []string{"L3_R1", "L2_R1"} {
		f, err := os.Open("../../../env/connect4/testdata/Test_" + set + ".txt.gz")
		require.NoError(t, err)
		defer f.Close()
		text, err := gzip.NewReader(f)
		require.NoError(t, err)
		questions, err := solved.Read(game, text)
		require.NoError(t, err)
		require.Len(t, questions, 500)
		all = append(all, questions[:50]...)
	}
	return all
}

// judgement is an evaluator made of a function.
type judgement func(leaf *mcts.Leaf) error

func (f judgement) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	for _, leaf := range leaves {
		if err := f(leaf); err != nil {
			return err
		}
	}
	return nil
}

// perfect knows what every position and action is worth.
func perfect() mcts.Evaluator {
	solver := connect4.NewSolver(18)
	value := func(s env.State) float32 { return float32(solver.Value(s.(*connect4.State))) }
	return judgement(func(leaf *mcts.Leaf) error {
		worth := value(leaf.State)
		leaf.Value[leaf.State.Turn()], leaf.Value[1-leaf.State.Turn()] = worth, -worth
		clear(leaf.Prior)
		for i, a := range leaf.Legal {
			next := &connect4.State{}
			next.CopyFrom(leaf.State)
			next.Play(a)
			if -value(next) == worth {
				leaf.Prior[i] = 1
				return nil
			}
		}
		return errors.New("no action keeps the value")
	})
}

// hunch says something random of every position, always the same.
func hunch() mcts.Evaluator {
	return judgement(func(leaf *mcts.Leaf) error {
		rng := env.NewRand(leaf.State.Hash())
		var sum float32
		for i := range leaf.Prior {
			leaf.Prior[i] = rng.Float32()
			sum += leaf.Prior[i]
		}
		for i := range leaf.Prior {
			leaf.Prior[i] /= sum
		}
		v := rng.Float32()*2 - 1
		leaf.Value = env.Value{v, -v}
		return nil
	})
}

func search(simulations int) mcts.Config {
	c := mcts.Default()
	c.RootNoise, c.Simulations = false, simulations
	return c
}

func TestExamOfAPerfectPlayer(t *testing.T) {
	game := newExaminer(t)
	x := solved.New(game, solvedQuestions(t, game))
	for _, simulations := range []int{0, 16} {
		answers, err := x.Take(t.Context(), arena.EngineUnderTest{Search: search(simulations), Evaluator: perfect, Workers: 2})
		require.NoError(t, err)
		searched, alone := x.Score(answers)
		require.Zero(t, searched.Errors)
		require.Zero(t, alone)
	}
}

// TestExamOfARandomPlayer compares the errors with their expectation, which
// the solver counts.
func TestExamOfARandomPlayer(t *testing.T) {
	game := newExaminer(t)
	questions := solvedQuestions(t, game)
	solver := connect4.NewSolver(18)
	var mean, variance, off float64
	for _, q := range questions {
		legal, wrong := q.State.Legal(nil), 0
		for _, a := range legal {
			next := &connect4.State{}
			next.CopyFrom(q.State)
			next.Play(a)
			if -solver.Value(next) < q.Value {
				wrong++
			}
		}
		p := float64(wrong) / float64(len(legal))
		mean += p
		variance += p * (1 - p)
		off += (1 + math.Abs(float64(q.Value))) / 2 // of a value between -1 and 1, each as likely
	}
	x := solved.New(game, questions)
	answers, err := x.Take(t.Context(), arena.EngineUnderTest{Search: search(0), Evaluator: hunch, Workers: 1})
	require.NoError(t, err)
	searched, alone := x.Score(answers)
	require.Equal(t, alone, searched)
	require.InDelta(t, mean, alone.Errors, 3*math.Sqrt(variance))
	require.InDelta(t, off/100, alone.ValueError, 0.2)
}

func TestExamIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	game := newExaminer(t)
	x := solved.New(game, solvedQuestions(t, game))
	var told atomic.Int64
	c := arena.EngineUnderTest{Search: search(40), Evaluator: hunch, Workers: 1, Answered: func() { told.Add(1) }}
	one, err := x.Take(t.Context(), c)
	require.NoError(t, err)
	judged := game.judged.Load()
	require.Less(t, judged, int64(200), "what is judged is remembered")
	c.Workers = 3
	three, err := x.Take(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, one, three)
	require.Equal(t, judged, game.judged.Load(), "what is judged is remembered")
	require.EqualValues(t, 200, told.Load())
	searched, alone := x.Score(one)
	require.Less(t, searched.Errors, alone.Errors, "a search finds out what a hunch does not")
}

// TestExamChoices has positions whose best move a person sees.
func TestExamChoices(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"win in the row", "112233 18", "4"},
		{"win in the column", "1212127 -1", "2"},
		{"stop the column", "43474 -1", "4"},
	}
	game := newExaminer(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			questions, err := solved.Read(game, strings.NewReader(test.line))
			require.NoError(t, err)
			x := solved.New(game, questions)
			answers, err := x.Take(t.Context(), arena.EngineUnderTest{
				Search: search(200), Workers: 1,
				Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
			})
			require.NoError(t, err)
			require.Equal(t, test.want, questions[0].State.ActionString(answers[0].Action))
		})
	}
}

func TestExamFails(t *testing.T) {
	game := newExaminer(t)
	x := solved.New(game, solvedQuestions(t, game))
	broken := errors.New("broken")
	c := arena.EngineUnderTest{Search: search(8), Workers: 2, Evaluator: func() mcts.Evaluator {
		return judgement(func(*mcts.Leaf) error { return broken })
	}}
	_, err := x.Take(t.Context(), c)
	require.ErrorIs(t, err, broken)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Evaluator = hunch
	_, err = x.Take(ctx, c)
	require.ErrorIs(t, err, context.Canceled)

	// Judging the first move of the game would take minutes.
	ctx, cancel = context.WithCancel(t.Context())
	c.Evaluator = func() mcts.Evaluator {
		return judgement(func(leaf *mcts.Leaf) error {
			cancel()
			return hunch().Evaluate(t.Context(), []*mcts.Leaf{leaf})
		})
	}
	_, err = solved.New(game, []solved.Question{{State: game.New(), Value: 1}}).Take(ctx, c)
	require.ErrorIs(t, err, context.Canceled)

	c.Search.Root = "none"
	_, err = x.Take(t.Context(), c)
	require.ErrorContains(t, err, `arena: ask an engine: mcts: configuration: root is "none"`)
}

func TestReadNamesTheLine(t *testing.T) {
	game := newExaminer(t)
	questions, err := solved.Read(game, strings.NewReader("44 0\r\n1 -2"))
	require.NoError(t, err)
	require.Len(t, questions, 2)
	require.Equal(t, -1, questions[1].Value)

	tests := []struct{ name, text, want string }{
		{"nothing", "", "no positions; want a line for each"},
		{"blank line", "44 0\n\n", `line 2: connect4: "" is not a solved position; want MOVES SCORE, such as "4455 3"`},
		{"no such move", "44 0\n49 0\n", `line 2: connect4 moves "49": move 2: illegal action "9" in ......./......./......./......./......./...x...`},
		{"long line", strings.Repeat("1", 1<<17), "line 1: bufio.Scanner: token too long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := solved.Read(game, strings.NewReader(test.text))
			require.EqualError(t, err, test.want)
		})
	}
	for _, cut := range []string{"44 0\n", "44 0\n4", "44 0\n4455 3"} {
		_, err = solved.Read(game, io.MultiReader(strings.NewReader(cut), brokenReader{}))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, cut)
		require.ErrorContains(t, err, "unexpected EOF", cut)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestReadIsBounded: a packed file of some kilobytes may hold any
// number of lines, and a line may have any length.
func TestReadIsBounded(t *testing.T) {
	game := newExaminer(t)
	_, err := solved.Read(game, strings.NewReader(strings.Repeat("1 0\n", 1<<17+1)))
	require.ErrorContains(t, err, "more than 131072 positions")
	_, err = solved.Read(game, strings.NewReader(strings.Repeat("1", 1<<20)))
	require.ErrorContains(t, err, "line 1: ")
	require.Less(t, len(err.Error()), 1000)
}

// FuzzRead: what is accepted is a position in which there is a move to
// be chosen.
func FuzzRead(f *testing.F) {
	f.Add("44 0\r\n1 -2\n")
	f.Add("2252576253462244111563365343671351441 -1\n")
	f.Add(" 0\n\n")
	game := newExaminer(f)
	f.Fuzz(func(t *testing.T, text string) {
		questions, err := solved.Read(game, strings.NewReader(text))
		if err != nil {
			require.Empty(t, questions)
			return
		}
		for _, q := range questions {
			require.Contains(t, []int{-1, 0, 1}, q.Value)
			require.NotEmpty(t, q.State.Legal(nil))
		}
	})
}

// TestSolve: of the 5478 positions of tic-tac-toe 958 are the end of a game.
func TestSolve(t *testing.T) {
	game, err := games.New("mnk")
	require.NoError(t, err)
	whole, questions, err := solved.Solve(game)
	require.NoError(t, err)
	require.Len(t, questions, 5478-958)
	worth := map[string]int{}
	for _, q := range questions {
		worth[q.State.String()] = q.Value
	}
	require.Equal(t, 0, worth[".../.../..."])
	require.Equal(t, 1, worth["xx./oo./..."])
	require.Equal(t, -1, worth["x.x/.o./x.o"], "o cannot stop two rows")

	judge, s := whole.NewJudge(), game.New()
	require.NoError(t, s.(env.Positioner).SetPosition("x../.../..."))
	for _, a := range s.Legal(nil) {
		wrong, err := judge(t.Context(), s, a, 0)
		require.NoError(t, err)
		require.Equal(t, s.ActionString(a) != "b2", wrong, "only the middle draws against a corner")
	}
	for _, name := range []string{"connect4", "coerceo", "shacru:players=3"} {
		game, err := games.New(name)
		require.NoError(t, err)
		_, _, err = solved.Solve(game)
		require.ErrorIs(t, err, solved.ErrTooLarge, name)
	}
}
