package ladder

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
	"tiro/networks"
	"tiro/player"
	"tiro/recipe"
	"tiro/rundir"
)

// Entrants are the players that a rating is to have as candidates.
type Entrants struct {
	Players []player.Spec // a run folder as network stands for all checkpoints there
	Newest  bool          // of a run, only the newest checkpoint
	Every   int           // of a run, only checkpoints of generations divisible by it, and the newest

	// Make returns the factory of a player.
	Make func(player.Spec) (player.Factory, error)
}

// Enter adds the candidates that entrants stand for: of a run its checkpoints, oldest first,
// those too that are gone but have played. It sets Dir if that is empty.
func (o *Options) Enter(e Entrants) error {
	runs := make([]*ratedRun, len(e.Players))
	for i, s := range e.Players {
		runs[i] = runOf(s)
		if runs[i] != nil && o.Dir == "" {
			o.Dir = Folder(runs[i].name, o.Game)
		}
	}
	o.Dir = cmp.Or(o.Dir, Folder(recipe.DefaultFolder(o.Game), o.Game))
	played, err := Played(*o)
	if err != nil {
		return err
	}
	for i, s := range e.Players {
		var all []Candidate
		switch run := runs[i]; {
		case run == nil:
			all = make([]Candidate, 1)
			all[0].Factory, err = e.Make(s)
		case e.Newest:
			all, err = run.newestCandidate(&e, s)
		default:
			all, err = run.candidates(&e, s, played)
		}
		if err != nil {
			return err
		}
		for _, c := range all {
			same := func(other Candidate) bool { return other.Key() == c.Key() }
			if len(all) == 1 || !slices.ContainsFunc(o.Candidates, same) { // runs may share checkpoints, and learn nothing in a generation
				o.Candidates = append(o.Candidates, c)
			}
		}
	}
	return nil
}

// Folder returns the folder, beside a run folder, of the games by which the runs of a game
// are rated.
func Folder(run string, game env.Game) string {
	return filepath.Join(filepath.Dir(filepath.Clean(run)), "rate-"+models.Folder(game.Spec().Name))
}

// ratedRun is a run whose checkpoints are rated.
type ratedRun struct {
	name        string // as it was named
	folder      rundir.Folder
	generations []int        // of the checkpoints that are there
	known       []Checkpoint // by generation
}

// runOf returns the run whose folder is the network of a player, nil if there is none.
func runOf(s player.Spec) *ratedRun {
	if s.Kind != player.Net || networks.IsBundled(s.Network) {
		return nil
	}
	place, err := rundir.Resolve(disk.OS{}, s.Network)
	if err != nil || place.Kind != rundir.PlaceRun || place.Generation < 0 {
		return nil
	}
	folder := rundir.At(disk.OS{}, place.Run)
	generations, err := folder.Store(env.Spec{}).List()
	origins, fault := recipe.Origins(folder)
	if err != nil || fault != nil {
		return nil
	}
	lines, _ := folder.Metrics() // without them, only the costs are not known
	name := filepath.Clean(s.Network)
	return &ratedRun{name, folder, generations, Checkpoints(name, card.Start(origins), lines)}
}

func (r *ratedRun) newest() int { return r.generations[len(r.generations)-1] }

// checkpoint returns the name of a checkpoint without settings.
func (r *ratedRun) checkpoint(generation int) string {
	return filepath.Join(r.name, rundir.CheckpointsDir, models.FormatGeneration(generation))
}

// describe adds to a candidate which checkpoint it is.
func (r *ratedRun) describe(c *Candidate, generation int) {
	if generation < len(r.known) {
		c.Checkpoint = &r.known[generation]
	}
}

// list lists the checkpoints again, which a run under way changes.
func (r *ratedRun) list() (err error) {
	r.generations, err = r.folder.Store(env.Spec{}).List()
	if err == nil && len(r.generations) == 0 {
		err = fmt.Errorf("%s has no checkpoint: %w", r.name, fs.ErrNotExist)
	}
	return err
}

// has reports whether the checkpoint of a generation is still there.
func (r *ratedRun) has(generation int) bool {
	now, err := r.folder.Store(env.Spec{}).List()
	return err != nil || slices.Contains(now, generation)
}

// newestCandidate returns the newest checkpoint, named as the run.
func (r *ratedRun) newestCandidate(e *Entrants, s player.Spec) ([]Candidate, error) {
	for {
		newest := r.newest()
		f, err := e.Make(s)
		if err == nil {
			err = r.list()
		}
		if err != nil || r.newest() == newest { // else it may be of another generation
			c := Candidate{Factory: f}
			r.describe(&c, newest)
			return []Candidate{c}, err
		}
	}
}

// candidates returns the checkpoints that are wanted, as players that differ from s in
// their networks alone.
func (r *ratedRun) candidates(e *Entrants, s player.Spec, played []player.Spec) (all []Candidate, err error) {
	at := map[string]int{} // generation by name
	add := func(c Candidate, generation int) {
		r.describe(&c, generation)
		at[c.Label()] = generation
		all = append(all, c)
	}
	err = rundir.Follow(disk.OS{}, r.folder.Path(), func(rundir.Place) error {
		if err := r.list(); err != nil {
			return err
		}
		for _, g := range r.generations {
			if g%e.Every != 0 && g != r.newest() {
				continue
			}
			f, err := e.Make(s.WithNetwork(r.checkpoint(g)))
			if errors.Is(err, fs.ErrNotExist) && !r.has(g) {
				continue // a run under way has just removed it
			}
			if err != nil {
				return err
			}
			add(Candidate{Factory: f}, g)
		}
		if len(all) == 0 {
			return fmt.Errorf("%s: no checkpoint is there any more: %w", r.name, fs.ErrNotExist)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	as := all[0].Spec
	for _, p := range played {
		g, ok := models.ParseGeneration(filepath.Base(p.Network))
		if ok && g%e.Every == 0 && !slices.Contains(r.generations, g) && p.Label() == as.WithNetwork(r.checkpoint(g)).Label() {
			add(Candidate{Factory: player.Factory{Spec: p}}, g)
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(at[a.Label()], at[b.Label()]) })
	return all, nil
}
