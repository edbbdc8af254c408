package mcts

import (
	"math"
	"math/rand/v2"
)

// choosePUCT returns the edge of n with the greatest
//
//	Q + c(N)·√N·P / (1 + n),   c(N) = c_puct + log((1 + N + base) / base)
//
// where N counts the visits of the node and n those of the action (Silver et
// al. 2018, "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play", supplementary materials). An unvisited
// action has the Q of the node less reduction·√(prior of the visited ones).
func (s *Search) choosePUCT(n int32) int32 {
	nd := &s.nodes[n]
	reduction := s.config.PUCT.FPUReduction
	if n == root {
		reduction = s.config.PUCT.RootFPUReduction
		if e := s.forced(); e != none {
			return e
		}
	}
	from, to := nd.live()
	u := s.exploration(nd.visits + nd.flight)
	all := s.priors(n)
	visits, q, prior := s.visits[from:to], s.q[from:to], all[from:to]
	q, prior = q[:len(visits)], prior[:len(visits)]

	at, best, mass := from, float32(math.Inf(-1)), float32(0)
	for i, v := range visits {
		mass += prior[i]
		if score := q[i] + u*prior[i]/float32(1+v); score > best {
			at, best = from+int32(i), score
		}
	}
	if nd.open < nd.edges {
		mean := nd.sum[nd.turn] / float64(nd.visits)
		unvisited := float32(mean - reduction*math.Sqrt(float64(mass)))
		if unvisited+u*all[to] > best || from == to {
			at = to
		}
	}
	return at
}

// live returns the edges with children that are not proven losses, or all of
// them where nothing else is left.
func (nd *node) live() (from, to int32) {
	if nd.lost == nd.edges {
		return nd.first, nd.first + nd.open
	}
	return nd.first + nd.lost, nd.first + nd.open
}

// exploration returns c(N)·√N.
func (s *Search) exploration(visits int32) float32 {
	n, c := float64(visits), s.config.PUCT.CPUCT
	if base := s.config.PUCT.CPUCTBase; base > 0 {
		c += math.Log1p((1 + n) / base)
	}
	return float32(c * math.Sqrt(n))
}

// forcing returns k·ΣN: an action of the root has at least √(prior·k·ΣN) visits
// once it has one (Wu 2019, "Accelerating self-play learning in Go", section
// 3.2). Without noise it is 0.
func (s *Search) forcing() float32 {
	if !s.noise {
		return 0
	}
	return float32(s.config.PUCT.ForcedPlayouts * float64(s.nodes[root].visits-1))
}

// forced returns an edge of the root that is short of its forced visits, or
// none.
func (s *Search) forced() int32 {
	forcing := s.forcing()
	if forcing == 0 {
		return none
	}
	from, to := s.nodes[root].live()
	prior := s.priors(root)
	for e := from; e < to; e++ {
		if v := float32(s.visits[e]); v*v < forcing*prior[e] {
			return e
		}
	}
	return none
}

// drawRootPrior sets the priors of a root under noise: the evaluator's, raised
// to 1/temperature and mixed with Dirichlet noise of α = total/legal (Wu 2019,
// section 3 and appendix A; 10.83 makes the 0.03 of AlphaGo Zero on 361
// points).
func (s *Search) drawRootPrior() {
	c := &s.config.PUCT
	prior := s.prior[:s.nodes[root].edges]
	s.rootPrior = extend(s.rootPrior[:0], len(prior))
	s.weight = extend(s.weight[:0], len(prior))
	var priors, noises float64
	for i, p := range prior {
		x := math.Pow(float64(p), 1/c.RootPolicyTemperature)
		y := gamma(s.rng, c.DirichletTotalConcentration/float64(len(prior)))
		s.rootPrior[i], s.weight[i] = float32(x), float32(y)
		priors += x
		noises += y
	}
	share := c.DirichletWeight
	if noises == 0 {
		noises, share = 1, 0
	}
	if priors == 0 {
		priors = 1
	}
	for i, y := range s.weight {
		s.rootPrior[i] = float32((1-share)*float64(s.rootPrior[i])/priors + share*float64(y)/noises)
	}
}

// gamma draws from the gamma distribution of shape alpha and scale 1 (Marsaglia
// and Tsang 2000, "A simple method for generating gamma variables"; below 1 by
// the boost of their section 6).
func gamma(rng *rand.Rand, alpha float64) float64 {
	boost := 1.0
	if alpha < 1 {
		boost = math.Pow(1-rng.Float64(), 1/alpha)
		alpha++
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v * boost
		}
	}
}

// prunedVisits writes to dst, by edge of the root, the visits that remain once
// those that noise alone has forced are taken away (Wu 2019, section 3.2):
// every action but the most visited one loses up to its forced visits, as long
// as its PUCT stays below that action's; what is left with a single visit
// goes. Without noise these are the visits.
func (s *Search) prunedVisits(dst []float32, best int32) {
	nd := &s.nodes[root]
	u, forcing, prior := s.exploration(nd.visits), s.forcing(), s.priors(root)
	puct := s.q[best] + u*prior[best]/float32(1+s.visits[best])
	clear(dst)
	for e := range nd.open {
		n := float32(s.visits[e])
		dst[e] = n
		if e == best || forcing == 0 {
			continue
		}
		keep := n - float32(math.Floor(math.Sqrt(float64(forcing*prior[e]))))
		if gap := puct - s.q[e]; gap > 0 {
			keep = max(keep, float32(math.Ceil(float64(u*prior[e]/gap-1))))
		} else {
			keep = n
		}
		if dst[e] = min(n, keep); dst[e] <= 1 {
			dst[e] = 0
		}
	}
}
