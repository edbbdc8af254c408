package main

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"tiro/configs"
	"tiro/study"
	"tiro/train"
)

// growOptions are the flags of tiro grow.
type growOptions struct {
	study.Growth
	set []string
}

func growCommand() *cobra.Command {
	var o growOptions
	cmd := &cobra.Command{
		Use:   "grow RUN --run NEW --set net.channels=N",
		Short: "Go on with a larger network",
		Long: `Grow makes a new run that goes on from RUN, or from a checkpoint in one, with
another network, usually a larger one: a small network learns fast at first, and
a larger one gets further. The new network learns from the games of the replay window,
without self-play, until it predicts the newest generation's games as well as the old
network did before it learned from them. Then the new run is written, and tiro train
goes on with it.

--set may also change other keys of the configuration but game, seed and the kind of
optimizer. What RUN and growing have cost counts as cost of the new run. After Ctrl-C
nothing is left behind, and the same command comes to the same network.`,
		Example: `  tiro grow runs/coerceo --run runs/coerceo-96 --set net.channels=96 --set net.blocks=4
  tiro train --run runs/coerceo-96`,
		Args: args("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return runGrow(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "run", "", "`FOLDER` of the new run")
	setVar(cmd, &o.set)
	f.IntVar(&o.MaxSteps, "max-steps", 100_000, "give up if the network is not level after so many steps")
	backendVar(cmd, &o.Backend)
	return cmd
}

func runGrow(cmd *cobra.Command, run string, o growOptions) error {
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
	if err := await(cmd.Context(), func() (err error) {
		o.From, err = study.OpenWindow(run, newGame)
		return err
	}); err != nil {
		return err
	}
	o.Config = o.From.Config
	for _, assignment := range o.set {
		if err := configs.Set(&o.Config, assignment); err != nil {
			return usage(err)
		}
	}
	o.Note = fmt.Sprintf("goes on from generation %d of %s with a network that has grown\ntiro %s, %s, backend %s", o.From.Generation, run, build(), runtime.Version(), o.Backend.Name())
	o.CPU = processCPU
	if err := o.Validate(); err != nil {
		return usage(err)
	}
	limitMemory(o.Config.Memory)
	meter := newMeter(cmd.ErrOrStderr())
	defer meter.end()
	o.Begin = func(l study.Level) {
		meter.log.Info("to be reached on the newest games", "policy", loss(l.PolicyKL), "outcome", loss(l.Outcome), "by checkpoint", l.Checkpoint)
		meter.start(job{what: "grow", steps: amount{total: o.MaxSteps, unit: "steps"}})
	}
	o.Progress = func(int, time.Duration) { meter.add(1, 0) }
	o.Measured = func(steps int, m train.Measured) {
		meter.log.Info("measured", "steps", steps, "policy", loss(m.PolicyKL), "outcome", loss(m.Outcome))
	}
	grown, err := study.Grow(cmd.Context(), o.Growth)
	if err != nil {
		return err
	}
	meter.end()
	fmt.Fprintf(cmd.OutOrStdout(), "level after %d steps and %s of CPU time; this goes on:\n  %s\n", grown.Steps, roughly(grown.CPUTime), shellLine("tiro", "train", "--run", o.Dir))
	return nil
}

// loss is a loss for people.
func loss(nats float64) string { return fmt.Sprintf("%.4f", nats) }
