package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tiro/models"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
)

// ErrInterrupted is wrapped by errors of Run if its context was cancelled. All finished work is
// saved; the same call resumes the run.
var ErrInterrupted = errors.New("interrupted")

// run is a run in progress.
type run struct {
	Options
	began    time.Time
	cpu      time.Duration // CPU time of the program at the end of the newest generation
	folder   *rundir.Locked
	store    *models.Store
	player   localPlayer
	window   window
	learner  *learner
	ahead    *ahead       // self-play of the next generation; nil if it has not begun
	earlier  *net.Weights // weights that play the next generation; nil for the newest
	warnings warnings

	state   rundir.State   // after the newest generation
	history rundir.History // the metrics that may still be needed
	kept    rundir.Sizes   // sizes of the files on disk
	saved   int            // the newest checkpoint on disk; -1 if there is none
	cost    rundir.CPUCost // cost of all generations
}

// Run begins or resumes the run in Options.Dir. It returns nil when a limit is reached,
// ErrInterrupted when ctx is cancelled, and a Halt when something fails after a checkpoint was
// saved. In each case the folder has all finished work, no goroutine is left behind, and the next
// Run resumes the run.
func Run(ctx context.Context, o Options) (err error) {
	r, err := open(o)
	if err != nil {
		return fmt.Errorf("train: %s: %w", o.Dir, err)
	}
	defer func() {
		if r.learner != nil {
			r.learner.trainer.Close()
		}
		err = errors.Join(err, r.folder.Close())
	}()
	if err := r.loop(ctx); err != nil {
		return r.halted(ctx, err)
	}
	return nil
}

// open validates the options and locks the folder, without reading its files.
func open(o Options) (*run, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &run{Options: o.withDefaults(), saved: -1}
	if o.Selfplayer == nil {
		r.Selfplayer = here{net.Batch(r.Backend)}
	}
	r.Events = r.Events.inTurn() // self-play may run during another phase
	var err error
	if r.folder, err = rundir.Open(r.Disk, r.Dir); err != nil {
		return nil, err
	}
	r.began, r.cpu = r.Clock(), r.CPU()
	r.store = r.folder.Store(r.Game.Spec())
	r.player = localPlayer{options: &r.Options, folder: r.folder}
	r.window = newWindow(&r.Options, 0)
	return r, nil
}

// loop resumes the run and adds generations until a limit is reached.
func (r *run) loop(ctx context.Context) (err error) {
	if err := r.resume(); err != nil {
		return err
	}
	defer func() {
		fault := r.stopAhead()
		if fault != nil && isCancelled(ctx, err) {
			err = nil // a cancellation must not hide the fault
		}
		err = errors.Join(err, fault)
	}()
	for _, f := range DiagnoseConfig(&r.Config) {
		r.Events.Warn(f.Name + ": " + f.Text)
	}
	r.Events.send(Started{r.state.Generation})
	for !r.finished() {
		g := r.state.Generation + 1
		if err := r.planCooldown(); err != nil {
			return err
		}
		if err := r.generation(ctx, g); err != nil {
			return fmt.Errorf("generation %d: %w", g, err)
		}
	}
	return nil
}

// reached reports whether a generation is the last one requested.
func (r *run) reached(generation int) bool { return r.Generations > 0 && generation >= r.Generations }

// planCooldown plans the generations over which the learning rate falls, once Cooldown.Share of
// the CPU time remains. It records them in the run's configuration, from which recipe.Lineage
// derives commands that repeat the run without a clock.
func (r *run) planCooldown() error {
	plan, newest, limit := &r.Config.Learner.Cooldown, r.state.Generation, r.Config.CPUTime()
	all, left := r.history.Ordered(), (limit - r.cost.All).Seconds()
	next := r.Config.Cost(all, newest+1)
	if plan.Share == 0 || newest < plan.Last() || next == 0 { // the cost is unknown in the first generation, or after a kill that lost its measurement
		return nil
	}
	if left > max(1.5*next, plan.Share*limit.Seconds()) { // if less than 1.5 generations are left, the next one is the last
		return nil
	}
	plan.After, plan.Generations = newest, max(1, r.Config.Left(all, left))
	r.Events.Info("the learning rate falls to 0", "from generation", newest+1, "to", plan.Last())
	_, err := recipe.Update(r.folder, &r.Config, r.Note)
	return err
}

// finished reports whether a limit is reached.
func (r *run) finished() bool {
	if r.reached(r.state.Generation) {
		r.Events.Info("target reached", "generations", r.state.Generation)
		return true
	}
	if r.Config.Spent(r.state.Generation, r.cost) {
		r.Events.Info("target reached; a larger cpu_hours continues the run", "CPU time", r.cost.All.Round(time.Second))
		return true
	}
	return r.Time > 0 && r.since(r.began) >= r.Time.Seconds()
}

// checkpoint returns the checkpoint of the newest generation, with its metrics unless m is nil.
func (r *run) checkpoint(m *rundir.Metrics) (models.Checkpoint, error) {
	state, err := json.Marshal(r.state)
	if err != nil {
		return models.Checkpoint{}, err
	}
	c := models.Checkpoint{
		Generation: r.state.Generation,
		Weights:    r.learner.inference(),
		Optimizer:  r.Config.OptimizerTensors(r.learner.trainer.OptimizerState(), r.learner.weights),
		State:      state,
	}
	if m != nil {
		saved := *m
		saved.Machine = nil // checkpoints do not depend on the machine
		c.Metrics, err = json.Marshal(saved)
	}
	return c, err
}

// save writes the checkpoint of the newest generation.
func (r *run) save(m *rundir.Metrics) error {
	c, err := r.checkpoint(m)
	if err != nil {
		return err
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

// tidy removes files that are no longer needed.
func (r *run) tidy() (err error) {
	r.kept, err = r.folder.Tidy(r.Config.Checkpoints, r.Config.Disk, r.store, r.history, r.state.Generation)
	return err
}
