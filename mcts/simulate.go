package mcts

import (
	"fmt"

	"tiro/env"
)

// knownAtOnce is the number of simulations in a row that may end at known values before the
// caller can look at its clock. It does not affect results.
const knownAtOnce = 256

// flight is a simulation in flight.
type flight struct {
	node     int32    // the node where it ended
	expanded bool     // whether it created the node
	leaf     *Leaf    // to be evaluated; nil if the node's value is known
	reply    int32    // edge of the node's reply, whose child is the next node; none if there is no reply
	before   progress // progress before the simulation
}

// Gather appends up to most leaves (at least 1) to dst for evaluation and returns the
// extended slice. It appends none if the search is Done, or if knownAtOnce simulations in
// a row have ended at known values. Leaves of an earlier Gather that were not applied are
// cancelled.
//
// The number of leaves depends on the root:
//   - a new root: 1, the root itself;
//   - Config.ParallelLeaves > 1: up to that number, with virtual loss;
//   - a Gumbel root: up to one for each action still considered. Their simulations run in
//     different subtrees and do not affect each other, so the result is exactly the same as
//     with one leaf at a time;
//   - a PUCT or improved root: 1.
func (s *Search) Gather(dst []*Leaf, most int) []*Leaf {
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
		for n := 0; len(s.flights) < max(most, 1); n++ {
			if n >= knownAtOnce && len(s.flights) == 0 { // known values only: return to the caller
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

// simulate descends from the root to an untried action or a known value, and puts the
// simulation in flight. It returns false if the selector must wait for leaves in flight or
// if the descent reached one of them.
func (s *Search) simulate() bool {
	if !s.selector.ready(len(s.flights)) {
		return false
	}
	before := s.progress
	s.path = s.path[:0]
	for n := root; ; {
		nd := &s.nodes[n]
		if nd.known() {
			s.launch(flight{node: n, before: before, reply: none})
			return true
		}
		if nd.visits == 0 {
			s.progress = before
			return false
		}
		if nd.expanded == 0 {
			s.promote(n) // not earlier, since most leaves are never visited again
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

// expand creates the child of edge e, the last edge of the path. The edge is the first
// unvisited edge of n or, at a Gumbel root, any of them. It returns the leaf to evaluate,
// or nil if the value is known: the game is over or has a winning reply.
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
	if s.nodes[c].known() {
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

// findReply finds the best action of c, whose position is state, that ends the game without
// a loss for the mover. If there is one, findReply appends its node and returns its edge.
// If the game is an env.Finisher, which must be given all legal actions, only the actions
// that may end the game are tried.
func (s *Search) findReply(c int32, state env.State) (reply int32) {
	nd := &s.nodes[c]
	tried := s.action[nd.first : nd.first+nd.edges]
	if f, ok := state.(env.Finisher); ok && (c != root || s.only == nil) {
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

// takeReply makes the node after c, which has no visits yet, the child of c's edge reply.
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

// borrow returns a leaf from the pool that is not in flight.
func (s *Search) borrow() *Leaf {
	if s.pending == len(s.pool) {
		s.pool = append(s.pool, &Leaf{State: s.game.New()})
	}
	return s.pool[s.pending]
}

// launch puts f in flight. If f's value is known and nothing is in flight, it is backed up
// at once.
func (s *Search) launch(f flight) {
	if f.leaf == nil && len(s.flights) == 0 {
		s.complete(f)
		return
	}
	s.flights = append(s.flights, f)
	s.countFlight(f.node, 1)
}

// Apply backs up the evaluations of the leaves of the last Gather, which must be all of
// them in the same order. If one of them decides the root, the remaining ones are
// cancelled, because a search with one leaf at a time would not have gathered them.
func (s *Search) Apply(leaves []*Leaf) {
	if len(leaves) != s.pending {
		panic(fmt.Sprintf("mcts: Apply of %d leaves, but Gather returned %d", len(leaves), s.pending))
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

// complete finishes a simulation at a node with a known value.
func (s *Search) complete(f flight) {
	s.completed++
	s.arrive(f)
}

// arrive backs up the value of the node where f ended and the proofs that follow from it.
// The value is at least as good for the mover as the node's reply.
func (s *Search) arrive(f flight) {
	n := f.node
	if f.reply != none {
		s.takeReply(n, f.reply)
		s.promote(n)
		if mover := s.nodes[n].mover; s.nodes[n+1].value[mover] > s.nodes[n].value[mover] {
			s.nodes[n].value = s.nodes[n+1].value
		}
	}
	if !s.nodes[n].known() {
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

// Cancel undoes the last Gather if its leaves were not applied. The search returns to its
// previous state, except for simulations that ended at known values. The next Gather begins
// with the same leaves.
func (s *Search) Cancel() { s.cancelFrom(0) }

// cancelFrom cancels flight i and all later flights.
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
