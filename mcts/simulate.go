package mcts

import (
	"fmt"
	"math"
)

// gatherAtOnce bounds the simulations that Run starts without looking at its
// context, in trees where all of them end in known values.
const gatherAtOnce = 4096

// flight is a simulation on its way.
type flight struct {
	node     int32    // where it ended
	expanded bool     // it made the node
	leaf     *Leaf    // to be evaluated; nil: the node's value is known
	before   progress // before the simulation
}

// Gather appends to dst up to max leaves (at least 1) to be evaluated, and
// returns the extended slice. It appends none if and only if the search is
// Done. Leaves that it gave before and that were not applied are cancelled.
//
// How many it gives:
//   - a new root: 1, the root itself;
//   - Config.ParallelLeaves > 1: up to so many, by virtual loss;
//   - a Gumbel root: up to one for each action still considered. Their
//     simulations run in different subtrees and do not see each other, so that
//     the search is to the bit what it would be leaf by leaf;
//   - a PUCT root: 1.
func (s *Search) Gather(dst []*Leaf, max int) []*Leaf {
	return s.gather(dst, max, math.MaxInt)
}

// gather is Gather with at most so many simulations started.
func (s *Search) gather(dst []*Leaf, most, simulations int) []*Leaf {
	s.Cancel()
	if nd := &s.nodes[root]; nd.visits == 0 && nd.edges > 0 {
		leaf := s.borrow()
		leaf.State.CopyFrom(s.state)
		s.pending++
		s.launch(flight{node: root, leaf: leaf})
	} else {
		if s.parallel {
			most = min(most, s.config.ParallelLeaves)
		}
		for ; simulations > 0 && len(s.flights) < max(most, 1); simulations-- {
			if s.completed+len(s.flights) >= s.simulations || s.full(s.maxNodes) || s.decided() || !s.simulate() {
				break
			}
		}
	}
	for i := range s.flights {
		f := &s.flights[i]
		if f.leaf == nil {
			continue
		}
		nd := &s.nodes[f.node]
		from, to := nd.first, nd.first+nd.edges
		f.leaf.Legal = s.action[from:to:to]
		f.leaf.Prior = s.prior[from:to:to] // the evaluator writes into the tree
		dst = append(dst, f.leaf)
	}
	return dst
}

// simulate walks from the root to an action never tried, or to a known value,
// and puts that in flight. It reports whether it could: the selector may have to
// wait for leaves in flight, and the walk may meet one of them.
func (s *Search) simulate() bool {
	if !s.selector.ready(len(s.flights)) {
		return false
	}
	before := s.progress
	s.path = s.path[:0]
	for n := root; ; {
		nd := &s.nodes[n]
		if nd.proven {
			s.launch(flight{node: n, before: before})
			return true
		}
		if nd.visits == 0 {
			s.progress = before
			return false
		}
		if nd.expanded == 0 {
			s.promote(n) // not earlier, because most leaves are never walked through
		}
		e := s.selector.choose(n)
		s.path = append(s.path, e)
		if e >= nd.first+nd.expanded {
			c, leaf := s.expand(n, e)
			s.launch(flight{node: c, expanded: true, leaf: leaf, before: before})
			return true
		}
		n = s.child[e]
	}
}

// expand makes the child behind e, the last edge of the path and the first or
// (at a Gumbel root) any of n's unvisited ones. It returns the leaf to be
// evaluated, or nil if the game is over there.
func (s *Search) expand(n, e int32) (c int32, leaf *Leaf) {
	leaf = s.borrow()
	leaf.State.CopyFrom(s.state)
	for _, p := range s.path {
		leaf.State.Play(s.action[p])
	}
	nd := &s.nodes[n]
	slot := nd.expanded
	next := nd.first + slot
	s.action[e], s.action[next] = s.action[next], s.action[e]
	s.prior[e], s.prior[next] = s.prior[next], s.prior[e]
	s.visits[next], s.q[next] = 0, 0
	s.child[next] = int32(len(s.nodes))
	nd.expanded++
	s.promote(n)
	c = s.add(n, slot, leaf.State)
	if s.nodes[c].proven {
		return c, nil
	}
	s.pending++
	return c, leaf
}

// borrow returns a leaf of the pool that is not in flight.
func (s *Search) borrow() *Leaf {
	if s.pending == len(s.pool) {
		s.pool = append(s.pool, &Leaf{State: s.game.New()})
	}
	return s.pool[s.pending]
}

// launch puts f in flight. A known value with nothing in flight before it is
// backed up at once.
func (s *Search) launch(f flight) {
	if f.leaf == nil && len(s.flights) == 0 {
		s.complete(f.node)
		return
	}
	s.flights = append(s.flights, f)
	s.countFlight(f.node, 1)
}

// Apply takes the answers to the leaves of the last Gather, all of them and in
// the same order, and backs them up. If one of them decides the root, the later
// ones are cancelled, because a search leaf by leaf would not have gathered
// them.
func (s *Search) Apply(leaves []*Leaf) {
	if len(leaves) != s.pending {
		panic(fmt.Sprintf("mcts: Apply of %d leaves; Gather gave %d", len(leaves), s.pending))
	}
	for i := range s.flights {
		f := &s.flights[i]
		if i > 0 && s.decided() {
			s.cancelFrom(i)
			break
		}
		s.countFlight(f.node, -1)
		if f.leaf != nil {
			s.nodes[f.node].value = f.leaf.Value
		}
		if f.node == root {
			s.backup(root)
			s.selector.begin(s.simulations, s.rng)
			continue
		}
		s.complete(f.node)
	}
	s.flights, s.pending = s.flights[:0], 0
}

// complete ends a simulation at n, whose value is known.
func (s *Search) complete(n int32) {
	s.completed++
	isNew := s.nodes[n].visits == 0 && s.nodes[n].proven
	s.backup(n)
	if isNew {
		s.prove(n)
	}
}

// Cancel takes back the leaves of the last Gather if they were not applied: the
// search is as it was before, except for simulations that had ended without a
// leaf. The next Gather begins with the same leaves.
func (s *Search) Cancel() { s.cancelFrom(0) }

// cancelFrom takes back flight i and those after it.
func (s *Search) cancelFrom(i int) {
	for j := len(s.flights) - 1; j >= i; j-- {
		f := s.flights[j]
		s.countFlight(f.node, -1)
		if f.expanded {
			nd := s.nodes[f.node]
			s.nodes[nd.parent].expanded--
			s.truncate(f.node, nd.first)
		}
		if f.leaf != nil {
			s.pending--
		}
		s.progress = f.before
	}
	s.flights = s.flights[:i]
}
