package solved

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// Question is a position whose value is known.
type Question struct {
	State env.State
	Value int // to the player on turn: 1 a win, 0 a draw, -1 a loss
}

// maxQuestions bounds an exam: a packed file of some kilobytes may hold any
// number of lines.
const maxQuestions = 1 << 17

// Read reads questions, one a line as env.Solvable.ParseSolved understands it, from one to
// 2^17. Errors name the line.
func Read(game env.Solvable, r io.Reader) ([]Question, error) {
	var questions []Question
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		s, value, err := game.ParseSolved(strings.TrimSuffix(lines.Text(), "\r"))
		if err != nil {
			if broken := lines.Err(); broken != nil { // it may have cut the line off
				err = broken
			}
			return nil, fmt.Errorf("line %d: %w", len(questions)+1, err)
		}
		if len(questions) == maxQuestions {
			return nil, fmt.Errorf("more than %d positions", maxQuestions)
		}
		questions = append(questions, Question{s, value})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", len(questions)+1, err)
	}
	if len(questions) == 0 {
		return nil, errors.New("no positions; want a line for each")
	}
	return questions, nil
}

// Exam asks an engine for its move in each of its questions and judges which moves
// throw away what the position was worth. It keeps its verdicts for the next engine, so
// that one engine at a time takes it.
type Exam struct {
	game      env.Solvable
	questions []Question
	wrong     []map[env.Action]bool // by question: the actions judged
}

// New returns an exam of questions about game, which judges their actions.
func New(game env.Solvable, questions []Question) *Exam {
	x := &Exam{game: game, questions: questions, wrong: make([]map[env.Action]bool, len(questions))}
	for i := range x.wrong {
		x.wrong[i] = map[env.Action]bool{}
	}
	return x
}

// Answer is what an engine says to a question.
type Answer struct {
	Choice        // after the search
	Alone  Choice // of the evaluator alone: the action of greatest prior
}

// Choice is an action and what is expected of it.
type Choice struct {
	Action env.Action
	Value  float32 // expected payoff of the player on turn, -1..1: arena.Opinion.Value
	Mean   float32 // another estimate of it: arena.Opinion.Mean
	Best   float32 // another estimate of it: arena.Opinion.Best
	Wrong  bool    // the action leaves less than the question's value
}

// Take has the engine answer all questions, and returns the answers in their order.
// If ctx ends or the evaluator fails first, it returns the error wrapped.
func (x *Exam) Take(ctx context.Context, e arena.EngineUnderTest) ([]Answer, error) {
	answers, states := make([]Answer, len(x.questions)), make([]env.State, len(x.questions))
	for i := range states {
		states[i] = x.questions[i].State
	}
	err := e.Ask(ctx, x.game, states, func() arena.Grader {
		judge := x.game.NewJudge()
		return func(ctx context.Context, i int, f *arena.Finding) (err error) {
			a := &answers[i]
			if a.Alone, err = x.choice(ctx, judge, i, &f.Alone); err == nil {
				a.Choice, err = x.choice(ctx, judge, i, &f.Searched)
			}
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// choice judges what an engine wants to play in question i.
func (x *Exam) choice(ctx context.Context, judge func(context.Context, env.State, env.Action, int) (bool, error), i int, o *arena.Opinion) (c Choice, err error) {
	q, known := x.questions[i], x.wrong[i]
	wrong, judged := known[o.Action]
	if !judged {
		if wrong, err = judge(ctx, q.State, o.Action, q.Value); err != nil {
			return c, err
		}
		known[o.Action] = wrong
	}
	me := q.State.Turn()
	return Choice{Action: o.Action, Value: o.Value[me], Mean: o.Mean[me], Best: o.Best[me], Wrong: wrong}, nil
}

// Score sums up the choices of an exam.
type Score struct {
	Errors     int        `json:"errors"`
	ValueError float64    `json:"value_error"` // mean distance of the expected payoff from the question's value, 0..2
	ValueBias  float64    `json:"value_bias"`  // mean of the expected payoff less the question's value
	Mean       ValueError `json:"mean"`        // the same of arena.Opinion.Mean
	Best       ValueError `json:"best"`        // the same of arena.Opinion.Best
}

// ValueError says how far expected payoffs are from what they should be.
type ValueError struct {
	Error float64 `json:"error"` // mean distance, 0..2
	Bias  float64 `json:"bias"`  // mean difference: above 0 for who expects too much
}

func (e *ValueError) add(expected float32, value int, weight float64) {
	difference := float64(expected) - float64(value)
	e.Error += math.Abs(difference) * weight
	e.Bias += difference * weight
}

// Score sums up what Take has returned, after the search and of the evaluator
// alone.
func (x *Exam) Score(answers []Answer) (searched, alone Score) {
	weight := 1 / float64(max(len(answers), 1))
	for i, a := range answers {
		value := x.questions[i].Value
		searched.add(a.Choice, value, weight)
		alone.add(a.Alone, value, weight)
	}
	return searched, alone
}

func (s *Score) add(c Choice, value int, weight float64) {
	if c.Wrong {
		s.Errors++
	}
	e := ValueError{s.ValueError, s.ValueBias}
	e.add(c.Value, value, weight)
	s.ValueError, s.ValueBias = e.Error, e.Bias
	s.Mean.add(c.Mean, value, weight)
	s.Best.add(c.Best, value, weight)
}
