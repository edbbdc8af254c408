package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/net"
)

// Fork is a new run that goes on from a checkpoint of another one with other settings.
type Fork struct {
	From       Folder
	Generation int // of the checkpoint
	Game       env.Game
	Find       env.Lookup // of the variants of Game that were played; nil: there are none
	Config     Config     // of the fork
	Note       string     // comment in its config.yaml

	Grown *Grown // nil: the network stays
}

// Grown is a network that takes the place of that of the checkpoint. It has learned from
// the same games.
type Grown struct {
	Weights   *net.Weights  // those that play
	Optimizer []net.Tensor  // as a checkpoint holds it
	CPUTime   time.Duration // that learning took; 0 if it is unknown
}

// refused returns the changes of settings that a run cannot make, but for some keys.
func refused(old, now *Config, may func(key string) bool) error {
	var all []error
	for _, change := range configs.Changes(old, now) {
		if key := changedKey(change); fixed(key) && !may(key) {
			all = append(all, errors.New(change))
		}
	}
	return errors.Join(all...)
}

// CheckFork returns an error if a fork of a run with the settings old cannot go on with
// the settings now. Of what a run cannot change only the seed may differ.
func CheckFork(old, now *Config) error {
	if err := refused(old, now, func(key string) bool { return key == "seed" }); err != nil {
		return fmt.Errorf("a fork goes on with the network and the optimizer of a run, so that it cannot change this: %w", err)
	}
	return nil
}

// CheckGrowth is CheckFork for a fork whose network is another one. The seed stays.
func CheckGrowth(old, now *Config) error {
	if err := refused(old, now, func(key string) bool { return strings.HasPrefix(key, "net.") }); err != nil {
		return fmt.Errorf("a run that grows keeps its game, its seed and its kind of optimizer: %w", err)
	}
	if old.Net == now.Net {
		return errors.New("the network is the same; want another net.channels or net.blocks, say")
	}
	return nil
}

// Write makes the run folder of the fork, which appears complete or not at all. The
// folder around it must be there, and nothing of this name in it. It holds the checkpoint,
// the one before it that is kept for good, which duels may meet, the one that plays next
// if that is another, the games of the replay window, and the metrics so far, whose
// Machine says only that they are of the other run: costs count from the fork on. A fork
// whose network has grown has that in the place of the checkpoint's, no earlier
// checkpoint, and the costs of the run and of growing too.
//
// With the same settings the fork goes on to the same bytes as the run, as long as
// neither runs out of disk. With another seed the games to come are others; those of the
// window then bear the seed of the fork, as if they were its own.
func (f *Fork) Write(fsys disk.FS, dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("rundir: fork %s at generation %d: %w", f.From.path, f.Generation, err)
		}
	}()
	old, err := f.From.Config()
	if err != nil {
		return err
	}
	if f.Grown == nil {
		err = CheckFork(&old, &f.Config)
	} else {
		err = CheckGrowth(&old, &f.Config)
	}
	if err != nil {
		return err
	}
	beside := dir + disk.Unfinished
	if err := disk.RemoveAll(fsys, beside); err != nil {
		return err
	}
	folder, err := Open(fsys, beside)
	if err != nil {
		return err
	}
	err = errors.Join(f.fill(folder), folder.Close())
	if err == nil {
		err = fsys.Remove(folder.Path(LockFile))
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

// fill writes what a fork begins with.
func (f *Fork) fill(l *Locked) error {
	spec := f.Game.Spec()
	from, to := f.From.Store(spec), l.Store(spec)
	c, err := from.Load(f.Generation)
	if err != nil {
		return err
	}
	state, err := ReadState(c)
	if err != nil {
		return err
	}
	if f.Grown != nil {
		c.Weights, c.Optimizer = f.Grown.Weights, f.Grown.Optimizer
	}
	if err := to.Save(c); err != nil {
		return err
	}
	for _, g := range f.earlier() {
		if err := copyCheckpoint(from, to, g); err != nil {
			return err
		}
	}
	if err := f.copyGames(l, state.Samples-state.EvictedSamples); err != nil {
		return err
	}
	if err := f.copyMetrics(l); err != nil {
		return err
	}
	return l.writeConfig(&f.Config, f.Note)
}

// earlier returns the checkpoints before that of the fork which it needs, too.
func (f *Fork) earlier() (generations []int) {
	if f.Grown != nil {
		return nil
	}
	kept := f.Config.Checkpoints.KeptBefore(f.Generation + 1)
	if kept != f.Generation {
		generations = append(generations, kept)
	}
	if before := f.Generation - 1; f.Config.Selfplay.Asynchronous && before >= 0 && before != kept {
		generations = append(generations, before)
	}
	return generations
}

// copyCheckpoint copies a checkpoint, if it is there.
func copyCheckpoint(from, to *models.Store, generation int) error {
	c, err := from.Load(generation)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return to.Save(c)
}

// copyGames copies the games of the newest generations, as many as have so many samples.
func (f *Fork) copyGames(l *Locked, samples int) error {
	for g := f.Generation; g > 0 && samples > 0; g-- {
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

// copyMetrics copies the metrics up to the generation, but not what they say of the
// machine.
func (f *Fork) copyMetrics(l *Locked) error {
	all, err := f.From.Metrics()
	if err != nil {
		return err
	}
	var text []byte
	for _, m := range all {
		if m.Generation > f.Generation {
			break
		}
		if f.Grown == nil {
			m.Machine = &Machine{Forked: true}
		} else if m.Generation == f.Generation && m.Machine != nil {
			m.Machine.LearnCPUSeconds += f.Grown.CPUTime.Seconds()
			m.Machine.CPUSeconds += f.Grown.CPUTime.Seconds()
		}
		line, err := json.Marshal(m)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	return l.WriteBytes(l.Path(MetricsFile), text)
}

// Forked returns the generation that a run was forked at, and its metrics; 0 if it is no
// fork.
func Forked(metrics []Metrics) (generation int, newest Metrics) {
	for _, m := range metrics {
		if m.Machine == nil || !m.Machine.Forked {
			break
		}
		newest = m
	}
	return newest.Generation, newest
}
