package mcts

import (
	"math"
	"slices"

	"tiro/env"
)

const (
	root int32 = 0  // the root node; its first edge is edge 0
	none int32 = -1 // no node, or no edge
)

// node is a position in the tree. It has an edge for each legal action, unless it is a
// repetition: a position that has occurred before at the root or on the way from there. A repetition
// counts as a draw even if the rules demand more occurrences, because players without a better move
// can repeat the position again. It proves nothing. The edges of a node are contiguous and ordered
// as follows:
//
//	first           first+lost         first+expanded       first+edges
//	  | proven losses   | other children   | unvisited actions  |
//	  |  of the mover   |                  | greatest prior first
//
// Selection considers only the second part and the first edge of the third, because unvisited
// actions differ only in their prior. The third part is unordered before the first simulation
// through the node, and always at a Gumbel root, which orders its candidates itself.
type node struct {
	sum      [env.MaxPlayers]float64 // payoffs by seat, summed over all visits
	value    env.Value               // payoff by seat: the evaluator's, or exact if proven
	visits   int32                   // simulations backed up through this node; 0 if its leaf is in flight
	flights  int32                   // simulations in flight through this node, counted for virtual loss
	parent   int32                   // node; none for the root
	slot     int32                   // index among the parent's edges, 0..parent.edges-1
	first    int32                   // first edge
	edges    int32                   // legal actions; 0 at the end of the game and at a repetition
	expanded int32                   // edges with a child
	lost     int32                   // edges to children proven to be as bad for the mover as losing alone
	proofs   int32                   // proven children
	length   uint16                  // if proven: plies to the end if the mover wins early and loses late; of a repetition: plies since the position last occurred
	mover    env.Player              // player to move
	proven   bool                    // value is exact
}

// repetition reports whether the node is a repetition.
func (nd *node) repetition() bool { return nd.edges == 0 && !nd.proven }

// known reports whether the node's value is known without an evaluation.
func (nd *node) known() bool { return nd.proven || nd.repetition() }

// live returns the range of edges with children that are not proven losses, or of all edges
// with children if every action is a proven loss.
func (nd *node) live() (from, to int32) {
	if nd.lost == nd.edges {
		return nd.first, nd.first + nd.expanded
	}
	return nd.first + nd.lost, nd.first + nd.expanded
}

// tree stores nodes and edges in flat arrays. Parents precede their children.
type tree struct {
	players     int
	loss        float32 // payoff of a player who loses alone, -1..0
	parallel    bool    // flights are counted, for virtual loss
	virtualLoss float64 // payoff that a flight subtracts from the parent's mover, 0..1

	nodes []node // [nodes]

	action []env.Action // [edges] legal actions of each node
	prior  []float32    // [edges] 0..1, sum to 1 for each node; undefined before the node is evaluated
	visits []int32      // [edges] visits and flights of the child; undefined without a child
	q      []float32    // [edges] payoff of the parent's mover, -1..1; undefined without a child
	child  []int32      // [edges] node; undefined without a child

	progress            // of a Gumbel root
	spread              // of the evaluator's values
	rootPrior []float32 // [edges of the root] priors with noise for selection at a PUCT root; empty without noise
	weight    []float32 // [edges of a node] scratch
	moved     []int32   // [nodes] scratch: new index of each node in the subtree to keep, or none
}

// truncate keeps the first nodes and edges, and the allocated memory.
func (t *tree) truncate(nodes, edges int32) {
	t.nodes = t.nodes[:nodes]
	t.action = t.action[:edges]
	t.prior = t.prior[:edges]
	t.visits = t.visits[:edges]
	t.q = t.q[:edges]
	t.child = t.child[:edges]
}

// add appends a node for position s and returns it.
func (t *tree) add(parent, slot int32, s env.State) int32 {
	n, first := len(t.nodes), len(t.action)
	nd := node{parent: parent, slot: slot, first: int32(first)}
	if v, over := s.Result(); over {
		nd.value, nd.proven = v, true
	} else if since := t.repeats(parent, s); since > 0 {
		nd.length = uint16(since)
	} else {
		nd.mover = s.Turn()
		t.action = s.Legal(t.action)
		edges := len(t.action)
		nd.edges = int32(edges - first)
		t.prior = extend(t.prior, edges)
		t.visits = extend(t.visits, edges)
		t.q = extend(t.q, edges)
		t.child = extend(t.child, edges)
	}
	t.nodes = append(t.nodes, nd)
	return int32(n)
}

// repeats returns the number of plies since position s, a child of parent, last occurred at the
// root or below, or 0 if it did not.
func (t *tree) repeats(parent int32, s env.State) int {
	r, ok := s.(env.Repeater)
	if !ok || parent == none {
		return 0
	}
	since := r.LastOccurrence()
	if since == 0 || since > t.depth(parent)+1 {
		return 0
	}
	return since
}

// extend returns s extended to length n, which must not be less than len(s). New elements
// are undefined.
func extend[T any](s []T, n int) []T {
	return slices.Grow(s, n-len(s))[:n]
}

// edgesPerNode limits the number of edges of a tree, as an average over its maximum number
// of nodes. Without the limit, a game with thousands of legal actions could exhaust memory. Most
// games have 5 to 60 in a position.
const edgesPerNode = 64

// maxEdges returns the number of edges at which a tree with at most maxNodes nodes is full.
func maxEdges(maxNodes int) int {
	return int(min(int64(maxNodes)*edgesPerNode, math.MaxInt32-1<<20))
}

// full reports whether the tree has no room for another node.
func (t *tree) full(maxNodes int) bool {
	return len(t.nodes) >= maxNodes || len(t.action) >= maxEdges(maxNodes)
}

// evaluated reports whether the root has known priors and is not the end of a game.
func (t *tree) evaluated() bool { return t.nodes[root].visits > 0 && t.nodes[root].edges > 0 }

// priors returns the priors [edges] used to select an action of n.
func (t *tree) priors(n int32) []float32 {
	if n == root && len(t.rootPrior) > 0 {
		return t.rootPrior
	}
	return t.prior
}

// promote moves the unvisited action of n with the greatest prior, or the lowest of
// several, to the front of the unvisited actions.
func (t *tree) promote(n int32) {
	nd := &t.nodes[n]
	from, to := nd.first+nd.expanded, nd.first+nd.edges
	if from == to {
		return
	}
	p, a := t.priors(n)[from:to], t.action[from:to]
	a = a[:len(p)]
	best, top, lowest := 0, p[0], a[0]
	for i, x := range p {
		if x > top || x == top && a[i] < lowest {
			best, top, lowest = i, x, a[i]
		}
	}
	if best == 0 {
		return
	}
	a[0], a[best] = a[best], a[0]
	p[0], p[best] = p[best], p[0]
	if own := t.prior[from:to]; &own[0] != &p[0] {
		own[0], own[best] = own[best], own[0]
	}
}

// backup adds a visit with n's value to n and all its ancestors.
func (t *tree) backup(n int32) {
	value := t.nodes[n].value
	for ; n != none; n = t.nodes[n].parent {
		nd := &t.nodes[n]
		nd.visits++
		for i := range t.players {
			nd.sum[i] += float64(value[i])
		}
		t.refresh(n)
	}
}

// countFlight adds count to the flights of n and all its ancestors, if the search uses
// virtual loss.
func (t *tree) countFlight(n, count int32) {
	for ; t.parallel && n != none; n = t.nodes[n].parent {
		t.nodes[n].flights += count
		t.refresh(n)
	}
}

// refresh updates the edge to c. A flight counts as a visit with the payoff −virtualLoss to
// the parent's mover.
func (t *tree) refresh(c int32) {
	nd := &t.nodes[c]
	if nd.parent == none {
		return
	}
	parent := &t.nodes[nd.parent]
	e := parent.first + nd.slot
	count := nd.visits + nd.flights
	t.visits[e] = count
	switch {
	case nd.proven:
		t.q[e] = nd.value[parent.mover]
	case nd.flights > 0:
		t.q[e] = float32((nd.sum[parent.mover] - float64(t.virtualLoss*float64(nd.flights))) / float64(count))
	case count > 0:
		t.q[e] = float32(nd.sum[parent.mover] / float64(count))
	}
}

// swap exchanges the i-th and j-th edges of n, which have children.
func (t *tree) swap(n, i, j int32) {
	if i == j {
		return
	}
	a, b := t.nodes[n].first+i, t.nodes[n].first+j
	t.action[a], t.action[b] = t.action[b], t.action[a]
	t.prior[a], t.prior[b] = t.prior[b], t.prior[a]
	t.visits[a], t.visits[b] = t.visits[b], t.visits[a]
	t.q[a], t.q[b] = t.q[b], t.q[a]
	t.child[a], t.child[b] = t.child[b], t.child[a]
	t.nodes[t.child[a]].slot, t.nodes[t.child[b]].slot = i, j
	if n == root && len(t.rootPrior) > 0 {
		t.rootPrior[a], t.rootPrior[b] = t.rootPrior[b], t.rootPrior[a]
	}
}

// edge returns the edge of the root for action a, or none.
func (t *tree) edge(a env.Action) int32 {
	return int32(slices.Index(t.action[:t.nodes[root].edges], a))
}

// valueOf returns the payoff by seat at the visited node n: exact if proven, otherwise the
// mean over its visits.
func (t *tree) valueOf(n int32) env.Value {
	nd := &t.nodes[n]
	value := nd.value
	for i := 0; i < t.players && !nd.proven; i++ {
		value[i] = float32(nd.sum[i] / float64(nd.visits))
	}
	return value
}

// subtree computes the new index in moved of each node in the subtree at c, and returns the
// size of the subtree. One forward pass suffices because parents precede their children.
func (t *tree) subtree(c int32) (nodes, edges int) {
	t.moved = extend(t.moved[:0], len(t.nodes))
	for n := range t.nodes {
		t.moved[n] = none
		if int32(n) == c || int32(n) > c && t.moved[t.nodes[n].parent] != none {
			t.moved[n] = int32(nodes)
			nodes++
			edges += int(t.nodes[n].edges)
		}
	}
	return nodes, edges
}

// forgetRoot removes the repetitions of the root's position, which is about to leave the tree.
// Their actions become unvisited ones.
func (t *tree) forgetRoot() {
	for i := range t.nodes {
		if nd := &t.nodes[i]; nd.repetition() && int(nd.length) == t.depth(int32(i)) {
			t.remove(int32(i))
		}
	}
}

// depth returns the number of plies from the root to n.
func (t *tree) depth(n int32) (plies int) {
	for ; n != root; n = t.nodes[n].parent {
		plies++
	}
	return plies
}

// remove takes n, a repetition, and its visits out of the tree, but leaves its node, which becomes
// a child of the root.
func (t *tree) remove(n int32) {
	nd := &t.nodes[n]
	p := nd.parent
	for a := p; a != none; a = t.nodes[a].parent {
		t.nodes[a].visits -= nd.visits // whose payoffs are 0
		t.refresh(a)
	}
	t.swap(p, nd.slot, t.nodes[p].expanded-1)
	t.nodes[p].expanded--
	t.promote(p)
	nd.parent = root
}

// keep makes c the root and discards all nodes outside its subtree. The caller must have
// called subtree(c). Nodes and edges move down to their new indices.
func (t *tree) keep(c int32) {
	nodes, edges := int32(0), int32(0)
	for n := c; n < int32(len(t.nodes)); n++ {
		if t.moved[n] == none {
			continue
		}
		nd := t.nodes[n]
		from, expanded, to := nd.first, nd.first+nd.expanded, nd.first+nd.edges
		copy(t.action[edges:], t.action[from:to])
		copy(t.prior[edges:], t.prior[from:to])
		copy(t.visits[edges:], t.visits[from:expanded])
		copy(t.q[edges:], t.q[from:expanded])
		nd.first = edges
		if n == c {
			nd.parent, nd.slot = none, 0
		} else {
			nd.parent = t.moved[nd.parent]
			t.child[t.nodes[nd.parent].first+nd.slot] = nodes
		}
		t.nodes[nodes] = nd
		nodes++
		edges += nd.edges
	}
	t.truncate(nodes, edges)
}
