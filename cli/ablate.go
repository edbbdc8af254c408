package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"tiro/internal/machine"
	"tiro/models"
	"tiro/player"
	"tiro/recipe"
	"tiro/study"
	"tiro/train"
)

type ablateOptions struct {
	catalog
	study.Ablation
	config   string
	set      []string
	variants []string
	cpuHours float64
}

// maxSeeds is the maximum of --seeds.
const maxSeeds = 1000

func ablateCommand(games catalog) *cobra.Command {
	o := ablateOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "ablate GAME|--config FILE --variant 'NAME KEY=VALUE…' (--cpu-hours H|--generations N)",
		Short: "Compare variants of a configuration by training and matches",
		Long: `Ablate measures how much changes to a configuration help or hurt. It trains the base
configuration and each variant with several seeds for the same CPU time; then all networks
of a variant play matches against all networks of the base. The interval of a variant
includes the variation between training runs, which is estimated from all variants
(docs/RATINGS.md).

Each training is an ordinary run in FOLDER/NAME-SEED. The newest networks play, or with
--generations N the networks of generation N.

Games are kept in FOLDER/games.jsonl, and the same command resumes. More seeds, CPU time or
variants add only the missing work. Other networks, settings, backends or versions of tiro
start new matches. A run in the folder with other settings or more CPU time is an error.`,
		Example: `  tiro ablate connect4 --variant 'wide net.channels=96' --cpu-hours 0.5
  tiro ablate coerceo --seeds 5 --generations 20 --set games_per_generation=64 \
    --variant 'slow learner.learning_rate=1e-3' --variant 'plain learner.search_value_weight=0 learner.discount=1' \
    --variant 'growing selfplay.simulation_schedule=[{generation: 10, simulations: 64}]'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAblate(cmd, cmd.Flags().Arg(0), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "use the base configuration in `FILE` instead of the one shipped for the game")
	f.StringVar(&o.Dir, "dir", "", "keep the runs and report.json in `FOLDER` (default runs/ablate-GAME)")
	variantVars(cmd, &o.set, &o.variants)
	intVar(cmd, &o.Seeds, "seeds", 3, 1, maxSeeds, "training runs of each variant, with the seeds 1, 2, … instead of the configuration's")
	intVar(cmd, &o.Generations, "generations", 0, 1, math.MaxInt, "generations of each training, instead of a CPU time")
	floatVar(cmd, &o.cpuHours, "cpu-hours", 0, maxHours, "CPU time of each training, in hours, which depends neither on --workers nor on other work")
	cmd.MarkFlagsMutuallyExclusive("generations", "cpu-hours")
	cmd.MarkFlagsOneRequired("generations", "cpu-hours")
	workersVar(cmd, &o.Workers, 1)
	f.IntVar(&o.Games, "games", 200, "games of each training run of a variant, split evenly over the training runs of the base")
	simsVar(cmd, &o.Simulations, player.MatchSimulations, 1, "simulations per move in the matches")
	f.IntVar(&o.Opening, "opening", 4, "random actions at the start of each game of a match")
	backendVar(cmd, &o.Backend)
	return required(cmd, "variant")
}

// variantVars adds the flags --set and --variant, which define the base and its variants.
func variantVars(cmd *cobra.Command, set, variants *[]string) {
	f := cmd.Flags()
	f.StringArrayVar(set, "set", nil, "apply the setting `KEY=VALUE` to the base configuration (repeatable)")
	f.StringArrayVar(variants, "variant", nil, "compare `VARIANT` with the base: a name and changes, separated by spaces (repeatable)")
}

func runAblate(cmd *cobra.Command, name string, o ablateOptions) error {
	if err := cmp.Or(
		unless((name != "") != (o.config != ""), "give either GAME or --config FILE"),
		checkCPUTime(o.cpuHours),
	); err != nil {
		return err
	}
	if err := o.configure(name); err != nil {
		return err
	}
	o.Find, o.Tiro, o.CPU = o.Table.New, build(), machine.CPU
	if err := o.Validate(); err != nil {
		return usage(err)
	}
	meter := newMeter(cmd.ErrOrStderr())
	o.Begin = batches(meter)
	o.Train = func(_ context.Context, title string, run train.Options) error {
		t := trainOptions{
			catalog: o.catalog,
			run:     run.Dir, workers: run.Workers, backend: run.Backend,
			generations: run.Generations, part: title,
		}
		return t.train(cmd, run.Game, run.Config)
	}
	report, err := study.Ablate(cmd.Context(), o.Ablation)
	if conflict := (*study.ConflictError)(nil); errors.As(err, &conflict) {
		return usage(err)
	}
	if meter.kept(err) != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), report)
	return nil
}

func (o *ablateOptions) configure(name string) (err error) {
	c := recipe.Default("")
	if o.config != "" {
		err = c.Load(o.config)
	} else {
		c, err = recipe.Shipped(name)
	}
	if err != nil {
		return err
	}
	if o.Variants, err = study.ParseVariants(c, o.set, o.variants); err != nil {
		return usage(err)
	}
	if o.Game, err = o.newGame(o.Variants[0].Config.Game); err != nil {
		return err
	}
	if o.Dir == "" {
		o.Dir = "runs/ablate-" + models.Folder(o.Game.Spec().Name)
	}
	o.CPUTime = hours(o.cpuHours)
	return nil
}
