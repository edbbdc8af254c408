package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/internal/machine"
	"tiro/models/card"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study"
	"tiro/train"
)

// forkOptions are the flags of tiro fork.
type forkOptions struct {
	catalog
	study.Fork
	set         []string
	networkOnly bool
	average     []string
	games       string
}

func forkCommand(games catalog) *cobra.Command {
	o := forkOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "fork RUN_OR_MODEL_OR_GAME --run NEW --set KEY=VALUE",
		Short: "Start a new run from a run, a model or games, with changed settings",
		Long: `Fork starts a new run from another run, or from one of its checkpoints, with changed
settings. The other run is not changed. A fork may change settings that a resumed run
must keep:

  seed   different games from here on
  game   other options of the same game, such as coerceo:win=competitive
  net    a larger network: more channels or blocks, or a wider outcome head. The larger
         network first computes the same outputs as the smaller one.

Fork also accepts a model: bundled:GAME, or a folder written by tiro rate --card or tiro
models --save. The new run then starts at generation 0 with the model's network instead
of random weights, and without games and optimizer state. Schedules continue where the
model's training stopped. --network-only does the same with the network of a run. Then
the board can also have another size, such as go:size=13.

--average RUN begins with the mean of the networks' weights. The runs must be warm starts
of the same network, with different seeds.

--games FILE makes the next generation learn from imported games instead of self-play:
PGN, SGF, or the records of a match (docs/LEARNING.md). With GAME instead of a run, the
new run has random weights and the game's configuration.

The new run's cost includes the cost of the runs that it came from, and its model card
names them. Forking is deterministic, and an interrupted fork leaves nothing behind.`,
		Example: `  tiro fork runs/coerceo --run runs/coerceo-96 --set net.channels=96 --set net.blocks=4
  tiro fork runs/coerceo --run runs/competitive --set game=coerceo:win=competitive
  tiro fork runs/coerceo --run runs/slow --set learner.learning_rate=2e-4
  tiro fork runs/coerceo/checkpoints/000080 --run runs/early --network-only
  tiro fork bundled:coerceo --run runs/stronger
  tiro fork runs/a --average runs/b --average runs/c --run runs/abc
  tiro fork bundled:go --run runs/go13 --set game=go:size=13
  tiro fork connect4 --games games.pgn --run runs/taught
  tiro train --run runs/coerceo-96`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runFork(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "run", "", "write the new run to `FOLDER`")
	setVar(cmd, &o.set)
	f.BoolVar(&o.networkOnly, "network-only", false, "use only the network of a run, not its games; this also works with checkpoints whose games are no longer kept")
	f.StringArrayVar(&o.average, "average", nil, "begin with the average of the networks of the run and of `RUN` (repeatable), which must have begun with the same network")
	f.StringVar(&o.games, "games", "", "learn from the games in this `FILE` in the next generation, instead of self-play")
	return required(cmd, "run")
}

func runFork(cmd *cobra.Command, run string, o forkOptions) error {
	var err error
	if o.Dir, err = disk.Path(o.Dir); err != nil {
		return err
	}
	config, isGame, err := o.gameOnly(run)
	if err != nil {
		return err
	}
	if isGame && o.games == "" {
		return usage(fmt.Errorf("%s is a game, not a run: give --games FILE, or bundled:%[1]s to begin with its model", run))
	}
	model, err := study.OpenTrained(run, o.networkOnly || len(o.average) > 0, o.newGame)
	if err == nil && model != nil {
		*model, err = o.averaged(*model)
	}
	if err != nil {
		return err
	}
	if model != nil || isGame {
		return runWarmStart(cmd, run, model, config, o)
	}
	err = rundir.Follow(disk.OS{}, run, func(rundir.Place) error {
		if o.From, err = study.OpenOrigin(run, o.newGame); err != nil {
			return err
		}
		if err := o.configure(o.From.Config, fmt.Sprintf("continues from generation %d of %s", o.From.Generation, run)); err != nil {
			return err
		}
		// Other settings need another plan, unless the cool-down has begun.
		plan, g := &o.Config.Learner.Cooldown, o.From.Generation
		if len(o.set) > 0 && *plan == o.From.Config.Learner.Cooldown && (g <= plan.After || g >= plan.Last()) {
			*plan = plan.Unplanned()
		}
		if err := o.Validate(); err != nil {
			return usage(err)
		}
		if o.Games, err = o.given(cmd, o.Game, o.games); err != nil {
			return err
		}
		limitMemory(o.Config.Memory)
		return study.MakeFork(cmd.Context(), o.Fork)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "to continue from generation %d:\n  %s\n", o.From.Generation, recipe.HereLine(calledAs(), "train", "--run", o.Dir))
	return nil
}

// configure sets the game, the note and the configuration of the new run: the old run's
// configuration with the changes of the command line.
func (o *forkOptions) configure(old recipe.Config, from string) (err error) {
	o.Config = old
	if err := configs.Set(&o.Config, o.set...); err != nil {
		return usage(err)
	}
	if o.Game, err = o.newGame(o.Config.Game); err != nil {
		return usage(err)
	}
	o.Config.Game = o.Game.Spec().Name
	o.Note = fmt.Sprintf("%s\ntiro %s, %s, backend %s", from, build(), runtime.Version(), kernel.Best().Name())
	return nil
}

// gameOnly returns the shipped configuration of the game with a name, and whether the name is
// a game and no run or model.
func (c catalog) gameOnly(name string) (config recipe.Config, ok bool, err error) {
	_, noRun := rundir.Resolve(disk.OS{}, name)
	_, noModel := os.Stat(filepath.Join(name, card.File))
	if noRun == nil || noModel == nil {
		return config, false, nil
	}
	game, err := c.newGame(name)
	if err != nil {
		return config, false, nil // it is a run, whose error is better
	}
	config, err = recipe.Shipped(game.Spec().Name)
	return config, true, err
}

// given reads imported games from a file of games of game. It returns nil without a file.
func (c catalog) given(cmd *cobra.Command, game env.Game, path string) (*recipe.Given, error) {
	if path == "" {
		return nil, nil
	}
	stored, err := c.readStored(path)
	if err != nil {
		return nil, err
	}
	if played, name := stored.Rules.Spec().Name, game.Spec().Name; played != name {
		return nil, usage(fmt.Errorf("%s holds games of %s, not of %s", path, played, name))
	}
	g, err := study.GivenGames(path, stored.Stored)
	for _, why := range slices.Sorted(maps.Keys(g.Left)) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d of %d games left out: %s\n", path, g.Left[why], len(stored.Games), why)
	}
	return &g.Given, err
}

// averaged returns the average of model and the networks of --average.
func (o *forkOptions) averaged(model study.Trained) (study.Trained, error) {
	var others []*study.Trained
	for _, name := range o.average {
		other, err := study.OpenTrained(name, true, o.newGame)
		if err != nil {
			return model, err
		}
		others = append(others, other)
	}
	return model.Average(others)
}

// runWarmStart creates a run that begins with the network of a model, or with random weights
// and a configuration if model is nil.
func runWarmStart(cmd *cobra.Command, name string, model *study.Trained, config recipe.Config, o forkOptions) error {
	note, next := "begins with the games of "+o.games, "to learn from the games:"
	if model != nil {
		var err error
		if config, err = model.Config(); err != nil {
			return fmt.Errorf("%s: its configuration: %w", name, err)
		}
		note = fmt.Sprintf("begins with the network of %s, generation %d", name, model.Card.Generation)
		if len(o.average) > 0 {
			note += ", averaged with " + strings.Join(o.average, ", ")
		}
		next = fmt.Sprintf("to continue with the network of generation %d:", model.Card.Generation)
	}
	if err := o.configure(config, note); err != nil {
		return err
	}
	games, err := o.given(cmd, o.Game, o.games)
	if err != nil {
		return err
	}
	limitMemory(o.Config.Memory)
	begun := train.Options{Dir: o.Dir, Game: o.Game, Find: o.newGame, Config: o.Config, Workers: 1, Backend: kernel.Best(), CPU: machine.CPU, Note: o.Note}
	if err := study.WarmStart(cmd.Context(), model, games, begun); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n  %s\n", next, recipe.HereLine(calledAs(), "train", "--run", o.Dir))
	return nil
}
