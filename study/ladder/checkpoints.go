package ladder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/player"
	"tiro/rundir"
)

// readLog returns the matches in the log of a folder, nil if there is no log.
func readLog(fsys disk.FS, dir string, game env.Game) ([]*arena.LoggedMatch, error) {
	path := filepath.Join(dir, LogFile)
	data, err := disk.ReadFile(fsys, path, arena.MaxGameLog)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return nil, nil
	}
	var matches []*arena.LoggedMatch
	if err == nil {
		matches, err = arena.ReadGames(data, game)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; move it elsewhere, or choose another folder", path, err)
	}
	return matches, nil
}

// Played returns the players with complete matches in the folder of a rating that count for
// it, in order of appearance. It ignores the candidates of the rating.
func Played(o Options) (all []player.Spec, err error) {
	o.Candidates = nil
	r, err := newRater(o)
	if err != nil {
		return nil, err
	}
	matches, err := readLog(r.Disk, r.Dir, r.Game)
	r.enter(matches)
	seen := map[int]bool{}
	for _, m := range r.meetings(matches) {
		for _, place := range []int{m.a, m.b} {
			if !seen[place] {
				all = append(all, r.players[place].Spec)
			}
			seen[place] = true
		}
	}
	return all, err
}

// Recall returns the ratings of a run's checkpoints from the games in a folder, without
// playing. It uses the games of the program that played last. known describes the checkpoints
// by generation. Deleted checkpoints count unless the games include other networks with the
// names of existing ones. Without games of the run the error is fs.ErrNotExist.
func Recall(l *Ladder, game env.Game, dir, run string, known []Checkpoint) (report Report, err error) {
	matches, err := readLog(disk.OS{}, dir, game)
	if err != nil {
		return report, err
	}
	mine := ownedBy(rundir.At(disk.OS{}, run).Store(game.Spec()), run, matches)
	for _, last := range slices.Backward(matches) {
		o := Options{Ladder: l, Game: game}
		for _, m := range matches {
			if m.Tiro != last.Tiro || m.Backend != last.Backend || m.Opening != l.Opening || !m.Complete() {
				continue
			}
			for _, p := range m.Players {
				if g, ok := checkpointOf(p, run); ok && g < len(known) && mine(p, g) && !slices.ContainsFunc(o.Candidates, func(c Candidate) bool { return c.Key() == p.Key() }) {
					o.Candidates = append(o.Candidates, Candidate{Factory: player.Factory{Spec: p}, Checkpoint: &known[g]})
				}
			}
		}
		if len(o.Candidates) == 0 {
			continue
		}
		r, err := newRater(o)
		if err != nil {
			return report, err
		}
		r.by = arena.Builder{Tiro: last.Tiro, Backend: last.Backend}
		r.enter(matches)
		report, err = r.report(matches)
		if err != nil || report.Players[0].Candidate {
			return report, err
		}
	}
	return Report{}, fs.ErrNotExist
}

// ownedBy returns a function that reports whether a player in matches, with the name of a
// checkpoint of the run, has the run's network of that generation. Existing checkpoints are
// compared. Deleted ones belong to the run unless some existing one differs: then the
// matches include games of another run that had the same folder.
func ownedBy(store *models.Store, run string, matches []*arena.LoggedMatch) func(p player.Spec, generation int) bool {
	weights, differ := map[int]string{}, false // by generation; "" for deleted checkpoints
	for _, m := range matches {
		for _, p := range m.Players {
			g, ok := checkpointOf(p, run)
			if !ok {
				continue
			}
			if _, known := weights[g]; !known {
				weights[g] = ""
				if c, err := store.Load(g); err == nil {
					weights[g], _ = c.Weights.Checksum()
				}
			}
			differ = differ || weights[g] != "" && weights[g] != p.Weights
		}
	}
	return func(p player.Spec, generation int) bool {
		return p.Weights == weights[generation] || weights[generation] == "" && !differ
	}
}

// checkpointOf returns the generation of a candidate whose network is a checkpoint of the run.
// It ignores the folders above the run's, which has no name in ratings made from within it.
func checkpointOf(p player.Spec, run string) (generation int, ok bool) {
	checkpoints := filepath.Dir(p.Network)
	named := filepath.Base(filepath.Dir(checkpoints))
	if filepath.Base(checkpoints) != rundir.CheckpointsDir || named != "." && named != filepath.Base(disk.Named(run)) {
		return 0, false
	}
	return models.ParseGeneration(filepath.Base(p.Network))
}
