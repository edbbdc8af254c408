package main

import (
	"container/heap"
	"math"

	"tiro/env"
)

// constants are what is measured of a run and of machines.
type constants struct {
	games       int     // of a generation
	slots       int     // games in flight of a goroutine at most
	cores       int     // of a worker
	coreSeconds float64 // that a game takes
	spread      float64 // standard deviation of that, as a share
	solo        float64 // seconds that a game takes at least, on a core of its own
	intake      float64 // seconds of the trainer for a game
	lease       float64 // seconds of the trainer for a request
	network     float64 // bytes of a network
	message     float64 // bytes of a game
	bandwidth   float64 // bytes a second of the trainer's line, each way
	latency     float64 // seconds to and fro
	learn       float64 // seconds after a generation

	asynchronous bool // the next generation is played meanwhile
}

// generation returns the seconds of a generation whose self-play takes so many.
func (c *constants) generation(selfplay float64) float64 {
	if c.asynchronous {
		return max(selfplay, c.learn)
	}
	return selfplay + c.learn
}

// outcome is what a simulation finds.
type outcome struct {
	selfplay float64 // seconds from the announcement to the last game
	busy     float64 // share of the workers' core time in which there was something to compute
	bound    string  // what takes the longest
}

// machine is a simulated worker: its games share its cores evenly, and none takes more
// than a core with one batch can give it.
type machine struct {
	left []float64 // seconds of a core that each game in flight still takes
	now  float64   // up to which this is true
	next float64   // when the next game ends
	at   int       // in the queue
}

// queue is the machines by when their next game ends.
type queue []*machine

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].next < q[j].next }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i]; q[i].at, q[j].at = i, j }
func (q *queue) Push(x any)        { *q = append(*q, x.(*machine)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// simulate simulates a generation with so many workers.
func simulate(c *constants, workers int) outcome {
	lengths := c.lengths()
	download := c.latency*4 + float64(c.network*float64(workers)/c.bandwidth)
	each := max(1, (c.games+workers-1)/workers) // leased by the trainer as its share
	inFlight := min(c.slots*c.cores, each)
	open, computed := 0, 0.0
	var q queue
	for w := range workers {
		m := &machine{now: download + float64(c.lease*float64(w+1)), at: w}
		for range inFlight {
			if open < c.games {
				m.left = append(m.left, lengths[open])
				open++
			}
		}
		if len(m.left) > 0 {
			m.plan(c)
			q = append(q, m)
		}
	}
	heap.Init(&q)
	trainer, line, last := 0.0, 0.0, 0.0 // until when each is busy
	for len(q) > 0 {
		m := q[0]
		end := m.next
		computed += m.advance(c)
		line = max(line, end) + float64(c.message/c.bandwidth)
		trainer = max(trainer, line+c.latency/2) + c.intake + c.lease
		last = trainer
		if open < c.games {
			m.left = append(m.left, lengths[open])
			open++
		}
		if len(m.left) == 0 {
			heap.Pop(&q)
			continue
		}
		m.plan(c)
		heap.Fix(&q, 0)
	}
	o := outcome{selfplay: last, busy: computed / (last * float64(workers*c.cores))}
	o.bound = c.bound(o, workers, download)
	return o
}

// rate returns how much of a core each game in flight gets.
func (m *machine) rate(c *constants) float64 {
	return min(float64(c.cores)/float64(len(m.left)), c.coreSeconds/c.solo)
}

// plan finds when the next game ends.
func (m *machine) plan(c *constants) {
	shortest := math.Inf(1)
	for _, left := range m.left {
		shortest = min(shortest, left)
	}
	m.next = m.now + shortest/m.rate(c)
}

// advance goes to the end of the next game, and returns the seconds of cores it took.
func (m *machine) advance(c *constants) float64 {
	part := (m.next - m.now) * m.rate(c)
	computed, kept := float64(part*float64(len(m.left))), m.left[:0]
	ended := false
	for _, left := range m.left {
		if left -= part; left <= 1e-12 && !ended {
			ended = true
			continue
		}
		kept = append(kept, max(left, 1e-12))
	}
	m.left, m.now = kept, m.next
	return computed
}

// lengths draws how many seconds of a core each game takes.
func (c *constants) lengths() []float64 {
	rng := env.NewRand(1)
	all := make([]float64, c.games)
	for i := range all {
		sum := 0.0
		for range 12 {
			sum += rng.Float64()
		}
		all[i] = max(c.coreSeconds/10, float64(c.coreSeconds*(1+float64(c.spread*(sum-6)))))
	}
	return all
}

// bound says what takes the longest.
func (c *constants) bound(o outcome, workers int, download float64) string {
	games := float64(c.games)
	parts := []struct {
		name    string
		seconds float64
	}{
		{"workers", games * c.coreSeconds / float64(workers*c.cores)},
		{"learner", c.learn},
		{"trainer's core", games * (c.intake + c.lease)},
		{"trainer's line", download + games*c.message/c.bandwidth},
		{"longest game", c.solo},
	}
	best := parts[0]
	for _, p := range parts[1:] {
		if p.seconds > best.seconds {
			best = p
		}
	}
	return best.name
}
