package arena

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"tiro/env"
	"tiro/mcts"
)

// Question is a position whose value is known.
type Question struct {
	State env.State
	Value int // to the player on turn: 1 a win, 0 a draw, -1 a loss
}

// maxQuestions bounds an exam: a packed file of some kilobytes may hold any
// number of lines.
const maxQuestions = 1 << 17

// ReadQuestions reads lines that the game understands, from one to 2^17. Errors
// name the line.
func ReadQuestions(game env.Solvable, r io.Reader) ([]Question, error) {
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
// throw away what the position was worth. It keeps its verdicts for the next engine.
type Exam struct {
	game      env.Solvable
	questions []Question
	wrong     []map[env.Action]bool // by question: the actions judged
}

// NewExam returns an exam of questions about game.
func NewExam(game env.Solvable, questions []Question) *Exam {
	x := &Exam{game: game, questions: questions, wrong: make([]map[env.Action]bool, len(questions))}
	for i := range x.wrong {
		x.wrong[i] = map[env.Action]bool{}
	}
	return x
}

// EngineUnderTest takes an exam.
type EngineUnderTest struct {
	Search    mcts.Config           // with 0 Simulations the action of greatest prior is played
	Evaluator func() mcts.Evaluator // makes the evaluator of a worker
	Workers   int                   // goroutines; they change nothing but the time
	Answered  func()                // called after each answer, by several goroutines; may be nil
}

// Answer is what an engine says to a question.
type Answer struct {
	Choice        // after the search
	Alone  Choice // of the evaluator alone: the action of greatest prior
}

// Choice is an action and what is expected of it.
type Choice struct {
	Action env.Action
	Value  float32 // expected payoff of the player on turn, -1..1
	Wrong  bool    // the action leaves less than the question's value
}

// Take has the engine answer all questions, and returns the answers in their order.
// If ctx ends or the evaluator fails first, it returns the error wrapped.
func (x *Exam) Take(ctx context.Context, e EngineUnderTest) ([]Answer, error) {
	alone := e.Search.Simulations == 0
	if alone {
		e.Search.Simulations = 1
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answers := make([]Answer, len(x.questions))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(e.Workers, 1), len(x.questions)) {
		workers.Go(func() {
			w := examWorker{exam: x, engine: e, alone: alone, answers: answers, next: &next}
			if err := w.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("arena: exam: %w", err)
	}
	return answers, nil
}

const (
	examSlots = 32      // questions that a worker searches at a time, so that batches are full
	examCache = 1 << 16 // positions in a worker's cache: about those of the searches under way
)

// examWorker answers questions on one goroutine.
type examWorker struct {
	exam    *Exam
	engine  EngineUnderTest
	alone   bool // the evaluator alone answers
	answers []Answer
	next    *atomic.Int64 // question, for all workers

	judge  func(ctx context.Context, s env.State, a env.Action, value int) (bool, error)
	slots  [examSlots]examSlot
	result mcts.Result
}

// examSlot is the search of one question.
type examSlot struct {
	search   *mcts.Search
	question int
	from, to int // its leaves in the batch
	busy     bool
	fresh    bool // the question's own position has not been evaluated
}

// run answers questions until there are no more.
func (w *examWorker) run(ctx context.Context) error {
	w.judge = w.exam.game.NewJudge()
	evaluator := mcts.NewCache(w.engine.Evaluator(), examCache)
	var leaves []*mcts.Leaf
	for ctx.Err() == nil {
		leaves = leaves[:0]
		busy := false
		for i := range w.slots {
			slot := &w.slots[i]
			if err := w.fill(slot); err != nil {
				return err
			}
			slot.from = len(leaves)
			if slot.busy {
				busy = true
				leaves = slot.search.Gather(leaves, math.MaxInt)
			}
			slot.to = len(leaves)
		}
		if !busy {
			return nil
		}
		if err := evaluator.Evaluate(ctx, leaves); err != nil {
			return err
		}
		for i := range w.slots {
			if slot := &w.slots[i]; slot.busy {
				if err := w.apply(ctx, slot, leaves[slot.from:slot.to]); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// fill gives the next question to a slot that has none.
func (w *examWorker) fill(slot *examSlot) (err error) {
	if slot.busy {
		return nil
	}
	number := int(w.next.Add(1)) - 1
	if number >= len(w.exam.questions) {
		return nil
	}
	if slot.search == nil {
		if slot.search, err = mcts.New(w.exam.game, w.engine.Search); err != nil {
			return err
		}
	}
	slot.search.Start(w.exam.questions[number].State, nil)
	slot.question, slot.busy, slot.fresh = number, true, true
	return nil
}

// apply gives evaluated leaves back to the search of a slot and takes its answer
// when it is done.
func (w *examWorker) apply(ctx context.Context, slot *examSlot, leaves []*mcts.Leaf) (err error) {
	answer := &w.answers[slot.question]
	if slot.fresh {
		answer.Alone, err = w.choice(ctx, slot, greatestPrior(leaves[0]), leaves[0].Value)
		slot.fresh = false
	}
	slot.search.Apply(leaves)
	switch {
	case err != nil:
		return err
	case w.alone:
		answer.Choice = answer.Alone
	case slot.search.Done():
		slot.search.Result(&w.result)
		answer.Choice, err = w.choice(ctx, slot, w.result.Best, w.result.Value)
	default:
		return nil
	}
	slot.busy = false
	if err == nil && w.engine.Answered != nil {
		w.engine.Answered()
	}
	return err
}

// greatestPrior returns the action of greatest prior, of several the lowest.
func greatestPrior(leaf *mcts.Leaf) env.Action {
	best := 0
	for i, p := range leaf.Prior {
		if p > leaf.Prior[best] {
			best = i
		}
	}
	return leaf.Legal[best]
}

// choice judges an action in the question of a slot.
func (w *examWorker) choice(ctx context.Context, slot *examSlot, a env.Action, value env.Value) (c Choice, err error) {
	q := w.exam.questions[slot.question]
	known := w.exam.wrong[slot.question]
	wrong, judged := known[a]
	if !judged {
		if wrong, err = w.judge(ctx, q.State, a, q.Value); err != nil {
			return c, err
		}
		known[a] = wrong
	}
	return Choice{Action: a, Value: value[q.State.Turn()], Wrong: wrong}, nil
}

// ExamScore sums up the choices of an exam.
type ExamScore struct {
	Errors     int     `json:"errors"`
	ValueError float64 `json:"value_error"` // mean distance of the expected payoff from the question's value, 0..2
}

// Score sums up what Take has returned, after the search and of the evaluator
// alone.
func (x *Exam) Score(answers []Answer) (searched, alone ExamScore) {
	for i, a := range answers {
		value := x.questions[i].Value
		searched.add(a.Choice, value)
		alone.add(a.Alone, value)
	}
	searched.ValueError /= float64(max(len(answers), 1))
	alone.ValueError /= float64(max(len(answers), 1))
	return searched, alone
}

func (s *ExamScore) add(c Choice, value int) {
	if c.Wrong {
		s.Errors++
	}
	s.ValueError += math.Abs(float64(c.Value) - float64(value))
}
