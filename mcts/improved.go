package mcts

import (
	"math"
	"math/rand/v2"
)

// improved is the selector of RootImproved. It follows the improved policy at all nodes
// including the root, so the search may stop at any time.
type improved struct{ gumbel }

func (m *improved) begin(int, *rand.Rand) {}

func (m *improved) ready(inFlight int) bool {
	if inFlight == 0 {
		m.updateFactor()
	}
	return m.parallel || inFlight == 0
}

// choose follows the improved policy, but avoids actions of the root with a known value. Another
// simulation through one would yield no information, so the best of the others is chosen
// instead, if there is one.
func (m *improved) choose(n int32) int32 {
	e := m.follow(n)
	if n == root && e < m.nodes[root].expanded && m.nodes[m.child[e]].known() {
		if other := m.bestUnknown(); other != none {
			return other
		}
	}
	return e
}

// bestUnknown returns the edge of the root with the greatest π'(a) − N(a)/(1 + ΣN) among those
// whose value is not known, or none.
func (m *improved) bestUnknown() int32 {
	nd := &m.nodes[root]
	m.weight = extend(m.weight[:0], int(nd.edges))
	m.policy(m.weight, none)
	var total float32
	count := int32(0)
	for e := nd.lost; e < nd.edges; e++ {
		total += m.weight[e]
		if e < nd.expanded {
			count += m.visits[e]
		}
	}
	best, most := none, float32(math.Inf(-1))
	for e := nd.lost; e < nd.edges; e++ {
		score := m.weight[e] / total
		if e < nd.expanded {
			if m.nodes[m.child[e]].known() {
				continue
			}
			score -= float32(m.visits[e]) / float32(1+count)
		}
		if score > most {
			best, most = e, score
		}
	}
	return best
}

// best returns the visited edge with the highest probability in the improved policy.
func (m *improved) best() int32 {
	nd := &m.nodes[root]
	m.weight = extend(m.weight[:0], int(nd.edges))
	m.policy(m.weight, none)
	best := none
	for e := range nd.expanded {
		if m.eligible(root, e) && (best == none || m.weight[e] > m.weight[best]) {
			best = e
		}
	}
	if best == none {
		return m.mostVisited(root)
	}
	return best
}
