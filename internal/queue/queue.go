// Package queue merges the requests of many goroutines into batches for one device.
//
// A batch begins as soon as the device is free and a request waits, and takes all waiting
// requests, the oldest first, up to a limit. While it runs, the next requests gather; when they
// fill half a batch, they are prepared and sent meanwhile. A slow device thus gets large batches
// and a fast one short waits, without a timer: a request waits for at most the batches that run
// and the full batches before it.
package queue

import "sync"

// Queue merges requests of type R. It is safe for concurrent use. It has no goroutine of its
// own: a client whose request begins a batch runs it.
type Queue[R any] struct {
	limit int
	run   func(lane int, batch []R) error

	mu      sync.Mutex
	free    []int // lanes without a batch; not all of them while clients wait
	waiting []*Client[R]
	rows    int // of the waiting clients
	lanes   []lane[R]
}

// lane is memory for the batches that run one after the other.
type lane[R any] struct {
	clients  []*Client[R]
	requests []R
}

// New returns a queue whose batches have at most limit rows in total, or a single request. It
// calls run for up to lanes batches at a time, each in a lane of its own, numbered from 0.
// run must not keep the batch. Its error becomes the error of every request in the batch.
func New[R any](lanes, limit int, run func(lane int, batch []R) error) *Queue[R] {
	q := &Queue[R]{limit: limit, run: run, lanes: make([]lane[R], lanes)}
	for i := range q.lanes {
		q.free = append(q.free, i)
	}
	return q
}

// Client makes the requests of one goroutine. Do does not allocate after the first calls.
type Client[R any] struct {
	queue   *Queue[R]
	request R
	rows    int
	err     error
	woken   chan int // receives the lane of the batch that the client must run, or answered
}

// answered wakes a client whose request is answered.
const answered = -1

// NewClient returns a client of the queue.
func (q *Queue[R]) NewClient() *Client[R] { return &Client[R]{queue: q, woken: make(chan int, 1)} }

// Do makes a request of the given number of rows and waits until its batch has run.
func (c *Client[R]) Do(request R, rows int) error {
	q := c.queue
	c.request, c.rows, c.err = request, rows, nil
	q.mu.Lock()
	q.waiting, q.rows = append(q.waiting, c), q.rows+rows
	q.begin()
	q.mu.Unlock()
	if lane := <-c.woken; lane != answered {
		q.runBatch(c, lane)
	}
	return c.err
}

// begin begins batches while clients wait and either no batch runs, or half a batch waits and a
// lane is free. q.mu must be locked.
func (q *Queue[R]) begin() {
	for len(q.waiting) > 0 && (len(q.free) == len(q.lanes) || len(q.free) > 0 && q.rows >= q.limit/2) {
		last := len(q.free) - 1
		i := q.free[last]
		q.free = q.free[:last]
		q.take(&q.lanes[i])
		q.lanes[i].clients[0].woken <- i
	}
}

// take moves the oldest waiting requests to a lane.
func (q *Queue[R]) take(l *lane[R]) {
	rows, n := 0, 0
	l.clients, l.requests = l.clients[:0], l.requests[:0]
	for ; n < len(q.waiting) && (n == 0 || rows+q.waiting[n].rows <= q.limit); n++ {
		c := q.waiting[n]
		rows += c.rows
		l.clients, l.requests = append(l.clients, c), append(l.requests, c.request)
	}
	q.waiting, q.rows = append(q.waiting[:0], q.waiting[n:]...), q.rows-rows
}

// runBatch runs the batch of a lane, which contains the leader's request, and begins the next.
func (q *Queue[R]) runBatch(leader *Client[R], lane int) {
	l := &q.lanes[lane]
	err := q.run(lane, l.requests)
	for _, c := range l.clients {
		if c.err = err; c != leader {
			c.woken <- answered
		}
	}
	clear(l.requests) // releases their memory
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free = append(q.free, lane)
	q.begin()
}
