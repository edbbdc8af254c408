package graph

import (
	"sync"
	"sync/atomic"

	"tiro/net/kernel"
)

// shardRows is the number of rows of a batch that are contiguous in memory and summed together
// for the gradient of the weights. It is fixed, so that the order of sums over rows does not
// depend on the number of threads. The inputs and outputs of a layer for 32 rows of 64 channels
// on a small board fit in a core's cache.
const shardRows = 32

// workerPool computes the shards of a batch with several goroutines.
type workerPool struct {
	rows    int // rows per batch
	backend kernel.Backend
	all     []*worker
	units   [][]window // parts of the batch that one goroutine computes at a time
	whole   bool       // whether windows are whole shards
}

// worker is the memory of one goroutine.
type worker struct {
	*kernel.Worker
	places []int32 // indices of the policy's or the outcome's logits in a row
}

// shard is a part of the batch.
type shard struct {
	index       int
	first, rows int
}

// window is a range of rows of a shard.
type window struct {
	shard
	from, count int
}

// row returns the index of the first row in the batch.
func (v window) row() int { return v.first + v.from }

// newWorkerPool returns a pool with scratch memory for targets of at most the given number of
// classes.
func newWorkerPool(o Options, classes int) *workerPool {
	p := &workerPool{rows: o.Rows, backend: o.Backend, all: make([]*worker, o.threads())}
	for i := range p.all {
		p.all[i] = &worker{Worker: kernel.NewWorker(o.Backend), places: make([]int32, classes)}
	}
	p.split()
	return p
}

// shards returns the number of shards of the batch.
func (p *workerPool) shards() int { return (p.rows + shardRows - 1) / shardRows }

// shard returns the shard with index i.
func (p *workerPool) shard(i int) shard {
	first := i * shardRows
	return shard{i, first, min(shardRows, p.rows-first)}
}

// split divides the batch into units. They consist of whole shards if the threads can share these
// evenly, and otherwise of halves or quarters, which are slower because the weights are read more
// often. Units are as large as possible with two per thread.
func (p *workerPool) split() {
	threads, shards, parts := len(p.all), p.shards(), 1
	switch {
	case threads > 2*shards:
		parts = 4
	case shards%threads > 0:
		parts = 2
	}
	p.whole = parts == 1
	size := max(1, shards*parts/(2*threads)) // windows per unit
	var unit []window
	for i := range shards {
		s := p.shard(i)
		for part := range parts {
			from, to := part*s.rows/parts, (part+1)*s.rows/parts
			if from == to {
				continue
			}
			if unit = append(unit, window{s, from, to - from}); len(unit) == size {
				p.units, unit = append(p.units, unit), nil
			}
		}
	}
	if len(unit) > 0 {
		p.units = append(p.units, unit)
	}
}

// do calls f for every number below n on all goroutines and waits for all calls. Calls must not
// write to the same memory.
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
	for _, w := range p.all[1:max(1, min(len(p.all), n))] {
		group.Go(func() { work(w) })
	}
	work(p.all[0])
	group.Wait()
}
