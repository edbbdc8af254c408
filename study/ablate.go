package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"tiro/arena"
	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/mcts"
	"tiro/models"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/player"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/ladder"
	"tiro/train"
)

// Ablation is a comparison of configurations by training.
type Ablation struct {
	Dir      string // folder for the runs, their games, and the report
	Game     env.Game
	Find     env.Lookup // of variants of Game, see train.Options; may be nil
	Variants []Variant  // the base, which the others are compared with, first
	Seeds    int        // trainings of each variant, with the seeds 1, 2, … if there is no From
	Bases    int        // trainings of the base, each of which meets every training of a variant; 0: Seeds

	// From is the checkpoint that every training goes on from, with its seed, the one after
	// that, and so on; nil: they begin with random weights. What trainings took then counts
	// from there on.
	From *Origin

	// How long each training is: all but one are 0.
	Generations int
	Time        time.Duration
	CPUTime     time.Duration

	Workers int            // goroutines of training and games of a match at a time
	Backend kernel.Backend // computes the networks

	Games       int // of each training of a variant, in equal parts against all bases, rounded up to whole openings
	Simulations int // a move in the matches
	Opening     int // random actions at the start of each game of a match

	Tiro     string               // version of the program, for the metrics and the games
	Clock    func() time.Time     // measures the trainings; may be nil if Time is 0
	CPU      func() time.Duration // see train.Options; may be nil
	Progress ladder.Progress      // of matches; may be nil

	// Train trains or continues a run; nil for train.Run.
	Train func(ctx context.Context, turn Turn, o train.Options) error
}

// Turn says which training of an ablation has its turn.
type Turn struct {
	Number, All int           // from 1; with Time each training has several turns
	Left        time.Duration // wall time of all turns from this one on, at most; 0: unknown, as it is unless the ablation has a Time
}

// timeSlices is the number of parts in which the time of each training is spent.
// The trainings take turns, so that whatever else the machine does affects all
// of them.
const timeSlices = 4

// ConflictError is returned by Ablate for a run folder that holds something else
// than the ablation asks for.
type ConflictError struct{ Dir, Reason string }

func (e *ConflictError) Error() string { return e.Dir + " " + e.Reason }

// Validate reports the first fault of the ablation: also what a training would be
// refused for when it begins, which may be hours after the first. It touches no
// file.
func (a *Ablation) Validate() error {
	switch {
	case a.Game == nil || len(a.Variants) < 2:
		return errors.New("study: ablate: want a game, a base and at least one variant")
	case a.Seeds < 1:
		return fmt.Errorf("study: ablate: seeds %d; want 1 or more", a.Seeds)
	case a.Bases < 0:
		return fmt.Errorf("study: ablate: bases %d; want 0 for as many as seeds, or more", a.Bases)
	case a.lengths() != 1:
		return errors.New("study: ablate: want either generations, a time or a CPU time: how long each training is")
	}
	if err := checkVariants(a.Variants); err != nil {
		return err
	}
	for i := range a.Variants {
		v := &a.Variants[i]
		if a.From != nil {
			if err := recipe.CheckFork(&a.From.Config, &v.Config); err != nil {
				return fmt.Errorf("variant %q: %w", v.Name, err)
			}
			if v.Config.Game != a.From.Config.Game {
				return fmt.Errorf("variant %q: game is %q; want that of the run to go on from, %q", v.Name, v.Config.Game, a.From.Config.Game)
			}
		}
		o := a.options(v, 1)
		o.Generations, o.Time, o.CPUTime = a.Generations, a.Time, a.CPUTime
		if err := o.Validate(); err != nil {
			return fmt.Errorf("variant %s: %w", v.Name, err)
		}
	}
	match := a.match(1, player.Must(nil, player.Random), player.Must(nil, player.Random))
	return match.Validate()
}

// lengths returns how many limits of the trainings are set.
func (a *Ablation) lengths() (n int) {
	for _, set := range []bool{a.Generations != 0, a.Time != 0, a.CPUTime != 0} {
		if set {
			n++
		}
	}
	return n
}

// seeds returns how many trainings a variant has: the base may have another number.
func (a *Ablation) seeds(variant int) int {
	if variant == 0 && a.Bases > 0 {
		return a.Bases
	}
	return a.Seeds
}

// trainings returns how many trainings all variants have.
func (a *Ablation) trainings() int { return a.seeds(0) + a.Seeds*(len(a.Variants)-1) }

// match returns the match of a training of a variant against one of the base.
func (a *Ablation) match(seed uint64, variant, base player.Factory) arena.Match {
	m := arena.Match{Game: a.Game, Players: []player.Factory{variant, base}, Seed: seed, Workers: a.Workers, Opening: a.Opening}
	m.Games = m.RoundUp((a.Games + a.seeds(0) - 1) / a.seeds(0))
	return m
}

// Ablate trains all variants with all seeds and lets each training of a variant meet
// all of the base. Runs in Dir are continued, and matches of the log there are not
// played again.
func Ablate(ctx context.Context, a Ablation) (report AblationReport, err error) {
	if a.Train == nil {
		a.Train = func(ctx context.Context, _ Turn, o train.Options) error { return train.Run(ctx, o) }
	}
	if err := a.Validate(); err != nil {
		return AblationReport{}, err
	}
	if err := a.checkRuns(); err != nil {
		return AblationReport{}, err
	}
	unlock, err := disk.LockFolder(disk.OS{}, a.Dir)
	if err != nil {
		return AblationReport{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	log, err := arena.OpenGameLog(disk.OS{}, filepath.Join(a.Dir, ladder.LogFile), a.Game) // before hours of training
	if err != nil {
		return AblationReport{}, fmt.Errorf("%w; move the file elsewhere, or name another folder", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if err := a.fork(ctx); err != nil {
		return AblationReport{}, err
	}
	if err := a.train(ctx); err != nil {
		return AblationReport{}, err
	}
	if report, err = a.report(ctx, log); err != nil {
		return report, err
	}
	return report, saveReport(disk.OS{}, a.Dir, report)
}

// run returns the run folder of a variant with a seed.
func (a *Ablation) run(v *Variant, seed int) string {
	return filepath.Join(a.Dir, fmt.Sprintf("%s-%d", v.Name, seed))
}

// store returns the checkpoints of a run.
func (a *Ablation) store(run string) *models.Store {
	return rundir.At(disk.OS{}, run).Store(a.Game.Spec())
}

// options returns how a variant is trained with a seed, without how long.
func (a *Ablation) options(v *Variant, seed int) train.Options {
	c := v.Config
	c.Game, c.Seed = a.Game.Spec().Name, a.firstSeed()+uint64(seed-1)
	return train.Options{
		Dir: a.run(v, seed), Game: a.Game, Find: a.Find, Config: c, Workers: a.Workers, Backend: a.Backend,
		Version: a.Tiro, Clock: a.Clock, CPU: a.CPU,
	}
}

// checkRuns returns an error if a run that is there already is not the one that
// its name now stands for, or lacks the generation that is to play.
func (a *Ablation) checkRuns() error {
	for i := range a.Variants {
		for seed := 1; seed <= a.seeds(i); seed++ {
			o := a.options(&a.Variants[i], seed)
			old, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if changes := configs.Changes(&old, &o.Config); len(changes) > 0 {
				return &ConflictError{o.Dir, fmt.Sprintf("is another training: %v; want another name, another folder, or this one moved elsewhere", changes[0])}
			}
			if err := errors.Join(a.checkFork(o.Dir), a.checkGeneration(o.Dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkGeneration returns an error if a run has more generations than asked for,
// but no checkpoint of the last of those.
func (a *Ablation) checkGeneration(dir string) error {
	all, err := a.store(dir).List()
	if err != nil || a.last() == 0 || len(all) == 0 || all[len(all)-1] < a.last() || slices.Contains(all, a.last()) {
		return err
	}
	return &ConflictError{dir, fmt.Sprintf("has continued and kept no checkpoint of generation %d, only of %s; want one of these generations, or another folder",
		a.last(), rundir.Ranges(all))}
}

// train trains all variants with all seeds.
func (a *Ablation) train(ctx context.Context) error {
	slices := timeSlices
	if a.Generations > 0 {
		slices = 1
	}
	turn := Turn{All: slices * a.trainings()}
	for slice := 1; slice <= slices; slice++ {
		for seed := 1; seed <= max(a.Seeds, a.seeds(0)); seed++ {
			for i := range a.Variants {
				if seed > a.seeds(i) {
					continue
				}
				turn.Left = a.Time / time.Duration(slices) * time.Duration(turn.All-turn.Number)
				turn.Number++
				if err := a.trainOne(ctx, turn, &a.Variants[i], seed, float64(slice)/float64(slices)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// trainOne trains a variant until it has had a part of its time, or all its
// generations.
func (a *Ablation) trainOne(ctx context.Context, turn Turn, v *Variant, seed int, part float64) error {
	o := a.options(v, seed)
	cost, err := a.cost(o.Dir)
	if err != nil {
		return err
	}
	until := func(limit time.Duration) time.Duration { return time.Duration(part * float64(limit)) }
	done := false
	switch {
	case a.Generations > 0:
		o.Generations, done = a.last(), cost.Generations >= a.Generations
	case a.CPUTime > 0:
		o.CPUTime = until(a.CPUTime)
		done = cost.cpu.Reaches(o.CPUTime)
	default:
		o.Time = until(a.Time) - time.Duration(cost.Hours*float64(time.Hour))
		done = o.Time <= 0
	}
	if done {
		return nil
	}
	return a.Train(ctx, turn, o)
}

// Cost is what a training took.
type Cost struct {
	Hours       float64 `json:"hours"`
	CPUSeconds  float64 `json:"cpu_seconds"`          // CPU time of the program, of which the next two are parts; 0 if it is unknown
	SelfplayCPU float64 `json:"selfplay_cpu_seconds"` // CPU time of self-play; 0 if it is unknown
	LearnCPU    float64 `json:"learn_cpu_seconds"`    // CPU time of learning, likewise
	Generations int     `json:"generations"`
	Games       int     `json:"games"`
	Evaluations int     `json:"evaluations"` // of the network in self-play
	Steps       int     `json:"steps"`

	cpu rundir.CPUCost
}

// cost returns what the run in a folder took so far, or for the generations asked
// for. What it took up to the checkpoint that it goes on from does not count.
func (a *Ablation) cost(dir string) (c Cost, err error) {
	lines, err := rundir.At(disk.OS{}, dir).Metrics()
	steps := 0 // up to the origin
	for _, m := range lines {
		if a.last() > 0 && m.Generation > a.last() {
			break
		}
		if m.Generation <= a.origin() {
			steps = m.TotalSteps
			continue
		}
		c.Generations, c.Steps = m.Generation-a.origin(), m.TotalSteps-steps
		c.Games += m.Games
		c.cpu.Add(&m)
		if m.Machine != nil {
			c.Hours += m.Machine.Seconds / time.Hour.Seconds()
			c.CPUSeconds += m.Machine.CPUSeconds
			c.SelfplayCPU += m.Machine.SelfplayCPUSeconds
			c.LearnCPU += m.Machine.LearnCPUSeconds
			c.Evaluations += m.Machine.Evaluations
		}
	}
	return c, err
}

// batch is the number of positions that a network evaluates at a time.
const batch = 64

// player returns the network of a variant with a seed: that of the last generation
// asked for, or the newest.
func (a *Ablation) player(v *Variant, seed int) (player.Factory, error) {
	path := a.run(v, seed)
	if a.Generations > 0 {
		path = a.store(path).Dir(a.last())
	}
	weights, info, err := rundir.OpenNetwork(disk.OS{}, path, func(string) (env.Game, error) { return a.Game, nil })
	if err != nil {
		return player.Factory{}, err
	}
	model := net.Compile(a.Backend, weights)
	network := player.Network{
		Evaluator: func() mcts.Evaluator { return net.NewEvaluator(a.Game, model, batch) },
		SHA256:    info.Files[models.WeightsFile].SHA256,
	}
	return player.Searching(fmt.Sprintf("%s-%d", v.Name, seed), a.Game, player.NetworkConfig(a.Simulations), 0, network)
}
