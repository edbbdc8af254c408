package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/rundir"
	"tiro/selfplay"
)

// evaluatorRows is how many positions the network judges at once at most.
const evaluatorRows = 256

// generation plays, learns and saves once. After an error the run cannot go on
// with what is in memory.
func (r *run) generation(ctx context.Context, generation int) error {
	began := r.now()
	m := rundir.Metrics{
		Header:      rundir.MetricsHeader,
		Generation:  generation,
		Simulations: r.Config.Selfplay.Simulations(generation),
		Resign:      r.state.Resign,
		Machine:     &rundir.Machine{Workers: r.Workers, Tiro: r.Version, Backend: r.Backend.Name()},
	}
	episodes, err := r.selfplay(ctx, generation, m.Machine)
	if err != nil {
		return err
	}
	describeGames(&m, r.Game, episodes)
	if m.GamesSum, err = digest(r.Game, episodes); err != nil {
		return err
	}
	next := r.state
	next.Generation = generation
	next.Samples += m.Samples
	next.PendingSamples += r.Config.Replay.SampleReuse * float64(m.Samples)
	m.Steps = int(next.PendingSamples) / r.Config.Learner.BatchSize
	next.PendingSamples -= float64(m.Steps * r.Config.Learner.BatchSize)
	next.Steps += m.Steps

	if err := r.takeIn(episodes, r.Config.Replay.Size(next.Samples)); err != nil {
		return err
	}
	next.EvictedSamples = r.buffer.Evicted()
	next.Resign = r.decided()
	if err := r.learn(ctx, &m); err != nil {
		return err
	}
	r.state, r.meanPlies = next, m.MeanPlies
	m.TotalSamples, m.TotalSteps, m.Window = next.Samples, next.Steps, r.buffer.Len()
	if err := m.Sign(); err != nil {
		return err
	}
	r.history[generation] = m
	if err := r.save(&m); err != nil {
		return err
	}
	left, err := r.folder.Tidy(&r.Config, r.store, r.history, generation)
	if err != nil {
		return err
	}
	m.Machine.Seconds, m.Machine.Disk = r.seconds(began), left.Total()
	runtime.GC() // trees, caches and games: the next generation takes as much again
	if r.Usage != nil {
		m.Machine.Usage = r.Usage()
	}
	if err := r.folder.AppendMetrics(m); err != nil {
		return err
	}
	r.Progress.Generation(m)
	r.diagnose(m)
	return left.Check(r.Config.Disk)
}

// decided returns at which level the games of the next generation are broken
// off, by those in the window.
func (r *run) decided() (d selfplay.Calibration) {
	if resign := r.Config.Selfplay.Resign; resign.ConsecutiveMoves > 0 {
		d = resign.Calibrate(r.buffer.CalibrationGames())
	}
	return d
}

// selfplay returns the games of a generation: those played before, read, and
// the others, played now.
func (r *run) selfplay(ctx context.Context, generation int, machine *rundir.Machine) ([]selfplay.Episode, error) {
	playing := r.learner.playing()
	h, err := r.header(generation, playing)
	if err != nil {
		return nil, err
	}
	games := r.Config.GamesPerGeneration
	done, err := r.salvage(r.folder.Generation(generation).Episodes(), h, games)
	if err != nil {
		return nil, err
	}
	if len(done) == games {
		r.Log.Info("the games of this generation were played before", "generation", generation)
		return done, r.folder.WriteEpisodes(r.Game, h, done) // there may have been more, by other settings
	}
	episodes, err := r.playGames(ctx, h, playing, games, r.state.Resign.Threshold, machine)
	if err != nil {
		return nil, err
	}
	return episodes, r.folder.WriteEpisodes(r.Game, h, episodes)
}

// header returns what the file of a generation's games says of them, which w
// plays.
func (r *run) header(generation int, w *net.Weights) (selfplay.Header, error) {
	player, err := rundir.Fingerprint(w)
	return selfplay.NewHeader(r.Game.Spec(), r.Config.Seed, generation, player), err
}

// playGames plays so many games with weights w and a level of resignation, but
// for those that a stop left behind.
func (r *run) playGames(ctx context.Context, h selfplay.Header, w *net.Weights, games int, level float64, machine *rundir.Machine) ([]selfplay.Episode, error) {
	began := r.now()
	done, err := r.salvage(r.folder.Generation(h.Generation).PartialEpisodes(), h, games)
	if err != nil {
		return nil, err
	}
	r.Progress.Start(PhaseSelfplay, len(done), games, int(r.meanPlies*float64(games-len(done))))
	defer r.Progress.Done()

	model := net.Compile(r.Backend, w)
	job := selfplay.Job{
		Game:            r.Game,
		Config:          r.Config.Selfplay,
		Seed:            r.Config.Seed,
		Generation:      h.Generation,
		Games:           games,
		Workers:         r.Workers,
		ResignThreshold: level,
		Evaluator:       func() mcts.Evaluator { return net.NewEvaluator(r.Game, model, maxEvaluatorRows(&r.Config)) },
		Done:            done,
		Clock:           r.Clock,
	}
	episodes, stats, err := r.play(ctx, job, h)
	if err != nil {
		return nil, err
	}
	machine.SelfplaySeconds = r.seconds(began)
	describePlay(machine, stats)
	return episodes, nil
}

// salvage returns those of so many games that are in a file, if its header is h,
// up to the first fault: the last one may have been cut short. A file that
// cannot be read just now is an error, for its games may be whole.
func (r *run) salvage(path string, h selfplay.Header, games int) ([]selfplay.Episode, error) {
	found, episodes, err := r.folder.ReadEpisodes(path, r.Game)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case rundir.MayBeIntact(err):
		return nil, err
	case err != nil && found == (selfplay.Header{}):
		r.Log.Warn("these games cannot be read and are played again", "file", path, "reason", err)
		return nil, nil
	case found != h:
		r.Log.Warn("these games are not this run's and are played again", "file", path)
		return nil, nil
	}
	var good []selfplay.Episode
	seen := map[int]bool{}
	for _, e := range episodes {
		if e.Game < games && !seen[e.Game] {
			good = append(good, e)
			seen[e.Game] = true
		}
	}
	if err != nil {
		r.Log.Info("the rest of these games is played again", "kept", len(good), "reason", err)
	}
	return good, nil
}

// digest returns the checksum of games.
func digest(game env.Game, episodes []selfplay.Episode) (string, error) {
	d := selfplay.NewDigest(game)
	for i := range episodes {
		if err := d.Add(&episodes[i]); err != nil {
			return "", err
		}
	}
	return d.Sum(), nil
}

// play plays the games that job has not, and appends each to the partial episode
// file as it ends.
func (r *run) play(ctx context.Context, job selfplay.Job, h selfplay.Header) (episodes []selfplay.Episode, stats selfplay.Stats, err error) {
	appender, err := r.folder.AppendEpisodes(r.Game, h, job.Done)
	if err != nil {
		return nil, stats, err
	}
	defer func() {
		fault := appender.Close()
		if fault != nil && (err == nil || stopped(ctx, err)) {
			err = fault // which a stop must not hide
		}
	}()
	job.Finished = func(e selfplay.Episode) error {
		if err := r.folder.Check(); err != nil {
			return err
		}
		r.Progress.Advance(1, 0)
		return appender.Append(e)
	}
	job.Played = func(actions int) { r.Progress.Advance(0, actions) }
	return selfplay.Play(ctx, job)
}

// learn takes m.Steps steps and fills in what they say.
func (r *run) learn(ctx context.Context, m *rundir.Metrics) error {
	if r.buffer.Len() == 0 {
		return nil
	}
	began := r.now()
	if newest := min(m.Samples, r.buffer.Len()); newest > 0 {
		fresh, unlearned, err := r.learner.measure(&r.buffer, newest, r.draws(m.Generation, 0, drawFresh))
		if err != nil {
			return fmt.Errorf("measure: %w", err)
		}
		m.ValidationLoss, m.BaselineLoss = lossesOf(fresh), unlearned
	}
	r.Progress.Start(PhaseLearn, 0, m.Steps, 0)
	defer r.Progress.Done()
	draws := func(i int) *rand.Rand { return r.draws(m.Generation, i, drawRows) }
	mean, err := r.learner.learn(ctx, &r.buffer, r.state.Steps, m.Steps, draws, func() { r.Progress.Advance(1, 0) })
	if err != nil {
		return err
	}
	m.TrainingLoss = mean.Losses
	m.GradNorm = mean.grad
	m.SampleReuse = float64(m.Steps*r.Config.Learner.BatchSize) / float64(max(1, m.Samples))
	m.LearningRate = learningRate(&r.Config.Learner, r.state.Steps+max(0, m.Steps-1))
	m.Machine.LearnSeconds = r.seconds(began)
	return nil
}

func (r *run) draws(generation, i int, purpose uint64) *rand.Rand {
	return env.NewRand(r.Config.Seed, uint64(generation), uint64(i), purpose)
}
