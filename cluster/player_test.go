package cluster

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeGame is a game that only counts.
type fakeGame int

func (g fakeGame) number() int              { return int(g) }
func (g fakeGame) message() ([]byte, error) { return nil, nil }
func (g fakeGame) digest() (string, error)  { return "", nil }
func (g fakeGame) keep() ([]int, error)     { return nil, nil }

// fakeWork is work whose games are over at once.
type fakeWork struct{}

func (fakeWork) String() string     { return "games" }
func (fakeWork) attrs() []any       { return nil }
func (fakeWork) atOnce() int        { return 1 }
func (fakeWork) common() *announced { return &announced{} }

func (fakeWork) play(ctx context.Context, p playing) error {
	for {
		select {
		case n := <-p.numbers:
			if err := p.finished(fakeGame(n)); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var _ work = fakeWork{}

// turns is a source that plays something else at first, then game 3 of "mine", and then
// something else again.
type turns struct {
	asked     atomic.Int64
	delivered atomic.Bool
}

func (s *turns) ask(_ context.Context, q request) (reply, error) {
	switch {
	case s.asked.Add(1) < 3 || s.delivered.Load():
		return reply{ID: "other"}, nil
	case len(q.Held) == 0:
		return reply{ID: "mine", Granted: []int{3}, Share: 1}, nil
	}
	return reply{ID: "mine", Share: 1}, nil
}

func (s *turns) deliver(_ context.Context, p *delivery) error {
	if p.number() != 3 {
		return fmt.Errorf("game %d", p.number())
	}
	s.delivered.Store(true)
	return nil
}

// TestPlayerWaitsForItsTurn: a player goes on when its announcement is played again, since
// nobody tells it: what was played instead may never have been announced.
func TestPlayerWaitsForItsTurn(t *testing.T) {
	s := &turns{}
	p := player{source: s, id: "mine", lease: time.Second, workers: 1, fill: func(*request) {}}
	require.ErrorIs(t, p.play(t.Context(), fakeWork{}), errPaused)
	require.True(t, s.delivered.Load())
	require.Equal(t, 1, p.games)
}

// TestOneMessageAtATime: a worker's messages come from several goroutines, and its
// functions are called by one at a time.
func TestOneMessageAtATime(t *testing.T) {
	var busy atomic.Bool
	note := func(string, ...any) {
		if !busy.CompareAndSwap(false, true) {
			t.Error("called while it was being called")
		}
		for range 100 {
			runtime.Gosched()
		}
		busy.Store(false)
	}
	w := &worker{o: WorkerOptions{Info: note, Warn: note}}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { w.info("a"); w.warn("b") })
	}
	wait.Wait()
}

// fakeOrder is games that this process wants, and takes back as a generation does.
type fakeOrder struct {
	order
	finished []int
	reading  func() // is called when a game is read
}

func (o fakeOrder) read([]byte) (game, error) {
	o.reading()
	return fakeGame(0), nil
}

func (o fakeOrder) encode() ([]byte, error) { return []byte("four games"), nil }
func (o fakeOrder) size() int               { return 4 }
func (o fakeOrder) backend() string         { return "go" }
func (o fakeOrder) done() []int             { return o.finished }

func (o fakeOrder) retract(numbers []int, worker string) ([]int, error) {
	return (&generation{}).retract(numbers, worker)
}

func quiet(t *testing.T) *Trainer {
	trainer, err := New(Options{URL: "nats://127.0.0.1:1", Lease: time.Second, Version: "test", Clock: time.Now})
	require.NoError(t, err)
	return trainer
}

// TestSecondLiar: when a generation begins again because a worker was dropped, it is not
// forgotten who has played the rest.
func TestSecondLiar(t *testing.T) {
	trainer := quiet(t)
	begin := func(done ...int) *task {
		k, err := trainer.newTask(fakeOrder{finished: done})
		require.NoError(t, err)
		trainer.set(k)
		return k
	}
	k := begin()
	for n, name := range []string{"eve", "mallory", "alice"} {
		require.NoError(t, trainer.take(k, name, fakeGame(n)))
	}
	trainer.ban(k, "eve", "she lied")
	require.ErrorContains(t, k.err, "1 games retracted")

	k = begin(1, 2)
	require.NoError(t, trainer.take(k, "alice", fakeGame(0)))
	require.False(t, k.over)
	trainer.ban(k, "mallory", "he lied")
	require.True(t, k.over, "game 1 was his")
	require.ErrorContains(t, k.err, "worker mallory was dropped")

	k = begin(0, 2)
	trainer.ban(k, "alice", "she lied")
	require.ErrorContains(t, k.err, "2 games retracted")
}

// TestDroppedMeanwhile: a game is not taken if its worker is dropped while it is read.
func TestDroppedMeanwhile(t *testing.T) {
	trainer := quiet(t)
	var k *task
	k, err := trainer.newTask(fakeOrder{reading: func() {
		trainer.mu.Lock()
		defer trainer.mu.Unlock()
		trainer.ban(k, "eve", "she lied")
	}})
	require.NoError(t, err)
	trainer.set(k)
	require.True(t, trainer.episode(episodePrefix+k.id+".eve", nil))
	require.False(t, k.ledger.games[0].done)
	require.Equal(t, 1, trainer.refused[refusedBanned])
}

// slowGame is a game that cannot be kept for a minute.
type slowGame struct {
	fakeGame
	now *time.Time
}

func (g slowGame) keep() ([]int, error) {
	*g.now = g.now.Add(time.Minute)
	return nil, nil
}

// TestExcused: workers that nobody could hear were not silent.
func TestExcused(t *testing.T) {
	trainer, now, said := quiet(t), noon, ""
	trainer.o.Clock = func() time.Time { return now }
	trainer.o.Warn = func(text string, _ ...any) { said += text }
	k, err := trainer.newTask(fakeOrder{})
	require.NoError(t, err)
	trainer.set(k)
	ask := func(name string) []int {
		return trainer.answer(name, &request{Tiro: "test", Session: "1", Backend: "go", Workers: 4, ID: k.id, Want: 4}).Granted
	}
	require.Equal(t, []int{0, 1, 2, 3}, ask("alice"))
	require.NoError(t, trainer.take(k, "alice", slowGame{0, &now}))
	trainer.tick(k)
	require.Empty(t, said)
	require.Empty(t, ask("bob"), "alice still plays")
}

// TestBoundedTalk: what workers say of themselves takes little memory.
func TestBoundedTalk(t *testing.T) {
	trainer := quiet(t)
	say := func(name string, change func(q *request)) reply {
		q := &request{Tiro: "test", Session: "1", Backend: "go", Workers: 1}
		change(q)
		return trainer.answer(name, q)
	}
	long := string(make([]byte, 200_000))
	require.Contains(t, say("eve", func(q *request) { q.Backend = long }).Refused, "want at most 64 letters")
	require.Empty(t, say("eve", func(q *request) { q.Refused = long }).Refused)
	for i := range maxSessions + 100 {
		refused := say("eve", func(q *request) { q.Session = fmt.Sprint(i) }).Refused
		require.Equal(t, i >= maxSessions, refused != "", "process %d: %s", i, refused)
	}
	require.Empty(t, say("alice", func(*request) {}).Refused)
	require.Len(t, trainer.members, maxSessions+1)
	bytes := 0
	for text := range trainer.told {
		bytes += len(text)
	}
	require.Less(t, bytes, 2000)
}
