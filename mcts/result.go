package mcts

import (
	"cmp"
	"math"
	"slices"

	"tiro/env"
)

// Result is what a search has found out about its root.
type Result struct {
	Actions []env.Action // the legal actions, ascending; none if the game is over
	Visits  []int32      // [len(Actions)]: simulations through each, kept ones included
	Prior   []float32    // [len(Actions)]: as the evaluator said, without noise; uniform before it has
	Q       []float32    // [len(Actions)]: value to the player on turn, -1..1; of an unvisited action v_mix
	Policy  []float32    // [len(Actions)]: the improved policy, which sums to 1: what a network should learn
	Value   env.Value    // exact if Proven, else the average over the simulations
	Best    env.Action   // the action to play without temperature; -1 if the game is over
	Proven  bool         // Value is exact
	Nodes   int          // size of the tree
}

// Result fills dst, reusing its memory. No leaf may be in flight.
//
// Policy is softmax(logits + σ(completed Q)) at a Gumbel root, and the share
// of visits at a PUCT root, forced ones pruned. Both know proven results: an
// action that is proven to lose has no part in them as long as there is
// another, and once all is decided the best actions share everything. The same
// holds for Best.
func (s *Search) Result(dst *Result) {
	nd := &s.nodes[root]
	dst.Actions = append(dst.Actions[:0], s.action[:nd.edges]...)
	slices.Sort(dst.Actions)
	count := len(dst.Actions)
	dst.Visits = extend(dst.Visits[:0], count)
	dst.Prior = extend(dst.Prior[:0], count)
	dst.Q = extend(dst.Q[:0], count)
	dst.Policy = extend(dst.Policy[:0], count)
	dst.Proven, dst.Nodes = nd.proven, len(s.nodes)
	dst.Best, dst.Value = -1, nd.value
	if !nd.proven {
		for i := range s.players {
			dst.Value[i] = s.mean(root, env.Player(i))
		}
	}
	if count == 0 {
		return
	}
	if nd.visits == 0 {
		uniform(s.prior[:count])
	}
	best := s.best()
	dst.Best = s.action[best]
	policy := s.policy(best)
	mixed := s.mixedValue(root)
	for e := range nd.edges {
		i, _ := slices.BinarySearch(dst.Actions, s.action[e])
		dst.Prior[i], dst.Policy[i] = s.prior[e], policy[e]
		dst.Visits[i], dst.Q[i] = 0, mixed
		if e < nd.open {
			dst.Visits[i], dst.Q[i] = s.visits[e], s.q[e]
		}
	}
}

// mean returns the average value of n's visits to player.
func (s *Search) mean(n int32, player env.Player) float32 {
	nd := &s.nodes[n]
	return float32(nd.sum[player] / float64(max(nd.visits, 1)))
}

// eligible reports whether edge e of n may be played: not if it is a proven
// loss, nor, once n is decided, if it pays the mover less than the best.
func (s *Search) eligible(n, e int32) bool {
	nd := &s.nodes[n]
	if !nd.proven && nd.settled < nd.edges {
		return e >= nd.first+nd.lost
	}
	if e >= nd.first+nd.open || !s.nodes[s.child[e]].proven {
		return false
	}
	pays := s.nodes[s.child[e]].value[nd.turn]
	for _, c := range s.child[nd.first : nd.first+nd.open] {
		if s.nodes[c].proven && s.nodes[c].value[nd.turn] > pays {
			return false
		}
	}
	return true
}

// best returns the edge of the root to be played: at a Gumbel root the visited
// one with the greatest g + logit + σ(q) of the candidates that are left, else
// the most visited one.
func (s *Search) best() int32 {
	best, top := none, float32(math.Inf(-1))
	h := &s.halving
	for i := range h.field[:h.considered] {
		e, total := s.total(&h.field[i])
		if e < s.nodes[root].open && s.eligible(root, e) && (best == none || total > top) {
			best, top = e, total
		}
	}
	if best != none {
		return best
	}
	return s.mostVisited(root)
}

// mostVisited returns the edge of n that has the most visits among those that
// may be played; of several the one of greater value, prior, and lower action.
func (s *Search) mostVisited(n int32) int32 {
	nd := &s.nodes[n]
	best := none
	for e := nd.first; e < nd.first+nd.edges; e++ {
		if s.eligible(n, e) && (best == none || s.before(e, best, nd.first+nd.open)) {
			best = e
		}
	}
	return best
}

// before reports whether edge a goes before b; those below open have children.
func (s *Search) before(a, b, open int32) bool {
	if a >= open || b >= open {
		if a < open || b < open {
			return a < open
		}
		return cmp.Or(cmp.Compare(s.prior[b], s.prior[a]), cmp.Compare(s.action[a], s.action[b])) < 0
	}
	return cmp.Or(
		cmp.Compare(s.visits[b], s.visits[a]), cmp.Compare(s.q[b], s.q[a]),
		cmp.Compare(s.prior[b], s.prior[a]), cmp.Compare(s.action[a], s.action[b])) < 0
}

// policy returns the improved policy by edge of the root. It is scratch.
func (s *Search) policy(best int32) []float32 {
	nd := &s.nodes[root]
	s.weight = extend(s.weight[:0], int(nd.edges))
	if s.config.Root == RootGumbel {
		s.improved(s.weight)
	} else {
		s.prunedVisits(s.weight, best)
	}
	if s.share(s.weight) {
		return s.weight
	}
	copy(s.weight, s.prior[:nd.edges])
	if !s.share(s.weight) {
		clear(s.weight)
		s.weight[best] = 1
	}
	return s.weight
}

// share makes the weights of the root's edges that may be played sum to 1, and
// the others 0. It reports whether there was anything to share.
func (s *Search) share(weight []float32) bool {
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

// improved writes exp(logits + σ(completed Q)) of the root's edges that may be
// played, up to a factor.
func (s *Search) improved(weight []float32) {
	nd := &s.nodes[root]
	scale, mixed := s.sigma(root), s.mixedValue(root)
	top := float32(math.Inf(-1))
	for e := range weight {
		q := mixed
		if int32(e) < nd.open {
			q = s.q[e]
		}
		weight[e] = logit(s.prior[e]) + scale*q
		if s.eligible(root, int32(e)) {
			top = max(top, weight[e])
		}
	}
	for e := range weight {
		weight[e] = exp(weight[e] - top)
	}
}

// PrincipalVariation appends to dst the line of best actions from the root, as
// far as it was visited, and returns the extended slice. No leaf may be in
// flight.
func (s *Search) PrincipalVariation(dst []env.Action) []env.Action {
	n := root
	for s.nodes[n].edges > 0 {
		e := s.mostVisited(n)
		if n == root {
			e = s.best()
		}
		if e >= s.nodes[n].first+s.nodes[n].open {
			return dst
		}
		dst = append(dst, s.action[e])
		n = s.child[e]
	}
	return dst
}
