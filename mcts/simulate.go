package mcts

import (
	"fmt"
	"math"

	"tiro/env"
)

// gatherAtOnce bounds the simulations between two looks at a context, in trees where
// all of them end in known values.
const gatherAtOnce = 4096

// flight is a simulation on its way.
type flight struct {
	node     int32    // where it ended
	expanded bool     // it made the node
	leaf     *Leaf    // to be evaluated; nil: the node's value is known
	reply    int32    // edge of the node's reply, whose child is the next node; none: no such action
	before   progress // before the simulation
}

// Gather appends to dst up to most leaves (at least 1) to be evaluated, and
// returns the extended slice. It appends none if the search is Done, and after
// gatherAtOnce simulations that all ended in known values. Leaves that it gave
// before and that were not applied are cancelled.
//
// How many it gives:
//   - a new root: 1, the root itself;
//   - Config.ParallelLeaves > 1: up to so many, by virtual loss;
//   - a Gumbel root: up to one for each action still considered. Their
//     simulations run in different subtrees and do not see each other, so that
//     the search is to the bit what it would be leaf by leaf;
//   - a PUCT root: 1.
func (s *Search) Gather(dst []*Leaf, most int) []*Leaf {
	return s.gather(dst, most, math.MaxInt)
}

// gather is Gather with at most so many simulations started.
func (s *Search) gather(dst []*Leaf, most, simulations int) []*Leaf {
	s.Cancel()
	if nd := &s.nodes[root]; nd.visits == 0 && nd.edges > 0 {
		leaf := s.borrow()
		leaf.State.CopyFrom(s.state)
		s.pending++
		s.launch(flight{node: root, leaf: leaf, reply: s.findReply(root, s.state)})
	} else {
		if s.parallel {
			most = min(most, s.config.ParallelLeaves)
		}
		for n := 0; n < simulations && len(s.flights) < max(most, 1); n++ {
			if n >= gatherAtOnce && len(s.flights) == 0 { // known values only: let the caller look around
				break
			}
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
			s.launch(flight{node: n, before: before, reply: none})
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
			c, reply, leaf := s.expand(n, e)
			s.launch(flight{node: c, expanded: true, leaf: leaf, reply: reply, before: before})
			return true
		}
		n = s.child[e]
	}
}

// expand makes the child behind e, the last edge of the path and the first or
// (at a Gumbel root) any of n's unvisited ones. It returns the leaf to be
// evaluated, or nil if the game is over there.
func (s *Search) expand(n, e int32) (c, reply int32, leaf *Leaf) {
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
		return c, none, nil
	}
	if reply = s.findReply(c, leaf.State); reply != none && s.nodes[c+1].value[s.nodes[c].mover] == 1 {
		s.takeReply(c, reply)
		nd = &s.nodes[c]
		nd.value, nd.proven, nd.proofs, nd.length = s.nodes[c+1].value, true, 1, 1
		return c, none, nil
	}
	s.pending++
	return c, reply, leaf
}

// findReply looks among the actions of c, whose position is state, for the one
// that ends the game and then pays the mover most, unless that is a loss. If there
// is one, it appends its node and returns its edge. It plays only the actions that
// may end the game, if the game can tell (env.Finisher).
func (s *Search) findReply(c int32, state env.State) (reply int32) {
	nd := &s.nodes[c]
	tried := s.action[nd.first : nd.first+nd.edges]
	if f, ok := state.(env.Finisher); ok {
		s.finishing = f.Finishing(s.finishing[:0], tried)
		tried = s.finishing
	}
	reply, most, value := none, s.loss, env.Value{}
	e := nd.first // tried is a subsequence of the actions of c
	for _, a := range tried {
		for s.action[e] != a {
			e++
		}
		s.after.CopyFrom(state)
		s.after.Play(a)
		if v, over := s.after.Result(); over && v[nd.mover] > most {
			if reply, most, value = e, v[nd.mover], v; most == 1 {
				break
			}
		}
	}
	if reply != none {
		s.nodes = append(s.nodes, node{parent: c, slot: reply - nd.first, first: int32(len(s.action)), value: value, proven: true})
	}
	return reply
}

// takeReply makes the node after c, which nobody has visited yet, the child behind c's edge reply.
func (s *Search) takeReply(c, reply int32) {
	nd := &s.nodes[c]
	e := nd.first
	s.action[e], s.action[reply] = s.action[reply], s.action[e]
	s.prior[e], s.prior[reply] = s.prior[reply], s.prior[e]
	s.visits[e], s.child[e] = 0, c+1
	nd.expanded = 1
	s.nodes[c+1].slot = 0
	s.refresh(c + 1)
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
		s.complete(f)
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
			s.arrive(*f)
			s.selector.begin(s.simulations, s.rng)
			continue
		}
		s.complete(*f)
	}
	s.flights, s.pending = s.flights[:0], 0
}

// complete ends a simulation at a node whose value is known.
func (s *Search) complete(f flight) {
	s.completed++
	s.arrive(f)
}

// arrive backs up the value of the node where f ended, which counts at least as
// much for the mover as that of its reply, and what is proven by it.
func (s *Search) arrive(f flight) {
	n := f.node
	if f.reply != none {
		s.takeReply(n, f.reply)
		s.promote(n)
		if mover := s.nodes[n].mover; s.nodes[n+1].value[mover] > s.nodes[n].value[mover] {
			s.nodes[n].value = s.nodes[n+1].value
		}
	}
	if !s.nodes[n].proven {
		s.noteValue(s.nodes[n].value)
	}
	s.backup(n)
	if f.expanded && s.nodes[n].proven {
		s.prove(n)
	}
	if f.reply != none {
		s.prove(n + 1)
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
		} else if f.reply != none {
			s.truncate(f.node+1, s.nodes[f.node+1].first)
		}
		if f.leaf != nil {
			s.pending--
		}
		s.progress = f.before
	}
	s.flights = s.flights[:i]
}
