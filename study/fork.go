package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/train"
)

// Fork describes a new run that continues from a checkpoint of another run with other
// settings: another seed, other options of the game, or a larger network that at first
// computes the same (see net.Weights.GrowFrom).
type Fork struct {
	From   *Origin
	Game   env.Game      // game of the new run: From's game or a variant of it
	Config recipe.Config // configuration of the new run; see recipe.CheckFork
	Dir    string        // folder of the new run, which must not exist
	Note   string        // comment in the new run's config.yaml
	Games  *recipe.Given // games of the next generation; nil if the new run plays them
}

// Validate returns the first fault, also those that train.Run would find. It reads no file.
func (f *Fork) Validate() error {
	if err := recipe.CheckFork(&f.From.Config, &f.Config); err != nil {
		return fmt.Errorf("study: fork: %w", err)
	}
	if f.Config.Game != f.Game.Spec().Name {
		return fmt.Errorf("study: fork: game is %q in the configuration instead of %q", f.Config.Game, f.Game.Spec().Name)
	}
	if err := f.Game.Spec().CheckNetwork(f.From.Game.Spec()); err != nil {
		if f.Game.Spec().CheckTransfer(f.From.Game.Spec()) == nil {
			err = fmt.Errorf("%w: only the network alone, without the games, can change the size of the board", err)
		}
		return fmt.Errorf("study: fork: game is %q, not %q or a variant of it: %w", f.Config.Game, f.From.Config.Game, err)
	}
	run := train.Options{
		Game: f.Game, Find: f.From.find, Config: f.Config, Workers: 1,
		CPU: func() time.Duration { return 0 }, // if a later training cannot measure it, it refuses cpu_hours
	}
	if err := run.Validate(); err != nil {
		return fmt.Errorf("study: fork: %w", err)
	}
	return nil
}

// MakeFork creates the folder of the new run atomically.
func MakeFork(ctx context.Context, f Fork) error {
	if err := f.Validate(); err != nil {
		return err
	}
	if err := free(f.Dir); err != nil {
		return fmt.Errorf("study: fork: %w", err)
	}
	run := recipe.Fork{
		From: f.From.folder, Generation: f.From.Generation, Game: f.Game, Find: f.From.find, Config: f.Config, Note: f.Note, Games: f.Games,
	}
	return run.Write(ctx, disk.OS{}, f.Dir)
}

// free returns an error if the folder of a new run already exists.
func free(dir string) error {
	_, err := disk.OS{}.Stat(dir)
	switch {
	case err == nil:
		return fmt.Errorf("%s already exists", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}
