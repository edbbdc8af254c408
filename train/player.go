package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tiro/mcts"
	"tiro/net"
	"tiro/rundir"
	"tiro/selfplay"
)

// EvaluatorRows returns the largest batch of an evaluator on the CPU in self-play.
func EvaluatorRows(c *selfplay.Config) int {
	return min(c.ConcurrentGames*c.Search.ParallelLeaves, 256)
}

// localPlayer plays the games of a run and keeps them in its episode files.
type localPlayer struct {
	options *Options
	folder  *rundir.Locked
}

// job is self-play of a generation's games.
type job struct {
	Games
	progress *progress
	begun    *ahead // self-play that has begun already, or nil
}

// job returns the job of playing the games of a generation.
func (p *localPlayer) job(generation int, weights *net.Weights) (job, error) {
	o := p.options
	game, err := o.Config.Selfplay.Game(generation, o.Game, o.Find)
	if err != nil {
		return job{}, err
	}
	fingerprint, err := rundir.Fingerprint(weights)
	if o.Config.GivenGames.In(generation) {
		fingerprint = selfplay.ByOthers
	}
	model, rows := net.CompileFor(o.Backend, weights), max(EvaluatorRows(&o.Config.Selfplay), net.Batch(o.Backend))
	return job{progress: &progress{to: o.Events}, Games: Games{
		Header: selfplay.NewHeader(game.Spec(), o.Config.Seed, generation, fingerprint), Weights: weights, Backend: o.Backend.Bits(), Trees: treeMemory(o),
		Job: selfplay.Job{
			Game: game, Config: o.Config.Selfplay, Seed: o.Config.Seed, Generation: generation, Games: o.Config.Games(generation), Workers: o.Workers,
			Clock:     o.Clock,
			Evaluator: func() mcts.Evaluator { return model.NewEvaluator(game, rows, 1) },
		},
	}}, err
}

// playedGames are the games of a generation, ordered by number.
type playedGames struct {
	episodes []selfplay.Episode
	encoded  []selfplay.Encoded
}

// complete returns all games of a job and writes their episode file. It plays them, waits until
// they are played, or reads the file if an interrupted process has written it.
func (p *localPlayer) complete(ctx context.Context, j job, machine *rundir.Machine) (games playedGames, err error) {
	if games, err = p.all(ctx, j, machine); err != nil {
		return games, err
	}
	if err := p.folder.WriteGames(j.Header, games.encoded); err != nil {
		return games, err
	}
	return games, p.folder.RemovePartial(j.Header.Generation)
}

// all returns all games of a job, from self-play in progress, the episode file or new self-play.
func (p *localPlayer) all(ctx context.Context, j job, machine *rundir.Machine) (games playedGames, err error) {
	if j.begun != nil { // the episode file did not exist then
		return j.begun.finish(machine)
	}
	games.episodes, err = p.recover(p.folder.Generation(j.Header.Generation).Episodes(), j)
	switch {
	case err != nil:
		return games, err
	case j.Header.Net == selfplay.ByOthers:
		return p.given(games, j)
	case len(games.episodes) < j.Job.Games:
		return p.play(ctx, j, games.episodes, machine)
	}
	machine.EarlierGames = j.Job.Games
	p.options.Events.Info("self-play of this generation is already complete", "generation", j.Header.Generation)
	games.encoded, err = selfplay.EncodeAll(games.episodes)
	return games, err
}

// given returns the imported games of a job, which cannot be played again.
func (p *localPlayer) given(games playedGames, j job) (playedGames, error) {
	given := p.options.Config.GivenGames
	var err error
	if games.encoded, err = selfplay.EncodeAll(games.episodes); err != nil {
		return games, err
	}
	if sum := selfplay.SumEncoded(games.encoded); sum != given.Sum {
		return games, fmt.Errorf("the games of %s are missing or damaged: %d games with checksum %s instead of %d with %s; repeat the fork with --games",
			given.File, len(games.episodes), sum, given.Games, given.Sum)
	}
	p.options.Events.Info("learning from imported games", "games", given.Games, "file", given.File, "generation", j.Header.Generation)
	return games, nil
}

// play returns all games of a job. It plays the games that are not in the partial episode file of an
// interrupted process or, without one, among done, and appends each to that file when it ends.
func (p *localPlayer) play(ctx context.Context, j job, done []selfplay.Episode, machine *rundir.Machine) (games playedGames, err error) {
	o := p.options
	began, cpu := o.Clock(), o.CPU()
	partial, err := p.recover(p.folder.Generation(j.Header.Generation).PartialEpisodes(), j)
	if err != nil {
		return games, err
	}
	if len(partial) > 0 {
		done = partial
	}
	j.progress.begin(len(done), j.Job.Games)
	defer j.progress.end()

	appender, err := p.folder.AppendEpisodes(j.Header, done)
	if err != nil {
		return games, err
	}
	defer func() {
		fault := appender.Close()
		if fault != nil && (err == nil || isCancelled(ctx, err)) {
			err = fault // a cancellation must not hide the fault
		}
	}()
	todo := j.Games
	todo.Job.Done = done
	todo.Job.Finished = func(e selfplay.Episode, encoded selfplay.Encoded) error {
		j.progress.add(Advanced{Steps: 1}, Played{e})
		return appender.Append(encoded)
	}
	todo.Job.Played = func(actions int) { j.progress.add(Advanced{Actions: actions}) }
	episodes, stats, players, err := o.Selfplayer.Play(ctx, todo)
	if err != nil {
		return games, err
	}
	machine.EarlierGames = len(done)
	machine.Players = players
	machine.SelfplaySeconds, machine.SelfplayCPUSeconds = o.since(began), (o.CPU()-cpu).Seconds()+machine.Elsewhere()
	describePlay(machine, stats)
	return playedGames{episodes, appender.Games()}, nil
}

// recover returns the games of a job in a file, up to the first fault, since the last game may be
// cut off. If the file cannot be read at the moment, it returns an error, because the games may
// be intact.
func (p *localPlayer) recover(path string, j job) ([]selfplay.Episode, error) {
	header, episodes, err := p.folder.ReadEpisodes(path, p.options.variants())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case rundir.MayBeIntact(err):
		return nil, err
	case err != nil && header == (selfplay.Header{}):
		p.options.Events.Warn("cannot read these games; replaying them", "file", path, "reason", err)
		return nil, nil
	case header != j.Header:
		p.options.Events.Warn("these games belong to another run; replaying them", "file", path)
		return nil, nil
	}
	episodes = slices.DeleteFunc(episodes, func(e selfplay.Episode) bool { return e.Game >= j.Job.Games })
	if err != nil {
		p.options.Events.Info("cannot read the rest of these games; replaying it", "kept", len(episodes), "reason", err)
	}
	return episodes, nil
}
