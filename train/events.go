package train

import (
	"log/slog"
	"sync"

	"tiro/rundir"
	"tiro/selfplay"
)

// Events receives what happens in a run, one event at a time. It may be nil.
type Events func(Event)

// Event is a Message, Started, Phase, Advanced, Played, PhaseEnded or Completed.
type Event any

// Message is a sentence for people or for a log.
type Message struct {
	Level slog.Level // LevelDebug: for a log and not for people
	Text  string
	Attrs []any // pairs of keys and values, as the functions of log/slog take them
}

// Started reports the newest generation when the run begins, 0, or is resumed.
type Started struct{ Generation int }

// Phase reports the start of a part of a generation that takes its time.
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

// Advanced reports progress of the phase since the last such event. Where games have
// about the same length, actions show progress long before the first game is over.
type Advanced struct{ Steps, Actions int }

// Played reports a game of self-play that has ended. It must not be changed.
type Played struct{ selfplay.Episode }

// PhaseEnded reports the end of the phase, whether or not all of it was done.
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

// concurrentEvents passes on the events of a run whose self-play may go on beside another
// phase (selfplay.Config.Asynchronous). The progress of self-play is held back until the
// other phase is over.
type concurrentEvents struct {
	mu      sync.Mutex
	to      Events
	held    bool
	phase   *Phase // of self-play, with the steps done so far; nil: not begun, or ended
	actions int    // played so far
}

// main receives the events of all but self-play.
func (c *concurrentEvents) main(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.to.send(e)
}

// ahead receives the events of self-play.
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

// hold holds back the progress of self-play from now on.
func (c *concurrentEvents) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held, c.phase = true, nil
}

// release reports the progress of self-play so far, and from now on as it happens.
func (c *concurrentEvents) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	if c.phase != nil {
		c.to.send(*c.phase)
		c.to.send(Advanced{Actions: c.actions})
	}
}
