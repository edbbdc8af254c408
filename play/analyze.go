package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"tiro/arena"
	"tiro/env"
	"tiro/format"
	"tiro/player"
)

// Analyst answers questions about positions of a game, one JSON object per line, like
// KataGo's analysis engine. docs/PROTOCOL.md describes the lines.
type Analyst struct {
	Game   env.Game
	Engine arena.EngineUnderTest // its Answered is called after each answer

	// Outcome, if set, returns a function for one goroutine that computes the network's
	// outcome probabilities, like net.Model.Outcomes.
	Outcome func() func(s env.State) []float64
}

// askedAtATime is the maximum number of questions that have been read but not answered.
const askedAtATime = 1024

type question struct {
	ID       json.RawMessage `json:"id"`
	Moves    []string        `json:"moves"`
	Position string          `json:"position"`
	Sims     int             `json:"sims"`
	Cancel   json.RawMessage `json:"cancel"`
}

// Answer is an Analyst's answer about a position. All probabilities and payoffs come from the
// search.
type Answer struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Position string          `json:"position,omitempty"` // if the game has position strings
	Turn     env.Player      `json:"turn"`               // seat of the player on turn
	Outcome  []float64       `json:"outcome"`            // [seats+1] probability that each seat wins, then of a draw; sums to 1
	Sims     int             `json:"sims"`               // simulations
	Exact    bool            `json:"exact"`              // whether the outcome is proven
	Lines    []AnswerLine    `json:"lines"`              // visited actions, the best first, then by visits; empty if the game is over
}

// AnswerLine is an action with the findings of the search.
type AnswerLine struct {
	Action string   `json:"action"` // in the game's notation
	Visits int      `json:"visits"` // simulations through it
	Value  float64  `json:"value"`  // expected payoff of the player on turn after it, -1..1
	Prior  float64  `json:"prior"`  // the network's probability, without search
	PV     []string `json:"pv"`     // principal variation by turns, beginning with the action
}

type refusal struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

// Run answers questions until the end of the input, in their order. It reads ahead, so that
// questions share batches, but no answer waits for a later question. The answer to a faulty
// question is an error. When ctx ends, Run returns its error wrapped, even while a Read of in
// blocks.
func (a Analyst) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := &desk{
		Analyst: a, out: out, asked: make(chan arena.Asked, askedAtATime),
		room: make(chan struct{}, askedAtATime), open: map[int]*pending{},
	}
	var answering sync.WaitGroup
	answering.Go(func() {
		if err := a.Engine.AskEach(ctx, a.Game, d.asked, d.grader); err != nil {
			cancel(err)
		}
	})
	err := newInput(in).each(ctx, func(text string, fault error) error {
		if fault == nil && strings.TrimSpace(text) == "" {
			return nil
		}
		return d.ask(ctx, text, fault)
	})
	close(d.asked)
	if err != nil {
		cancel(err)
	}
	answering.Wait()
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("play: analyze: %w", err)
	}
	return nil
}

type desk struct {
	Analyst
	asked chan arena.Asked
	room  chan struct{} // holds an element for each unanswered question

	mu      sync.Mutex
	out     io.Writer
	open    map[int]*pending // by number: questions without a written answer
	count   int              // questions read
	written int              // answers written
}

type pending struct {
	id      json.RawMessage
	state   env.State
	dropped atomic.Bool
	answer  []byte // nil until it is known
}

// ask passes the question of a line to the engine. It answers a faulty question at once.
func (d *desk) ask(ctx context.Context, text string, fault error) error {
	var q question
	if fault == nil && !utf8.ValidString(text) {
		fault = errors.New("the line is not UTF-8")
	}
	if fault == nil {
		fault = format.DecodeStrict([]byte(text), &q)
	}
	if fault == nil && q.Cancel != nil && q.ID == nil {
		d.cancel(q.Cancel)
		return nil
	}
	var asked arena.Asked
	if fault == nil {
		asked.State, fault = d.position(&q)
		asked.Simulations = q.Sims
	}
	select {
	case d.room <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	p := &pending{id: q.ID, state: asked.State}
	asked.Dropped = p.dropped.Load
	d.mu.Lock()
	asked.Number = d.count
	d.count++
	d.open[asked.Number] = p
	d.mu.Unlock()
	if fault != nil {
		return d.answer(asked.Number, refusal{q.ID, fault.Error()})
	}
	if v, over := p.state.Result(); over {
		answer := answerOf(d.Game, p.state, arena.Outcome(v, 1, d.Game.Spec().Players), player.Analysis{Proven: true})
		answer.ID = q.ID
		return d.answer(asked.Number, answer)
	}
	select {
	case d.asked <- asked:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d *desk) position(q *question) (env.State, error) {
	if len(q.ID) == 0 {
		return nil, errors.New(`id is required, as in {"id":1,"moves":[]}`)
	}
	if q.Cancel != nil {
		return nil, errors.New(`cancel requires a line of its own, as in {"cancel":1}`)
	}
	if q.Moves == nil && q.Position == "" {
		return nil, errors.New("moves or position is required")
	}
	if q.Sims < 0 || q.Sims > player.MaxSimulations {
		return nil, fmt.Errorf("sims must be 1 to %d, not %d", player.MaxSimulations, q.Sims)
	}
	return PositionAfter(d.Game, q.Position, q.Moves)
}

// cancel drops the open questions with the given id.
func (d *desk) cancel(id json.RawMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.open {
		if bytes.Equal(p.id, id) {
			p.dropped.Store(true)
		}
	}
}

// grader returns a function that answers the questions of one worker.
func (d *desk) grader() arena.Grader {
	describe := d.describer()
	return func(_ context.Context, i int, f *arena.Finding) error {
		d.mu.Lock()
		p := d.open[i]
		d.mu.Unlock()
		if f == nil {
			return d.answer(i, refusal{p.id, "cancelled"})
		}
		answer, _ := describe(p.state, f)
		answer.ID = p.id
		return d.answer(i, answer)
	}
}

// describer returns a function that converts a finding to an Answer and the expected payoffs
// by seat. The function is for one goroutine.
func (a Analyst) describer() func(s env.State, f *arena.Finding) (Answer, env.Value) {
	var network func(env.State) []float64
	if a.Outcome != nil {
		network = a.Outcome()
	}
	return func(s env.State, f *arena.Finding) (Answer, env.Value) {
		analysis := f.Analysis()
		return answerOf(a.Game, s, outcomeOf(s, analysis, network, a.Game.Spec().Players), analysis), analysis.BestValue()
	}
}

func answerOf(game env.Game, s env.State, outcome []float64, a player.Analysis) Answer {
	answer := Answer{
		Turn: s.Turn(), Outcome: rounded(outcome),
		Sims: a.Nodes, Exact: a.Proven, Lines: []AnswerLine{},
	}
	if q, ok := s.(env.Positioner); ok {
		answer.Position = q.Position()
	}
	for _, line := range a.Lines {
		answer.Lines = append(answer.Lines, AnswerLine{
			Action: s.ActionString(line.Actions[0]), Visits: line.Visits,
			Value: float64(line.Value[s.Turn()]) + 0, Prior: float64(line.Prior), PV: notation(game, s, line.Actions),
		})
	}
	return answer
}

// rounded rounds probabilities in place to six digits.
func rounded(all []float64) []float64 {
	for i, x := range all {
		all[i] = float64(int64(float64(x*1e6)+0.5)) / 1e6
	}
	return all
}

// answer stores the answer to a question. It writes all answers whose predecessors are
// written.
func (d *desk) answer(number int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[number].answer = append(text, '\n')
	for ; d.open[d.written] != nil && d.open[d.written].answer != nil; d.written++ {
		if _, err := d.out.Write(d.open[d.written].answer); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		delete(d.open, d.written)
		<-d.room
	}
	return nil
}

// Note is the analysis of an action that was played.
type Note struct {
	Ply    int        `json:"ply"`    // number of the action, from 1
	Turn   env.Player `json:"turn"`   // seat on turn
	Action string     `json:"action"` // action played, in the game's notation
	Best   string     `json:"best"`   // action that the search prefers
	Value  float64    `json:"value"`  // player's expected payoff before the action, -1 to 1
	After  float64    `json:"after"`  // player's expected payoff after the action
	Loss   float64    `json:"loss"`   // drop from value to after; 0 if negative or if the best move was played

	Blunder bool      `json:"blunder"` // whether loss is at least --blunder
	Outcome []float64 `json:"outcome"` // before the action: probability that each seat wins, then of a draw
	PV      []string  `json:"pv"`      // principal variation of the best action
}

// Annotate analyses all positions of the game that history leads through from start, in
// shared batches. It returns a note for each action. The value after an action is the value
// of the next position, or the result of the game. A loss of at least blunder is a blunder.
func (a Analyst) Annotate(ctx context.Context, start env.State, history []env.Action, blunder float64) ([]Note, error) {
	t := NewTable(a.Game, nil, start)
	t.Play(history...)
	states := t.States
	final, over := t.State().Result()
	if over {
		states = states[:len(history)]
	}
	answers, values := make([]Answer, len(states)), make([]env.Value, len(states)+1)
	values[len(states)] = final
	err := a.Engine.Ask(ctx, a.Game, states, func() arena.Grader {
		describe := a.describer()
		return func(_ context.Context, i int, f *arena.Finding) error {
			answers[i], values[i] = describe(states[i], f)
			return nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("play: annotate: %w", err)
	}
	notes := make([]Note, len(history))
	for i, action := range history {
		turn, best := states[i].Turn(), answers[i].Lines[0]
		n := Note{
			Ply: i + 1, Turn: turn, Action: states[i].ActionString(action), Best: best.Action,
			Value: float64(values[i][turn]) + 0, After: float64(values[i+1][turn]) + 0, Outcome: answers[i].Outcome, PV: slices.Clone(best.PV),
		}
		if n.Action != n.Best {
			n.Loss = max(0, n.Value-n.After)
		}
		n.Blunder = n.Loss >= blunder && n.Loss > 0
		notes[i] = n
	}
	return notes, nil
}
