package progress

import (
	"fmt"
	"slices"
	"time"

	"tiro/rundir"
)

// Phases of a training run.
const (
	Training = "training"
	Finished = "finished" // the limit was reached
	Stopped  = "stopped"  // interrupted by the user or the system; the run can be resumed
	Failed   = "failed"
)

// StateKey is the field of a line of the log that holds a State.
const StateKey = "state"

// State is the phase and the limits of a training run. A training run logs one when it begins and
// one when it ends.
type State struct {
	Phase  string `json:"phase"`
	Reason string `json:"reason,omitempty"` // why the training ended, as text

	// Limits of the training, 0 if it has no such limit. Another is in its configuration.
	Generations int       `json:"generations,omitempty"`
	Until       time.Time `json:"until,omitzero"` // no generation begins after this time
}

// Each returns the duration of a generation, 0 if it is unknown.
func (r *Run) Each() time.Duration {
	return seconds(rundir.Typical(r.Metrics, func(m *rundir.Metrics) float64 { return m.Machine.Seconds }))
}

// Left estimates the time from the newest generation to the end of the training, by the limit that
// is reached first. It returns 0 if that is unknown or the training has no limit.
func (r *Run) Left(now time.Time) time.Duration {
	s, each := &r.State, r.Each()
	var left []time.Duration
	if !s.Until.IsZero() {
		left = append(left, s.Until.Sub(now))
	}
	if s.Generations > 0 && each > 0 {
		left = append(left, time.Duration(s.Generations-r.Generation())*each)
	}
	if cpu := rundir.Typical(r.Metrics, func(m *rundir.Metrics) float64 { return m.Machine.CPUSeconds }); r.Config.CPUHours > 0 && cpu > 0 {
		left = append(left, seconds((r.Config.CPUTime()-rundir.CostOf(r.Metrics).All).Seconds()/cpu*each.Seconds()))
	}
	if len(left) == 0 {
		return 0
	}
	return max(0, slices.Min(left))
}

// Rest estimates the remaining duration of a job of which done of total units took the time
// took. It returns 0 if that is unknown.
func Rest(took time.Duration, done, total int) time.Duration {
	if done <= 0 || done >= total {
		return 0
	}
	return seconds(took.Seconds() / float64(done) * float64(total-done))
}

// seconds returns a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Duration formats d for readers, as in "90 s", "25 min" or "3.5 h".
func Duration(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
