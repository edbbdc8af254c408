package play

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/player"
)

// analyst returns an analyst of a game with a uniform evaluator.
func analyst(t *testing.T, game string, workers int) Analyst {
	return Analyst{
		Game:   newGame(t, game),
		Engine: arena.EngineUnderTest{Search: player.NetworkConfig(30), Workers: workers, Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }},
		Outcome: func() func(env.State) []float64 {
			return func(env.State) []float64 { return []float64{0.2, 0.2, 0.2, 0.2, 0.2} }
		},
	}
}

// questions returns n questions about positions of random games, some of them invalid.
func questions(game env.Game, n int) string {
	var b strings.Builder
	rng := env.NewRand(1)
	for i := range n {
		s := game.New()
		moves := []string{}
		for range rng.IntN(12) {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				break
			}
			a := legal[rng.IntN(len(legal))]
			moves = append(moves, s.ActionString(a))
			s.Play(a)
		}
		if i%7 == 3 {
			moves = append(moves, "nonsense")
		}
		text, _ := json.Marshal(moves)
		fmt.Fprintf(&b, `{"id":%d,"moves":%s,"sims":%d}`+"\n", i, text, rng.IntN(60))
	}
	return b.String()
}

// Answers keep the order of the questions and do not depend on other questions in progress.
func TestAnswersKeepOrder(t *testing.T) {
	for _, game := range []string{"tictactoe", "connect4", "coerceo", "pacru:players=3"} {
		t.Run(game, func(t *testing.T) {
			asked := questions(newGame(t, game), 200)
			var first string
			for _, workers := range []int{1, 3} {
				var out strings.Builder
				require.NoError(t, analyst(t, game, workers).Run(t.Context(), strings.NewReader(asked), &out))
				if first == "" {
					first = out.String()
				}
				require.Equal(t, first, out.String())
			}
			var alone strings.Builder
			for i, line := range strings.SplitAfter(first, "\n")[:200] {
				var a struct {
					Answer
					Error string `json:"error"`
				}
				require.NoError(t, json.Unmarshal([]byte(line), &a))
				require.Equal(t, fmt.Sprint(i), string(a.ID))
				require.Equal(t, i%7 == 3, a.Error != "", line)
				if a.Error != "" {
					continue
				}
				sum := 0.0
				for _, p := range a.Outcome {
					require.GreaterOrEqual(t, p, 0.0)
					sum += p
				}
				require.InDelta(t, 1, sum, 1e-5)
			}
			for line := range strings.Lines(asked) {
				require.NoError(t, analyst(t, game, 1).Run(t.Context(), strings.NewReader(line), &alone))
			}
			require.Equal(t, first, alone.String())
		})
	}
}

func TestQuestionsAreChecked(t *testing.T) {
	for line, want := range map[string]string{
		`hello`:                             `{"id":null,"error":"invalid character`,
		`{"id":1}`:                          `{"id":1,"error":"moves or position is required`,
		`{"moves":[]}`:                      `{"id":null,"error":"id is required`,
		`{"id":"a","moves":["b2","b2"]}`:    `{"id":"a","error":"move 2: illegal action`,
		`{"id":2,"position":"?"}`:           `{"id":2,"error":"`,
		`{"id":3,"moves":[],"sims":-1}`:     `{"id":3,"error":"sims must be 1 to`,
		`{"id":4,"moves":[],"colour":1}`:    `unknown field`,
		`{"id":5,"Moves":[]}`:               `key \"Moves\" must be lower case`,
		`[]`:                                `{"id":null,"error":"the value is an array but must be an object"}`,
		`{"id":9,"moves":"b2 a1"}`:          `{"id":9,"error":"field \"moves\" is a string but must be an array"}`,
		strings.Repeat("x", 2<<20):          `{"id":null,"error":"a line of more than`,
		`{"id":6,"position":"xx./oo./..."}`: `"outcome":[1,0,0]`,
		`{"id":7,"position":"xxx/oo./..."}`: `"outcome":[1,0,0],"sims":0,"exact":true,"lines":[]}`,
		`{"id":{"a":[1]},"moves":[]}`:       `{"id":{"a":[1]},"position":".../.../...","turn":0,"outcome":[`,
		`{"id":8,"position":"xo./.../...","moves":["a1"]}`: `"position":"xo./.../x..","turn":1`,
		`{"id":10,"moves":[],"cancel":9}`:                  `{"id":10,"error":"cancel requires a line of its own`,
	} {
		t.Run(clip(line), func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, analyst(t, "tictactoe", 1).Run(t.Context(), strings.NewReader("\n"+line+"\n"), &out))
			require.Contains(t, out.String(), want)
			require.Equal(t, 1, strings.Count(out.String(), "\n"))
		})
	}
}

// An answer arrives before the next question is asked, a search can be cancelled, and a stop
// leaves no goroutine behind.
func TestAnalysisIsInteractive(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- analyst(t, "connect4", 2).Run(ctx, in, out) }()
	reader := bufio.NewReader(answers)
	converse := func(lines, want string) {
		_, err := io.WriteString(ask, lines)
		require.NoError(t, err)
		answer, err := reader.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, answer, want)
	}
	converse(`{"id":1,"moves":["4"]}`+"\n", `{"id":1,"position"`)
	converse(`{"id":2,"moves":[],"sims":16000000}`+"\n"+`{"cancel":2}`+"\n", `{"id":2,"error":"cancelled"}`)
	converse(`{"id":3,"moves":["4"]}`+"\n", `{"id":3,"position"`)
	_, err := io.WriteString(ask, `{"id":4,"moves":[],"sims":16000000}`+"\n")
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, ask.Close())
}

// A failed write of an answer and a failing evaluator end the analysis.
func TestAnalysisFails(t *testing.T) {
	full := errors.New("full")
	err := analyst(t, "tictactoe", 1).Run(t.Context(), strings.NewReader(questions(newGame(t, "tictactoe"), 9)), failing{full})
	require.ErrorIs(t, err, full)
	a := analyst(t, "tictactoe", 2)
	a.Engine.Evaluator = func() mcts.Evaluator { return failingEvaluator{full} }
	err = a.Run(t.Context(), strings.NewReader(questions(a.Game, 9)), io.Discard)
	require.ErrorIs(t, err, full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

type failingEvaluator struct{ err error }

func (f failingEvaluator) Evaluate(context.Context, []*mcts.Leaf) error { return f.err }

// The annotation of a game finds the move that loses it.
func TestAnnotate(t *testing.T) {
	a := analyst(t, "tictactoe", 2)
	a.Engine.Search.Simulations = 2000
	s := a.Game.New()
	var history []env.Action
	for _, name := range []string{"b2", "a1", "c1", "b1", "a3"} { // b1 does not block a3
		action, err := env.ParseAction(s, name)
		require.NoError(t, err)
		history = append(history, action)
		s.Play(action)
	}
	notes, err := a.Annotate(t.Context(), a.Game.New(), history, 0.3)
	require.NoError(t, err)
	require.Len(t, notes, 5)
	for i, n := range notes {
		require.Equal(t, i == 3, n.Blunder, "%+v", n)
	}
	require.Equal(t, "a3", notes[3].Best)
	require.Equal(t, "b1", notes[3].Action)
	require.InDelta(t, -1, notes[3].After, 1e-6)
	require.InDelta(t, 1, notes[4].After, 1e-6)
	none, err := a.Annotate(t.Context(), a.Game.New(), nil, 0.3)
	require.NoError(t, err)
	require.Empty(t, none)
}
