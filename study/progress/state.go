package progress

import (
	"fmt"
	"slices"
	"time"

	"tiro/rundir"
)

// Phases of a training.
const (
	Training = "training"
	Finished = "finished" // its limit is reached
	Stopped  = "stopped"  // by a person or the system; it can be resumed
	Failed   = "failed"
)

// StateKey is the field of a line of the log that holds a State.
const StateKey = "state"

// State is what a training says of itself. It logs one when it begins and one when it
// ends.
type State struct {
	Phase  string `json:"phase"`
	Reason string `json:"reason,omitempty"` // why it has ended, for people

	// Limits of the training, 0 if it has no such limit.
	Generations int       `json:"generations,omitempty"`
	Until       time.Time `json:"until,omitzero"`        // no generation begins later
	CPUSeconds  float64   `json:"cpu_seconds,omitempty"` // of the run in all
}

// recent is how many generations the estimates of time look back.
const recent = 5

// seconds returns the median of a duration of the newest generations, 0 if it is unknown.
// One generation that was interrupted or disturbed does not change it much.
func (r *Run) seconds(of func(m *rundir.Machine) float64) float64 {
	var all []float64
	for i := len(r.Metrics) - 1; i >= 0 && len(all) < recent; i-- {
		if m := r.Metrics[i].Machine; m != nil && of(m) > 0 {
			all = append(all, of(m))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// Each returns how long a generation takes, 0 if it is unknown.
func (r *Run) Each() time.Duration {
	return seconds(r.seconds(func(m *rundir.Machine) float64 { return m.Seconds }))
}

// Left estimates how long the training will last after its newest generation; 0 if that is
// unknown or it has no limit.
func (r *Run) Left(now time.Time) time.Duration {
	s := &r.State
	switch {
	case !s.Until.IsZero():
		return max(0, s.Until.Sub(now))
	case s.Generations > 0:
		return max(0, time.Duration(s.Generations-r.Generation())*r.Each())
	case s.CPUSeconds > 0:
		var cost rundir.CPUCost
		for i := range r.Metrics {
			cost.Add(&r.Metrics[i])
		}
		each := r.seconds(func(m *rundir.Machine) float64 { return m.CPUSeconds })
		if each > 0 {
			return max(0, seconds((s.CPUSeconds-cost.All.Seconds())/each*r.Each().Seconds()))
		}
	}
	return 0
}

// Rest estimates how long work will take from here on that is done in part after a time; 0
// if that is unknown.
func Rest(took time.Duration, done, total int) time.Duration {
	if done <= 0 || done >= total {
		return 0
	}
	return seconds(took.Seconds() / float64(done) * float64(total-done))
}

// seconds returns a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Duration returns a duration in words.
func Duration(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
