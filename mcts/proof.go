package mcts

// decided reports whether no simulation can tell more about the root: its
// value is exact, or the values of all its actions are.
func (t *tree) decided() bool {
	nd := &t.nodes[root]
	return nd.proven || nd.edges > 0 && nd.proofs == nd.edges
}

// prove tells the ancestors of n that n has become proven (Winands, Björnsson
// and Saito 2008, "Monte-Carlo Tree Search Solver"; for several players as in
// Nijssen and Winands 2011, "Enhancements for multi-player MCTS").
//
// A node is proven once one of its children pays the mover 1, because nothing
// is better, or once all children are proven: the mover takes the one that pays
// him most. If several pay him the same but not the others, nothing says which
// he takes, and the node stays unproven although he can play on.
func (t *tree) prove(n int32) {
	for t.nodes[n].parent != none {
		nd := &t.nodes[n]
		p := nd.parent
		parent := &t.nodes[p]
		payoff := nd.value[parent.mover]
		parent.proofs++
		t.refresh(n)
		if payoff <= t.loss {
			t.swap(p, nd.slot, parent.lost)
			parent.lost++
		}
		switch {
		case parent.proven:
			return
		case payoff == 1:
			parent.value, parent.proven, parent.length = nd.value, true, nd.length+1
		case parent.proofs == parent.edges && t.takeBest(p):
			parent.proven = true
		default:
			return
		}
		n = p
	}
}

// takeBest sets the value of n, whose children are all proven, to that of the
// child that pays its mover most, and reports whether that value is unique.
func (t *tree) takeBest(n int32) bool {
	nd := &t.nodes[n]
	children := t.child[nd.first : nd.first+nd.edges]
	best, unique := &t.nodes[children[0]], true
	for _, c := range children[1:] {
		child := &t.nodes[c]
		switch payoff, most := child.value[nd.mover], best.value[nd.mover]; {
		case payoff > most:
			best, unique = child, true
		case payoff == most:
			unique = unique && child.value == best.value
			if child.preferred(best, payoff) {
				best = child
			}
		}
	}
	if unique {
		nd.value, nd.length = best.value, best.length+1
	}
	return unique
}

// preferred reports whether a player whom two proven results pay the same would
// rather have nd: a win soon, a loss late.
func (nd *node) preferred(other *node, payoff float32) bool {
	if payoff > 0 {
		return nd.length < other.length
	}
	return payoff < 0 && nd.length > other.length
}

// winsAtOnce reports whether the mover at n ends the game in his favour. Such
// a node may have been proven without the evaluator, and its priors be undefined.
func (t *tree) winsAtOnce(n int32) bool { return t.nodes[n].proven && t.nodes[n].length == 1 }

// bestProven returns the edge to be played at the root, which is decided.
func (t *tree) bestProven() int32 {
	nd := &t.nodes[root]
	best := none
	for e := range nd.expanded {
		if !t.eligible(root, e) {
			continue
		}
		if best == none {
			best = e
			continue
		}
		a, b := &t.nodes[t.child[e]], &t.nodes[t.child[best]]
		payoff := a.value[nd.mover]
		if a.preferred(b, payoff) || !b.preferred(a, payoff) && t.better(e, best, nd.expanded) {
			best = e
		}
	}
	return best
}

// eligible reports whether edge e of n may be played: it may not if it is a
// proven loss, nor, once n is decided, if it pays the mover less than the best.
func (t *tree) eligible(n, e int32) bool {
	nd := &t.nodes[n]
	if !nd.proven && nd.proofs < nd.edges {
		return e >= nd.first+nd.lost
	}
	if e >= nd.first+nd.expanded || !t.nodes[t.child[e]].proven {
		return false
	}
	payoff := t.nodes[t.child[e]].value[nd.mover]
	for _, c := range t.child[nd.first : nd.first+nd.expanded] {
		if t.nodes[c].proven && t.nodes[c].value[nd.mover] > payoff {
			return false
		}
	}
	return true
}
