package graph

import (
	"sync"
	"sync/atomic"

	"tiro/net/kernel"
)

// shardRows is how many rows of a batch are computed together. It is fixed, so that sums
// over the rows are made in the same order on any number of cores. What a layer reads and
// writes for 32 rows of 64 channels on a small board fits into a core's cache.
const shardRows = 32

// workerPool computes the shards of a batch with several goroutines.
type workerPool struct {
	rows    int // of the batch
	backend kernel.Backend
	all     []*worker
}

// worker is what one goroutine computes with.
type worker struct {
	*kernel.Worker
	scratch []float32 // a shard of the trunk
	places  []int32   // of the policy's or the outcome's logits in a row
}

// shard is a part of the batch.
type shard struct {
	index       int
	first, rows int
}

// newWorkerPool returns a pool with scratch memory for the trunk and for targets of that
// many classes at most.
func newWorkerPool(o Options, trunk layout, classes int) *workerPool {
	p := &workerPool{rows: o.Rows, backend: o.Backend, all: make([]*worker, o.threads())}
	for i := range p.all {
		p.all[i] = &worker{Worker: kernel.NewWorker(o.Backend)}
	}
	for _, w := range p.all[:p.busy()] {
		w.scratch = trunk.make(min(p.rows, shardRows))
		w.places = make([]int32, classes)
	}
	return p
}

// shards returns how many shards the batch has.
func (p *workerPool) shards() int { return (p.rows + shardRows - 1) / shardRows }

// busy returns how many workers compute shards.
func (p *workerPool) busy() int { return min(len(p.all), p.shards()) }

// each calls f once for every shard and returns when all calls have. Calls must not write
// to the same memory.
func (p *workerPool) each(f func(w *worker, s shard)) {
	p.do(p.shards(), func(w *worker, i int) {
		first := i * shardRows
		f(w, shard{i, first, min(shardRows, p.rows-first)})
	})
}

// do calls f for every number below n, with all goroutines, and returns when all calls have.
// Calls must not write to the same memory.
func (p *workerPool) do(n int, f func(w *worker, i int)) {
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
	for _, w := range p.all[1:min(len(p.all), n)] {
		group.Go(func() { work(w) })
	}
	work(p.all[0])
	group.Wait()
}
