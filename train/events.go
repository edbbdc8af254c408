package train

import (
	"log/slog"
	"sync"

	"tiro/rundir"
	"tiro/selfplay"
)

// Events receives the events of a run, one at a time. It may be nil.
type Events func(Event)

// Event is a Message, Started, Phase, Advanced, Played, PhaseEnded or Completed.
type Event any

// Message is a message for the user or for a log.
type Message struct {
	Level slog.Level // LevelDebug: for a log only
	Text  string
	Attrs []any // pairs of keys and values, as for the functions of log/slog
}

// Started reports the newest generation when the run begins (0) or resumes.
type Started struct{ Generation int }

// Phase reports the start of a lengthy part of a generation.
type Phase struct {
	Name  string // PhaseSelfplay, PhaseLearn or PhaseDuels
	Done  int    // steps done before it began
	Total int    // total number of steps
}

// Names of the phases.
const (
	PhaseSelfplay = "self-play" // its steps are games
	PhaseLearn    = "learn"     // its steps are steps of the optimizer
	PhaseDuels    = "duels"     // its steps are games
)

// Advanced reports progress of the phase since the previous event of this type. If games have
// about the same length, actions show progress long before the first game ends.
type Advanced struct{ Steps, Actions int }

// Played reports a finished game of self-play. It must not be modified.
type Played struct{ selfplay.Episode }

// PhaseEnded reports the end of the phase, completed or not.
type PhaseEnded struct{}

// Completed reports a generation that is complete and saved.
type Completed struct{ rundir.Metrics }

func (f Events) send(e Event) {
	if f != nil {
		f(e)
	}
}

func (f Events) Detail(text string, attrs ...any) { f.send(Message{slog.LevelDebug, text, attrs}) }
func (f Events) Info(text string, attrs ...any)   { f.send(Message{slog.LevelInfo, text, attrs}) }
func (f Events) Warn(text string, attrs ...any)   { f.send(Message{slog.LevelWarn, text, attrs}) }

// inTurn returns events that several goroutines may send.
func (f Events) inTurn() Events {
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		f.send(e)
	}
}

// progress reports the progress of self-play. While another phase runs
// (selfplay.Config.Asynchronous), it only counts the steps.
type progress struct {
	mu      sync.Mutex
	to      Events
	held    bool  // another phase runs
	phase   Phase // with the steps so far; zero before it begins and after it ends
	actions int   // played so far
}

// begin begins the phase.
func (p *progress) begin(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase = (Phase{PhaseSelfplay, done, total}); !p.held {
		p.to.send(p.phase)
	}
}

// add reports progress, and then other events.
func (p *progress) add(a Advanced, more ...Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		p.phase.Done += a.Steps
		p.actions += a.Actions
	} else {
		p.to.send(a)
	}
	for _, e := range more {
		p.to.send(e)
	}
}

// release reports the progress so far. The other phase has ended.
func (p *progress) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held = false; p.phase.Name != "" {
		p.to.send(p.phase)
		p.to.send(Advanced{Actions: p.actions})
	}
}

// end ends the phase.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase = (Phase{}); !p.held {
		p.to.send(PhaseEnded{})
	}
}
