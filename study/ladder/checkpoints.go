package ladder

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/rundir"
)

// Checkpoints says what a run took up to each of its generations, 0 included, by its
// metrics, oldest first, with what its first network had cost (see card.Start). The run is
// named as it is to be in reports. Generations that come after a gap in the metrics are
// left out.
func Checkpoints(run string, start card.Cost, metrics []rundir.Metrics) []Checkpoint {
	all := []Checkpoint{{Run: run, Games: start.Games}}
	known := start.Unmeasured == 0
	if known {
		all[0].CPUHours = start.CoreHours
	}
	var cpu rundir.CPUCost
	for i := range metrics {
		m, last := &metrics[i], all[len(all)-1]
		if m.Generation != last.Generation+1 {
			break
		}
		cpu.Add(m)
		known = known && m.Machine.Covered()
		next := Checkpoint{Run: run, Generation: m.Generation, Games: last.Games + m.Games}
		if known {
			next.CPUHours = start.CoreHours + float64(cpu.All)/float64(time.Hour)
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

// Recall returns the ratings that a folder has of the checkpoints of a run, without any
// games being played: those of the newest conditions under which any has played. The
// metrics say what the checkpoints took. Without such games the error is fs.ErrNotExist.
func Recall(l *Ladder, game env.Game, dir, run string, start card.Cost, metrics []rundir.Metrics) (report Report, err error) {
	o := Rating{Ladder: l, Game: game, Dir: dir, Games: 1, Error: 1, Workers: 1}
	r := newRater(o)
	if r.log, err = openLog(r.Disk, r.Dir, r.Game.Spec()); err != nil {
		return report, err
	}
	sum, err := l.checksum()
	if err != nil {
		return report, err
	}
	known := Checkpoints(run, start, metrics)
	for i := len(r.log.content.Pools) - 1; i >= 0; i-- {
		p := r.log.content.Pools[i]
		if p.Ladder != sum {
			continue
		}
		r.pool, r.conditions = p, p.Conditions
		f, err := r.fit(everyRound)
		if err != nil {
			return report, err
		}
		for number, c := range p.Candidates {
			g, ok := checkpointOf(c, run)
			if !ok || g >= len(known) || f.at[len(l.Players)+number] < 0 {
				continue
			}
			r.Candidates = append(r.Candidates, Candidate{Player: c, Checkpoint: &known[g]})
			r.number = append(r.number, number)
		}
		if len(r.Candidates) > 0 {
			return r.report()
		}
	}
	return report, fs.ErrNotExist
}

// checkpointOf returns the generation of a candidate that is named as a checkpoint of a
// run, however the path to the run began.
func checkpointOf(p Player, run string) (generation int, ok bool) {
	path, _, _ := strings.Cut(p.Name, ",")
	checkpoints := filepath.Dir(path)
	if filepath.Base(checkpoints) != rundir.CheckpointsDir || filepath.Base(filepath.Dir(checkpoints)) != filepath.Base(run) {
		return 0, false
	}
	return models.ParseGeneration(filepath.Base(path))
}
