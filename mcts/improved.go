package mcts

import "math/rand/v2"

// improved is the selector of RootImproved: the root is searched like every other
// node, by the improved policy, so that the search may end at any time.
type improved struct{ gumbel }

func (m *improved) begin(int, *rand.Rand)   {}
func (m *improved) ready(inFlight int) bool { return m.parallel || inFlight == 0 }
func (m *improved) choose(n int32) int32    { return m.follow(n) }

// best returns the visited action that is likeliest by the improved policy.
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
