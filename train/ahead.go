package train

import (
	"context"

	"tiro/net"
	"tiro/rundir"
)

// ahead is self-play of a generation that has begun while the network learns from the
// generation before it (selfplay.Config.Asynchronous). It changes nothing that the run
// works with.
type ahead struct {
	job     job
	release func() // of the events of playing
	cancel  context.CancelFunc
	done    chan struct{} // closed when the following are set

	games     playedGames
	machine   rundir.Machine // what playing took
	err       error
	cancelled bool // err comes from the end of the context
}

// playAhead begins self-play of the generation after one whose games are in the window,
// by the network that has not learned from these yet, unless that generation is the last.
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
	r.events.hold()
	a := &ahead{release: r.events.release, cancel: cancel, done: make(chan struct{})}
	j.events = r.events.ahead
	a.job, r.ahead = j, a
	go func() {
		defer close(a.done)
		a.games, a.err = r.player.play(ctx, a.job, &a.machine)
		a.cancelled = isCancelled(ctx, a.err)
	}()
	return nil
}

// finish waits for the games.
func (a *ahead) finish(machine *rundir.Machine) (playedGames, error) {
	defer a.cancel()
	a.release()
	<-a.done
	a.machine.Workers, a.machine.Tiro, a.machine.Backend = machine.Workers, machine.Tiro, machine.Backend
	*machine = a.machine
	return a.games, a.err
}

// stopAhead ends self-play of a generation that is not to come. Games that have finished
// are in its partial file.
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

// resumeEarlier reads the network that plays the next generation, if that is not the
// newest one.
func (r *run) resumeEarlier() error {
	if !r.Config.Selfplay.Asynchronous || r.saved < 1 {
		return nil
	}
	c, err := r.store.Load(r.saved - 1)
	switch {
	case err == nil:
		r.earlier = c.Weights
	case rundir.MayBeIntact(err):
		return err
	default:
		r.Events.Warn("the network that is to play the next generation is missing; the newest plays it, as without selfplay.asynchronous", "checkpoint", r.saved-1, "reason", err)
	}
	return nil
}

// playing returns the network that plays the next generation, and by how many
// generations it is older than the newest one.
func (r *run) playing() (w *net.Weights, lag int) {
	if r.earlier != nil {
		return r.earlier, 1
	}
	return r.learner.inference(), 0
}
