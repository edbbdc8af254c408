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

// Examiner is a Game whose positions can be judged exactly.
type Examiner interface {
	env.Game

	// ParseSolved returns the position that a line of a file of solved
	// positions describes, which is not over, and its value to the player on
	// turn: 1 if that player can force a win, 0 a draw, -1 neither.
	ParseSolved(line string) (s env.State, value int, err error)

	// NewJudge returns a function that reports whether a leaves the player on
	// turn less than value, which s is worth, or an error that wraps that of
	// ctx, should it end first. It is for one goroutine.
	NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error)
}

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
func ReadQuestions(game Examiner, r io.Reader) ([]Question, error) {
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

// Exam asks for a move in every one of its questions and says which moves
// throw away what the position was worth. What it has judged it remembers, for
// the next to take it.
type Exam struct {
	game      Examiner
	questions []Question
	wrong     []map[env.Action]bool // by question
}

// NewExam returns an exam of questions about game.
func NewExam(game Examiner, questions []Question) *Exam {
	x := &Exam{game: game, questions: questions, wrong: make([]map[env.Action]bool, len(questions))}
	for i := range x.wrong {
		x.wrong[i] = map[env.Action]bool{}
	}
	return x
}

// Candidate is who takes an exam.
type Candidate struct {
	Search    mcts.Config           // how it searches; of no Simulations: it plays its likeliest action
	Evaluator func() mcts.Evaluator // makes what judges its positions, one a worker
	Workers   int                   // goroutines; they change nothing but the time
	Answered  func()                // called after every answer, by several goroutines; may be nil
}

// Answer is what a candidate has to say in a question.
type Answer struct {
	Choice        // after the search
	Alone  Choice // of the evaluator alone: the likeliest action
}

// Choice is an action and what is expected of it.
type Choice struct {
	Action env.Action
	Value  float32 // expected payoff of the player on turn, -1..1
	Wrong  bool    // the action leaves less than the question's value
}

// Take has c answer all questions, and returns the answers in their order. If ctx
// ends or the evaluator fails first, it returns the error wrapped.
func (x *Exam) Take(ctx context.Context, c Candidate) ([]Answer, error) {
	alone := c.Search.Simulations == 0
	if alone {
		c.Search.Simulations = 1
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answers := make([]Answer, len(x.questions))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(c.Workers, 1), len(x.questions)) {
		workers.Go(func() {
			r := room{exam: x, candidate: c, alone: alone, answers: answers, next: &next}
			if err := r.work(ctx); err != nil {
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

// desks is how many questions a worker has under way, so that its evaluator
// gets full batches.
const desks = 32

// cached is how many positions a worker's cache holds: about those of the
// searches under way.
const cached = 1 << 16

// room is a worker's: some questions are thought about side by side.
type room struct {
	exam      *Exam
	candidate Candidate
	alone     bool // no search
	answers   []Answer
	next      *atomic.Int64 // question, for all rooms

	judge  func(ctx context.Context, s env.State, a env.Action, value int) (bool, error)
	desks  [desks]desk
	result mcts.Result
}

// desk is where one question is thought about.
type desk struct {
	search   *mcts.Search
	question int
	from, to int // its leaves in the batch
	busy     bool
	fresh    bool // the position itself has not been judged
}

// work answers questions until there are no more.
func (r *room) work(ctx context.Context) error {
	r.judge = r.exam.game.NewJudge()
	evaluator := mcts.NewCache(r.candidate.Evaluator(), cached)
	var leaves []*mcts.Leaf
	for {
		busy, err := r.seat()
		if err != nil || !busy {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		leaves = leaves[:0]
		for i := range r.desks {
			if d := &r.desks[i]; d.busy {
				d.from = len(leaves)
				leaves = d.search.Gather(leaves, math.MaxInt)
				d.to = len(leaves)
			}
		}
		if err := evaluator.Evaluate(ctx, leaves); err != nil {
			return err
		}
		for i := range r.desks {
			if d := &r.desks[i]; d.busy {
				if err := r.apply(ctx, d, leaves[d.from:d.to]); err != nil {
					return err
				}
			}
		}
	}
}

// seat gives a question to every desk without one, as long as there are any,
// and reports whether any desk has one.
func (r *room) seat() (busy bool, err error) {
	for i := range r.desks {
		d := &r.desks[i]
		if d.busy {
			busy = true
			continue
		}
		number := int(r.next.Add(1)) - 1
		if number >= len(r.exam.questions) {
			continue
		}
		if d.search == nil {
			if d.search, err = mcts.New(r.exam.game, r.candidate.Search); err != nil {
				return false, err
			}
		}
		d.search.Start(r.exam.questions[number].State, nil)
		d.question, d.busy, d.fresh = number, true, true
		busy = true
	}
	return busy, nil
}

// apply hands a desk's leaves, judged, back to its search, and takes down its
// answer when it has one.
func (r *room) apply(ctx context.Context, d *desk, leaves []*mcts.Leaf) (err error) {
	answer := &r.answers[d.question]
	if d.fresh {
		answer.Alone, err = r.choice(ctx, d, likeliest(leaves[0]), leaves[0].Value)
		d.fresh = false
	}
	d.search.Apply(leaves)
	switch {
	case err != nil:
		return err
	case r.alone:
		answer.Choice = answer.Alone
	case d.search.Done():
		d.search.Result(&r.result)
		answer.Choice, err = r.choice(ctx, d, r.result.Best, r.result.Value)
	default:
		return nil
	}
	d.busy = false
	if err == nil && r.candidate.Answered != nil {
		r.candidate.Answered()
	}
	return err
}

// likeliest returns the action of greatest prior, of several the lowest.
func likeliest(leaf *mcts.Leaf) env.Action {
	best := 0
	for i, p := range leaf.Prior {
		if p > leaf.Prior[best] {
			best = i
		}
	}
	return leaf.Legal[best]
}

// choice judges an action in the question of d.
func (r *room) choice(ctx context.Context, d *desk, a env.Action, value env.Value) (Choice, error) {
	q := r.exam.questions[d.question]
	known := r.exam.wrong[d.question]
	wrong, judged := known[a]
	if !judged {
		var err error
		if wrong, err = r.judge(ctx, q.State, a, q.Value); err != nil {
			return Choice{}, err
		}
		known[a] = wrong
	}
	return Choice{Action: a, Value: value[q.State.Turn()], Wrong: wrong}, nil
}

// Mark sums up the choices of an exam.
type Mark struct {
	Errors     int     `json:"errors"`
	ValueError float64 `json:"value_error"` // mean distance of the expected payoff from the question's value, 0..2
}

// Mark sums up what Take has returned, after the search and of the evaluator
// alone.
func (x *Exam) Mark(answers []Answer) (searched, alone Mark) {
	for i, a := range answers {
		value := x.questions[i].Value
		searched.add(a.Choice, value)
		alone.add(a.Alone, value)
	}
	for _, m := range []*Mark{&searched, &alone} {
		m.ValueError /= float64(max(len(answers), 1))
	}
	return searched, alone
}

func (m *Mark) add(c Choice, value int) {
	if c.Wrong {
		m.Errors++
	}
	m.ValueError += math.Abs(float64(c.Value) - float64(value))
}
