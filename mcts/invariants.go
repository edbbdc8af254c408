//go:build invariants

package mcts

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tiro/env"
)

// invariants is set if searches check themselves, which allocates memory.
const invariants = true

// intact returns an error unless the search satisfies the invariants documented at node and
// tree. No leaf may be in flight. It costs about as much as the search.
func (s *Search) intact() error {
	edges := int32(0)
	states := make([]env.State, len(s.nodes))
	for n := range s.nodes {
		nd := &s.nodes[n]
		if nd.first != edges || nd.lost > nd.expanded || nd.expanded > nd.edges || (n == 0) != (nd.parent == none) {
			return fmt.Errorf("node %d: %+v, but its first edge should be %d", n, *nd, edges)
		}
		edges += nd.edges
		if n == 0 {
			states[n] = s.state
		} else {
			states[n] = env.After(s.game, states[nd.parent], s.action[s.nodes[nd.parent].first+nd.slot])
		}
		if err := s.intactNode(int32(n), states[n]); err != nil {
			return fmt.Errorf("node %d, %s: %w", n, states[n], err)
		}
	}
	if int(edges) != len(s.action) {
		return fmt.Errorf("%d edges, not %d", len(s.action), edges)
	}
	return nil
}

// intactNode checks node n, which represents the position state.
func (s *Search) intactNode(n int32, state env.State) error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	nd := &s.nodes[n]
	legal := slices.Sorted(slices.Values(s.action[nd.first : nd.first+nd.edges]))
	repeats := s.repeats(nd.parent, state) > 0
	check(repeats && legal == nil || !repeats && slices.Equal(legal, state.Legal(nil)) || n == root && s.only != nil, "actions %v, not %v", legal, state.Legal(nil))
	check(nd.edges == 0 || nd.mover == state.Turn(), "mover %d, not %d", nd.mover, state.Turn())
	check(nd.flights == 0, "%d flights", nd.flights)
	check(nd.visits > 0 || n == root || nd.proven, "no visits")
	visits, proofs, sum := int32(1), int32(0), [env.MaxPlayers]float64{}
	for i := range s.players {
		sum[i] = float64(nd.value[i])
	}
	for i := range nd.expanded {
		e := nd.first + i
		c := &s.nodes[s.child[e]]
		check(c.parent == n && c.slot == i && s.child[e] > n, "edge %d leads to %d, which is edge %d of %d", i, s.child[e], c.slot, c.parent)
		visits += c.visits
		q := float32(c.sum[nd.mover] / float64(max(c.visits, 1)))
		if c.proven {
			proofs++
			q = c.value[nd.mover]
		}
		check(s.visits[e] == c.visits && s.q[e] == q, "edge %d has N %d and Q %v, not %d and %v", i, s.visits[e], s.q[e], c.visits, q)
		lost := c.proven && c.value[nd.mover] <= s.loss
		check(lost == (i < nd.lost), "edge %d: a proven loss is %v; the first %d edges are", i, lost, nd.lost)
		for j := range s.players {
			sum[j] += c.sum[j]
		}
	}
	check(proofs == nd.proofs, "proofs %d, not %d", nd.proofs, proofs)
	if nd.expanded > 0 && nd.expanded < nd.edges && !s.winsAtOnce(n) && !(n == root && s.config.Root == RootGumbel) {
		unvisited := s.priors(n)[nd.first+nd.expanded : nd.first+nd.edges]
		check(unvisited[0] >= slices.Max(unvisited), "priors of unvisited edges %v, of which the greatest is not the first", unvisited)
	}
	if nd.known() {
		check(nd.visits >= visits-1, "visits %d, less than %d", nd.visits, visits-1)
	} else if nd.visits > 0 {
		check(nd.visits == visits, "visits %d, not %d", nd.visits, visits)
		for i := range s.players {
			check(!(math.Abs(sum[i]-nd.sum[i]) > 1e-6), "sum of seat %d is %v, not %v", i, nd.sum[i], sum[i])
		}
	}
	return errors.Join(errs...)
}
