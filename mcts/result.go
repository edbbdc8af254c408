package mcts

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"tiro/env"
	"tiro/internal/portable"
)

// Result is the outcome of a search.
type Result struct {
	Actions []env.Action // the legal actions, ascending; none if the game is over
	Visits  []int32      // [Actions] simulations through each action, including earlier moves' in reused subtrees
	Prior   []float32    // [Actions] the evaluator's priors without noise; uniform before the root is evaluated
	Policy  []float32    // [Actions] the improved policy, a training target; sums to 1
	Value   env.Value    // payoff by seat: exact if Proven, otherwise the mean of the visited actions' values under Policy
	Best    env.Action   // the action to play without temperature; with noise at a Gumbel root roughly a sample of Policy; -1 if the game is over
	Proven  bool         // Value is exact
}

// Result fills dst, reusing its memory. No leaf may be in flight.
//
// Policy is softmax(logits + σ(completed Q)) at a Gumbel or improved root, and the
// normalised visits without forced playouts at a PUCT root. Proven results affect Policy
// and Best: a proven loss has probability 0 if there is any other action, and once the root
// is decided, only the best actions have positive probability.
func (s *Search) Result(dst *Result) {
	if err := s.intact(); err != nil {
		panic(fmt.Sprintf("mcts: %v", err)) // only with the build tag invariants
	}
	nd := &s.nodes[root]
	dst.Actions = append(dst.Actions[:0], s.action[:nd.edges]...)
	slices.Sort(dst.Actions)
	count := len(dst.Actions)
	dst.Visits = extend(dst.Visits[:0], count)
	dst.Prior = extend(dst.Prior[:0], count)
	dst.Policy = extend(dst.Policy[:0], count)
	dst.Best, dst.Value, dst.Proven = -1, nd.value, nd.proven
	if count == 0 {
		return
	}
	if nd.visits == 0 {
		uniform(s.prior[:count])
	}
	best := s.best()
	dst.Best = s.action[best]
	policy := s.policy(best)
	if !nd.proven {
		dst.Value = s.valueUnder(policy)
	}
	for e := range nd.edges {
		i, _ := slices.BinarySearch(dst.Actions, s.action[e])
		dst.Prior[i], dst.Policy[i] = s.prior[e], policy[e]
		dst.Visits[i] = 0
		if e < nd.expanded {
			dst.Visits[i] = s.visits[e]
		}
	}
}

// valueUnder returns the payoff by seat if the root is played by policy: the mean of the
// visited actions' values, which are exact where proven. After sequential halving this
// differs from the mean over all simulations, most of which tried actions that were later
// rejected (github.com/google-deepmind/mctx, issue 21). Before any simulation the result is
// the evaluator's value.
func (s *Search) valueUnder(policy []float32) env.Value {
	nd := &s.nodes[root]
	var value env.Value
	var mass float32
	for e := range nd.expanded {
		if policy[e] == 0 {
			continue
		}
		mass += policy[e]
		for i, x := range s.valueOf(s.child[e]) {
			value[i] += float32(policy[e] * x)
		}
	}
	if mass == 0 {
		return nd.value
	}
	for i := range value {
		value[i] /= mass
	}
	return value
}

// best returns the edge of the root to play at temperature 0.
func (s *Search) best() int32 {
	if s.decided() {
		return s.bestProven()
	}
	return s.selector.best()
}

// policy returns the improved policy by edge of the root, in scratch memory.
func (s *Search) policy(best int32) []float32 {
	nd := &s.nodes[root]
	s.weight = extend(s.weight[:0], int(nd.edges))
	s.selector.policy(s.weight, best)
	if s.normalize(s.weight) {
		return s.weight
	}
	copy(s.weight, s.prior[:nd.edges])
	if !s.normalize(s.weight) {
		clear(s.weight)
		s.weight[best] = 1
	}
	return s.weight
}

// normalize sets the weights of ineligible edges of the root to 0 and scales the others to
// sum to 1. It returns false if their sum is 0.
func (s *Search) normalize(weight []float32) bool {
	var total float32
	for e := range weight {
		if !s.eligible(root, int32(e)) {
			weight[e] = 0
		}
		total += weight[e]
	}
	if !(total > 0) {
		return false
	}
	for e := range weight {
		weight[e] /= total
	}
	return true
}

// mostVisited returns the most visited eligible edge of n. Ties are broken by greater
// value, greater prior, and lower action.
func (t *tree) mostVisited(n int32) int32 {
	nd := &t.nodes[n]
	best := none
	for e := nd.first; e < nd.first+nd.edges; e++ {
		if t.eligible(n, e) && (best == none || t.better(e, best, nd.first+nd.expanded)) {
			best = e
		}
	}
	return best
}

// better reports whether edge a is better than b in the order of mostVisited. Edges below
// expanded have children.
func (t *tree) better(a, b, expanded int32) bool {
	order := 0
	if a < expanded && b < expanded {
		order = cmp.Or(cmp.Compare(t.visits[b], t.visits[a]), cmp.Compare(t.q[b], t.q[a]))
	} else if a < expanded || b < expanded {
		return a < expanded
	}
	return cmp.Or(order, cmp.Compare(t.prior[b], t.prior[a]), cmp.Compare(t.action[a], t.action[b])) < 0
}

// ActionValue returns the payoff by seat of the legal action a at the root: exact if
// proven, otherwise the mean over the simulations through it. It returns false if there was
// none. No leaf may be in flight.
func (s *Search) ActionValue(a env.Action) (v env.Value, visited bool) {
	e := s.edge(a)
	if e == none || e >= s.nodes[root].expanded {
		return v, false
	}
	return s.valueOf(s.child[e]), true
}

// Variation appends the action a of the root and the line of best actions after it to dst, as
// far as it was visited, and returns the extended slice. It appends nothing if a is illegal or
// was not visited. No leaf may be in flight.
func (s *Search) Variation(dst []env.Action, a env.Action) []env.Action {
	e := s.edge(a)
	if e == none {
		return dst
	}
	for n := root; e < s.nodes[n].first+s.nodes[n].expanded; e = s.mostVisited(n) {
		dst = append(dst, s.action[e])
		if n = s.child[e]; s.nodes[n].edges == 0 {
			break
		}
	}
	return dst
}

// Sample draws an action from Policy raised to 1/temperature: temperatures above 1 flatten
// it, temperatures below 1 sharpen it. It takes one number from rng and does not allocate.
func (r *Result) Sample(temperature float64, rng *rand.Rand) env.Action {
	total := 0.0
	for _, p := range r.Policy {
		total += portable.Pow(float64(p), 1/temperature)
	}
	at := float64(rng.Float64() * total)
	for i, p := range r.Policy {
		weight := portable.Pow(float64(p), 1/temperature)
		if at < weight {
			return r.Actions[i]
		}
		at -= weight
	}
	return r.Best // only if rounding exhausts the total
}
