package cli

import (
	"cmp"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/recipe"
	"tiro/rundir"
)

// finishShare is the length of a cool-down, as a part of the generations before it.
const finishShare = 0.15

func finishCommand(games catalog, fsys disk.FS) *cobra.Command {
	o := trainOptions{catalog: games, disk: fsys}
	cmd := &cobra.Command{
		Use:   "finish RUN",
		Short: "End a run: train on while the learning rate falls to 0",
		Long: `Finish goes on with a run for some more generations, in which the learning rate
falls linearly to 0. What the last steps of a high learning rate leave to chance
settles, and the network is ready to be exported. The plan is kept in the run's
configuration (learner.cooldown), so that the same command resumes after Ctrl-C.

The run may be trained on afterwards: tiro train goes on with the learning rate of
before, and tiro finish may be called again.`,
		Example: `  tiro finish runs/coerceo
  tiro finish runs/coerceo --generations 20`,
		Args: args("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return runFinish(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.IntVar(&o.generations, "generations", 0, "generations in which the learning rate falls (default 15% of those before)")
	workersVar(cmd, &o.workers)
	plainVar(cmd, &o.plain)
	backendVar(cmd, &o.backend)
	return cmd
}

func runFinish(cmd *cobra.Command, run string, o trainOptions) error {
	if err := cmp.Or(
		unless(o.generations >= 0, "--generations %d; want 1 or more", o.generations),
		inRange("--workers", o.workers, 1, maxThreads),
	); err != nil {
		return err
	}
	run, err := systemPath(run)
	if err != nil {
		return err
	}
	place, err := rundir.Resolve(o.disk, run)
	if err != nil {
		return err
	}
	if place.Kind != rundir.PlaceRun || place.Generation < 1 {
		return usage(fmt.Errorf("%s has nothing to finish; want a run folder with at least one generation", run))
	}
	config, err := recipe.Read(rundir.At(o.disk, run))
	if err != nil {
		return err
	}
	game, err := o.newGame(config.Game)
	if err != nil {
		return err
	}
	plan := &config.Learner.Cooldown
	under := plan.After <= place.Generation && place.Generation < plan.Last()
	finished := plan.Generations > 0 && place.Generation == plan.Last()
	switch {
	case under && o.generations != 0 && o.generations != plan.Generations:
		return usage(fmt.Errorf("--generations %d: the learning rate falls since generation %d already, for %d generations", o.generations, plan.After, plan.Generations))
	case under || finished && o.generations == 0:
	case o.generations == 0:
		*plan = recipe.Cooldown{After: place.Generation, Generations: max(1, int(math.Round(finishShare*float64(place.Generation))))}
	default:
		*plan = recipe.Cooldown{After: place.Generation, Generations: o.generations}
	}
	o.run, o.generations = run, plan.Last()
	return o.start(cmd, game, config)
}
