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

// Entrants describe the candidates of a rating.
type Entrants struct {
	Players []player.Spec // a run folder as network means all of its checkpoints
	Newest  bool          // only the newest checkpoint of a run
	Every   int           // only checkpoints of generations divisible by Every, and the newest

	// Make returns the factory of a player.
	Make func(player.Spec) (player.Factory, error)
}

// Enter adds the candidates that e describes. The checkpoints of a run come oldest first, and
// include deleted ones that have games in the log. Enter sets Dir if that is empty.
func (o *Options) Enter(e Entrants) error {
	runs := make([]*ratedRun, len(e.Players))
	for i, s := range e.Players {
		var err error
		if runs[i], err = runOf(s); err != nil {
			return err
		}
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
			if len(all) == 1 || !slices.ContainsFunc(o.Candidates, same) { // runs may share checkpoints, and a generation may learn nothing
				o.Candidates = append(o.Candidates, c)
			}
		}
	}
	return nil
}

// Folder returns the default folder of the games of a rating, beside the run's folder.
func Folder(run string, game env.Game) string {
	return filepath.Join(filepath.Dir(disk.Named(run)), "rate-"+models.Folder(game.Spec().Name))
}

// ratedRun is a run whose checkpoints are rated.
type ratedRun struct {
	name        string // name on the command line
	folder      rundir.Folder
	generations []int        // generations with a checkpoint
	known       []Checkpoint // by generation
}

// runOf returns the run whose folder is the network of s, nil if it is not a run folder.
func runOf(s player.Spec) (*ratedRun, error) {
	if s.Kind != player.Net || networks.IsBundled(s.Network) {
		return nil, nil
	}
	place, err := rundir.Resolve(disk.OS{}, s.Network)
	if err != nil || place.Kind != rundir.PlaceRun || place.Generation < 0 {
		return nil, nil // opening the network returns the error
	}
	folder := rundir.At(disk.OS{}, place.Run)
	generations, err := folder.Store(env.Spec{}).List()
	origins, fault := recipe.Origins(folder)
	if err := cmp.Or(err, fault); err != nil {
		return nil, err
	}
	lines, _ := folder.Metrics() // without them only the costs are unknown
	name := filepath.Clean(s.Network)
	return &ratedRun{name, folder, generations, Checkpoints(name, card.Start(origins), lines)}, nil
}

func (r *ratedRun) newest() int { return r.generations[len(r.generations)-1] }

// checkpoint returns the name of a checkpoint without settings.
func (r *ratedRun) checkpoint(generation int) string {
	return filepath.Join(r.name, rundir.CheckpointsDir, models.FormatGeneration(generation))
}

// describe sets the Checkpoint of a candidate.
func (r *ratedRun) describe(c *Candidate, generation int) {
	if generation < len(r.known) {
		c.Checkpoint = &r.known[generation]
	}
}

// list lists the checkpoints again, because the run may be training.
func (r *ratedRun) list() (err error) {
	r.generations, err = r.folder.Store(env.Spec{}).List()
	if err == nil && len(r.generations) == 0 {
		err = fmt.Errorf("%s has no checkpoint: %w", r.name, fs.ErrNotExist)
	}
	return err
}

// has reports whether the checkpoint of a generation still exists.
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
		if err != nil || r.newest() == newest { // otherwise f may have another generation
			c := Candidate{Factory: f}
			r.describe(&c, newest)
			return []Candidate{c}, err
		}
	}
}

// candidates returns the selected checkpoints, as players that differ from s only in their
// networks. Deleted checkpoints are among them if the log has games of them, and no games of
// other networks with the names of existing checkpoints.
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
				continue // the run has just deleted it
			}
			if err != nil {
				return err
			}
			add(Candidate{Factory: f}, g)
		}
		if len(all) == 0 {
			return fmt.Errorf("%s: all checkpoints were deleted: %w", r.name, fs.ErrNotExist)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	as := all[0].Spec
	other := func(p player.Spec) bool { // another run was in this folder before
		return slices.ContainsFunc(all, func(c Candidate) bool { return c.Label() == p.Label() && c.Weights != p.Weights })
	}
	if slices.ContainsFunc(played, other) {
		return all, nil
	}
	for _, p := range played {
		g, ok := models.ParseGeneration(filepath.Base(p.Network))
		if ok && g%e.Every == 0 && g < r.newest() && !slices.Contains(r.generations, g) && p.Label() == as.WithNetwork(r.checkpoint(g)).Label() {
			add(Candidate{Factory: player.Factory{Spec: p}}, g)
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(at[a.Label()], at[b.Label()]) })
	return all, nil
}
