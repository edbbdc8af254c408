package ladder

import (
	"slices"
	"time"

	"tiro/rundir"
)

// Checkpoints says what a run took up to each of its generations, 0 included, by its
// metrics, oldest first. The run is named as it is to be in reports. Generations that
// come after a gap in the metrics are left out.
func Checkpoints(run string, metrics []rundir.Metrics) []Checkpoint {
	all := []Checkpoint{{Run: run}}
	var cpu rundir.CPUCost
	known := true
	for i := range metrics {
		m, last := &metrics[i], all[len(all)-1]
		if m.Generation != last.Generation+1 {
			break
		}
		cpu.Add(m)
		known = known && m.Machine.Covered()
		next := Checkpoint{Run: run, Generation: m.Generation, Games: last.Games + m.Games}
		if known {
			next.CPUHours = float64(cpu.All) / float64(time.Hour)
		}
		all = append(all, next)
	}
	return all
}

// Played returns the candidates that have played games on the ladder of a rating and
// under its conditions, in the order in which they came. The candidates of the rating
// itself do not matter.
func Played(o Rating) ([]Player, error) {
	r := newRater(o)
	var err error
	if r.log, err = openLog(r.Disk, r.Dir, r.Game.Spec()); err != nil {
		return nil, err
	}
	ladder, err := r.Ladder.checksum()
	if err != nil {
		return nil, err
	}
	played, p := []Player(nil), r.log.pool(ladder, r.conditions)
	for i, c := range p.Candidates {
		if slices.ContainsFunc(p.Batches, func(b logged) bool { return b.A == i || b.B != nil && *b.B == i }) {
			played = append(played, c)
		}
	}
	return played, nil
}
