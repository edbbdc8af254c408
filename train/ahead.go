package train

import (
	"context"
	"sync"

	"tiro/net"
	"tiro/rundir"
	"tiro/selfplay"
)

// ahead is self-play of a generation that has begun while the network learns from the
// generation before it (selfplay.Config.Asynchronous). Until its gate opens it changes
// nothing that the run works with: it neither evicts games from the window nor removes
// files, for what it adds there is room.
type ahead struct {
	job    job
	gate   *gate
	events *heldEvents
	cancel context.CancelFunc
	done   chan struct{} // closed when the following are set

	episodes []selfplay.Episode
	machine  rundir.Machine // what playing took
	err      error
}

// gate is closed while the network learns.
type gate struct {
	opened  chan struct{}
	ctx     context.Context // ends those who wait
	memory  int64           // bytes that the games may take before they have to wait
	partial int64           // bytes that their partial file may take before they have to wait
}

// isOpen reports whether the gate is open. A nil gate is.
func (g *gate) isOpen() bool {
	if g == nil {
		return true
	}
	select {
	case <-g.opened:
		return true
	default:
		return false
	}
}

// wait waits until the gate opens.
func (g *gate) wait() error {
	if g == nil {
		return nil
	}
	select {
	case <-g.opened:
		return nil
	case <-g.ctx.Done():
		return context.Cause(g.ctx)
	}
}

// playAhead begins self-play of the generation after one whose games are in the window,
// by the network that has not learned from these yet, unless that generation is the last.
func (r *run) playAhead(ctx context.Context, generation int) error {
	if !r.Config.Selfplay.Asynchronous || r.reached(generation) {
		return nil
	}
	r.earlier = r.learner.inference().Clone()
	_, err := r.Disk.Stat(r.folder.Generation(generation + 1).Episodes())
	if err == nil { // as in a run that was set back to an earlier checkpoint
		return nil
	}
	j, err := r.job(generation + 1)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{
		gate:   &gate{opened: make(chan struct{}), ctx: ctx, memory: r.window.room(), partial: r.room.partial},
		events: &heldEvents{to: &r.Events}, cancel: cancel, done: make(chan struct{}),
	}
	j.events = a.events.events()
	j.growth.gate = a.gate
	j.makeRoom = func(finished int, bytes int64) error {
		if !a.gate.isOpen() && bytes <= a.gate.partial {
			return nil
		}
		if err := a.gate.wait(); err != nil {
			return err
		}
		return r.makeRoom(finished, bytes)
	}
	a.job, r.ahead = j, a
	go func() {
		defer close(a.done)
		a.episodes, a.err = r.player.play(ctx, a.job, &a.machine)
	}()
	return nil
}

// finish opens the gate and waits for the games.
func (a *ahead) finish(machine *rundir.Machine) ([]selfplay.Episode, error) {
	defer a.cancel()
	a.events.release()
	close(a.gate.opened)
	<-a.done
	a.machine.Workers, a.machine.Tiro, a.machine.Backend = machine.Workers, machine.Tiro, machine.Backend
	*machine = a.machine
	return a.episodes, a.err
}

// stopAhead ends self-play of a generation that is not to come. Games that have finished
// are in its partial file.
func (r *run) stopAhead() error {
	a := r.ahead
	if a == nil {
		return nil
	}
	r.ahead = nil
	a.cancel()
	<-a.done
	if isCancelled(a.gate.ctx, a.err) {
		return nil
	}
	return a.err
}

// resumeEarlier reads the network that plays the next generation, if that is not the
// newest one.
func (r *run) resumeEarlier() error {
	if !r.Config.Selfplay.Asynchronous || r.saved < 1 {
		return nil
	}
	c, err := r.store.Load(r.saved - 1)
	switch {
	case err == nil:
		r.earlier = c.Weights
	case rundir.MayBeIntact(err):
		return err
	default:
		r.Events.Warn("the network that is to play the next generation is missing; the newest plays it, as without selfplay.asynchronous", "checkpoint", r.saved-1, "reason", err)
	}
	return nil
}

// playing returns the network that plays the next generation, and by how many
// generations it is older than the newest one.
func (r *run) playing() (w *net.Weights, lag int) {
	if r.earlier != nil {
		return r.earlier, 1
	}
	return r.learner.inference(), 0
}

// serialised returns events that may be called by several goroutines.
func (e Events) serialised() Events {
	one := new(sync.Mutex)
	return Events{
		Info: locked(one, e.Info), Warn: locked(one, e.Warn), Detail: locked(one, e.Detail),
		Start:      func(g int) { one.Lock(); defer one.Unlock(); e.Start(g) },
		PhaseStart: func(p Phase) { one.Lock(); defer one.Unlock(); e.PhaseStart(p) },
		Progress:   func(s, a int) { one.Lock(); defer one.Unlock(); e.Progress(s, a) },
		Expect:     func(a int) { one.Lock(); defer one.Unlock(); e.Expect(a) },
		Game:       func(g selfplay.Episode) { one.Lock(); defer one.Unlock(); e.Game(g) },
		PhaseEnd:   func() { one.Lock(); defer one.Unlock(); e.PhaseEnd() },
		Generation: func(m rundir.Metrics) { one.Lock(); defer one.Unlock(); e.Generation(m) },
	}
}

func locked(one *sync.Mutex, f func(string, ...any)) func(string, ...any) {
	return func(text string, attrs ...any) {
		one.Lock()
		defer one.Unlock()
		f(text, attrs...)
	}
}

// heldEvents are the events of self-play that goes on beside another phase. They show
// its progress from the moment on when it is the only phase.
type heldEvents struct {
	to *Events

	mu       sync.Mutex
	released bool
	begun    bool  // a phase
	phase    Phase // with the steps done so far
	actions  int   // played so far
	expected int   // actions; 0: nobody knows
}

func (h *heldEvents) events() *Events {
	e := *h.to
	e.PhaseStart = func(p Phase) {
		h.hold(func() { h.begun, h.phase, h.actions, h.expected = true, p, 0, 0 }, func() { h.to.PhaseStart(p) })
	}
	e.Progress = func(steps, actions int) {
		h.hold(func() { h.phase.Done += steps; h.actions += actions }, func() { h.to.Progress(steps, actions) })
	}
	e.Expect = func(actions int) { h.hold(func() { h.expected = actions }, func() { h.to.Expect(actions) }) }
	e.PhaseEnd = func() { h.hold(func() { h.begun = false }, h.to.PhaseEnd) }
	return &e
}

// hold notes an event as long as events are held, and else passes it on.
func (h *heldEvents) hold(note, pass func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		pass()
	} else {
		note()
	}
}

// release shows where self-play is, and from then on all its events.
func (h *heldEvents) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	if !h.begun {
		return
	}
	h.to.PhaseStart(h.phase)
	h.to.Progress(0, h.actions)
	if h.expected > 0 {
		h.to.Expect(h.expected)
	}
}
