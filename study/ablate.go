package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tiro/arena"
	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/networks"
	"tiro/player"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/ladder"
	"tiro/train"
)

// Ablation compares configurations by training.
type Ablation struct {
	Comparison // its folder holds the runs, their games and the report

	Game        env.Game
	Find        env.Lookup // finds variants of Game, see train.Options; may be nil
	Generations int        // length of each training; 0 for a limit of CPU time

	Workers     int // goroutines of training runs and matches
	Games       int // games of each training run of a variant, in equal parts against all training runs of the base, rounded up to whole openings
	Simulations int // simulations per move in the matches
	Opening     int // random actions at the start of each game of a match

	Begin func(ladder.Upcoming) (game func(arena.Progress), end func()) // called for each match, see ladder.Options; may be nil

	// Train trains or continues a run. The title is, for example, "training 2 of 6,
	// wide, seed 1". The default is train.Run.
	Train func(ctx context.Context, title string, o train.Options) error
}

// ConflictError is the error of Ablate for an existing run folder that does not match
// the ablation.
type ConflictError struct{ Dir, Reason string }

func (e *ConflictError) Error() string { return e.Dir + " " + e.Reason }

// Validate reports the first fault of the ablation. It includes faults that a training run
// would report only when it begins, possibly hours after the first one. It opens no file.
func (a *Ablation) Validate() error {
	switch {
	case a.Game == nil || len(a.Variants) < 2:
		return errors.New("study: ablate: a game, a base and at least one variant are required")
	case (a.Generations != 0) == (a.CPUTime != 0):
		return errors.New("study: ablate: either generations or a CPU time is required")
	}
	if err := a.check(); err != nil {
		return fmt.Errorf("study: ablate: %w", err)
	}
	for i := range a.Variants {
		v := &a.Variants[i]
		o := a.options(v, 1)
		if err := o.Validate(); err != nil {
			return fmt.Errorf("variant %s: %w", v.Name, err)
		}
	}
	match := a.match(1, player.Must(nil, player.Random), player.Must(nil, player.Random))
	return match.Validate()
}

// match returns the match between a training run of a variant and a training run of the base.
func (a *Ablation) match(seed uint64, variant, base player.Factory) arena.Match {
	m := arena.Match{Game: a.Game, Players: []player.Factory{variant, base}, Seed: seed, Workers: a.Workers, Opening: a.Opening}
	m.Games = m.RoundUp((a.Games + a.Seeds - 1) / a.Seeds)
	return m
}

// Ablate trains all variants with all seeds, and plays matches between each training of a
// variant and all training runs of the base. It continues existing runs in the folder, and does
// not repeat games in the log.
func Ablate(ctx context.Context, a Ablation) (report Report, err error) {
	if a.Train == nil {
		a.Train = func(ctx context.Context, _ string, o train.Options) error { return train.Run(ctx, o) }
	}
	if err := a.Validate(); err != nil {
		return Report{}, err
	}
	if err := a.checkRuns(); err != nil {
		return Report{}, err
	}
	_, unlock, err := a.open()
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	log, err := arena.OpenGameLog(disk.OS{}, filepath.Join(a.Dir, ladder.LogFile), a.Game) // before hours of training
	if err != nil {
		return Report{}, fmt.Errorf("%w; move the file elsewhere, or choose another folder", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var trials []Trial
	err = a.each("training", func(title string, v *Variant, seed int) error {
		t, err := a.train(ctx, title, v, seed)
		trials = append(trials, t)
		return err
	})
	if err != nil {
		return Report{}, err
	}
	m, err := a.meet(ctx, log)
	if err != nil {
		return Report{}, err
	}
	report = a.newReport(trials, m.measure(a.Variants))
	report.Notes = []string{fmt.Sprintf("%d workers, matches of %d games, %d simulations per move", a.Workers, m.all[0][0][0].games, a.Simulations)}
	return report, a.save(report)
}

func (a *Ablation) store(run string) *models.Store {
	return rundir.At(disk.OS{}, run).Store(a.Game.Spec())
}

// options returns the options of training a variant with a seed.
func (a *Ablation) options(v *Variant, seed int) train.Options {
	c := v.Config
	c.Learner.Cooldown = c.Learner.Cooldown.Unplanned()
	c.Game, c.Seed, c.CPUHours = a.Game.Spec().Name, uint64(seed), a.CPUTime.Hours()
	return train.Options{
		Dir: a.folder(v, seed), Game: a.Game, Find: a.Find, Config: c, Workers: a.Workers, Backend: a.Backend,
		Generations: a.Generations, Version: a.Tiro, CPU: a.CPU,
	}
}

// checkRuns returns an error if an existing run has other settings than the ablation's, lacks
// the generation that is needed for the matches, or was trained for a longer time.
func (a *Ablation) checkRuns() error {
	for i := range a.Variants {
		for seed := 1; seed <= a.Seeds; seed++ {
			o := a.options(&a.Variants[i], seed)
			old, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			hours := old.CPUHours
			old.CPUHours = o.Config.CPUHours // may have changed
			o.Config.KeepPlan(&old, 0)
			if changes := configs.Changes(&old, &o.Config); len(changes) > 0 {
				return &ConflictError{o.Dir, fmt.Sprintf("is another training: %v; use another name or folder, or move it elsewhere", changes[0])}
			}
			if err := cmp.Or(a.checkGeneration(o.Dir), a.checkTime(o.Dir, hours)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkGeneration returns an error if a run has continued beyond a.Generations and has
// no checkpoint of that generation.
func (a *Ablation) checkGeneration(dir string) error {
	all, err := a.store(dir).List()
	if err != nil || a.Generations == 0 || len(all) == 0 || all[len(all)-1] < a.Generations || slices.Contains(all, a.Generations) {
		return err
	}
	return &ConflictError{dir, fmt.Sprintf("has continued and kept no checkpoint of generation %d, only of %s; use one of these generations, or another folder",
		a.Generations, rundir.Ranges(all))}
}

// checkTime returns an error if a run with a limit of other CPU-hours, or none, has continued for a
// generation or more beyond a.CPUTime: others would be compared with it after less training.
func (a *Ablation) checkTime(dir string, hours float64) error {
	if a.CPUTime == 0 || hours == a.CPUTime.Hours() {
		return nil
	}
	c, err := a.cost(dir)
	before := c.cpu
	if before.All -= before.Newest; err != nil || !before.Reaches(a.CPUTime) {
		return err
	}
	return &ConflictError{dir, fmt.Sprintf("has trained for %.2g CPU-hours; use as many or more, or another folder", c.cpu.All.Hours())}
}

// train trains a variant with a seed, or continues the training, if it is not finished.
func (a *Ablation) train(ctx context.Context, title string, v *Variant, seed int) (t Trial, err error) {
	o := a.options(v, seed)
	t = Trial{Variant: *v, Seed: seed}
	if t.Cost, err = a.cost(o.Dir); err != nil {
		return t, err
	}
	if ended, err := a.ended(o, &t); ended || err != nil {
		return t, err
	}
	if _, err := disk.Subfolder(disk.OS{}, a.Dir, filepath.Base(o.Dir)); err != nil {
		return t, err
	}
	if err := a.Train(ctx, title, o); err != nil {
		return t, err
	}
	t.Cost, err = a.cost(o.Dir)
	return t, err
}

// ended reports whether the training of a trial has ended. It has not if tiro verify --repair moved
// its last checkpoint aside.
func (a *Ablation) ended(o train.Options, t *Trial) (bool, error) {
	all, err := a.store(o.Dir).List()
	if err != nil || t.Generations == 0 || !slices.Contains(all, t.Generations) {
		return false, err
	}
	if a.Generations > 0 {
		return t.Generations >= a.Generations, nil
	}
	old, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
	o.Config.KeepPlan(&old, t.Generations)
	return o.Config.Spent(t.Generations, t.cpu), err
}

// Cost is the cost of a trial.
type Cost struct {
	CPUSeconds  float64 `json:"cpu_seconds"` // 0 if unknown
	Generations int     `json:"generations"`
	Games       int     `json:"games"` // self-play games, or training games of a fit
	Steps       int     `json:"steps"`

	cpu rundir.CPUCost
}

// cost returns the cost of the run in a folder, up to a.Generations if that is set.
func (a *Ablation) cost(dir string) (c Cost, err error) {
	lines, err := rundir.At(disk.OS{}, dir).Metrics()
	for i := range lines {
		m := &lines[i]
		if a.Generations > 0 && m.Generation > a.Generations {
			break
		}
		c.Generations, c.Steps = m.Generation, m.TotalSteps
		c.Games += m.Games
		c.cpu.Add(m)
	}
	c.CPUSeconds = c.cpu.All.Seconds()
	return c, err
}

// meet plays the matches between every training run of a variant and all training runs of the base.
func (a *Ablation) meet(ctx context.Context, log *arena.GameLog) (*meetings, error) {
	m := &meetings{all: make([][][]meeting, len(a.Variants)-1)}
	for i := range m.all {
		v := &a.Variants[i+1]
		m.all[i] = make([][]meeting, a.Seeds)
		for seed := range a.Seeds {
			player, err := a.player(v, seed+1)
			if err != nil {
				return nil, err
			}
			for base := range a.Seeds {
				opponent, err := a.player(&a.Variants[0], base+1)
				if err != nil {
					return nil, err
				}
				title := fmt.Sprintf("match %d of %d, %s against %s",
					(i*a.Seeds+seed)*a.Seeds+base+1, len(m.all)*a.Seeds*a.Seeds, player.Label(), opponent.Label())
				report, err := a.play(ctx, log, title, a.match(matchSeed(seed+1, base+1), player, opponent))
				if err != nil {
					return nil, err
				}
				m.equal = report.Players[0].EqualScore
				m.all[i][seed] = append(m.all[i][seed], meeting{report.Players[0].Score, report.Games})
			}
		}
	}
	return m, nil
}

// play plays the games of a match that are not in the log, and returns the report.
func (a *Ablation) play(ctx context.Context, log *arena.GameLog, title string, m arena.Match) (arena.Report, error) {
	if err := log.Resume(&m, arena.Builder{Tiro: a.Tiro, Backend: a.Backend.Bits()}); err != nil {
		return arena.Report{}, err
	}
	if a.Begin != nil && len(m.Finished) < m.Games {
		game, end := a.Begin(ladder.Upcoming{Title: title, Most: m.Games, Games: m.Games})
		defer end()
		m.Progress = game
	}
	return arena.Play(ctx, m)
}

// matchSeed returns the seed of the match between two training runs with the given seeds. It
// gives the matches of a variant different openings.
func matchSeed(seed, base int) uint64 { return uint64(seed) + 1_000_000*uint64(base-1) }

// player returns the player with the network of a variant and a seed: the network of
// a.Generations, or the newest one.
func (a *Ablation) player(v *Variant, seed int) (player.Factory, error) {
	path := a.folder(v, seed)
	if a.Generations > 0 {
		path = a.store(path).Dir(a.Generations)
	}
	opener := networks.Opener{Find: func(string) (env.Game, error) { return a.Game, nil }, Backend: a.Backend, Threads: 1}
	network, err := opener.Open(a.Game, path)
	if err != nil {
		return player.Factory{}, err
	}
	return player.Searching(fmt.Sprintf("%s-%d", v.Name, seed), a.Game, player.NetworkConfig(a.Simulations), 0, network)
}
