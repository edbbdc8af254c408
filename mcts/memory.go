package mcts

import (
	"unsafe"

	"tiro/env"
)

// Bytes returns the most memory that a Search of game by this configuration
// takes, in bytes: with as many nodes and edges as its tree may have. Few trees
// ever do.
func (c Config) Bytes(game env.Game) int64 {
	nodes, actions := c.nodes(), game.Spec().Actions()
	edges := min(int64(nodes)*int64(actions), int64(maxEdges(nodes)+actions)) // the last node is added whole
	tree := int64(nodes)*nodeBytes + edges*edgeBytes
	root := actions * int(unsafe.Sizeof(candidate{}))
	leaf := int(unsafe.Sizeof(Leaf{})+unsafe.Sizeof(flight{})) + env.Size(game.New())
	leaves := min(max(c.Gumbel.MaxConsideredActions, c.ParallelLeaves), c.Simulations+1)
	return tree*growth/4 + int64(root) + int64(leaves)*int64(leaf)
}

// Bytes of a node, and of an edge, in all arrays.
const (
	nodeBytes = int64(unsafe.Sizeof(node{}) + unsafe.Sizeof(none))
	edgeBytes = int64(unsafe.Sizeof(env.Action(0)) + 2*unsafe.Sizeof(float32(0)) + 2*unsafe.Sizeof(int32(0)))
)

// growth is what arrays that grow take, in quarters of what is in them: append
// leaves a quarter of room.
const growth = 5

// CacheBytes returns the memory of a Cache of at least entries entries.
func CacheBytes(entries int) int64 {
	return int64(cacheBuckets(entries)) * cacheWays * int64(unsafe.Sizeof(cacheEntry{})+cachePriors*unsafe.Sizeof(float32(0)))
}
