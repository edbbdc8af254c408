package ladder

import (
	"time"

	"tiro/models/card"
	"tiro/rundir"
)

// Costs returns the cost of a run up to each of its generations, from 0. It is computed from
// the metrics, oldest first, and includes start, the cost of the first network (see
// card.Start). It omits generations after a gap in the metrics.
func Costs(start card.Cost, metrics []rundir.Metrics) []card.Cost {
	next, played, known := start, start.Samples, start.Generation > 0
	next.Generation = 0
	all := []card.Cost{next}
	for i := range metrics {
		m := &metrics[i]
		if m.Generation != next.Generation+1 {
			break
		}
		next.Generation, next.Games, next.Samples = m.Generation, next.Games+m.Games, played+m.TotalSamples
		if !m.Machine.Covered() {
			next.Unmeasured++
		}
		if m.Machine != nil {
			next.Evaluations += m.Machine.Evaluations
			next.CoreHours += m.Machine.CPUSeconds / time.Hour.Seconds()
			next.SelfplayCoreHours += m.Machine.SelfplayCPUSeconds / time.Hour.Seconds()
			next.LearnCoreHours += m.Machine.LearnCPUSeconds / time.Hour.Seconds()
			by := card.Builder{Tiro: m.Machine.Tiro, Backend: m.Machine.Backend}
			if known {
				by = next.Trained.With(by)
			}
			next.Trained, known = by, true
		}
		all = append(all, next)
	}
	return all
}

// Checkpoints converts Costs to Checkpoints. run is the name of the run in reports.
func Checkpoints(run string, start card.Cost, metrics []rundir.Metrics) (all []Checkpoint) {
	for _, c := range Costs(start, metrics) {
		next := Checkpoint{Run: run, Generation: c.Generation, Games: c.Games}
		if c.Unmeasured == 0 {
			next.CPUHours = c.CoreHours
		}
		all = append(all, next)
	}
	return all
}
