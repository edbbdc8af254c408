package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"tiro/models"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
)

// ErrInterrupted is wrapped by Run when its context was cancelled. All that was
// finished is saved; the same call goes on.
var ErrInterrupted = errors.New("interrupted")

// run is a run under way.
type run struct {
	Options
	began    time.Time
	cpu      time.Duration // CPU time of the program up to the newest generation
	folder   *rundir.Locked
	store    *models.Store
	player   localPlayer
	window   window
	learner  *learner
	ahead    *ahead           // self-play of the next generation; nil: it has not begun
	events   concurrentEvents // of a run with selfplay.asynchronous
	earlier  *net.Weights     // that play the next generation; nil: the newest ones do
	warnings warnings

	state   rundir.State   // after the newest generation
	history rundir.History // the metrics that are still of use
	kept    rundir.Sizes   // on disk
	saved   int            // the newest checkpoint on disk; -1: none yet
	cost    rundir.CPUCost // of all generations
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
	if err := r.loop(ctx); err != nil {
		return r.halted(ctx, err)
	}
	return nil
}

// open checks the options and locks the folder. It reads nothing of it yet.
func open(o Options) (*run, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &run{Options: o.withDefaults(), saved: -1}
	if r.Config.Selfplay.Asynchronous {
		r.events.to = r.Events
		r.Events = r.events.main
	}
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
			err = nil // a stop must not hide the fault
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

// reached reports whether a generation is the last that was asked for.
func (r *run) reached(generation int) bool { return r.Generations > 0 && generation >= r.Generations }

// planCooldown plans which generations the learning rate is to fall in, once the share
// Options.Cooldown of the run is left.
func (r *run) planCooldown() error {
	plan, newest := &r.Config.Learner.Cooldown, r.state.Generation
	if r.Cooldown == 0 || newest < plan.Last() {
		return nil
	}
	left, budget := float64(r.Generations-newest), float64(r.Generations)
	if r.CPUTime > 0 {
		each := r.cost.Newest.Seconds()
		if each == 0 {
			return nil // not known yet, as in a fork that has no generation of its own
		}
		left, budget = (r.CPUTime-r.cost.All).Seconds()/each, r.CPUTime.Seconds()/each
	}
	if left > max(1, r.Cooldown*budget) {
		return nil
	}
	*plan = recipe.Cooldown{After: newest, Generations: max(1, int(math.Round(left)))}
	r.Events.Info("the learning rate falls to 0", "from generation", newest+1, "to", plan.Last())
	_, err := recipe.Update(r.folder, &r.Config, r.Note)
	return err
}

// spent reports whether the run has taken its CPU time. While the learning rate falls
// as planned it has not, and when it has fallen it has.
func (r *run) spent() bool {
	if plan := r.Config.Learner.Cooldown; r.Cooldown > 0 && r.state.Generation <= plan.Last() && plan.Generations > 0 {
		begun := r.cost.All.Seconds() >= float64((1-r.Cooldown)*r.CPUTime.Seconds())
		return begun && r.state.Generation == plan.Last()
	}
	return r.cost.Reaches(r.CPUTime)
}

// finished reports whether a limit is reached.
func (r *run) finished() bool {
	if r.reached(r.state.Generation) {
		r.Events.Info("target reached", "generations", r.state.Generation)
		return true
	}
	if r.CPUTime > 0 && r.spent() {
		r.Events.Info("target reached", "CPU time", r.cost.All.Round(time.Second))
		return true
	}
	return r.Time > 0 && r.since(r.began) >= r.Time.Seconds()
}

// checkpoint returns the checkpoint of the newest generation, with its metrics if there
// are any.
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
		saved.Machine = nil // a checkpoint is the same on every machine
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

// tidy removes what need not stay on disk.
func (r *run) tidy() (err error) {
	r.kept, err = r.folder.Tidy(r.Config.Checkpoints, r.Config.Disk, r.store, r.history, r.state.Generation)
	return err
}
