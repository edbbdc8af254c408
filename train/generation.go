package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"tiro/env"
	"tiro/rundir"
	"tiro/selfplay"
)

// Purposes of the trainer's random draws, which are the last keys of their generators. Self-play
// uses small numbers, and recipe.Config.InitialWeights uses 16.
const (
	drawSamples = 17 + iota
	drawValidation
	drawDuels
)

// draws returns the generator of draw i in a generation.
func (r *run) draws(generation, i int, purpose uint64) *rand.Rand {
	return env.NewRand(r.Config.Seed, uint64(generation), uint64(i), purpose)
}

// generation plays, learns and saves once. After an error the state in memory is invalid.
func (r *run) generation(ctx context.Context, generation int) error {
	began := r.Clock()
	m := rundir.Metrics{
		Header:      rundir.MetricsHeader,
		Generation:  generation,
		Simulations: r.Config.Selfplay.Simulations(generation),
		Machine:     &rundir.Machine{Workers: r.Workers, Tiro: r.Version, Backend: r.Backend.Name()},
	}
	if err := r.play(ctx, &m); err != nil {
		return err
	}
	if err := r.learn(ctx, &m); err != nil {
		return err
	}
	if err := r.duels(ctx, &m); err != nil {
		return err
	}
	return r.finish(m, began)
}

// play plays the games of a generation and adds them to the window. It updates the state except
// for the learning steps.
func (r *run) play(ctx context.Context, m *rundir.Metrics) error {
	if err := r.kept.Check(r.Config.Disk); err != nil {
		return err
	}
	_, m.NetworkLag = r.playing()
	job, err := r.takeJob(m.Generation)
	if err != nil {
		return err
	}
	games, err := r.player.complete(ctx, job, m.Machine)
	if err != nil {
		return err
	}
	describeGames(m, r.Game, games.episodes)
	m.GamesSum = selfplay.SumEncoded(games.encoded)
	s := &r.state
	s.Generation = m.Generation
	s.Samples += m.Samples
	s.PendingSamples += float64(r.Config.Replay.SampleReuse * float64(m.Samples))
	r.window.add(games.episodes, s.Samples)
	s.EvictedSamples = r.window.buffer.Evicted()
	m.TotalSamples, m.Window = s.Samples, r.window.buffer.Len()
	return r.playAhead(ctx, m.Generation)
}

// takeJob returns the job of the next generation's self-play, which may have started.
func (r *run) takeJob(generation int) (job, error) {
	a := r.ahead
	if a == nil {
		return r.job(generation)
	}
	r.ahead = nil
	j := a.job
	j.begun = a
	return j, nil
}

// job returns the job of the next generation's self-play.
func (r *run) job(generation int) (job, error) {
	weights, _ := r.playing()
	return r.player.job(generation, weights)
}

// learn runs the steps for which samples are pending.
func (r *run) learn(ctx context.Context, m *rundir.Metrics) error {
	batch, s := r.Config.Learner.BatchSize, &r.state
	m.Steps = int(s.PendingSamples) / batch
	s.PendingSamples -= float64(m.Steps * batch)
	buffer := &r.window.buffer
	if buffer.Len() == 0 {
		m.Steps, m.TotalSteps = 0, s.Steps
		return nil
	}
	first := s.Steps
	s.Steps += m.Steps
	m.TotalSteps = s.Steps
	began, cpu := r.Clock(), r.CPU()
	if newest := min(m.Samples, buffer.Len()); newest > 0 {
		loss, baseline, err := r.learner.validate(buffer, newest, r.draws(m.Generation, 0, drawValidation))
		if err != nil {
			return fmt.Errorf("validation loss: %w", err)
		}
		m.ValidationLoss, m.BaselineLoss = lossesOf(loss), baseline
	}
	r.Events.send(Phase{Name: PhaseLearn, Total: m.Steps})
	defer r.Events.send(PhaseEnded{})
	fill := func(i int) { r.learner.fill(buffer, r.draws(m.Generation, i, drawSamples)) }
	if m.Steps > 0 {
		fill(0)
	}
	for i := range m.Steps {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		next := func() { fill(i + 1) }
		if i+1 == m.Steps {
			next = nil
		}
		at := moment{first + i, m.Generation, float64(i) / float64(m.Steps)}
		m.LearningRate = learningRate(&r.Config.Learner, at)
		loss, err := r.learner.step(at, next)
		if err != nil {
			return fmt.Errorf("step %d: %w", first+i, err)
		}
		addLoss(m, i+1, loss)
		r.Events.send(Advanced{Steps: 1})
	}
	if err := r.learner.trainer.Sync(); err != nil {
		return err
	}
	m.SampleReuse = float64(m.Steps*batch) / float64(max(1, m.Samples))
	m.Machine.LearnSeconds, m.Machine.LearnCPUSeconds = r.since(began), (r.CPU() - cpu).Seconds()
	return nil
}

// finish saves a generation that began at the given time, removes files that are no longer
// needed, and reports the generation.
func (r *run) finish(m rundir.Metrics, began time.Time) error {
	m.Settings = r.Config.Settings(m.Generation, m.TotalSteps)
	if err := m.Sign(); err != nil {
		return err
	}
	r.history[m.Generation] = m
	if err := r.save(&m); err != nil {
		return err
	}
	if err := r.tidy(); err != nil {
		return err
	}
	m.Machine.Seconds, m.Machine.Disk = r.since(began), r.kept.Total()
	runtime.GC() // frees trees, caches and games, which the next generation allocates again
	m.Machine.Usage = r.Usage()
	cpu := r.CPU()
	m.Machine.CPUSeconds, r.cpu = (cpu-r.cpu).Seconds()+m.Machine.Elsewhere(), cpu
	r.cost.Add(&m)
	if err := r.folder.AppendMetrics(m); err != nil {
		return err
	}
	r.Events.send(Completed{m})
	for _, f := range r.warnings.add(&r.Config, m) {
		r.Events.Warn(f.Name+": "+f.Text, "generation", m.Generation)
	}
	return nil
}
