package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tiro/internal/machine"
	"tiro/study"
)

type fitOptions struct {
	catalog
	study.Fits
	set        []string
	variants   []string
	cpuMinutes float64
}

func fitCommand(games catalog) *cobra.Command {
	o := fitOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "fit RUN [--variant 'NAME KEY=VALUE…'] (--cpu-minutes M|--steps N)",
		Short: "Compare networks, losses and schedules on the games of a run",
		Long: `Fit trains networks from new weights on the games of a run, which do not change, and
measures them on games that none of them has learned from. That takes minutes where
tiro ablate takes hours, and tells apart what is far below the noise of trainings. It
does not see what a change does to the games that are played, and it can favour a
network that imitates the run's search better without being stronger: no setting
should be changed on its word alone.

RUN is a run folder or a checkpoint in one; the replay window of that checkpoint is
learned from. The base has the run's configuration, with the changes of --set, and
each variant those of --variant besides: keys of net, learner and replay (window,
alpha, beta). A part of the games (--hold-out) is held out, the same games for all.
Each fit has the same CPU time or the same number of steps; the steps of the learning
rate's schedule are those of the fit.

The policy's KL divergence from the search's policy and the loss of the predicted
outcome are means over the positions held out, in nats; the baseline is the loss of a
prediction that is the same for every position. The intervals cover other seeds and
other games.

The networks, those that play, are in FOLDER/NAME-SEED/weights.safetensors, for tiro
match, rate, exam and play. Finished fits are kept in FOLDER/report.json; after an
interruption the same command resumes, and only the fit in progress starts over.
With more seeds or variants only what is missing is added. A fit that differs in
anything from one of the same name replaces it.`,
		Example: `  tiro fit runs/connect4 --cpu-minutes 2 --variant 'half net.blocks=2' --variant 'no-ema learner.ema_decay=0'
  tiro fit runs/coerceo/checkpoints/000040 --steps 2000 --seeds 5 --variant 'cooled learner.learning_rate_drops=[{step: 1500, factor: 0.1}]'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runFit(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", "", "`FOLDER` for the networks and report.json (default RUN-fit)")
	variantVars(cmd, &o.set, &o.variants)
	intVar(cmd, &o.Seeds, "seeds", 3, 1, maxSeeds, "fits of each variant, with the seeds 1, 2, … instead of the configuration's")
	floatVar(cmd, &o.cpuMinutes, "cpu-minutes", 0, 0, 60*24*366, "CPU time of each fit, in minutes")
	intVar(cmd, &o.Steps, "steps", 0, 1, math.MaxInt, "steps of each fit, instead of a CPU time")
	f.Float64Var(&o.HoldOut, "hold-out", 0.1, "part of the games that is measured and not learned from")
	backendVar(cmd, &o.Backend)
	cmd.MarkFlagsOneRequired("cpu-minutes", "steps")
	cmd.MarkFlagsMutuallyExclusive("cpu-minutes", "steps")
	return cmd
}

func runFit(cmd *cobra.Command, run string, o fitOptions) error {
	if err := checkCPUTime(o.cpuMinutes); err != nil {
		return err
	}
	if err := o.configure(cmd.Context(), run); err != nil {
		return err
	}
	if err := o.Validate(); err != nil {
		return usage(err)
	}
	meter := newMeter(cmd.ErrOrStderr())
	o.Begin = func(title string) (step func(int, time.Duration), end func()) {
		if o.Steps > 0 {
			meter.begin(title, "steps", 0, o.Steps)
			return func(step int, _ time.Duration) { meter.set(step, "") }, meter.end
		}
		meter.begin(title, "CPU seconds", 0, int(o.CPUTime.Seconds()))
		return func(_ int, cpuTime time.Duration) { meter.set(int(cpuTime.Seconds()), "") }, meter.end
	}
	report, err := study.Fit(cmd.Context(), o.Fits)
	if errors.Is(err, context.Canceled) {
		meter.log.Info("stopped; finished fits are kept; run the same command to resume")
	}
	if err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), report)
	return nil
}

func (o *fitOptions) configure(ctx context.Context, run string) (err error) {
	if err := await(ctx, func() (err error) {
		o.Window, err = study.OpenWindow(run, o.newGame)
		return err
	}); err != nil {
		return err
	}
	if o.Dir == "" {
		o.Dir = filepath.Clean(run) + "-fit"
	}
	if o.Variants, err = study.ParseVariants(o.Window.Config, o.set, o.variants); err != nil {
		return usage(err)
	}
	o.CPUTime, o.Tiro, o.CPU = time.Duration(o.cpuMinutes*float64(time.Minute)), build(), machine.CPU
	limitMemory(o.Variants[0].Config.Memory)
	return nil
}
