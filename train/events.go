package train

import (
	"sync"

	"tiro/rundir"
	"tiro/selfplay"
)

// Events are called as a run proceeds, by one goroutine at a time. Each may be
// nil.
type Events struct {
	// Info and Warn get messages for people, with pairs of keys and values as
	// the functions of log/slog take them.
	Info, Warn func(text string, attrs ...any)

	// Detail gets what is for a log and not for people, likewise.
	Detail func(text string, attrs ...any)

	// Start says which generation is the newest when the run begins, 0, or is
	// resumed.
	Start func(generation int)
	// PhaseStart begins a phase.
	PhaseStart func(Phase)
	// Progress says that so many more steps of the phase are done, and so many
	// more actions played. Where games are of about the same length actions show
	// progress long before the first game is over.
	Progress func(steps, actions int)
	// Expect says how many more actions the phase is expected to take, and by that
	// how far it is between two steps. It is called whenever that changes, and not
	// as long as nobody knows.
	Expect func(actions int)
	// Game gets every game of self-play when it ends. The episode must not be changed.
	Game func(selfplay.Episode)
	// PhaseEnd ends the phase, whether or not all of it was done.
	PhaseEnd func()

	// Generation reports a generation that is complete and saved.
	Generation func(rundir.Metrics)
}

// Phase is a part of a generation that takes its time.
type Phase struct {
	Name  string // PhaseSelfplay, PhaseLearn or PhaseDuels
	Done  int    // steps that were done before it began
	Total int    // steps in all
}

// Names of the phases.
const (
	PhaseSelfplay = "self-play" // its steps are games
	PhaseLearn    = "learn"     // its steps are those of the optimizer
	PhaseDuels    = "duels"     // its steps are games
)

// withDefaults returns the events with a function that does nothing for each
// that is nil.
func (e Events) withDefaults() Events {
	if e.Info == nil {
		e.Info = func(string, ...any) {}
	}
	if e.Warn == nil {
		e.Warn = func(string, ...any) {}
	}
	if e.Detail == nil {
		e.Detail = func(string, ...any) {}
	}
	if e.Start == nil {
		e.Start = func(int) {}
	}
	if e.PhaseStart == nil {
		e.PhaseStart = func(Phase) {}
	}
	if e.Progress == nil {
		e.Progress = func(int, int) {}
	}
	if e.Expect == nil {
		e.Expect = func(int) {}
	}
	if e.Game == nil {
		e.Game = func(selfplay.Episode) {}
	}
	if e.PhaseEnd == nil {
		e.PhaseEnd = func() {}
	}
	if e.Generation == nil {
		e.Generation = func(rundir.Metrics) {}
	}
	return e
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
