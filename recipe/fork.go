package recipe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/net/graph"
	"tiro/rundir"
)

// Fork is a new run that goes on from a checkpoint of another one with other settings.
type Fork struct {
	From       rundir.Folder
	Generation int        // of the checkpoint
	Game       env.Game   // of the fork: that of From, or a variant of it
	Find       env.Lookup // of that, and of the variants that were played; nil: there are none
	Config     Config     // of the fork
	Note       string     // comment in its config.yaml
}

// CheckFork returns an error if a fork of a run with the settings old cannot go on with
// the settings now. Of what a run cannot change a fork can change the seed and the game,
// for which Write checks that it is a variant of the other run's, and the network can grow.
func CheckFork(old, now *Config) error {
	if err := now.Net.CheckGrowth(old.Net); err != nil {
		return fmt.Errorf("the network of a fork can only grow: net: %w", err)
	}
	return nil
}

// Write makes the run folder of the fork, which appears complete or, also if ctx is
// cancelled, not at all. The folder around it must be there, and nothing of this name in
// it. It holds the checkpoint, the one before it that is kept for good, which duels may
// meet, the one that plays next if that is another, the games of the replay window, where
// the run comes from (see Origin), and the metrics so far. A larger network has grown from
// that of the checkpoint (see net.Weights.GrowFrom); like a fork of another game, one with that
// has no earlier checkpoint for duels.
//
// With the same settings the fork goes on to the same bytes as the run, as long as
// neither runs out of disk. With another seed the games to come are others; those of the
// window then bear the seed of the fork, as if they were its own.
func (f *Fork) Write(ctx context.Context, fsys disk.FS, dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("recipe: fork %s at generation %d: %w", f.From.Path(), f.Generation, err)
		}
	}()
	old, err := Read(f.From)
	if err != nil {
		return err
	}
	if err := CheckFork(&old, &f.Config); err != nil {
		return err
	}
	game, err := env.Variants(f.Game, f.Find)(old.Game)
	if err != nil {
		return fmt.Errorf("a fork of it cannot play %s: %w", f.Game.Spec().Name, err)
	}
	return writeRun(fsys, dir, func(l *rundir.Locked) error { return f.fill(ctx, l, &old, game) })
}

// writeRun makes a run folder, which fill fills. It appears complete or not at all.
func writeRun(fsys disk.FS, dir string, fill func(*rundir.Locked) error) (err error) {
	unlock, err := disk.LockFile(fsys, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	beside := dir + disk.Unfinished
	folder, err := rundir.Open(fsys, beside)
	if err != nil {
		return err
	}
	err = errors.Join(fill(folder), folder.Close())
	if err == nil {
		err = fsys.Remove(folder.Path(rundir.LockFile))
	}
	if err == nil {
		err = fsys.SyncDir(beside)
	}
	if err == nil {
		err = fsys.Rename(beside, dir)
	}
	if err != nil {
		return errors.Join(err, disk.RemoveAll(fsys, beside))
	}
	return fsys.SyncDir(filepath.Dir(dir))
}

// fill writes what a fork of a run of a game, with the settings old, begins with.
func (f *Fork) fill(ctx context.Context, l *rundir.Locked, old *Config, game env.Game) error {
	origins, err := Origins(f.From)
	if err != nil {
		return err
	}
	if first := ForkedAt(origins); f.Generation < first {
		return fmt.Errorf("it is itself a fork, from generation %d; for an earlier one, fork its parent", first)
	}
	from, to := f.From.Store(game.Spec()), l.Store(f.Game.Spec())
	c, err := from.Load(f.Generation)
	if err != nil {
		return err
	}
	state, _, err := rundir.ReadCheckpoint(c)
	if err != nil {
		return err
	}
	if err := f.save(to, old, c); err != nil {
		return err
	}
	for _, g := range f.earlier(old, game) {
		c, err := from.Load(g)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = f.save(to, old, c)
		}
		if err != nil {
			return err
		}
	}
	if err := f.copyGames(ctx, l, state.Samples-state.EvictedSamples); err != nil {
		return err
	}
	if err := f.copyMetrics(l); err != nil {
		return err
	}
	config, err := f.From.ReadFile(rundir.ConfigFile, configs.MaxSize)
	if err != nil {
		return err
	}
	origin := card.Origin{Game: game.Spec().Name, Generation: f.Generation, Config: string(config)}
	if err := writeOrigins(l, append(origins, origin)); err != nil {
		return err
	}
	return write(l, &f.Config, f.Note)
}

// save saves a checkpoint of the other run, which has the settings old, as one of the fork:
// for the game that it plays, and with its network.
func (f *Fork) save(to *models.Store, old *Config, c models.Checkpoint) error {
	if f.Config.Net != old.Net {
		trained, state, err := old.Restore(c.Weights, c.Optimizer)
		if err != nil {
			return err
		}
		grown, playing := f.Config.InitialWeights(f.Game.Spec()), f.Config.InitialWeights(f.Game.Spec()).Inference()
		if err := cmp.Or(grown.GrowFrom(trained), playing.GrowFrom(c.Weights)); err != nil {
			return err
		}
		c.Weights = playing
		c.Optimizer = f.Config.OptimizerTensors(graph.GrowOptimizerState(state, grown.Tensors()), grown)
	}
	weights := *c.Weights
	weights.Spec = f.Game.Spec()
	c.Weights = &weights
	return to.Save(c)
}

// earlier returns the checkpoints before that of the fork which it needs, too, where old
// are the settings of the other run and game is its game. Those that have played games of
// the window are needed for duels only. As networks for another game or as larger ones
// they would not be the ones that played, so that a fork with that does without; then a
// larger network plays the next generation itself.
func (f *Fork) earlier(old *Config, game env.Game) (generations []int) {
	if f.Config.Net != old.Net {
		return nil
	}
	next, kept := f.Generation-1, f.Config.Checkpoints.KeptBefore(f.Generation+1)
	if f.Config.Selfplay.Asynchronous && next >= 0 {
		generations = append(generations, next)
	}
	if game.Spec().Name == f.Game.Spec().Name && kept != f.Generation && !slices.Contains(generations, kept) {
		generations = append(generations, kept)
	}
	return generations
}

// copyGames copies the games of the newest generations, as many as have so many samples.
func (f *Fork) copyGames(ctx context.Context, l *rundir.Locked, samples int) error {
	for g := f.Generation; g > 0 && samples > 0; g-- {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		h, episodes, err := f.From.ReadEpisodes(f.From.Generation(g).Episodes(), env.Variants(f.Game, f.Find))
		if err != nil {
			return err
		}
		h.Seed = f.Config.Seed
		if err := l.WriteEpisodes(h, episodes); err != nil {
			return err
		}
		for i := range episodes {
			samples -= len(episodes[i].Samples)
		}
	}
	return nil
}

// copyMetrics copies the metrics up to the generation.
func (f *Fork) copyMetrics(l *rundir.Locked) error {
	all, err := f.From.Metrics()
	if err != nil {
		return err
	}
	var text []byte
	for _, m := range all {
		if m.Generation > f.Generation {
			break
		}
		line, err := json.Marshal(m)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	return l.WriteBytes(l.Path(rundir.MetricsFile), text)
}
