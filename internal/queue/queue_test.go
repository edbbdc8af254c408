package queue_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/queue"
)

// request asks for the squares of numbers.
type request struct {
	numbers []int
	squares []int // output
}

// square answers a batch in a random order.
func square(rng *rand.Rand, batch []request) {
	for _, i := range rng.Perm(len(batch)) {
		for range rng.IntN(3) {
			runtime.Gosched()
		}
		for j, x := range batch[i].numbers {
			batch[i].squares[j] = x * x
		}
	}
}

// TestRequestsAreAnswered: each request is in one batch, batches keep within their limit, and no
// lane runs two at a time.
func TestRequestsAreAnswered(t *testing.T) {
	const limit, clients, requests = 40, 12, 200
	for lanes := 1; lanes <= 3; lanes++ {
		rngs := make([]*rand.Rand, lanes)
		busy := make([]sync.Mutex, lanes)
		for i := range rngs {
			rngs[i] = rand.New(rand.NewPCG(1, uint64(i)))
		}
		q := queue.New(lanes, limit, func(lane int, batch []request) error {
			if !busy[lane].TryLock() {
				panic("two batches in a lane")
			}
			defer busy[lane].Unlock()
			rows := 0
			for _, r := range batch {
				rows += len(r.numbers)
			}
			if len(batch) > 1 && rows > limit {
				return fmt.Errorf("%d rows", rows)
			}
			square(rngs[lane], batch)
			return nil
		})
		errs := make(chan error, clients)
		for i := range clients {
			client, rng := q.NewClient(), rand.New(rand.NewPCG(2, uint64(i)))
			go func() { errs <- ask(client, rng, requests) }()
		}
		for range clients {
			require.NoError(t, <-errs)
		}
	}
}

// ask makes requests and checks their answers.
func ask(client *queue.Client[request], rng *rand.Rand, requests int) error {
	for range requests {
		n := 1 + rng.IntN(50)
		r := request{make([]int, n), make([]int, n)}
		for i := range r.numbers {
			r.numbers[i] = rng.IntN(1000)
		}
		if err := client.Do(r, n); err != nil {
			return err
		}
		for i, x := range r.numbers {
			if r.squares[i] != x*x {
				return fmt.Errorf("the square of %d is %d", x, r.squares[i])
			}
		}
	}
	return nil
}

// TestRequestsGather: requests that arrive during a batch share the next one, and its error.
func TestRequestsGather(t *testing.T) {
	failure := errors.New("failure")
	begun, proceed := make(chan int), make(chan error)
	q := queue.New(1, 10, func(_ int, batch []int) error {
		begun <- len(batch)
		return <-proceed
	})
	results := make(chan error)
	do := func() {
		client := q.NewClient()
		go func() { results <- client.Do(1, 4) }()
	}
	do()
	require.Equal(t, 1, <-begun)
	for range 3 {
		do()
	}
	for q.Waiting() < 3 {
		runtime.Gosched()
	}
	proceed <- nil
	require.NoError(t, <-results)
	require.Equal(t, 2, <-begun, "8 of at most 10 rows")
	proceed <- failure
	require.ErrorIs(t, <-results, failure)
	require.ErrorIs(t, <-results, failure)
	require.Equal(t, 1, <-begun)
	proceed <- nil
	require.NoError(t, <-results)
}

// TestBatchesOverlap: a second batch begins during the first when it is half full.
func TestBatchesOverlap(t *testing.T) {
	begun, proceed, results := make(chan int), make(chan error), make(chan error)
	q := queue.New(2, 10, func(_ int, batch []int) error {
		begun <- len(batch)
		return <-proceed
	})
	do := func() {
		client := q.NewClient()
		go func() { results <- client.Do(1, 2) }()
	}
	do()
	require.Equal(t, 1, <-begun)
	for range 2 {
		do()
	}
	for q.Waiting() < 2 {
		runtime.Gosched()
	}
	do()
	require.Equal(t, 3, <-begun)
	do()
	for q.Waiting() < 1 {
		runtime.Gosched()
	}
	for range 2 {
		proceed <- nil
	}
	require.Equal(t, 1, <-begun)
	proceed <- nil
	for range 5 {
		require.NoError(t, <-results)
	}
}

func TestRequestsDoNotAllocate(t *testing.T) {
	client := queue.New(1, 10, func(int, []int) error { return nil }).NewClient()
	require.Zero(t, testing.AllocsPerRun(100, func() { require.NoError(t, client.Do(1, 1)) }))
}
