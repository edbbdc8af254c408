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

// Fork is a new run that continues from a checkpoint of another run with other settings.
type Fork struct {
	From       rundir.Folder
	Generation int        // generation of the checkpoint
	Game       env.Game   // game of the fork: From's game or a variant of it
	Find       env.Lookup // finds From's game and played variants; nil if there are none
	Config     Config     // of the fork
	Note       string     // comment in its config.yaml
	Games      *Given     // games of the next generation; nil if the fork plays them
}

// CheckFork returns an error if a fork of a run with the settings old cannot have the
// settings now. A fork can change the settings that a run can, the seed, and the game,
// which Write requires to be a variant of the original. Its network can be larger but not
// smaller.
func CheckFork(old, now *Config) error {
	if err := now.Net.CheckGrowth(old.Net); err != nil {
		return fmt.Errorf("the network of a fork can only grow: net: %w", err)
	}
	return nil
}

// Write creates the fork's run folder. The folder appears complete or not at all, even if ctx
// is cancelled. Its parent folder must exist and must not contain the new name. The run
// folder contains:
//
//   - the checkpoint;
//   - the newest earlier checkpoint that is kept permanently and, if the run descends from a warm
//     start, checkpoint 0, as opponents for duels;
//   - the checkpoint that plays the next generation, if it is an earlier one;
//   - the games of the replay window, and Games;
//   - the origins of the run (see Origins) and its metrics so far.
//
// A larger network grows from the checkpoint's (see net.Weights.GrowFrom). A fork with a
// larger network or another game has no earlier checkpoint.
//
// With unchanged settings the fork produces the same bytes as the original run, as long as
// neither runs out of disk space and the run still has these checkpoints; the fork leaves out
// missing earlier ones. With another seed its future games differ; the games of the window
// are stored with the fork's seed.
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
		return fmt.Errorf("a fork cannot play %s: %w", f.Game.Spec().Name, err)
	}
	if err := f.Games.configure(&f.Config, f.Game, f.Generation+1); err != nil {
		return err
	}
	return writeRun(fsys, dir, func(l *rundir.Locked) error { return f.fill(ctx, l, &old, game) })
}

// writeRun creates a run folder and calls fill to fill it. The folder appears complete or
// not at all.
func writeRun(fsys disk.FS, dir string, fill func(*rundir.Locked) error) (err error) {
	if err := disk.MkdirAll(fsys, filepath.Dir(dir)); err != nil {
		return err
	}
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
	return disk.Install(fsys, dir, beside, err)
}

// fill writes the initial contents of a fork. The parent run has the settings old and the
// game game.
func (f *Fork) fill(ctx context.Context, l *rundir.Locked, old *Config, game env.Game) error {
	origins, err := Origins(f.From)
	if err != nil {
		return err
	}
	if first := card.ForkedAt(origins); f.Generation < first {
		return fmt.Errorf("this run is a fork from generation %d; to start earlier, fork its parent", first)
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
	for _, g := range f.earlier(old, game, origins) {
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
	if next := f.Generation + 1; f.Games == nil && f.Config.GivenGames.In(next) {
		if _, err := f.copyGeneration(l, next); err != nil {
			return fmt.Errorf("the imported games of its next generation: %w", err)
		}
	}
	if err := f.copyMetrics(l); err != nil {
		return err
	}
	if err := f.Games.write(l, &f.Config, f.Game); err != nil {
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

// save saves a checkpoint of the parent run, which has the settings old, as a checkpoint of
// the fork, with the fork's game and network.
func (f *Fork) save(to *models.Store, old *Config, c models.Checkpoint) error {
	trained, state, err := old.Restore(c.Weights, c.Optimizer)
	if err != nil {
		return err
	}
	if f.Config.Net != old.Net {
		grown, playing := f.Config.InitialWeights(f.Game.Spec()), f.Config.InitialWeights(f.Game.Spec()).Inference()
		state, err = graph.GrowOptimizerState(state, trained.Tensors(), grown.Tensors())
		if err := cmp.Or(err, grown.GrowFrom(trained), playing.GrowFrom(c.Weights)); err != nil {
			return err
		}
		c.Weights, c.Optimizer = playing, f.Config.OptimizerTensors(state, grown)
	}
	weights := *c.Weights
	weights.Spec = f.Game.Spec()
	c.Weights = &weights
	return to.Save(c)
}

// earlier returns the earlier checkpoints that the fork needs, where old are the settings of the
// parent, and game and origins are its game and origins. A fork with another game or a larger
// network needs none: its networks are not those that played, and the checkpoint itself plays the
// next generation.
func (f *Fork) earlier(old *Config, game env.Game, origins []card.Origin) (generations []int) {
	if f.Config.Net != old.Net || f.Game.Spec().Name != game.Spec().Name {
		return nil
	}
	generations = []int{f.Config.Checkpoints.KeptBefore(f.Generation + 1)}
	if card.Before(origins) > 0 {
		generations = append(generations, 0)
	}
	if f.Config.Selfplay.Asynchronous {
		generations = append(generations, max(0, f.Generation-1))
	}
	slices.Sort(generations)
	return slices.DeleteFunc(slices.Compact(generations), func(g int) bool { return g == f.Generation })
}

// copyGames copies the games of the newest generations that contain the given number of
// samples.
func (f *Fork) copyGames(ctx context.Context, l *rundir.Locked, samples int) error {
	for g := f.Generation; g > 0 && samples > 0; g-- {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		copied, err := f.copyGeneration(l, g)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("its replay window needs the games of generation %d, which are not kept: fork a newer checkpoint, or only the network: %w", g, err)
		}
		if err != nil {
			return err
		}
		samples -= copied
	}
	return nil
}

// copyGeneration copies the games of a generation and returns the number of their samples.
func (f *Fork) copyGeneration(l *rundir.Locked, g int) (samples int, err error) {
	h, episodes, err := f.From.ReadEpisodes(f.From.Generation(g).Episodes(), env.Variants(f.Game, f.Find))
	if err != nil {
		return 0, err
	}
	for i := range episodes {
		samples += len(episodes[i].Samples)
	}
	h.Seed = f.Config.Seed
	return samples, l.WriteEpisodes(h, episodes)
}

// copyMetrics copies the metrics up to the fork's generation.
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
