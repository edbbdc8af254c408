package graph

import (
	"runtime"
	"sync"
	"sync/atomic"

	"tiro/net/kernel"
)

// shardRows is how many rows of a batch are computed together. It is fixed, so
// that sums over the rows are made in the same order on any number of cores;
// what a layer reads and writes for 32 rows of 64 channels on a small board
// fits into a core's cache.
const shardRows = 32

// crew computes the shards of a batch on all cores.
type crew struct {
	rows    int // of the batch
	backend kernel.Backend
	workers []*worker
}

// worker is what one goroutine computes with.
type worker struct {
	*kernel.Worker
	memory []float32
	places []int32
}

// scratch returns memory for n numbers, good until the next call.
func (w *worker) scratch(n int) []float32 {
	if len(w.memory) < n {
		w.memory = make([]float32, n)
	}
	return w.memory[:n]
}

// shard is a part of the batch.
type shard struct {
	index       int
	first, rows int
}

func newCrew(backend kernel.Backend, rows int) *crew {
	c := &crew{rows: rows, backend: backend, workers: make([]*worker, runtime.GOMAXPROCS(0))}
	for i := range c.workers {
		c.workers[i] = &worker{Worker: kernel.NewWorker(backend)}
	}
	return c
}

// shards returns how many shards the batch has.
func (c *crew) shards() int { return (c.rows + shardRows - 1) / shardRows }

// each calls f once for every shard and returns when all calls have. What f
// writes for different shards must not overlap.
func (c *crew) each(f func(w *worker, s shard)) {
	c.do(c.shards(), func(w *worker, i int) {
		first := i * shardRows
		f(w, shard{i, first, min(shardRows, c.rows-first)})
	})
}

// do calls f for every number below n, on all cores, and returns when all calls
// have. What different calls write must not overlap.
func (c *crew) do(n int, f func(w *worker, i int)) {
	var next atomic.Int64
	work := func(w *worker) {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(w, i)
		}
	}
	var group sync.WaitGroup
	for _, w := range c.workers[1:min(len(c.workers), n)] {
		group.Go(func() { work(w) })
	}
	work(c.workers[0])
	group.Wait()
}
