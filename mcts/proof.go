package mcts

// decided reports whether no simulation can tell more about the root: its
// value is exact, or that of every action is.
func (s *Search) decided() bool {
	nd := &s.nodes[root]
	return nd.proven || nd.edges > 0 && nd.settled == nd.edges
}

// settle tells the ancestors of n that n has become proven (Winands, Björnsson
// and Saito 2008, "Monte-Carlo Tree Search Solver"; for several players as in
// Nijssen and Winands 2011, "Enhancements for multi-player MCTS").
//
// A node is proven once one of its children pays the mover 1, for nothing is
// better, or once all children are proven: the mover takes the one that pays
// him most. If several pay him the same but not the others, then nothing says
// which he takes, and the node stays unproven, though he can play on.
func (s *Search) settle(n int32) {
	for s.nodes[n].parent != none {
		nd := &s.nodes[n]
		p := nd.parent
		parent := &s.nodes[p]
		pays := nd.value[parent.turn]
		parent.settled++
		s.refresh(n, 0)
		if pays <= s.loss {
			s.exchange(p, nd.slot, parent.lost)
			parent.lost++
		}
		switch {
		case parent.proven:
			return
		case pays == 1:
			parent.value, parent.proven = nd.value, true
		case parent.settled == parent.edges && s.bestOf(p):
			parent.proven = true
		default:
			return
		}
		n = p
	}
}

// bestOf sets the value of n to that of the child that pays its mover most,
// all children being proven, and reports whether that is unique.
func (s *Search) bestOf(n int32) bool {
	nd := &s.nodes[n]
	children := s.child[nd.first : nd.first+nd.edges]
	best := children[0]
	for _, c := range children {
		if s.nodes[c].value[nd.turn] > s.nodes[best].value[nd.turn] {
			best = c
		}
	}
	value := s.nodes[best].value
	for _, c := range children {
		if v := s.nodes[c].value; v[nd.turn] == value[nd.turn] && v != value {
			return false
		}
	}
	nd.value = value
	return true
}

// exchange swaps two edges of n that have children.
func (s *Search) exchange(n, i, j int32) {
	if i == j {
		return
	}
	a, b := s.nodes[n].first+i, s.nodes[n].first+j
	s.action[a], s.action[b] = s.action[b], s.action[a]
	s.prior[a], s.prior[b] = s.prior[b], s.prior[a]
	s.visits[a], s.visits[b] = s.visits[b], s.visits[a]
	s.q[a], s.q[b] = s.q[b], s.q[a]
	s.child[a], s.child[b] = s.child[b], s.child[a]
	s.nodes[s.child[a]].slot, s.nodes[s.child[b]].slot = i, j
	if n == root && len(s.rootPrior) > 0 {
		s.rootPrior[a], s.rootPrior[b] = s.rootPrior[b], s.rootPrior[a]
	}
}
