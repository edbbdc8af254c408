package exam

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/player"
)

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

// sure expects a payoff of x for the player on turn, and prefers the first action with
// three quarters of its priors.
func sure(x float32) func() mcts.Evaluator {
	return func() mcts.Evaluator {
		return judgement(func(leaf *mcts.Leaf) error {
			for i := range leaf.Prior {
				leaf.Prior[i] = 0.25 / float32(len(leaf.Prior)-1)
			}
			leaf.Prior[0] = 0.75
			mover := leaf.State.Turn()
			leaf.Value[mover], leaf.Value[1-mover] = x, -x
			return nil
		})
	}
}

func setOf(t *testing.T, game env.Game, text string) Set {
	t.Helper()
	set, err := Read(strings.NewReader(text), game)
	require.NoError(t, err)
	return set
}

func engine(sims int, evaluator func() mcts.Evaluator) arena.EngineUnderTest {
	return arena.EngineUnderTest{Search: player.NetworkConfig(sims), Evaluator: evaluator, Workers: 2}
}

// Figures worked out by hand.
func TestTakeByHand(t *testing.T) {
	game := newGame(t, "mnk")
	about := `{"format":1,"what":"tiro exam set","game":"mnk","version":2,"kind":"KIND","made":""}` + "\n"
	first := game.New().ActionString(game.New().Legal(nil)[0])

	t.Run("right", func(t *testing.T) {
		tactics := strings.Replace(about, "KIND", Tactics, 1)
		set := setOf(t, game, tactics+`{"moves":"","wins":"`+first+`"}`+"\n"+`{"moves":"","wins":"b2"}`+"\n")
		r, err := set.Take(t.Context(), game, engine(0, sure(0.5)))
		require.NoError(t, err)
		require.Equal(t, r.Alone, r.Searched)
		require.Equal(t, 2, r.Alone.Choices)
		require.Equal(t, 1, r.Alone.Right)
		require.InDelta(t, (0.75+0.25/8)/2, r.Alone.Mass, 1e-6)
		require.InDelta(t, 0.5, r.Alone.Value.Error, 1e-6, "of a win, half was expected")
		require.InDelta(t, -0.5, r.Alone.Value.Bias, 1e-6)
		require.InDelta(t, 0.287682, r.Alone.Value.LogLoss, 1e-6, "-log 3/4")
		require.Equal(t, []Mistake{{3, first}}, r.Mistakes)
		require.Zero(t, r.LeastLogLoss)
	})
	t.Run("shortened", func(t *testing.T) {
		endgames := strings.Replace(about, "KIND", Endgame, 1)
		set := setOf(t, game, endgames+`{"moves":"","wins":"b2 `+first+`","shortest":"`+first+`"}`+"\n"+
			`{"moves":"","wins":"b2 `+first+`","shortest":"b2"}`+"\n"+`{"moves":"b2 c1","wins":"c2","shortest":"c2"}`+"\n")
		r, err := set.Take(t.Context(), game, engine(0, sure(0.5)))
		require.NoError(t, err)
		require.Equal(t, 1, r.Searched.Shortened)
		require.Equal(t, "errors 1 of 3 (33.3%), shortened 1 (33.3%), mean value +0.500", r.Summary())
		require.Contains(t, Table([]Result{r}), "shortened 33.3%, mean value +0.500\n")
	})
	t.Run("expected", func(t *testing.T) {
		judgements := strings.Replace(about, "KIND", Judgement, 1)
		set := setOf(t, game, judgements+`{"moves":"","results":"2 1 1"}`+"\n")
		r, err := set.Take(t.Context(), game, engine(0, sure(0.5)))
		require.NoError(t, err)
		require.Zero(t, r.Alone.Choices)
		require.InDelta(t, 0.25, r.Alone.Value.Bias, 1e-6, "2.5 points of 4 are a payoff of 1/4")
		require.InDelta(t, 0.699662, r.Alone.Value.LogLoss, 1e-6, "-(5/8 log 3/4 + 3/8 log 1/4)")
		require.InDelta(t, 0.661563, r.LeastLogLoss, 1e-6, "-(5/8 log 5/8 + 3/8 log 3/8)")
	})
}

// TestTakeSearches: a search finds more than the evaluator, and knows the
// value that it has proven.
func TestTakeSearches(t *testing.T) {
	game := newGame(t, "connect4")
	set := setOf(t, game, headerOf(Tactics)+`{"moves":"4 1 3 1","wins":"2 5"}`+"\n")
	r, err := set.Take(t.Context(), game, engine(2000, uniform))
	require.NoError(t, err)
	require.Equal(t, 1, r.Searched.Right)
	require.Zero(t, r.Searched.Value.Error)
	require.InDelta(t, 1, r.Searched.Mass, 1e-6)
	require.InDelta(t, 1, r.Alone.Value.Error, 1e-6)
}

func TestTakeIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	game := newGame(t, "connect4")
	set := bundledSet(t, game, Solved)
	set.Questions = set.Questions[:40]
	e := engine(20, uniform)
	one, err := set.Take(t.Context(), game, e)
	require.NoError(t, err)
	e.Workers = 3
	three, err := set.Take(t.Context(), game, e)
	require.NoError(t, err)
	require.Equal(t, one, three)
}

// TestConversion: a win in one move is found; games that cannot be won are counted by
// how it ended.
func TestConversion(t *testing.T) {
	game := newGame(t, "mnk")
	about := `{"format":1,"what":"tiro exam set","game":"mnk","version":2,"kind":"conversion","made":"","defender":"stubborn:2","plies":PLIES}` + "\n"
	positions := `{"moves":"a1 b1 a2 b2"}` + "\n" + // a3 wins
		`{"moves":"a1 b1 c3 b2"}` + "\n" // a draw
	for plies, endings := range map[string]map[string]int{"5": {"full": 1}, "4": {tooLong: 1}} {
		set := setOf(t, game, strings.Replace(about, "PLIES", plies, 1)+positions)
		r, err := set.Take(t.Context(), game, engine(50, uniform))
		require.NoError(t, err)
		require.Equal(t, 1, r.Conversion.Won)
		require.Equal(t, 1.0, r.Conversion.Plies)
		require.Equal(t, endings, r.Conversion.Endings)
		require.Contains(t, Table([]Result{r}), "won in 1 plies")
		require.NotContains(t, Table([]Result{r}), legend)
		tactics := Result{Kind: Tactics, Searched: &Score{Choices: 4, Right: 3}, Alone: &Score{Choices: 4, Right: 2}}
		require.Contains(t, Table([]Result{r, tactics}), legend)
	}
}

// TestWithoutHistory: the engine sees the positions of a set without repetitions and clocks.
func TestWithoutHistory(t *testing.T) {
	game := newGame(t, "coerceo")
	set := bundledSet(t, game, Endgame)
	bare, err := set.WithoutHistory(game)
	require.NoError(t, err)
	require.Len(t, bare.Questions, len(set.Questions))
	quiet := 0
	for i, q := range bare.Questions {
		require.Equal(t, set.Questions[i].State.String(), q.State.String())
		require.Equal(t, set.Questions[i].Right, q.Right)
		require.Empty(t, q.History)
		require.Zero(t, q.State.(env.Repeater).Quiet())
		quiet += set.Questions[i].State.(env.Repeater).Quiet()
	}
	require.Positive(t, quiet)
}

func TestTakeFails(t *testing.T) {
	game := newGame(t, "connect4")
	set := setOf(t, game, headerOf(Tactics)+`{"moves":"4 1 3 1","wins":"2 5"}`+"\n")
	broken := errors.New("broken")
	_, err := set.Take(t.Context(), game, engine(5, func() mcts.Evaluator {
		return judgement(func(*mcts.Leaf) error { return broken })
	}))
	require.ErrorIs(t, err, broken)

	set = setOf(t, game, strings.Replace(headerOf(Conversion), `"made":""`, `"made":"","defender":"noone","plies":4`, 1)+`{"moves":"4"}`+"\n")
	_, err = set.Take(t.Context(), game, engine(5, uniform))
	require.ErrorContains(t, err, `unknown player "noone"`)

	set.Defender = "random"
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = set.Take(ctx, game, engine(5, uniform))
	require.ErrorIs(t, err, context.Canceled)
}

// Of three seats the shares of the win are by seat, and draws are shared by all.
func TestJudgementOfThree(t *testing.T) {
	game := newGame(t, "shacru:players=3")
	set := setOf(t, game, `{"format":1,"what":"tiro exam set","game":"shacru:players=3","version":2,"kind":"judgement","made":""}`+"\n"+
		`{"moves":"","results":"3 1 1 1"}`+"\n")
	q := &set.Questions[0]
	require.InDelta(t, 10./18, q.Shares[0], 1e-9)
	require.InDelta(t, 4./18, q.Shares[1], 1e-9)
	require.InDelta(t, 1, q.Shares[0]+q.Shares[1]+q.Shares[2], 1e-9)
	require.InDelta(t, 1./3, q.payoff(0, 3), 1e-9)
	require.InDelta(t, -1./6, q.payoff(1, 3), 1e-9)
	r, err := set.Take(t.Context(), game, engine(4, uniform))
	require.NoError(t, err)
	require.InDelta(t, -1./3, r.Alone.Value.Bias, 1e-6, "uniform expects nothing")
	require.InDelta(t, 1.0986, r.Alone.Value.LogLoss, 1e-4, "log 3")
	text, err := json.Marshal(r.Alone.Interval)
	require.NoError(t, err)
	require.JSONEq(t, `{"value":null,"low":0,"high":1}`, string(text), "nothing was chosen")
}
