package mcts

import (
	"context"
	"math/bits"
	"unsafe"

	"tiro/env"
)

const (
	cacheWays   = 4  // entries per bucket
	cachePriors = 64 // average number of priors stored per entry
)

// Cache stores the answers of another evaluator by State.Hash, so that neither a stored
// position nor a duplicate within a batch is evaluated again. Its answers are exactly the
// other evaluator's. All memory is allocated at once, about 300 bytes per entry.
type Cache struct {
	inner   Evaluator
	entries []cacheEntry // buckets of cacheWays entries each
	buckets uint64
	ring    []float32 // priors; new ones overwrite the oldest
	head    uint64    // number of floats ever written to the ring
	misses  uint64

	asked      []*Leaf          // leaves of the current batch passed to the inner evaluator
	known      map[uint64]*Leaf // the leaves in asked, by hash
	duplicates []duplicate
}

type cacheEntry struct {
	hash  uint64
	start uint64 // position of its priors, counted like head; overwritten once head > start + len(ring)
	count int32  // number of priors; 0 if the entry is free
	value env.Value
}

// duplicate is a leaf with the same position as a leaf in asked.
type duplicate struct{ leaf, asked *Leaf }

// NewCache returns a Cache with room for at least the given number of answers of inner.
func NewCache(inner Evaluator, entries int) *Cache {
	buckets := cacheBuckets(entries)
	return &Cache{
		inner:   inner,
		buckets: uint64(buckets),
		entries: make([]cacheEntry, buckets*cacheWays),
		ring:    make([]float32, buckets*cacheWays*cachePriors),
		known:   map[uint64]*Leaf{},
	}
}

// CacheBytes returns the memory of a Cache with at least the given number of entries.
func CacheBytes(entries int) int64 {
	return int64(cacheBuckets(entries)) * cacheWays * (int64(unsafe.Sizeof(cacheEntry{})) + cachePriors*int64(unsafe.Sizeof(float32(0))))
}

// cacheBuckets returns the number of buckets for at least the given number of entries.
func cacheBuckets(entries int) int {
	return 1 << bits.Len64(uint64(max(entries, cacheWays)-1)/cacheWays)
}

// Misses returns the number of leaves passed to the inner evaluator.
func (c *Cache) Misses() uint64 { return c.misses }

// Evaluate returns the inner evaluator's error unchanged. Nothing is stored for a failed
// batch.
func (c *Cache) Evaluate(ctx context.Context, leaves []*Leaf) error {
	c.asked, c.duplicates = c.asked[:0], c.duplicates[:0]
	clear(c.known)
	for _, leaf := range leaves {
		hash := leaf.State.Hash()
		if c.lookup(hash, leaf) {
			continue
		}
		if asked := c.known[hash]; asked != nil && len(asked.Legal) == len(leaf.Legal) {
			c.duplicates = append(c.duplicates, duplicate{leaf, asked})
			continue
		}
		c.known[hash] = leaf
		c.asked = append(c.asked, leaf)
	}
	if len(c.asked) == 0 {
		return nil
	}
	if err := c.inner.Evaluate(ctx, c.asked); err != nil {
		return err
	}
	for _, leaf := range c.asked {
		c.store(leaf)
	}
	for _, d := range c.duplicates {
		copy(d.leaf.Prior, d.asked.Prior)
		d.leaf.Value = d.asked.Value
	}
	c.misses += uint64(len(c.asked))
	return nil
}

// bucket returns the entries that may contain hash.
func (c *Cache) bucket(hash uint64) []cacheEntry {
	i := env.Mix(hash) & (c.buckets - 1) * cacheWays
	return c.entries[i : i+cacheWays]
}

// lookup fills in the answer for leaf if it is stored, and reports whether it is.
func (c *Cache) lookup(hash uint64, leaf *Leaf) bool {
	for _, e := range c.bucket(hash) {
		if e.hash == hash && int(e.count) == len(leaf.Legal) && c.head <= e.start+uint64(len(c.ring)) {
			at := e.start % uint64(len(c.ring))
			copy(leaf.Prior, c.ring[at:])
			leaf.Value = e.value
			return true
		}
	}
	return false
}

// store writes the answer for leaf to a free entry of its bucket, or over the oldest entry.
// It ignores positions with more actions than the ring has room for.
func (c *Cache) store(leaf *Leaf) {
	size, room := uint64(len(leaf.Prior)), uint64(len(c.ring))
	if size > room {
		return
	}
	if at := c.head % room; at+size > room {
		c.head += room - at // keep the priors of a position contiguous
	}
	hash := leaf.State.Hash()
	b := c.bucket(hash)
	oldest := &b[0]
	for i := range b {
		if oldest.count > 0 && (b[i].count == 0 || b[i].start < oldest.start) {
			oldest = &b[i]
		}
	}
	*oldest = cacheEntry{hash: hash, start: c.head, count: int32(size), value: leaf.Value}
	copy(c.ring[c.head%room:], leaf.Prior)
	c.head += size
}
