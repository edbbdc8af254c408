package cli

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/internal/machine"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study"
)

type fitOptions struct {
	catalog
	study.Fits
	set        []string
	variants   []string
	cpuMinutes float64
	games      string
}

func fitCommand(games catalog) *cobra.Command {
	o := fitOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "fit RUN [--variant 'NAME KEY=VALUE…'] (--cpu-minutes M|--steps N)",
		Short: "Compare networks, losses and schedules on the games of a run",
		Long: `Fit trains networks from random weights on the games of a run, and measures them on games
held out. It takes minutes where tiro ablate takes hours, and detects much smaller
differences. But it does not see how a change affects self-play, and may prefer a network
that imitates the search better without being stronger: confirm its findings with training runs.

RUN is a run or a checkpoint, whose replay window is used. --games uses the games in a
file instead (docs/LEARNING.md), and RUN may then be a GAME. The base has the run's
configuration with the changes of --set; each variant adds its own changes to net, learner
and replay (window, alpha, beta). All hold out the same games (--hold-out). Each fit has
the same CPU time or the same number of steps. The learning-rate schedule counts the steps
of the fit.

The table shows the policy's KL divergence from the search and the loss of the outcome on
the positions held out, in nats, and as a baseline the loss of a constant prediction. The
intervals cover other seeds and other games.

The networks are kept in FOLDER/NAME-SEED/weights.safetensors, and finished fits in
FOLDER/report.json. The same command resumes, and more seeds or variants add only the
missing fits. A fit that differs from an earlier one of the same name replaces it.`,
		Example: `  tiro fit runs/connect4 --cpu-minutes 2 --variant 'half net.blocks=1' --variant 'no-ema learner.ema_decay=0'
  tiro fit runs/coerceo/checkpoints/000040 --steps 2000 --seeds 5 --variant 'cooled learner.learning_rate_drops=[{step: 1500, factor: 0.1}]'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runFit(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", "", "keep the networks and report.json in `FOLDER` (default RUN-fit)")
	variantVars(cmd, &o.set, &o.variants)
	f.StringVar(&o.games, "games", "", "learn from the games in this `FILE` instead of the run's")
	intVar(cmd, &o.Seeds, "seeds", 3, 1, maxSeeds, "fits of each variant, with the seeds 1, 2, … instead of the configuration's")
	floatVar(cmd, &o.cpuMinutes, "cpu-minutes", 0, 60*24*366, "CPU time of each fit, in minutes")
	intVar(cmd, &o.Steps, "steps", 0, 1, math.MaxInt, "steps of each fit, instead of a CPU time")
	f.Float64Var(&o.HoldOut, "hold-out", 0.1, "fraction of the games held out to measure the fits")
	backendVar(cmd, &o.Backend)
	cmd.MarkFlagsOneRequired("cpu-minutes", "steps")
	cmd.MarkFlagsMutuallyExclusive("cpu-minutes", "steps")
	return cmd
}

func runFit(cmd *cobra.Command, run string, o fitOptions) error {
	if err := checkCPUTime(o.cpuMinutes); err != nil {
		return err
	}
	if err := o.configure(cmd, run); err != nil {
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
	if meter.kept(err) != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), report)
	return nil
}

func (o *fitOptions) configure(cmd *cobra.Command, run string) (err error) {
	if err := await(cmd.Context(), func() (err error) {
		if o.games != "" {
			return o.open(cmd, run)
		}
		o.Window, err = study.OpenWindow(run, o.newGame)
		return err
	}); err != nil {
		return err
	}
	if o.Dir == "" {
		if place, err := rundir.Resolve(disk.OS{}, run); err == nil && place.Run != "" {
			run = place.Run // of a checkpoint
		}
		o.Dir = disk.Named(run) + "-fit"
	}
	if o.Variants, err = study.ParseVariants(o.Window.Config, o.set, o.variants); err != nil {
		return usage(err)
	}
	o.CPUTime, o.Tiro, o.CPU = time.Duration(o.cpuMinutes*float64(time.Minute)), build(), machine.CPU
	limitMemory(o.Variants[0].Config.Memory)
	return nil
}

// open sets the window to the games of a file, with the configuration of a run or a game.
func (o *fitOptions) open(cmd *cobra.Command, name string) error {
	config, isGame, err := o.gameOnly(name)
	if !isGame && err == nil {
		var origin *study.Origin
		if origin, err = study.OpenOrigin(name, o.newGame); err == nil {
			config = origin.Config
		}
	}
	if err != nil {
		return err
	}
	game, err := o.newGame(config.Game)
	if err != nil {
		return err
	}
	if isGame && o.Dir == "" {
		o.Dir = recipe.DefaultFolder(game) + "-fit"
	}
	games, err := o.given(cmd, game, o.games)
	if err != nil {
		return err
	}
	o.Window, err = study.GivenWindow(game, config, games)
	return err
}
