package train

import "tiro/rundir"

// Progress is told how a run gets on. Its methods are called by one goroutine
// at a time.
type Progress interface {
	// Start begins a phase of total steps; done of them were done before. The
	// others will play about so many actions, by the generation before; 0: there
	// is nothing to go by.
	Start(phase string, done, total, actions int)
	// Advance says that n more steps are done, and how many actions were played.
	// In games of equal length actions tell of progress long before games do.
	Advance(n, actions int)
	// Done ends the phase, also one that was cut short.
	Done()
	// Generation reports a generation that is complete and saved.
	Generation(m rundir.Metrics)
}

// Names of the phases.
const (
	PhaseSelfplay = "self-play" // counted in games
	PhaseLearn    = "learn"     // counted in steps
)

// silent is the Progress of a run that nobody watches.
type silent struct{}

func (silent) Start(string, int, int, int) {}
func (silent) Advance(int, int)            {}
func (silent) Done()                       {}
func (silent) Generation(rundir.Metrics)   {}
