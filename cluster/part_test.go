package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// simulation is workers that play games of random lengths, on machines that do nothing else,
// for a Trainer whose clock is the simulation's.
type simulation struct {
	work    // which only reads games
	t       *Trainer
	k       *task
	now     time.Time
	lengths []float64 // of the games, in evaluations
	queue   []queued
	players []*simulated
}

// simulated is a worker.
type simulated struct {
	name        string
	goroutines  int
	id          string
	playing     map[int]float64 // evaluations so far
	finished    [][]byte        // games to send
	evaluations float64
	next        time.Time // it asks
}

// simulatedMessage is a message of the queue.
type simulatedMessage struct{ jetstream.Msg }

func (simulatedMessage) Ack() error        { return nil }
func (simulatedMessage) Nak() error        { return nil }
func (simulatedMessage) InProgress() error { return nil }

func (s *simulation) size() int { return len(s.lengths) }

func (s *simulation) String() string { return "the simulation" }

func (s *simulation) read(data []byte) (received, error) {
	n, err := strconv.Atoi(string(data))
	return received{n, "digest", func() ([]int, error) { return nil, nil }}, err
}

// simulate has games played by workers with these goroutines. It returns the parts of the
// evaluations, and all of them, and how long it took.
func simulate(t *testing.T, seed uint64, games int, goroutines ...int) (parts []float64, evaluations float64, took time.Duration) {
	rng := rand.New(rand.NewPCG(seed, 1))
	began := time.Unix(1000, 0)
	s := &simulation{}
	for n := range games {
		s.lengths = append(s.lengths, 1000*math.Exp(0.3*rng.NormFloat64()))
		s.queue = append(s.queue, queued{n, simulatedMessage{}})
	}
	s.now = began.Add(-2 * time.Second) // the workers wait for games
	s.t = newTrainer(Options{Clock: func() time.Time { return s.now }, Lease: DefaultLease, Version: "v", Twice: DefaultTwice})
	s.t.pull = func(_ *task, n int) (found []queued, err error) {
		n = min(n, len(s.queue))
		found, s.queue = s.queue[:n], s.queue[n:]
		return found, nil
	}
	all := 0
	for i, n := range goroutines {
		p := &simulated{name: fmt.Sprint("w", i), goroutines: n, playing: map[int]float64{}}
		all += n
		s.players = append(s.players, p)
		s.ask(p) // before there is anything to play, as workers do
	}
	s.now = began
	s.k = &task{work: s, announcement: announcement{Backend: "go"}}
	require.NoError(t, s.k.start(s.now, seed, DefaultTwice))
	s.t.begin(s.k)
	for _, p := range s.players {
		p.next = s.now.Add(time.Duration(rng.IntN(200)) * time.Millisecond) // when it has the network
	}
	for !s.k.over {
		s.step()
		require.Less(t, s.now.Sub(began), time.Hour)
	}
	for _, p := range s.players {
		evaluations += p.evaluations
	}
	for _, p := range s.players {
		parts = append(parts, p.evaluations/evaluations*float64(all)/float64(p.goroutines))
	}
	return parts, evaluations, s.now.Sub(began)
}

// step lets 10 ms pass. A goroutine that plays several games evaluates more: 1000 positions a
// second with one, and 1600 with many.
func (s *simulation) step() {
	s.now = s.now.Add(10 * time.Millisecond)
	for _, p := range s.players {
		each := float64(len(p.playing)) / float64(p.goroutines)
		speed := 16 / (0.6 + max(each, 1))
		for n := range p.playing {
			p.playing[n] += speed
			p.evaluations += speed
		}
		for n, so := range p.playing {
			if so < s.lengths[n] {
				continue
			}
			delete(p.playing, n)
			p.finished = append(p.finished, []byte(strconv.Itoa(n)))
			p.next = s.now
		}
		if !s.now.Before(p.next) {
			s.ask(p)
		}
	}
}

func (s *simulation) ask(p *simulated) {
	q := request{Tiro: "v", Backend: "go", Goroutines: p.goroutines, ID: p.id, Evaluations: int(p.evaluations), Games: p.finished, Want: 64*p.goroutines - len(p.playing)}
	for n := range p.playing {
		q.Held = append(q.Held, n)
	}
	p.finished = nil
	r := s.t.answer(p.name, p.name, &q)
	for _, n := range r.Granted {
		p.playing[n] = 0
	}
	for _, n := range r.Over {
		delete(p.playing, n)
	}
	p.next = s.now.Add(askEvery)
	if p.id != r.ID {
		p.id, p.next = r.ID, s.now
	}
}

// TestParts: with eight games a goroutine or more, each worker plays between 0.8 and 1.2 of
// its part of the evaluations, in nearly every generation, for little more evaluations and
// time than one worker with all goroutines takes.
func TestParts(t *testing.T) {
	t.Parallel()
	generations := 5
	if os.Getenv("TIRO_TORTURE") == "long" {
		generations = 40
	}
	for _, test := range []struct {
		games      int // a goroutine
		goroutines []int
	}{
		{8, []int{1, 1}},
		{8, []int{2, 2, 2, 2}},
		{8, []int{1, 1, 1, 1, 1, 1, 1, 1}},
		{8, []int{1, 1, 1, 1, 2, 2, 4, 4}},
		{16, []int{1, 2, 4, 8}},
		{40, []int{1, 1, 1, 1}},
	} {
		t.Run(fmt.Sprint(test.games, test.goroutines), func(t *testing.T) {
			sum := 0
			for _, n := range test.goroutines {
				sum += n
			}
			least, most, apart := 1.0, 1.0, 0
			more, longer := 0.0, 0.0
			for seed := range uint64(generations) {
				parts, evaluations, took := simulate(t, seed, test.games*sum, test.goroutines...)
				_, alone, tookAlone := simulate(t, seed, test.games*sum, sum)
				lo, hi := 1.0, 1.0
				for _, part := range parts {
					lo, hi = min(lo, part), max(hi, part)
				}
				if lo < 0.8 || hi > 1.2 {
					apart++
				}
				least, most = min(least, lo), max(most, hi)
				more += evaluations / alone / float64(generations)
				longer += took.Seconds() / tookAlone.Seconds() / float64(generations)
			}
			t.Logf("parts %.2f to %.2f, %d of %d generations beyond 0.8 to 1.2; %.3f times the evaluations, %.3f times the time", least, most, apart, generations, more, longer)
			require.LessOrEqual(t, apart, max(1, generations/10))
			require.Less(t, more, 1.07)
			require.Less(t, longer, 1.1)
		})
	}
}
