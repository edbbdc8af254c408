//go:build invariants

package mcts

import (
	"fmt"
	"math"
	"slices"

	"tiro/env"
)

// invariants tells tests that the search checks itself, which allocates.
const invariants = true

// intact returns an error if the search, with nothing in flight, is not what the
// comments of node and tree promise. It costs about as much as the search.
func (s *Search) intact() error {
	edges := int32(0)
	states := make([]env.State, len(s.nodes))
	for n := range s.nodes {
		nd := &s.nodes[n]
		switch {
		case nd.first != edges:
			return fmt.Errorf("node %d: first edge %d; want %d", n, nd.first, edges)
		case nd.lost > nd.expanded || nd.expanded > nd.edges:
			return fmt.Errorf("node %d: edges lost %d, expanded %d, all %d", n, nd.lost, nd.expanded, nd.edges)
		case nd.flights != 0:
			return fmt.Errorf("node %d: %d flights", n, nd.flights)
		case (n == 0) != (nd.parent == none):
			return fmt.Errorf("node %d: parent %d", n, nd.parent)
		}
		edges += nd.edges
		states[n] = s.game.New()
		states[n].CopyFrom(s.state)
		if n > 0 {
			states[n].CopyFrom(states[nd.parent])
			states[n].Play(s.action[s.nodes[nd.parent].first+nd.slot])
			if nd.visits == 0 {
				return fmt.Errorf("node %d: no visits", n)
			}
		}
		if err := s.intactNode(int32(n), states[n]); err != nil {
			return fmt.Errorf("node %d, %s: %w", n, states[n], err)
		}
	}
	if int(edges) != len(s.action) {
		return fmt.Errorf("%d edges; want %d", len(s.action), edges)
	}
	return nil
}

// intactNode checks node n, which stands for the position state.
func (s *Search) intactNode(n int32, state env.State) error {
	nd := &s.nodes[n]
	legal := slices.Clone(s.action[nd.first : nd.first+nd.edges])
	slices.Sort(legal)
	if want := state.Legal(nil); !slices.Equal(legal, want) {
		return fmt.Errorf("actions %v; want %v", legal, want)
	}
	if nd.edges > 0 && nd.mover != state.Turn() {
		return fmt.Errorf("mover %d; want %d", nd.mover, state.Turn())
	}
	visits, proofs, sum := int32(1), int32(0), [env.MaxPlayers]float64{}
	for i := range s.players {
		sum[i] = float64(nd.value[i])
	}
	for i := range nd.expanded {
		e := nd.first + i
		c := &s.nodes[s.child[e]]
		if c.parent != n || c.slot != i || s.child[e] <= n {
			return fmt.Errorf("edge %d leads to %d, which says it is edge %d of %d", i, s.child[e], c.slot, c.parent)
		}
		visits += c.visits
		want := float32(c.sum[nd.mover] / float64(c.visits))
		if c.proven {
			proofs++
			want = c.value[nd.mover]
		}
		if s.visits[e] != c.visits || s.q[e] != want {
			return fmt.Errorf("edge %d says N %d Q %v; want %d, %v", i, s.visits[e], s.q[e], c.visits, want)
		}
		if lost := c.proven && c.value[nd.mover] <= s.loss; lost != (i < nd.lost) {
			return fmt.Errorf("edge %d: a proven loss is %v; the first %d edges are", i, lost, nd.lost)
		}
		for j := range s.players {
			sum[j] += c.sum[j]
		}
	}
	if proofs != nd.proofs {
		return fmt.Errorf("proofs %d; want %d", nd.proofs, proofs)
	}
	for e := nd.first + nd.expanded + 1; e < nd.first+nd.edges; e++ {
		if nd.expanded == 0 || n == root && s.config.Root == RootGumbel {
			break
		}
		if prior := s.priors(n); prior[e] > prior[nd.first+nd.expanded] && nd.visits > 0 {
			return fmt.Errorf("prior %v of unvisited edge %d is greater than that of the first, %v", prior[e], e, prior[nd.first+nd.expanded])
		}
	}
	if nd.proven {
		if nd.visits < visits-1 {
			return fmt.Errorf("visits %d; want %d or more", nd.visits, visits-1)
		}
		return nil
	}
	if nd.visits > 0 && nd.visits != visits {
		return fmt.Errorf("visits %d; want %d", nd.visits, visits)
	}
	for i := range s.players {
		if nd.visits > 0 && math.Abs(sum[i]-nd.sum[i]) > 1e-6 {
			return fmt.Errorf("sum of seat %d is %v; want %v", i, nd.sum[i], sum[i])
		}
	}
	return nil
}
