package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/player"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/ladder"
)

// ratedRun is a run whose checkpoints are rated.
type ratedRun struct {
	name        string // as it was named
	folder      rundir.Folder
	generations []int               // of the checkpoints that are there
	known       []ladder.Checkpoint // by generation
}

// runOf returns the run whose folder is the network of a player, nil if there is none.
func runOf(s player.Spec) *ratedRun {
	if s.Kind != player.Net || isBundled(s.Network) {
		return nil
	}
	path, err := systemPath(s.Network)
	if err != nil {
		return nil
	}
	place, err := rundir.Resolve(disk.OS{}, path)
	if err != nil || place.Kind != rundir.PlaceRun || place.Generation < 0 {
		return nil
	}
	run := &ratedRun{name: filepath.Clean(s.Network), folder: rundir.At(disk.OS{}, path)}
	run.generations, err = run.folder.Store(env.Spec{}).List()
	origins, originsErr := recipe.Origins(run.folder)
	lines, _ := run.folder.Metrics() // without them, only the costs are not known
	run.known = ladder.Checkpoints(run.name, card.Start(origins), lines)
	if err != nil || originsErr != nil {
		return nil
	}
	return run
}

func (r *ratedRun) newest() int { return r.generations[len(r.generations)-1] }

// checkpoint returns the name of a checkpoint without settings.
func (r *ratedRun) checkpoint(generation int) string {
	return filepath.Join(r.name, rundir.CheckpointsDir, models.FormatGeneration(generation))
}

// describe adds to a candidate which checkpoint it is.
func (r *ratedRun) describe(c *ladder.Candidate, generation int) {
	if generation < len(r.known) {
		c.Checkpoint = &r.known[generation]
	}
}

// candidates returns the checkpoints that are wanted, as players that differ from s in
// their networks alone, oldest first: those that are there, and those that are not any
// more but have played.
func (r *ratedRun) candidates(o *rateOptions, c computing, s player.Spec, played []player.Spec) (all []ladder.Candidate, err error) {
	at := map[string]int{} // generation by name
	err = rundir.Follow(disk.OS{}, r.folder.Path(), func(rundir.Place) (err error) {
		if r.generations, err = r.folder.Store(env.Spec{}).List(); err != nil {
			return err
		}
		for _, g := range r.generations {
			if g%o.every != 0 && g != r.newest() {
				continue
			}
			next, err := candidate(o.Game, c, s.WithNetwork(r.checkpoint(g)))
			if errors.Is(err, fs.ErrNotExist) {
				continue // a run under way has just removed it
			}
			if err != nil {
				return err
			}
			r.describe(&next, g)
			at[next.Label()] = g
			all = append(all, next)
		}
		if len(all) == 0 {
			return fmt.Errorf("%s has no checkpoint: %w", r.name, fs.ErrNotExist)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	as := all[0].Spec
	for _, p := range played {
		g, ok := models.ParseGeneration(filepath.Base(p.Network))
		if !ok || p.Label() != as.WithNetwork(r.checkpoint(g)).Label() || slices.Contains(r.generations, g) || g%o.every != 0 {
			continue
		}
		gone := ladder.Candidate{Factory: player.Factory{Spec: p}}
		r.describe(&gone, g)
		at[p.Label()] = g
		all = append(all, gone)
	}
	slices.SortStableFunc(all, func(a, b ladder.Candidate) int { return cmp.Compare(at[a.Label()], at[b.Label()]) })
	return all, nil
}

// ratingsBeside returns the folder, beside a run folder, of the games by which the
// runs of its game are rated.
func ratingsBeside(run string, game env.Game) string {
	return filepath.Join(filepath.Dir(filepath.Clean(run)), "rate-"+models.Folder(game.Spec().Name))
}
