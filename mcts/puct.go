package mcts

import (
	"math"
	"math/rand/v2"

	"tiro/internal/portable"
)

// puct is the selector of RootPUCT.
type puct struct {
	*tree
	config PUCT
	noise  *rand.Rand // nil if this move has no noise
}

// begin computes the noisy priors of the root, if there is noise.
func (p *puct) begin(_ int, rng *rand.Rand) {
	p.noise, p.rootPrior = rng, p.rootPrior[:0]
	if rng != nil && p.evaluated() {
		p.drawRootPrior()
		p.promote(root)
	}
}

func (p *puct) ready(inFlight int) bool { return p.parallel || inFlight == 0 }

// choose returns the edge of n that maximises
//
//	Q + c(N)·√N·P / (1 + n),   c(N) = c_puct + log((1 + N + base) / base)
//
// where N is the number of visits of the node and n of the action (Silver et al. 2018, "A
// general reinforcement learning algorithm that masters chess, shogi, and Go through
// self-play", supplementary materials). The Q of an unvisited action is the node's Q minus
// reduction·√(prior of the visited actions).
func (p *puct) choose(n int32) int32 {
	nd := &p.nodes[n]
	reduction := p.config.FPUReduction
	if n == root {
		reduction = p.config.RootFPUReduction
		if e := p.forced(); e != none {
			return e
		}
	}
	from, to := nd.live()
	u := p.exploration(nd.visits + nd.flights)
	all := p.priors(n)
	visits, q, prior := p.visits[from:to], p.q[from:to], all[from:to]
	q, prior = q[:len(visits)], prior[:len(visits)]

	at, best, mass := from, float32(math.Inf(-1)), float32(0)
	for i, v := range visits {
		mass += prior[i]
		if score := q[i] + u*prior[i]/float32(1+v); score > best {
			at, best = from+int32(i), score
		}
	}
	if nd.expanded < nd.edges {
		mean := nd.sum[nd.mover] / float64(nd.visits)
		unvisited := float32(mean - float64(reduction*math.Sqrt(float64(mass))))
		if unvisited+float32(u*all[to]) > best || from == to {
			at = to
		}
	}
	return at
}

// exploration returns c(N)·√N.
func (p *puct) exploration(visits int32) float32 {
	n, c := float64(visits), p.config.CPUCT
	if base := p.config.CPUCTBase; base > 0 {
		c += portable.Log(1 + (1+n)/base)
	}
	return float32(c * math.Sqrt(n))
}

// forcing returns k·ΣN. An action of the root that was visited is visited at least
// √(prior·k·ΣN) times (Wu 2019, "Accelerating self-play learning in Go", section 3.2).
// Without noise forcing returns 0.
func (p *puct) forcing() float32 {
	if p.noise == nil {
		return 0
	}
	return float32(p.config.ForcedPlayouts * float64(p.nodes[root].visits-1))
}

// forced returns an edge of the root with fewer visits than forced, or none.
func (p *puct) forced() int32 {
	forcing := p.forcing()
	if forcing == 0 {
		return none
	}
	from, to := p.nodes[root].live()
	prior := p.priors(root)
	for e := from; e < to; e++ {
		if v := float32(p.visits[e]); v*v < forcing*prior[e] {
			return e
		}
	}
	return none
}

// drawRootPrior computes the root's priors with noise: the evaluator's priors, raised to
// 1/temperature and mixed with Dirichlet noise of α = total/legal (Wu 2019, section 3 and
// appendix A; a total of 10.83 corresponds to AlphaGo Zero's α of 0.03 on 361 points).
func (p *puct) drawRootPrior() {
	prior := p.prior[:p.nodes[root].edges]
	p.rootPrior = extend(p.rootPrior[:0], len(prior))
	p.weight = extend(p.weight[:0], len(prior))
	alpha := p.config.DirichletTotalConcentration / float64(len(prior))
	var priors, noises float64
	for i, x := range prior {
		x := portable.Pow(float64(x), 1/p.config.RootPolicyTemperature)
		y := gamma(p.noise, alpha)
		p.rootPrior[i], p.weight[i] = float32(x), float32(y)
		priors += x
		noises += y
	}
	weight := p.config.DirichletWeight
	if noises == 0 {
		noises, weight = 1, 0
	}
	if priors == 0 {
		priors = 1
	}
	for i, y := range p.weight {
		p.rootPrior[i] = float32((1-weight)*float64(p.rootPrior[i])/priors + weight*float64(y)/noises)
	}
}

// gamma draws from the gamma distribution with shape alpha and scale 1 (Marsaglia and Tsang
// 2000, "A simple method for generating gamma variables"; shapes below 1 with the boost of
// their section 6).
func gamma(rng *rand.Rand, alpha float64) float64 {
	boost := 1.0
	if alpha < 1 {
		boost = portable.Exp(-portable.Exponential(rng) / alpha)
		alpha++
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := portable.Normal(rng)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v *= v * v
		if -portable.Exponential(rng) < float64(x*x/2)+d-float64(d*v)+float64(d*portable.Log(v)) {
			return d * v * boost
		}
	}
}

func (p *puct) best() int32 { return p.mostVisited(root) }

// policy writes the visits without those that only noise has forced (policy target pruning,
// Wu 2019, section 3.2). Every action except the best loses up to its forced visits while
// its PUCT score stays below the best action's; an action left with a single visit loses
// that as well. Without noise, policy writes all visits.
func (p *puct) policy(dst []float32, best int32) {
	nd := &p.nodes[root]
	u, forcing, prior := p.exploration(nd.visits), p.forcing(), p.priors(root)
	score := p.q[best] + u*prior[best]/float32(1+p.visits[best])
	clear(dst)
	for e := range nd.expanded {
		n := float32(p.visits[e])
		dst[e] = n
		if e == best || forcing == 0 {
			continue
		}
		keep := n - float32(math.Floor(math.Sqrt(float64(forcing*prior[e]))))
		if gap := score - p.q[e]; gap > 0 {
			keep = max(keep, float32(math.Ceil(float64(u*prior[e]/gap-1))))
		} else {
			keep = n
		}
		if dst[e] = min(n, keep); dst[e] <= 1 {
			dst[e] = 0
		}
	}
}
