package train

import (
	"context"

	"tiro/models/card"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
)

// ahead is self-play of a generation while the network learns from the generation before it
// (selfplay.Config.Asynchronous). It does not change the state of the run.
type ahead struct {
	job    job
	cancel context.CancelFunc
	done   chan struct{} // closed when the following fields are set

	games     playedGames
	machine   rundir.Machine // cost of self-play
	err       error
	cancelled bool // whether err comes from the end of the context
}

// playAhead starts self-play of the generation after the given one, with the network as it is
// before it learns from that generation's games. It does nothing if the given generation is the
// last.
func (r *run) playAhead(ctx context.Context, generation int) error {
	if !r.Config.Selfplay.Asynchronous || r.reached(generation) {
		return nil
	}
	r.earlier = r.learner.inference().Clone()
	_, err := r.Disk.Stat(r.folder.Generation(generation + 1).Episodes())
	if err == nil { // as in a run that was set back to an earlier checkpoint
		return nil
	}
	j, err := r.job(generation + 1)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	j.progress.held = true
	a := &ahead{job: j, cancel: cancel, done: make(chan struct{})}
	r.ahead = a
	go func() {
		defer close(a.done)
		a.games, a.err = r.player.play(ctx, a.job, nil, &a.machine)
		a.cancelled = isCancelled(ctx, a.err)
	}()
	return nil
}

// finish waits for the games to end.
func (a *ahead) finish(machine *rundir.Machine) (playedGames, error) {
	defer a.cancel()
	a.job.progress.release()
	<-a.done
	a.machine.Workers, a.machine.Tiro, a.machine.Backend = machine.Workers, machine.Tiro, machine.Backend
	*machine = a.machine
	return a.games, a.err
}

// stopAhead cancels self-play of a generation that will not be completed. Its finished games stay
// in the partial episode file.
func (r *run) stopAhead() error {
	a := r.ahead
	if a == nil {
		return nil
	}
	r.ahead = nil
	a.cancel()
	<-a.done
	if a.cancelled {
		return nil
	}
	return a.err
}

// resumeEarlier loads the network that plays the next generation if it is not the newest.
func (r *run) resumeEarlier() error {
	if !r.Config.Selfplay.Asynchronous || r.saved < 1 {
		return nil
	}
	c, err := r.store.Load(r.saved - 1)
	switch {
	case err == nil:
		r.earlier = c.Weights
		return nil
	case rundir.MayBeIntact(err):
		return err
	}
	origins, fault := recipe.Origins(r.folder.Folder)
	if fault != nil {
		return fault
	}
	if card.ForkedAt(origins) < r.saved { // a fork may begin without it
		r.Events.Warn("the network for the next generation is missing; the newest network plays it instead, as without selfplay.asynchronous", "checkpoint", r.saved-1, "reason", err)
	}
	return nil
}

// playing returns the network that plays the next generation, and its age in generations compared
// with the newest network.
func (r *run) playing() (w *net.Weights, lag int) {
	if r.earlier != nil {
		return r.earlier, 1
	}
	return r.learner.inference(), 0
}
