package exam

import (
	"math"
	"slices"

	"tiro/arena"
	"tiro/env"
)

// Result is what an engine has made of a set.
type Result struct {
	Kind         string       `json:"kind"`
	Simulations  int          `json:"simulations"`
	Positions    int          `json:"positions"`
	Searched     *Score       `json:"searched,omitempty"`       // with the search
	Alone        *Score       `json:"alone,omitempty"`          // of the evaluator alone
	LeastLogLoss float64      `json:"least_log_loss,omitempty"` // of anybody who does not know how single games end
	Mistakes     []Mistake    `json:"mistakes,omitempty"`       // with the search
	Conversion   *Conversions `json:"conversion,omitempty"`
}

// Mistake is an action that is not right.
type Mistake struct {
	Line int    `json:"line"` // of the set
	Move string `json:"move"`
}

// Score sums up what an engine plays and expects.
type Score struct {
	Choices  int            `json:"choices"` // positions in which some actions are right and others are not
	Right    int            `json:"right"`   // of these, in which the action played is right
	Interval arena.Interval `json:"right_interval"`
	Mass     float64        `json:"policy_on_right"` // of these, mean probability of the right actions together

	Value Estimate `json:"value"` // the one that it reports
	Mean  Estimate `json:"mean"`  // the mean over all simulations
	Best  Estimate `json:"best"`  // that of the action played
}

// Estimate says how good expected payoffs are.
type Estimate struct {
	Error   float64 `json:"error"`    // mean distance of the mover's from what it should be, 0..2
	Bias    float64 `json:"bias"`     // mean of the mover's less what it should be
	Square  float64 `json:"square"`   // mean square of the difference
	LogLoss float64 `json:"log_loss"` // of the shares of the win, in nats
}

// marks are what a Score and its Estimates are the means of, for one question.
type marks struct {
	action            env.Action
	choice            bool // some actions are right and others are not
	right             bool
	mass              float64
	value, mean, best Estimate
}

// mark compares an opinion with what is known of q.
func (q *Question) mark(o *arena.Opinion, players int) (m marks) {
	m.action = o.Action
	m.choice = len(q.Right) > 0 && len(q.Right) < len(o.Actions)
	_, m.right = slices.BinarySearch(q.Right, o.Action)
	for i, a := range o.Actions {
		if _, right := slices.BinarySearch(q.Right, a); right {
			m.mass += float64(o.Policy[i])
		}
	}
	m.value, m.mean, m.best = q.estimate(o.Value, players), q.estimate(o.Mean, players), q.estimate(o.Best, players)
	return m
}

// surest is the least share of a win that an expectation counts as, because the
// logarithm of none at all has no bound.
const surest = 1e-3

// estimate compares an expectation with what q is worth.
func (q *Question) estimate(v env.Value, players int) (e Estimate) {
	mover := q.State.Turn()
	e.Bias = float64(v[mover]) - q.payoff(mover, players)
	e.Error, e.Square = math.Abs(e.Bias), e.Bias*e.Bias
	for seat, share := range v.Shares(players) {
		if seat < players {
			e.LogLoss -= q.Shares[seat] * math.Log(max(share, surest))
		}
	}
	return e
}

// leastLogLoss returns the log loss of who expects exactly what q is worth.
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
		s.Value.add(m.value)
		s.Mean.add(m.mean)
		s.Best.add(m.best)
	}
	n := float64(len(all))
	s.Mass /= float64(max(s.Choices, 1))
	for _, e := range []*Estimate{&s.Value, &s.Mean, &s.Best} {
		e.Error, e.Bias, e.Square, e.LogLoss = e.Error/n, e.Bias/n, e.Square/n, e.LogLoss/n
	}
	if s.Choices > 0 {
		s.Interval = arena.WilsonInterval(float64(s.Right), float64(s.Choices))
	}
	return s
}

func (e *Estimate) add(o Estimate) {
	e.Error += o.Error
	e.Bias += o.Bias
	e.Square += o.Square
	e.LogLoss += o.LogLoss
}
