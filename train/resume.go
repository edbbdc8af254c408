package train

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// resume restores the run from its newest checkpoint, or begins it. It writes the configuration
// and repairs files that an earlier process left unfinished.
func (r *run) resume() error {
	if r.folder.Weak() {
		r.Events.Warn("this file system has no locks; make sure that no other machine trains in this folder", "folder", r.Dir)
	}
	if err := r.folder.Recover(); err != nil {
		return err
	}
	generations, err := r.store.List()
	if err != nil {
		return err
	}
	if err := r.configure(generations); err != nil {
		return err
	}
	r.reportMemory()
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
	r.cost = rundir.CostOf(r.history.Ordered())
	if damaged > 0 {
		r.Events.Warn("removed damaged lines from metrics.jsonl; nothing else depends on them", "lines", damaged)
	}
	if missing := r.history.Missing(last.Generation); len(missing) > 0 {
		r.Events.Warn("metrics.jsonl has no lines for these generations; reports and costs of the run do not include them", "generations", rundir.Ranges(missing))
	}
	if err := r.refill(); err != nil {
		return err
	}
	if err := r.resumeEarlier(); err != nil {
		return err
	}
	r.warnings.resume(r.history, r.saved)
	if err := r.tidy(); err != nil {
		return err
	}
	r.Events.Info("resuming", "generation", r.saved, "samples", r.state.Samples, "steps", r.state.Steps)
	return nil
}

// configure compares the configuration with the one in the folder, if there is one, and writes
// it.
func (r *run) configure(generations []int) error {
	if len(generations) > 0 {
		_, err := r.Disk.Stat(r.folder.Path(rundir.ConfigFile))
		if errors.Is(err, fs.ErrNotExist) {
			err = r.replaceConfig(generations)
		}
		if err != nil {
			return err
		}
	}
	if err := r.keepCooldown(generations); err != nil {
		return err
	}
	if n := len(generations); n > 0 && r.reached(generations[n-1]) {
		return r.keepConfig()
	}
	if err := r.checkRepeats(generations); err != nil {
		return err
	}
	if err := r.dropGames(generations); err != nil {
		return err
	}
	changes, err := recipe.Update(r.folder, &r.Config, r.Note)
	if err != nil {
		return err
	}
	for _, change := range changes {
		r.Events.Info("configuration changed", "key", change.String())
	}
	return nil
}

// checkRepeats returns an error if the run would repeat generations whose checkpoints are lost
// with other settings than the original ones: it would become another run.
func (r *run) checkRepeats(generations []int) error {
	if len(generations) == 0 {
		return nil
	}
	newest := generations[len(generations)-1]
	changed, err := recipe.Changed(r.folder.Folder, &r.Config, newest)
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, r.after)
	if len(changed) == 0 {
		return nil
	}
	return fmt.Errorf("the newest checkpoint is %d, and the lost generations %s had %w: %s",
		newest, rundir.Ranges(changed), recipe.ErrChanged, recipe.Instead(r.folder.Folder, newest))
}

// after reports whether a generation is after the last one of the run.
func (r *run) after(generation int) bool { return r.Generations > 0 && generation > r.Generations }

// dropGames removes the games of generations after the newest checkpoint if self-play's settings
// have changed since, or may have by hand, because a generation must have one set of settings.
func (r *run) dropGames(generations []int) error {
	old, err := recipe.Read(r.folder.Folder)
	if len(generations) == 0 || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	newest := generations[len(generations)-1]
	for g := newest + 1; g <= newest+2; g++ { // selfplay.asynchronous plays two generations at a time
		if old.Play(g) == r.Config.Play(g) && !recipe.Edited(r.folder.Folder) || old.GivenGames.In(g) {
			continue
		}
		switch dropped, err := r.folder.RemoveGames(g); {
		case err != nil:
			return err
		case dropped:
			r.Events.Warn("the settings of self-play have changed, or config.yaml was edited; replaying the games of the unfinished generation", "generation", g)
		}
	}
	return nil
}

// keepCooldown keeps the generations of the cool-down in the folder's configuration (see
// recipe.Config.KeepPlan). planCooldown and tiro train --finish write them there, and a
// configuration file with which the run is resumed does not contain them.
func (r *run) keepCooldown(generations []int) error {
	kept, err := recipe.Read(r.folder.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.Config.KeepPlan(&kept, slices.Max(append([]int{0}, generations...)))
	return err
}

// keepConfig keeps the folder's configuration, because no further generation would use another
// one.
func (r *run) keepConfig() error {
	changes, err := recipe.Changes(r.folder.Folder, &r.Config)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = recipe.Update(r.folder, &r.Config, r.Note)
	}
	if err != nil || len(changes) == 0 {
		return err
	}
	for _, change := range changes {
		r.Events.Warn("the run is complete, so this setting is not changed", "key", change.String())
	}
	r.Config, err = recipe.Read(r.folder.Folder)
	return err
}

// replaceConfig returns an error unless the configuration suits the newest checkpoint of a run
// whose own configuration is lost. It may differ from the lost one in settings that may change
// during a run.
func (r *run) replaceConfig(generations []int) error {
	newest := generations[len(generations)-1]
	c, err := r.store.Load(newest)
	if err != nil {
		return r.damaged(generations, err)
	}
	seed := r.Config.Seed
	if newest > 0 {
		if h, _, err := r.folder.ReadEpisodes(r.folder.Generation(newest).Episodes(), r.variants()); err == nil {
			seed = h.Seed
		}
	}
	err = r.Config.CheckOptimizer(c.Weights, c.Optimizer)
	switch {
	case c.Weights.Config != r.Config.Net.Inference():
		err = fmt.Errorf("net is %+v, but checkpoint %d has %+v", r.Config.Net, newest, c.Weights.Config)
	case seed != r.Config.Seed:
		err = fmt.Errorf("seed is %d, but the games of generation %d have %d", r.Config.Seed, newest, seed)
	}
	if err != nil {
		return fmt.Errorf("%s is missing, and the given configuration differs from the run's: %w", rundir.ConfigFile, err)
	}
	r.Events.Warn("the run's configuration was missing; saved the given one instead")
	if changed, err := recipe.Changed(r.folder.Folder, &r.Config, newest-1); err == nil && slices.Contains(changed, newest) {
		r.Events.Warn("the newest generation had other settings", "generation", newest)
	}
	return nil
}

// begin saves random weights as checkpoint 0.
func (r *run) begin() (err error) {
	if err := r.folder.CheckNew(); err != nil {
		return err
	}
	if err := recipe.CheckNew(r.folder.Folder); err != nil {
		return err
	}
	if err := r.start(r.Config.InitialWeights(r.Game.Spec())); err != nil {
		return err
	}
	if r.history, _, err = r.folder.RecoverMetrics(rundir.Metrics{}); err != nil {
		return err
	}
	if err := r.save(nil); err != nil {
		return err
	}
	return r.tidy()
}

// start creates the learner and the state of generation 0 with initial weights w.
func (r *run) start(w *net.Weights) (err error) {
	r.state = rundir.State{Backend: r.Backend.Bits()}
	r.learner, err = newLearner(&r.Options, w)
	return err
}

// load restores the state and the learner from the newest checkpoint and returns its metrics,
// which are zero for generation 0.
func (r *run) load(generations []int) (last rundir.Metrics, err error) {
	newest := generations[len(generations)-1]
	c, err := r.store.Load(newest)
	if err == nil {
		r.state, last, err = rundir.ReadCheckpoint(c)
	}
	if err != nil {
		return last, r.damaged(generations, err)
	}
	if before, now := r.state.Backend, r.Backend.Bits(); before != now {
		r.Events.Warn("the backend has changed; results will differ in the last bits", "before", before, "now", now)
		r.state.Backend = now
	}
	weights, optimizer, err := r.Config.Restore(c.Weights, c.Optimizer)
	if err == nil {
		r.learner, err = newLearner(&r.Options, weights)
	}
	if err == nil {
		err = r.learner.restore(c.Weights, optimizer)
	}
	if err != nil {
		return last, fmt.Errorf("checkpoint %d: %w", newest, err)
	}
	r.saved = newest
	return last, nil
}

// damaged adds to an error about the newest checkpoint the number of an earlier checkpoint from
// which the run can continue.
func (r *run) damaged(generations []int, err error) error {
	if rundir.MayBeIntact(err) {
		return err
	}
	for _, g := range slices.Backward(generations[:len(generations)-1]) {
		if _, fault := r.store.Load(g); fault == nil {
			if changed, _ := recipe.Changed(r.folder.Folder, &r.Config, g); len(changed) > 0 {
				return fmt.Errorf("%w: %w; the newest intact checkpoint is %d, and generations %s had %w: %s",
					rundir.ErrDamaged, err, g, rundir.Ranges(changed), recipe.ErrChanged, recipe.Instead(r.folder.Folder, g))
			}
			return fmt.Errorf("%w: %w; checkpoint %d is intact: move the folders of newer ones elsewhere, and the same command resumes from it", rundir.ErrDamaged, err, g)
		}
	}
	return fmt.Errorf("%w: %w; no checkpoint before it is intact", rundir.ErrDamaged, err)
}

// refill restores the buffer with the games of the window, from the newest generation back to the
// first whose games are lost. Evicted samples are left out.
func (r *run) refill() error {
	want := min(r.Config.Replay.Size(r.state.Samples), r.state.Samples-r.state.EvictedSamples)
	r.window = newWindow(&r.Options, r.state.Samples)
	for g := r.state.Generation; g > 0 && r.window.buffer.Len() < want; g-- {
		episodes, err := r.readGames(g)
		if errors.Is(err, fs.ErrNotExist) {
			r.Events.Warn("the games of this and earlier generations are missing; training continues without them", "generation", g)
			break
		}
		if err != nil && !rundir.MayBeIntact(err) {
			err = fmt.Errorf("%w: %w; remove the file to continue without these and earlier games", rundir.ErrDamaged, err)
		}
		if err != nil {
			return err
		}
		r.window.buffer.Prepend(episodes)
	}
	r.window.buffer.Trim(want, windowBytes(&r.Config))
	return nil
}

// readGames reads the games of a complete generation.
func (r *run) readGames(generation int) ([]selfplay.Episode, error) {
	path := r.folder.Generation(generation).Episodes()
	h, episodes, err := r.folder.ReadEpisodes(path, r.variants())
	if err != nil {
		return nil, err
	}
	want := rundir.Expected{Generation: generation, Seed: r.Config.Seed, Player: r.fingerprint}
	if m, ok := r.history[generation]; ok {
		want.Metrics = &m
	}
	if err := cmp.Or(want.CheckHeader(h), want.CheckGames(episodes)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return episodes, nil
}

// fingerprint returns the fingerprint of a checkpoint's network, or "" if it cannot be read.
func (r *run) fingerprint(checkpoint int) string {
	c, err := r.store.Load(checkpoint)
	if err != nil {
		return ""
	}
	fingerprint, _ := rundir.Fingerprint(c.Weights)
	return fingerprint
}
