package mcts

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"tiro/env"
	"tiro/internal/portable"
)

// gumbel is the selector of RootGumbel. At the root it runs sequential halving (Karnin,
// Koren and Somekh 2013; Danihelka et al. 2022, algorithm 2): in each phase, every
// considered candidate is visited for a number of rounds, and the better half advances to
// the next phase. Below the root gumbel follows the improved policy.
type gumbel struct {
	*tree
	config Gumbel

	candidates  []candidate // [edges of the root]; the first considered ones are under consideration
	considered  int
	phases      int // ⌈log2 of the initial number of considered candidates⌉, at least 1
	simulations int // in this move
}

// progress is the part of sequential halving that each simulation advances. It is stored in
// the tree so that a search can undo a simulation.
type progress struct {
	rounds int // rounds left in this phase, including the current one
	next   int // candidate to visit next
}

// candidate is a legal action of the root.
type candidate struct {
	action env.Action
	score  float32 // g + logit
	total  float32 // score + σ(q) when the candidates were last ranked
	child  int32   // node, or none if not known yet
}

// begin draws the Gumbel noise and ranks the candidates by g + logit.
func (g *gumbel) begin(simulations int, rng *rand.Rand) {
	g.candidates, g.considered, g.simulations = g.candidates[:0], 0, simulations
	if !g.evaluated() {
		return
	}
	nd := &g.nodes[root]
	for e := range nd.edges {
		c := candidate{action: g.action[e], score: logit(g.prior[e]), child: none}
		if rng != nil {
			c.score += float32(portable.Gumbel(rng))
		}
		c.total = c.score
		if e < nd.lost {
			c.total = float32(math.Inf(-1))
		}
		g.candidates = append(g.candidates, c)
	}
	g.sort(len(g.candidates))
	g.considered = min(g.config.considered(simulations), simulations, int(nd.edges-nd.lost))
	if g.considered == 0 {
		return // all actions are proven losses: the root is decided
	}
	g.phases = max(1, bits.Len(uint(g.considered-1)))
	g.startPhase()
}

// logit returns the logarithm of a prior, clipped from below.
func logit(prior float32) float32 {
	return float32(portable.Log(float64(max(prior, 1e-30))))
}

// startPhase allots a phase's share of the simulations to rounds over the candidates.
func (g *gumbel) startPhase() {
	g.progress = progress{rounds: max(1, g.simulations/(g.phases*max(g.considered, 1)))}
}

// sort orders the first n candidates by total, then by action.
func (g *gumbel) sort(n int) {
	slices.SortFunc(g.candidates[:n], func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.action, b.action))
	})
}

// rank orders the first n candidates by g + logit + σ(completed Q).
func (g *gumbel) rank(n int) {
	for i := range g.candidates[:n] {
		_, g.candidates[i].total = g.total(&g.candidates[i])
	}
	g.sort(n)
}

// total returns c's edge and its g + logit + σ(completed Q), or -Inf for a proven loss.
func (g *gumbel) total(c *candidate) (e int32, total float32) {
	e = g.edgeOf(c)
	switch {
	case e < g.nodes[root].lost:
		return e, float32(math.Inf(-1))
	case e < g.nodes[root].expanded:
		return e, c.score + float32(g.sigma()*(g.q[e]-g.loss))
	default:
		return e, c.score + float32(g.sigma()*(g.mixedValue()-g.loss))
	}
}

func (g *gumbel) edgeOf(c *candidate) int32 {
	if c.child != none {
		return g.nodes[c.child].slot
	}
	e := g.edge(c.action)
	if e < g.nodes[root].expanded && g.nodes[g.child[e]].visits > 0 {
		c.child = g.child[e]
	}
	return e
}

// ready selects the next candidate to visit. It returns false if the leaves in flight must
// be applied first.
func (g *gumbel) ready(inFlight int) bool {
	for {
		for ; g.next < g.considered; g.next++ {
			if g.edgeOf(&g.candidates[g.next]) >= g.nodes[root].lost {
				return true
			}
		}
		if inFlight > 0 && (!g.parallel || g.rounds <= 1) {
			return false
		}
		g.rounds--
		g.next = 0
		if inFlight == 0 {
			g.updateFactor()
			g.halve()
		}
	}
}

// halve ranks the candidates after a round and keeps the better half after the last round
// of a phase. Proven losses drop out. If no candidate is left, the two best other actions
// replace them.
func (g *gumbel) halve() {
	g.rank(g.considered)
	for g.considered > 0 && g.edgeOf(&g.candidates[g.considered-1]) < g.nodes[root].lost {
		g.considered--
	}
	switch {
	case g.considered == 0:
		g.rank(len(g.candidates))
		g.considered = min(2, int(g.nodes[root].edges-g.nodes[root].lost))
		g.startPhase()
	case g.rounds == 0:
		g.considered = min(g.considered, max(2, g.considered/2))
		g.startPhase()
	}
}

// choose returns the edge of the next candidate if n is the root, and otherwise the edge
// selected by the improved policy.
func (g *gumbel) choose(n int32) int32 {
	if n == root {
		g.next++
		return g.edgeOf(&g.candidates[g.next-1])
	}
	return g.follow(n)
}

// follow returns the edge of n that maximises
//
//	π'(a) − N(a) / (1 + ΣN),   π' = softmax(logits + σ(completed Q))
//
// (Danihelka et al. 2022, equation 14). All unvisited actions have the same completed Q, so
// the softmax need not consider them one by one.
func (g *gumbel) follow(n int32) int32 {
	nd := &g.nodes[n]
	from, to := nd.live()
	visits, q, prior := g.visits[from:to], g.q[from:to], g.prior[from:to]
	q, prior = q[:len(visits)], prior[:len(visits)]
	most, count := int32(0), int32(0)
	var mass, value float32
	top := float32(-1)
	for i, v := range visits {
		most = max(most, v)
		count += v
		mass += prior[i]
		value += float32(prior[i] * q[i])
		top = max(top, q[i])
	}
	scale := g.scale(most)

	var total, unvisited float32
	if nd.expanded < nd.edges {
		mixed := mix(nd.value[nd.mover], float32(count), mass, value)
		top = max(top, mixed)
		unvisited = exp(scale * (mixed - top))
		rest := 1 - mass
		for _, p := range g.prior[nd.first:from] {
			rest -= p
		}
		total = max(rest, g.prior[to]) * unvisited
	}
	g.weight = extend(g.weight[:0], len(visits))
	weight := g.weight[:len(visits)]
	for i := range weight {
		weight[i] = float32(prior[i] * exp(scale*(q[i]-top)))
		total += weight[i]
	}
	at, best := from, float32(math.Inf(-1))
	perVisit := 1 / float32(1+count)
	for i, w := range weight {
		if score := w/total - float32(float32(visits[i])*perVisit); score > best {
			at, best = from+int32(i), score
		}
	}
	if nd.expanded < nd.edges && (g.prior[to]*unvisited/total > best || from == to) {
		at = to
	}
	return at
}

// best returns the visited edge with the greatest g + logit + σ(q) among the candidates
// considered last. If there is none, it returns the most visited edge.
func (g *gumbel) best() int32 {
	best, top := none, float32(math.Inf(-1))
	for i := range g.candidates[:g.considered] {
		e, total := g.total(&g.candidates[i])
		if e < g.nodes[root].expanded && g.eligible(root, e) && (best == none || total > top) {
			best, top = e, total
		}
	}
	if best == none {
		return g.mostVisited(root)
	}
	return best
}

// policy writes exp(logits + σ(completed Q)) up to a constant factor.
func (g *gumbel) policy(dst []float32, _ int32) {
	nd := &g.nodes[root]
	scale, mixed := g.sigma(), g.mixedValue()
	top := float32(math.Inf(-1))
	for e := range dst {
		q := mixed
		if int32(e) < nd.expanded {
			q = g.q[e]
		}
		dst[e] = logit(g.prior[e]) + float32(scale*q)
		if g.eligible(root, int32(e)) {
			top = max(top, dst[e])
		}
	}
	for e := range dst {
		dst[e] = exp(dst[e] - top)
	}
}

// sigma returns the factor of q - loss in σ(q) = (c_visit + max N)·c_scale·q at the root
// (Danihelka et al. 2022, equation 8). The paper's q is in [0, 1], ours in [loss, 1].
func (g *gumbel) sigma() float32 {
	most := int32(0)
	for _, v := range g.visits[:g.nodes[root].expanded] {
		most = max(most, v)
	}
	return g.scale(most)
}

// scale returns that factor for a maximum of most visits per action. With a ValueSpread, it
// is larger in trees with a smaller spread of values.
func (g *gumbel) scale(most int32) float32 {
	scale := float64((g.config.VisitScale + float64(most)) * g.config.ValueScale)
	return float32(scale*g.factor) / (1 - g.loss)
}

// mixedValue returns the completed Q of the unvisited actions of the root,
//
//	v_mix = (v̂ + ΣN/Σπ · Σ π·q) / (1 + ΣN)
//
// where v̂ is the evaluator's value of the node and all sums are over the visited actions
// (Danihelka et al. 2022, appendix D). Proven losses are excluded, as if they were illegal.
func (t *tree) mixedValue() float32 {
	nd := &t.nodes[root]
	from, to := nd.live()
	visits := int32(0)
	var mass, value float32
	for e := from; e < to; e++ {
		visits += t.visits[e]
		mass += t.prior[e]
		value += float32(t.prior[e] * t.q[e])
	}
	return mix(nd.value[nd.mover], float32(visits), mass, value)
}

func mix(raw, visits, mass, value float32) float32 {
	if mass <= 0 {
		return raw
	}
	return (raw + float32(visits/mass*value)) / (1 + visits)
}

func exp(x float32) float32 { return float32(portable.Exp(float64(x))) }
