package exam

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/connect4"
	"tiro/mcts"
)

// examiner counts the judged actions of connect4, which has an exact solver.
type examiner struct {
	env.Solvable
	judged *atomic.Int64
}

func newExaminer(t testing.TB) examiner {
	t.Helper()
	game := newGame(t, "connect4")
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
func solvedQuestions(t *testing.T, game env.Solvable) (all Set) {
	t.Helper()
	for _, name := range []string{"L3_R1", "L2_R1"} {
		set, err := readFile(game, "../../env/connect4/testdata/Test_"+name+".txt.gz")
		require.NoError(t, err)
		require.Len(t, set.Questions, 500)
		set.Questions = append(all.Questions, set.Questions[:50]...)
		all = set
	}
	return all
}

// perfect knows the value of every position and action.
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

// hunch returns random values, always the same for a position.
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

func TestExamOfAPerfectPlayer(t *testing.T) {
	game := newExaminer(t)
	set := solvedQuestions(t, game)
	for _, simulations := range []int{0, 16} {
		r, err := set.Take(t.Context(), game, engine(simulations, perfect))
		require.NoError(t, err)
		require.Equal(t, 100, r.Searched.Right)
		require.Equal(t, 100, r.Alone.Right)
		require.Zero(t, r.Alone.Value.Error)
		require.Equal(t, "errors 0 of 100 (0.0%)", r.Summary())
	}
}

// TestExamOfARandomPlayer compares the errors with their expectation, which
// the solver counts.
func TestExamOfARandomPlayer(t *testing.T) {
	game := newExaminer(t)
	set := solvedQuestions(t, game)
	solver := connect4.NewSolver(18)
	var mean, variance, off float64
	for _, q := range set.Questions {
		legal, wrong := q.State.Legal(nil), 0
		for _, a := range legal {
			next := &connect4.State{}
			next.CopyFrom(q.State)
			next.Play(a)
			if -solver.Value(next) < q.value {
				wrong++
			}
		}
		p := float64(wrong) / float64(len(legal))
		mean += p
		variance += p * (1 - p)
		off += (1 + math.Abs(float64(q.value))) / 2 // of a value between -1 and 1, each as likely
	}
	r, err := set.Take(t.Context(), game, engine(0, hunch))
	require.NoError(t, err)
	require.Equal(t, r.Alone, r.Searched)
	require.InDelta(t, mean, 100-r.Alone.Right, 3*math.Sqrt(variance))
	require.Len(t, r.Mistakes, 100-r.Alone.Right)
	require.InDelta(t, off/100, r.Alone.Value.Error, 0.2)
}

// TestJudgedOnce: an action is judged once, and the number of workers does not change the result.
func TestJudgedOnce(t *testing.T) {
	game := newExaminer(t)
	set := solvedQuestions(t, game)
	e := engine(40, hunch)
	one, err := set.Take(t.Context(), game, e)
	require.NoError(t, err)
	judged := game.judged.Load()
	require.Less(t, judged, int64(200))
	e.Workers = 3
	three, err := set.Take(t.Context(), game, e)
	require.NoError(t, err)
	require.Equal(t, one, three)
	require.Equal(t, judged, game.judged.Load())
	require.Greater(t, one.Searched.Right, one.Alone.Right, "a search is better than a hunch")
}

// TestJudgingStops: judging the first move of the game would take minutes.
func TestJudgingStops(t *testing.T) {
	game := newExaminer(t)
	set := solvedSet(game, func() judge { return game.NewJudge() })
	set.add(game.New(), 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := set.Take(ctx, game, engine(8, func() mcts.Evaluator {
		return judgement(func(leaf *mcts.Leaf) error {
			cancel()
			return hunch().Evaluate(t.Context(), []*mcts.Leaf{leaf})
		})
	}))
	require.ErrorIs(t, err, context.Canceled)
}

func TestReadSolvedNamesTheLine(t *testing.T) {
	game := newExaminer(t)
	set, err := readSolved(game, strings.NewReader("44 0\r\n1 -2"))
	require.NoError(t, err)
	require.Len(t, set.Questions, 2)
	require.Equal(t, -1, set.Questions[1].value)

	tests := []struct{ name, text, want string }{
		{"nothing", "", "no positions"},
		{"blank line", "44 0\n\n", "line 2: "},
		{"no such move", "44 0\n49 0\n", `line 2: connect4 moves "49": move 2: illegal action "9"`},
		{"long line", strings.Repeat("1", 1<<17), "line 1: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readSolved(game, strings.NewReader(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
	for _, cut := range []string{"44 0\n", "44 0\n4", "44 0\n4455 3"} {
		_, err = readSolved(game, io.MultiReader(strings.NewReader(cut), brokenReader{}))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, cut)
	}
}

// TestReadSolvedIsBounded: a packed file of some kilobytes may hold any
// number of lines, and a line may have any length.
func TestReadSolvedIsBounded(t *testing.T) {
	game := newExaminer(t)
	_, err := readSolved(game, strings.NewReader(strings.Repeat("1 0\n", 1<<17+1)))
	require.ErrorContains(t, err, "more than 131072")
	_, err = readSolved(game, strings.NewReader(strings.Repeat("1", 1<<20)))
	require.ErrorContains(t, err, "line 1: ")
	require.Less(t, len(err.Error()), 1000)
}

// FuzzReadSolved: an accepted position has a move to
// be chosen.
func FuzzReadSolved(f *testing.F) {
	f.Add("44 0\r\n1 -2\n")
	f.Add("2252576253462244111563365343671351441 -1\n")
	f.Add(" 0\n\n")
	game := newExaminer(f)
	f.Fuzz(func(t *testing.T, text string) {
		set, err := readSolved(game, strings.NewReader(text))
		if err != nil {
			require.Empty(t, set.Questions)
			return
		}
		for _, q := range set.Questions {
			require.Contains(t, []int{-1, 0, 1}, q.value)
			require.NotEmpty(t, q.State.Legal(nil))
		}
	})
}

// TestSolve: of the 5478 positions of tic-tac-toe 958 are the end of a game.
func TestSolve(t *testing.T) {
	game := newGame(t, "mnk")
	set, err := Solve(game)
	require.NoError(t, err)
	require.True(t, set.Judged())
	require.Len(t, set.Questions, 5478-958)
	worth := map[string]int{}
	for _, q := range set.Questions {
		worth[q.State.String()] = q.value
	}
	require.Equal(t, 0, worth[".../.../..."])
	require.Equal(t, 1, worth["xx./oo./..."])
	require.Equal(t, -1, worth["x.x/.o./x.o"], "o cannot stop two rows")

	judge, s := set.newJudge(), game.New()
	require.NoError(t, s.(env.Positioner).SetPosition("x../.../..."))
	for _, a := range s.Legal(nil) {
		wrong, err := judge(t.Context(), s, a, 0)
		require.NoError(t, err)
		require.Equal(t, s.ActionString(a) != "b2", wrong, "only the middle draws against a corner")
	}
	for _, name := range []string{"connect4", "coerceo", "shacru:players=3"} {
		_, err = Solve(newGame(t, name))
		require.ErrorIs(t, err, ErrUnsolvable, name)
	}
}
