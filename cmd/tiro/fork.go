package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tiro/configs"
	"tiro/rundir"
	"tiro/study"
	"tiro/train"
)

// forkOptions are the flags of tiro fork.
type forkOptions struct {
	study.Fork
	set []string
}

func forkCommand() *cobra.Command {
	var o forkOptions
	cmd := &cobra.Command{
		Use:   "fork RUN --run NEW --set KEY=VALUE",
		Short: "Go on in a new run: other options, another network",
		Long: `Fork makes a new run that goes on from RUN, or from a checkpoint in one, with other
settings. RUN stays as it is. Unlike a run that is resumed, a fork may also change

  seed   the games to come are others
  game   to the same game with other options, such as coerceo:win=competitive; most of
         what the network has learned holds there, too
  net    usually to a larger network: a small one learns fast at first, and a larger
         one gets further

Another network learns from the games of the replay window, without self-play, until
it predicts the newest generation's games as well as the old network did before it
learned from them. Then the new run is written, and tiro train goes on with it.

What RUN and that learning have cost counts as cost of the new run. The model card
says where the run comes from. After Ctrl-C nothing is left behind, and the same
command comes to the same bytes.`,
		Example: `  tiro fork runs/coerceo --run runs/coerceo-96 --set net.channels=96 --set net.blocks=4
  tiro fork runs/coerceo --run runs/competitive --set game=coerceo:win=competitive
  tiro fork runs/coerceo/checkpoints/000080 --run runs/slow --set learner.learning_rate=2e-4
  tiro train --run runs/coerceo-96`,
		Args: args("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return runFork(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "run", "", "`FOLDER` of the new run")
	setVar(cmd, &o.set)
	f.IntVar(&o.MaxSteps, "max-steps", 100_000, "give up if a new network is not level after so many steps")
	backendVar(cmd, &o.Backend)
	return cmd
}

func runFork(cmd *cobra.Command, run string, o forkOptions) error {
	if err := cmp.Or(
		unless(o.Dir != "", "--run is missing; want the folder of the new run"),
		unless(o.MaxSteps > 0, "--max-steps %d; want 1 or more", o.MaxSteps),
	); err != nil {
		return err
	}
	var err error
	if o.Dir, err = systemPath(o.Dir); err != nil {
		return err
	}
	if o.From, err = study.OpenOrigin(run, newGame); err != nil {
		return err
	}
	o.Config = o.From.Config
	for _, assignment := range o.set {
		if err := configs.Set(&o.Config, assignment); err != nil {
			return usage(err)
		}
	}
	if o.Game, err = newGame(o.Config.Game); err != nil {
		return usage(err)
	}
	o.Config.Game = o.Game.Spec().Name
	o.Note = fmt.Sprintf("goes on from generation %d of %s\ntiro %s, %s, backend %s", o.From.Generation, run, build(), runtime.Version(), o.Backend.Name())
	o.CPU = processCPU
	if err := o.Validate(); err != nil {
		return usage(err)
	}
	limitMemory(o.Config.Memory)
	meter := newMeter(cmd.ErrOrStderr())
	defer meter.end()
	o.Begin = func(l study.Level) {
		meter.log.Info("to be reached on the newest games", "policy", loss(l.PolicyKL), "outcome", loss(l.Outcome), "by checkpoint", l.Checkpoint)
		meter.start(job{what: "learn", steps: amount{total: o.MaxSteps, unit: "steps"}})
	}
	o.Progress = func(int, time.Duration) { meter.add(1, 0) }
	o.Measured = func(steps int, m train.Measured) {
		meter.log.Info("measured", "steps", steps, "policy", loss(m.PolicyKL), "outcome", loss(m.Outcome))
	}
	meter.log.Info("reading and copying the games of the replay window")
	learned, err := study.MakeFork(cmd.Context(), o.Fork)
	if err != nil {
		return err
	}
	meter.end()
	if o.NewNetwork() {
		fmt.Fprintf(cmd.OutOrStdout(), "level after %d steps and %s of CPU time\n", learned.Steps, roughly(learned.CPUTime))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "this goes on from generation %d:\n  %s\n", o.From.Generation, shellLine("tiro", "train", "--run", o.Dir))
	return nil
}

// loss is a loss for people.
func loss(nats float64) string { return fmt.Sprintf("%.4f", nats) }

// lineage returns the commands that train the network of a run with a configuration at a
// generation, and the folder that the last of them trains it in. The origins are those of
// the run.
func lineage(origins []rundir.Origin, config rundir.Config, generation int) (commands []string, folder string, err error) {
	var runs []rundir.Config // that of the run itself last
	for _, o := range origins {
		c, err := o.Settings()
		if err != nil {
			return nil, "", err
		}
		runs = append(runs, c)
	}
	runs = append(runs, config)
	taken := map[string]bool{}
	for i, c := range runs {
		end := generation
		if i < len(origins) {
			end = origins[i].Generation
		}
		game, err := newGame(c.Game)
		if err != nil {
			return nil, "", err
		}
		from := folder
		for folder = filepath.ToSlash(defaultRun(game)); taken[folder]; {
			folder += "-fork"
		}
		taken[folder] = true
		if i == 0 {
			first, err := trainLine(c, end)
			if err != nil {
				return nil, "", err
			}
			commands = append(commands, first)
			continue
		}
		changes, err := configs.Assignments(&runs[i-1], &c)
		if err != nil {
			return nil, "", err
		}
		words := []string{"tiro", "fork", from, "--run", folder}
		for _, change := range changes {
			words = append(words, "--set", change)
		}
		commands = append(commands, shellLine(words...), shellLine("tiro", "train", "--run", folder, "--generations", strconv.Itoa(end)))
	}
	return commands, folder, nil
}
