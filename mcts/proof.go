package mcts

// decided reports whether further simulations are useless because the exact value of the
// root or of all its actions is known.
func (t *tree) decided() bool {
	nd := &t.nodes[root]
	return nd.proven || nd.edges > 0 && nd.proofs == nd.edges
}

// prove updates the ancestors of n after n was proven (Winands, Björnsson and Saito 2008,
// "Monte-Carlo Tree Search Solver"; for several players as in Nijssen and Winands 2011,
// "Enhancements for multi-player MCTS").
//
// A node is proven if a child pays the mover 1, the maximum, or if all children are proven
// and the mover's best child is unique. If several children pay the mover the same but
// differ in the other seats' payoffs, the mover's choice is unknown and the node stays
// unproven.
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

// takeBest sets the value of n, whose children are all proven, to the value of the mover's
// best child. It reports whether that value is unique.
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

// preferred reports whether a player who gets payoff from both proven results prefers nd:
// an early win or a late loss.
func (nd *node) preferred(other *node, payoff float32) bool {
	if payoff > 0 {
		return nd.length < other.length
	}
	return payoff < 0 && nd.length > other.length
}

// winsAtOnce reports whether the mover at n can win with the next action. The evaluator may
// not have seen such a node, so its priors may be undefined.
func (t *tree) winsAtOnce(n int32) bool { return t.nodes[n].proven && t.nodes[n].length == 1 }

// bestProven returns the edge to play at a decided root.
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

// eligible reports whether edge e of n may be played. Proven losses may not; at a decided
// node, nor may edges that pay the mover less than the best.
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
