package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/replay"
	"tiro/rundir"
	"tiro/selfplay"
)

// ErrInterrupted is wrapped by Run when its context was cancelled. All that was
// finished is saved; the same call goes on.
var ErrInterrupted = errors.New("interrupted")

// Options say what to run, where and how long.
type Options struct {
	Dir     string   // the run folder
	Game    env.Game // the one that Config.Game names
	Config  rundir.Config
	Workers int            // goroutines that play; the result does not depend on it
	Backend kernel.Backend // computes the network, such as kernel.Best(); the zero Set is the slow one in Go

	Generations int           // the run ends when it has this many; 0: no limit
	Time        time.Duration // no generation begins after this; 0: no limit; needs Clock

	Note     string              // a comment for config.yaml, such as the program's version
	Version  string              // of the program, for the metrics
	Disk     disk.FS             // where Dir is; nil for the machine's file system
	Progress Progress            // may be nil
	Clock    func() time.Time    // may be nil: nothing is measured
	Usage    func() rundir.Usage // what the program takes of the machine; may be nil
	Log      *slog.Logger        // may be nil
}

// Draws of the trainer: the last key of their generators. Self-play uses small
// numbers.
const (
	drawWeights = 16 + iota
	drawRows
	drawFresh
)

// run is a run under way.
type run struct {
	Options
	began      time.Time
	folder     *rundir.Locked
	store      *models.Store
	learner    *learner
	buffer     replay.Buffer
	history    rundir.History
	toldMemory bool // that the buffer is shorter than the window
	state      rundir.State
	saved      int     // the newest checkpoint on disk; -1: none yet
	meanPlies  float64 // of the newest generation's games

	recent []rundir.Metrics // of the newest generations, as many as are diagnosed
	faults map[string]int   // by name, the newest of them in which it was there
}

// Run opens or begins the run in the folder Options.Dir and goes on with it
// until a limit is reached, which gives nil, ctx is cancelled, which gives
// ErrInterrupted, or something fails, which gives a Halt if there is a
// checkpoint to go on from. In each case the folder holds all that was finished,
// no goroutine is left behind, and the next Run goes on.
func Run(ctx context.Context, o Options) (err error) {
	r, err := open(o)
	if err != nil {
		return fmt.Errorf("train: %s: %w", o.Dir, err)
	}
	defer func() { err = errors.Join(err, r.folder.Close()) }()
	if err := r.goOn(ctx); err != nil {
		return r.halted(ctx, err)
	}
	return nil
}

// goOn restores the run and adds generations until a limit is reached.
func (r *run) goOn(ctx context.Context) error {
	if err := r.restore(ctx); err != nil {
		return err
	}
	for !r.finished() {
		g := r.state.Generation + 1
		if err := r.generation(ctx, g); err != nil {
			return fmt.Errorf("generation %d: %w", g, err)
		}
	}
	return nil
}

// open checks the options and locks the folder, of which it reads nothing yet.
func open(o Options) (*run, error) {
	o.Config.Game = o.Game.Spec().Name
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = silent{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	f, err := rundir.Open(o.Disk, o.Dir)
	if err != nil {
		return nil, err
	}
	r := &run{Options: o, folder: f, store: f.Store(o.Game.Spec()), saved: -1, faults: map[string]int{}}
	r.buffer = r.newBuffer(0)
	r.began = r.now()
	return r, nil
}

// Validate returns the error with which Run would refuse the options without a
// look at the folder: settings out of range or of another game, too little
// memory or disk for them.
func (o Options) Validate() error {
	o.Config.Game = o.Game.Spec().Name
	if err := errors.Join(o.validate(), o.Config.Validate()); err != nil {
		return err
	}
	return errors.Join(checkMemory(&o), o.Config.CheckDisk(o.Game.Spec()))
}

func (o *Options) validate() error {
	var faults []error
	if n := o.Game.Spec().Actions(); n > selfplay.MaxActions {
		faults = append(faults, fmt.Errorf("%s has %d actions; at most %d can be learned", o.Game.Spec().Name, n, selfplay.MaxActions))
	}
	if spec := o.Game.Spec(); o.Config.Net.Ownership && spec.OwnershipClasses == 0 {
		faults = append(faults, fmt.Errorf("net.ownership is true; want false, since %s has no ownership targets", spec.Name))
	}
	if o.Workers < 1 {
		faults = append(faults, fmt.Errorf("workers is %d; want at least 1", o.Workers))
	}
	if o.Generations < 0 {
		faults = append(faults, fmt.Errorf("generations is %d; want 0 for no limit, or more", o.Generations))
	}
	if o.Time < 0 || o.Time > 0 && o.Clock == nil {
		faults = append(faults, fmt.Errorf("time limit is %v; want 0 or more, and a clock", o.Time))
	}
	return errors.Join(faults...)
}

// restore settles the configuration and restores the run as its newest checkpoint
// has it, or begins it.
func (r *run) restore(ctx context.Context) error {
	if err := r.folder.Recover(); err != nil {
		return err
	}
	generations, err := r.store.List()
	if err == nil {
		err = r.adopt(generations)
	}
	if err != nil {
		return err
	}
	changes, err := r.folder.UpdateConfig(&r.Config, r.Note)
	if err != nil {
		return err
	}
	for _, change := range changes {
		r.Log.Info("configuration changed", "key", change)
	}
	r.tellMemory()
	if len(generations) == 0 {
		return r.begin()
	}
	last, err := r.load(generations)
	if err != nil {
		return err
	}
	var damaged int
	if r.history, damaged, err = r.folder.RecoverMetrics(last); err != nil {
		return err
	}
	if damaged > 0 {
		r.Log.Warn("damaged lines of metrics are left out; nothing else depends on them", "lines", damaged)
	}
	if err := r.refill(ctx); err != nil {
		return err
	}
	for g := r.saved - diagnosed + 2; g <= r.saved; g++ {
		if m, ok := r.history[g]; ok {
			r.recent = append(r.recent, m)
		}
	}
	left, err := r.folder.Tidy(&r.Config, r.store, r.history, r.state.Generation)
	if err != nil {
		return err
	}
	if err := left.Check(r.Config.Disk); err != nil {
		return err
	}
	r.Log.Info("goes on", "generation", r.saved, "rows", r.state.Samples, "steps", r.state.Steps)
	return nil
}

// load takes over what the newest checkpoint holds, and returns its metrics,
// none of generation 0.
func (r *run) load(generations []int) (last rundir.Metrics, err error) {
	newest := generations[len(generations)-1]
	c, err := r.store.Load(newest)
	if err == nil {
		r.state, err = rundir.ReadState(c)
	}
	if err != nil {
		return last, r.without(generations, err)
	}
	if before, now := r.state.Backend, r.Backend.Name(); before != now {
		r.Log.Warn("another backend than before: from here on results differ in the last bits", "before", before, "now", now)
		r.state.Backend = now
	}
	trained, optimizer, err := r.Config.Restore(c.Weights, c.Optimizer)
	if err != nil {
		return last, fmt.Errorf("checkpoint %d: %w", newest, err)
	}
	if r.learner, err = newLearner(r.Game, r.Config.Learner, r.Backend, trained); err != nil {
		return last, err
	}
	if err := r.learner.resume(c.Weights, optimizer); err != nil {
		return last, fmt.Errorf("checkpoint %d: %w", newest, err)
	}
	if newest > 0 {
		if last, _, err = rundir.ParseCheckpointMetrics(c.Metrics); err == nil && last.Generation != newest {
			err = fmt.Errorf("they are of generation %d; want %d", last.Generation, newest)
		}
		if err != nil {
			return last, r.without(generations, fmt.Errorf("%s: metrics: %w", r.store.Dir(newest), err))
		}
	}
	r.meanPlies, r.saved = last.MeanPlies, newest
	return last, nil
}

// without adds to a fault of the newest checkpoint which one the run would go on
// from without it.
func (r *run) without(generations []int, err error) error {
	if rundir.MayBeIntact(err) {
		return err
	}
	for _, g := range slices.Backward(generations[:len(generations)-1]) {
		if _, fault := r.store.Load(g); fault == nil {
			return fmt.Errorf("%w: %w; checkpoint %d is intact: with the folders of newer ones moved elsewhere the same command goes on from there", rundir.ErrDamaged, err, g)
		}
	}
	return fmt.Errorf("%w: %w; no checkpoint before it is intact", rundir.ErrDamaged, err)
}

// begin makes and saves random weights as checkpoint 0.
func (r *run) begin() (err error) {
	if err := r.folder.CheckNew(); err != nil {
		return err
	}
	weights := net.NewWeights(r.Game.Spec(), r.Config.Net, env.NewRand(r.Config.Seed, 0, 0, drawWeights))
	if r.learner, err = newLearner(r.Game, r.Config.Learner, r.Backend, weights); err != nil {
		return err
	}
	r.state = rundir.State{Header: rundir.StateHeader, Backend: r.Backend.Name()}
	if r.history, _, err = r.folder.RecoverMetrics(rundir.Metrics{}); err != nil {
		return err
	}
	return r.save(nil)
}

// finished reports whether a limit is reached.
func (r *run) finished() bool {
	if r.Generations > 0 && r.state.Generation >= r.Generations {
		r.Log.Info("the run has its generations", "generations", r.state.Generation)
		return true
	}
	return r.Time > 0 && r.seconds(r.began) >= r.Time.Seconds()
}

// save writes the checkpoint of the generation that is complete. The metrics
// may be nil.
func (r *run) save(m *rundir.Metrics) error {
	s, err := json.Marshal(r.state)
	if err != nil {
		return err
	}
	c := models.Checkpoint{
		Generation: r.state.Generation,
		Weights:    r.learner.playing(),
		Optimizer:  r.Config.OptimizerTensors(r.learner.trainer.OptimizerState(), r.learner.trained),
		State:      s,
	}
	if m != nil {
		told := *m
		told.Machine = nil // a checkpoint is the same on every machine
		if c.Metrics, err = json.Marshal(told); err != nil {
			return err
		}
	}
	if err := r.folder.Check(); err != nil {
		return err
	}
	if err := r.store.Save(c); err != nil {
		return err
	}
	r.saved = c.Generation
	return nil
}

// now returns the clock's time, or none.
func (r *run) now() time.Time {
	if r.Clock == nil {
		return time.Time{}
	}
	return r.Clock()
}

// seconds returns the time since then, 0 without a clock.
func (r *run) seconds(then time.Time) float64 { return r.now().Sub(then).Seconds() }
