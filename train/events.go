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

// concurrentEvents forwards the events of a run whose self-play may run during another phase
// (selfplay.Config.Asynchronous). It holds back the progress of self-play until the other phase
// has ended.
type concurrentEvents struct {
	mu      sync.Mutex
	to      Events
	held    bool
	phase   *Phase // self-play with its steps so far; nil before it begins and after it ends
	actions int    // actions played so far
}

// main receives all events except the events of concurrent self-play.
func (c *concurrentEvents) main(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.to.send(e)
}

// ahead receives the events of the concurrent self-play.
func (c *concurrentEvents) ahead(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.held {
		c.to.send(e)
		return
	}
	switch e := e.(type) {
	case Phase:
		c.phase, c.actions = &e, 0
	case Advanced:
		c.phase.Done += e.Steps
		c.actions += e.Actions
	case PhaseEnded:
		c.phase = nil
	default:
		c.to.send(e)
	}
}

// hold holds back the progress of self-play.
func (c *concurrentEvents) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held, c.phase = true, nil
}

// release reports the progress of self-play so far, and stops holding it back.
func (c *concurrentEvents) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	if c.phase != nil {
		c.to.send(*c.phase)
		c.to.send(Advanced{Actions: c.actions})
	}
}
