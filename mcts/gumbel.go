package mcts

import (
	"cmp"
	"math"
	"slices"

	"tiro/env"
)

// halving is the plan of a move at a Gumbel root: sequential halving (Karnin,
// Koren and Somekh 2013; Danihelka et al. 2022, algorithm 2). A phase visits
// each considered candidate for some rounds; then the better half goes on.
type halving struct {
	turn
	field      []candidate // every legal action; the first considered ones are in the running
	considered int
	phases     int // ⌈log2 of the candidates at the beginning⌉
}

// turn is the part of the plan that a simulation moves on.
type turn struct {
	rounds int // of this phase, this one included
	next   int // place of the candidate to be visited next
}

// candidate is a legal action of the root.
type candidate struct {
	action env.Action
	score  float32 // g + logit
	total  float32 // score + σ(q) when the field was last ranked
	child  int32   // none: not known
}

func (h *halving) reset() { *h = halving{field: h.field[:0]} }

// startHalving draws the Gumbel noise and picks the candidates: those with the
// greatest g + logit.
func (s *Search) startHalving() {
	h, nd := &s.halving, &s.nodes[root]
	for e := range nd.edges {
		c := candidate{action: s.action[e], score: logit(s.prior[e]), child: none}
		if s.noise {
			c.score -= float32(math.Log(s.rng.ExpFloat64()))
		}
		c.total = c.score
		if e < nd.lost {
			c.total = float32(math.Inf(-1))
		}
		h.field = append(h.field, c)
	}
	h.sort(len(h.field))
	alive := int(nd.edges - nd.lost)
	h.considered = min(s.config.Gumbel.MaxConsideredActions, s.budget, alive)
	h.phases = max(1, int(math.Ceil(math.Log2(float64(h.considered)))))
	s.startPhase()
}

// logit returns the logarithm of a prior, finite.
func logit(prior float32) float32 {
	return float32(math.Log(float64(max(prior, 1e-30))))
}

// startPhase shares a phase's part of the simulations among the candidates.
func (s *Search) startPhase() {
	h := &s.halving
	h.turn = turn{rounds: max(1, s.budget/(h.phases*max(h.considered, 1)))}
}

// sort orders the first n of the field by total, then by action.
func (h *halving) sort(n int) {
	slices.SortFunc(h.field[:n], func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.action, b.action))
	})
}

// rank sorts the first n of the field by g + logit + σ(completed Q), proven
// losses last.
func (s *Search) rank(n int) {
	h := &s.halving
	for i := range h.field[:n] {
		_, h.field[i].total = s.total(&h.field[i])
	}
	h.sort(n)
}

// total returns c's edge and its g + logit + σ(completed Q); -Inf for a proven
// loss.
func (s *Search) total(c *candidate) (e int32, total float32) {
	e = s.candidateEdge(c)
	switch {
	case e < s.nodes[root].lost:
		return e, float32(math.Inf(-1))
	case e < s.nodes[root].open:
		return e, c.score + s.sigma(root)*(s.q[e]+1)
	default:
		return e, c.score + s.sigma(root)*(s.mixedValue(root)+1)
	}
}

// candidateEdge returns the edge of c.
func (s *Search) candidateEdge(c *candidate) int32 {
	if c.child != none {
		return s.nodes[c.child].slot
	}
	e := s.edge(root, c.action)
	if e < s.nodes[root].open && s.nodes[s.child[e]].visits > 0 {
		c.child = s.child[e]
	}
	return e
}

// ready makes next the place of a candidate to be visited. It reports whether
// there is one, or the leaves in flight must come down first.
func (s *Search) ready() bool {
	h := &s.halving
	for {
		for ; h.next < h.considered; h.next++ {
			if s.candidateEdge(&h.field[h.next]) >= s.nodes[root].lost {
				return true
			}
		}
		if len(s.flights) > 0 && (s.config.ParallelLeaves == 1 || h.rounds <= 1) {
			return false
		}
		s.nextRound()
	}
}

// chooseCandidate returns the edge of the root that is next, once ready.
func (s *Search) chooseCandidate() int32 {
	h := &s.halving
	h.next++
	return s.candidateEdge(&h.field[h.next-1])
}

// nextRound begins a round, after the last one of a phase the next phase.
// Proven losses drop out; when no candidate is left, the two next best actions
// take their place.
func (s *Search) nextRound() {
	h := &s.halving
	h.rounds--
	h.next = 0
	if len(s.flights) > 0 {
		return
	}
	s.rank(h.considered)
	for h.considered > 0 && s.candidateEdge(&h.field[h.considered-1]) < s.nodes[root].lost {
		h.considered--
	}
	switch {
	case h.considered == 0:
		s.rank(len(h.field))
		h.considered = min(2, int(s.nodes[root].edges-s.nodes[root].lost))
		s.startPhase()
	case h.rounds == 0:
		h.considered = min(h.considered, max(2, h.considered/2))
		s.startPhase()
	}
}

// sigma returns the factor of q + 1 in σ(q) = (c_visit + max N)·c_scale·q at
// n, where the paper's q is in [0, 1] and ours in [-1, 1] (Danihelka et al.
// 2022, equation 8).
func (s *Search) sigma(n int32) float32 {
	nd := &s.nodes[n]
	most := int32(0)
	if nd.open > 0 {
		most = slices.Max(s.visits[nd.first : nd.first+nd.open])
	}
	return s.config.Gumbel.sigma(most)
}

// sigma is the factor where no action has more than most visits.
func (g *Gumbel) sigma(most int32) float32 {
	return float32((g.VisitScale + float64(most)) * g.ValueScale / 2)
}

// mixedValue returns the value that an unvisited action of n is given:
//
//	v_mix = (v̂ + ΣN/Σπ · Σ π·q) / (1 + ΣN)
//
// with v̂ the evaluator's value of the node, and all sums over the visited
// actions (Danihelka et al. 2022, appendix D). Proven losses are left out, as
// if they were not legal.
func (s *Search) mixedValue(n int32) float32 {
	nd := &s.nodes[n]
	from, to := nd.live()
	visits := int32(0)
	var mass, value float32
	for e := from; e < to; e++ {
		visits += s.visits[e]
		mass += s.prior[e]
		value += s.prior[e] * s.q[e]
	}
	return mix(nd.value[nd.turn], float32(visits), mass, value)
}

func mix(raw, visits, mass, value float32) float32 {
	if mass <= 0 {
		return raw
	}
	return (raw + visits/mass*value) / (1 + visits)
}

// chooseImproved returns the edge of n, not the root, with the greatest
//
//	π'(a) − N(a) / (1 + ΣN),   π' = softmax(logits + σ(completed Q))
//
// (Danihelka et al. 2022, equation 14). The unvisited actions share one
// completed Q, so that the sum over them needs no look at each.
func (s *Search) chooseImproved(n int32) int32 {
	nd := &s.nodes[n]
	from, to := nd.live()
	visits, q, prior := s.visits[from:to], s.q[from:to], s.prior[from:to]
	q, prior = q[:len(visits)], prior[:len(visits)]
	most, count := int32(0), int32(0)
	var mass, value float32
	top := float32(-1)
	for i, v := range visits {
		most = max(most, v)
		count += v
		mass += prior[i]
		value += prior[i] * q[i]
		top = max(top, q[i])
	}
	scale := s.config.Gumbel.sigma(most)

	var total, unvisited float32
	if nd.open < nd.edges {
		mixed := mix(nd.value[nd.turn], float32(count), mass, value)
		top = max(top, mixed)
		unvisited = exp(scale * (mixed - top))
		rest := 1 - mass
		for _, p := range s.prior[nd.first:from] {
			rest -= p
		}
		total = max(rest, s.prior[to]) * unvisited
	}
	s.weight = extend(s.weight[:0], len(visits))
	weight := s.weight[:len(visits)]
	for i := range weight {
		weight[i] = prior[i] * exp(scale*(q[i]-top))
		total += weight[i]
	}
	at, best := from, float32(math.Inf(-1))
	share := 1 / float32(1+count)
	for i, w := range weight {
		if score := w/total - float32(visits[i])*share; score > best {
			at, best = from+int32(i), score
		}
	}
	if nd.open < nd.edges && (s.prior[to]*unvisited/total > best || from == to) {
		at = to
	}
	return at
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }
