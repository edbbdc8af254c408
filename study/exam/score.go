package exam

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tiro/arena"
	"tiro/env"
	"tiro/internal/decimal"
)

// Result is an engine's result in a set.
type Result struct {
	Name         string       `json:"name"`                     // name of the set
	Kind         string       `json:"kind"`                     // kind of the set
	Simulations  int          `json:"simulations"`              // simulations per move
	Positions    int          `json:"positions"`                // number of positions
	Searched     *Score       `json:"searched,omitempty"`       // score with the search
	Alone        *Score       `json:"alone,omitempty"`          // score of the network alone
	LeastLogLoss float64      `json:"least_log_loss,omitempty"` // lowest possible log loss: of predicting each position's observed frequencies
	Mistakes     []Mistake    `json:"mistakes,omitempty"`       // wrong actions, with the search
	Conversion   *Conversions `json:"conversion,omitempty"`     // results of a conversion
}

// Summary returns the result in solved positions or endgames, in a fixed format: errors E of N
// (P%), and in endgames the number of shortened wins and the mean expected payoff.
func (r *Result) Summary() string { return r.summary(r.Searched) }

func (r *Result) summary(s *Score) string {
	n := s.Choices - s.Right
	text := fmt.Sprintf("errors %d of %d (%.1f%%)", n, r.Positions, share(n, r.Positions))
	if r.Kind == Endgame {
		text += fmt.Sprintf(", shortened %d (%.1f%%), mean value %s", s.Shortened, share(s.Shortened, r.Positions), decimal.Signed(s.Value.Mean, 3))
	}
	return text
}

// Values returns the errors of the expected values, and the results without search, as text.
func (r *Result) Values() string {
	return fmt.Sprintf("value error %s; network alone: %s, value error %s", r.Searched.Value, r.summary(r.Alone), r.Alone.Value)
}

// Mistake is a wrong action.
type Mistake struct {
	Line int    `json:"line"` // line of the set, or number of the position in a whole game
	Move string `json:"move"` // action played
}

// Score rates an engine's actions and expectations.
type Score struct {
	Choices  int            `json:"choices"`         // positions in which some actions are right and others wrong; all positions if a solver judges
	Right    int            `json:"right"`           // choices in which the action played is right
	Interval arena.Interval `json:"right_interval"`  // 95% interval of right / choices
	Mass     float64        `json:"policy_on_right"` // mean probability of all right actions in the choices; 0 if a solver judges

	Shortened int `json:"shortened,omitempty"` // endgame: positions in which the action played begins a shortest win

	Value Estimate `json:"value"` // errors of the expected value
}

// Estimate rates expected payoffs.
type Estimate struct {
	Mean    float64 `json:"mean"`     // mean of the mover's expected payoff
	Error   float64 `json:"error"`    // mean absolute error of the mover's expected payoff, 0 to 2
	Bias    float64 `json:"bias"`     // mean error of the mover's expected payoff
	LogLoss float64 `json:"log_loss"` // log loss of the predicted shares of the win, nats
}

// marks are the results of one question. A Score is their mean.
type marks struct {
	action    env.Action
	choice    bool // whether some actions are right and others may be wrong
	right     bool
	shortened bool
	mass      float64
	value     Estimate
}

// mark compares an opinion with the answer of q. Unless judge is nil, it judges the action.
func (q *Question) mark(ctx context.Context, judge judge, o *arena.Opinion, players int) (m marks, err error) {
	m.action, m.value = o.Action, q.estimate(o.Value, players)
	if judge != nil {
		wrong, err := q.wrong(ctx, judge, o.Action)
		m.choice, m.right = true, !wrong
		return m, err
	}
	m.choice = len(q.Right) > 0 && len(q.Right) < len(o.Actions)
	_, m.right = slices.BinarySearch(q.Right, o.Action)
	_, m.shortened = slices.BinarySearch(q.Shortest, o.Action)
	for i, a := range o.Actions {
		if _, right := slices.BinarySearch(q.Right, a); right {
			m.mass += float64(o.Policy[i])
		}
	}
	return m, nil
}

// surest is the lower bound of a predicted share of the win, which keeps its logarithm finite.
const surest = 1e-3

// estimate compares the expected payoffs v with the answer of q.
func (q *Question) estimate(v env.Value, players int) (e Estimate) {
	mover := q.State.Turn()
	e.Mean = float64(v[mover])
	e.Bias = e.Mean - q.payoff(mover, players)
	e.Error = math.Abs(e.Bias)
	for seat, share := range v.Shares(players) {
		if seat < players {
			e.LogLoss -= q.Shares[seat] * math.Log(max(share, surest))
		}
	}
	return e
}

// leastLogLoss returns the log loss of predicting exactly q.Shares.
func (q *Question) leastLogLoss() (loss float64) {
	for _, share := range q.Shares {
		if share > 0 {
			loss -= share * math.Log(share)
		}
	}
	return loss
}

// newScore returns the means of marks.
func newScore(all []marks) *Score {
	s := &Score{}
	for i := range all {
		m := &all[i]
		if m.choice {
			s.Choices++
			s.Mass += m.mass
		}
		if m.choice && m.right {
			s.Right++
		}
		if m.shortened {
			s.Shortened++
		}
		s.Value.Mean += m.value.Mean / float64(len(all))
		s.Value.Error += m.value.Error / float64(len(all))
		s.Value.Bias += m.value.Bias / float64(len(all))
		s.Value.LogLoss += m.value.LogLoss / float64(len(all))
	}
	s.Mass /= float64(max(s.Choices, 1))
	s.Interval = arena.WilsonInterval(float64(s.Right), float64(s.Choices))
	return s
}
