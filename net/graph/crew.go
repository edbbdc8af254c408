package graph

import (
	"runtime"
	"sync"
	"sync/atomic"

	"tiro/net/kernel"
)

// shardRows is how many rows of a batch are computed together. It is fixed, so
// that sums over the rows are made in the same order on any number of cores;
// 32 rows of 64 channels on a small board fit into a core's cache.
const shardRows = 32

// crew computes the shards of a batch on all cores.
type crew struct {
	rows    int // of the batch
	set     kernel.Set
	workers []*kernel.Worker
}

func newCrew(rows int) *crew {
	c := &crew{rows: rows, set: kernel.Best(), workers: make([]*kernel.Worker, min(runtime.GOMAXPROCS(0), (rows+shardRows-1)/shardRows))}
	for i := range c.workers {
		c.workers[i] = kernel.NewWorker(c.set)
	}
	return c
}

// shards returns how many shards the batch has.
func (c *crew) shards() int { return (c.rows + shardRows - 1) / shardRows }

// each calls f once for every shard, which holds rows from first on, and
// returns when all calls have. What f writes for different shards must not
// overlap.
func (c *crew) each(f func(w *kernel.Worker, shard, first, rows int)) {
	var next atomic.Int64
	work := func(w *kernel.Worker) {
		for {
			shard := int(next.Add(1)) - 1
			first := shard * shardRows
			if first >= c.rows {
				return
			}
			f(w, shard, first, min(shardRows, c.rows-first))
		}
	}
	var group sync.WaitGroup
	for _, w := range c.workers[1:] {
		group.Go(func() { work(w) })
	}
	work(c.workers[0])
	group.Wait()
}

// field is the memory layout of activations inside the graph: shard after
// shard, each as the kernels have it, [cells, rows, Pad(channels)], zeros where
// padded.
type field struct{ channels, cells int }

// width returns the numbers of a cell.
func (f field) width() int { return kernel.Pad(f.channels) }

// size returns how many numbers rows take.
func (f field) size(rows int) int { return rows * f.cells * f.width() }

// shard returns the part of x that holds rows from first on.
func (f field) shard(x []float32, first, rows int) []float32 {
	return x[f.size(first):][:f.size(rows)]
}
