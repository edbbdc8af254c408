package mcts

import (
	"math"
	"slices"

	"tiro/env"
)

const (
	root int32 = 0  // the place of the root node
	none int32 = -1 // no node, or no edge
)

// node is a position of the tree. Its edges, one a legal action, lie together
// and are kept in this order:
//
//	first           first+lost         first+open           first+edges
//	  | proven losses   | other children   | unvisited actions  |
//	  |  of the mover   |                  | the likeliest first|
//
// Only the second part and the first of the third are looked at to choose an
// action, for unvisited actions differ by nothing but their prior. The third
// part is in no order before the first walk through the node, nor at a Gumbel
// root, which has its own.
type node struct {
	sum     [env.MaxPlayers]float64 // by seat, of the values of all visits
	value   env.Value               // as the evaluator said; once proven, the exact value
	visits  int32                   // simulations backed up through here; 0: in flight
	flight  int32                   // simulations in flight through here, if virtual loss is in use
	parent  int32                   // none for the root
	slot    int32                   // place among the parent's edges
	first   int32                   // first edge
	edges   int32                   // legal actions; 0: the game is over
	open    int32                   // edges that have a child
	lost    int32                   // edges to children proven to be as bad for the mover as a lost game
	settled int32                   // children that are proven
	turn    env.Player              // the mover
	proven  bool                    // value is exact
}

// tree holds nodes and edges in flat arrays. Parents come before children.
type tree struct {
	nodes []node

	// By edge. What is said of a child holds for edges that have one.
	action []env.Action
	prior  []float32
	visits []int32   // the child's visits and flights
	q      []float32 // the child's value to the mover, [-1, 1]
	child  []int32

	moved []int32 // scratch: where each node goes, or none
}

// truncate keeps the first nodes and edges. Memory is kept.
func (t *tree) truncate(nodes, edges int32) {
	t.nodes = t.nodes[:nodes]
	t.action = t.action[:edges]
	t.prior = t.prior[:edges]
	t.visits = t.visits[:edges]
	t.q = t.q[:edges]
	t.child = t.child[:edges]
}

// add appends a node for the position s and returns its place.
func (t *tree) add(parent, slot int32, s env.State) int32 {
	n, first := len(t.nodes), len(t.action)
	nd := node{parent: parent, slot: slot, first: int32(first)}
	if v, over := s.Result(); over {
		nd.value, nd.proven = v, true
	} else {
		nd.turn = s.Turn()
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

// extend returns s with a length of n, at least its own; new elements are
// whatever was there.
func extend[T any](s []T, n int) []T {
	return slices.Grow(s, n-len(s))[:n]
}

// edgesPerNode bounds the edges of a tree, on average over as many nodes as it
// may have. Games of this program have 5 to 60 legal actions; without, a tree of
// a game with thousands would have no bound worth the name.
const edgesPerNode = 64

// maxEdges returns how many edges a tree of at most limit nodes has before it
// is full.
func maxEdges(limit int) int {
	return int(min(int64(limit)*edgesPerNode, math.MaxInt32-1<<20))
}

// full reports whether the tree has no room for another node.
func (t *tree) full(limit int) bool {
	return len(t.nodes) >= limit || len(t.action) >= maxEdges(limit)
}

// promote brings the likeliest unvisited action of n to the front of its kind;
// of several the lowest. The priors that count are by edge, and may be the
// tree's own.
func (t *tree) promote(n int32, prior []float32) {
	nd := &t.nodes[n]
	from, to := nd.first+nd.open, nd.first+nd.edges
	if from == to {
		return
	}
	p, a := prior[from:to], t.action[from:to]
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

// refresh rewrites what the edge to c says of c. A flight counts as a visit
// that has lost the mover virtualLoss.
func (t *tree) refresh(c int32, virtualLoss float64) {
	nd := &t.nodes[c]
	if nd.parent == none {
		return
	}
	parent := &t.nodes[nd.parent]
	e := parent.first + nd.slot
	count := nd.visits + nd.flight
	t.visits[e] = count
	switch {
	case nd.proven:
		t.q[e] = nd.value[parent.turn]
	case nd.flight > 0:
		t.q[e] = float32((nd.sum[parent.turn] - virtualLoss*float64(nd.flight)) / float64(count))
	case count > 0:
		t.q[e] = float32(nd.sum[parent.turn] / float64(count))
	}
}

// edge returns the edge of n that stands for a, or none.
func (t *tree) edge(n int32, a env.Action) int32 {
	nd := &t.nodes[n]
	i := slices.Index(t.action[nd.first:nd.first+nd.edges], a)
	if i < 0 {
		return none
	}
	return nd.first + int32(i)
}

// subtree notes in moved where each node at and below c goes once the others
// are gone, and returns how many there are and how many edges they have. One
// pass forward is enough, as parents come before children.
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

// keep makes c the root and forgets all that is not below it. The caller has
// called subtree(c). Nodes and edges slide down to their new places.
func (t *tree) keep(c int32) {
	nodes, edges := int32(0), int32(0)
	for n := c; n < int32(len(t.nodes)); n++ {
		if t.moved[n] == none {
			continue
		}
		nd := t.nodes[n]
		from, open, to := nd.first, nd.first+nd.open, nd.first+nd.edges
		copy(t.action[edges:], t.action[from:to])
		copy(t.prior[edges:], t.prior[from:to])
		copy(t.visits[edges:], t.visits[from:open])
		copy(t.q[edges:], t.q[from:open])
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
