package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"tiro/replay"
	"tiro/rundir"
	"tiro/selfplay"
)

// newBuffer returns an empty buffer that keeps of each game what this run learns.
// Of the rows that were ever added, that many are already gone.
func (r *run) newBuffer(gone int) replay.Buffer {
	return replay.NewBuffer(r.Game, replay.Keep{FinalPositions: r.Config.Net.Ownership, Surprise: r.Config.Learner.PolicySurpriseWeight > 0}, gone)
}

// refill puts the games of the window back into the buffer, as far as their
// files are there without a gap. What has left the window once stays out of it. If
// all of it is there, the level of resignation is measured again: by settings that
// are new the old one would be too low.
func (r *run) refill(ctx context.Context) error {
	want := min(r.Config.Replay.Size(r.state.Samples), r.state.Samples-r.state.EvictedSamples)
	room := gamesBytes(&r.Config)
	r.buffer = r.newBuffer(r.state.Samples)
	for g := r.state.Generation; g > 0 && r.buffer.Len() < want && r.buffer.Bytes() <= room; g-- {
		episodes, err := r.games(ctx, g)
		if errors.Is(err, fs.ErrNotExist) {
			r.Log.Warn("the games of this generation and those before are gone and not learned from again", "generation", g)
			break
		}
		if err != nil && !rundir.MayBeIntact(err) {
			err = fmt.Errorf("%w: %w; without that file its games are played again, if they can be", rundir.ErrDamaged, err)
		}
		if err != nil {
			return err
		}
		r.buffer.Prepend(episodes)
	}
	r.buffer.Trim(want, room)
	if r.buffer.Len() == want { // then it is what it was, unless the settings have changed
		r.state.Resign = r.decided()
	}
	return nil
}

// gamesOf reads the games of a generation that is complete.
func (r *run) gamesOf(generation int) ([]selfplay.Episode, error) {
	path := r.folder.Generation(generation).Episodes()
	h, episodes, err := r.folder.ReadEpisodes(path, r.Game)
	if err == nil && (h.Generation != generation || h.Seed != r.Config.Seed) {
		err = fmt.Errorf("%s: the games are of generation %d of a run with seed %d", path, h.Generation, h.Seed)
	}
	return episodes, err
}

// games returns the games of a generation that is complete. Those whose file is
// gone are played again.
func (r *run) games(ctx context.Context, generation int) ([]selfplay.Episode, error) {
	episodes, err := r.gamesOf(generation)
	if errors.Is(err, fs.ErrNotExist) {
		return r.again(ctx, generation, err)
	}
	if err == nil {
		err = r.compare(generation, episodes)
	}
	return episodes, err
}

// compare returns an error unless games are those that metrics.jsonl tells of,
// if it does.
func (r *run) compare(generation int, episodes []selfplay.Episode) error {
	told, ok := r.history[generation]
	if !ok {
		return nil
	}
	sum, err := digest(r.Game, episodes)
	if err == nil {
		err = told.CheckGames(len(episodes), sum)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.folder.Generation(generation).Episodes(), err)
	}
	return nil
}

// again plays the games of a complete generation once more, whose file is gone,
// if the checkpoint that played them is there. They are used only if they are
// what they were, by what metrics.jsonl tells of them: settings and backend may
// have changed since. Otherwise it returns gone.
func (r *run) again(ctx context.Context, generation int, gone error) ([]selfplay.Episode, error) {
	told, ok := r.history[generation]
	if !ok {
		return nil, gone
	}
	before, err := r.store.Load(generation - 1)
	var was rundir.State
	if err == nil {
		was, err = rundir.ReadState(before)
	}
	if err != nil {
		if rundir.MayBeIntact(err) {
			return nil, err
		}
		return nil, gone
	}
	r.Log.Warn("the games of this generation are gone and are played again", "generation", generation)
	h, err := r.header(generation, before.Weights)
	if err != nil {
		return nil, err
	}
	episodes, err := r.playGames(ctx, h, before.Weights, told.Games, was.Resign.Threshold, &rundir.Machine{})
	if err != nil {
		return nil, err
	}
	if err := r.compare(generation, episodes); err != nil {
		r.Log.Warn("played again, the games come out otherwise, by other settings or another backend, and are not used", "generation", generation, "reason", err)
		return nil, gone
	}
	return episodes, r.folder.WriteEpisodes(r.Game, h, episodes)
}
