package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"tiro/configs"
	"tiro/disk"
	"tiro/models"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/bench"
)

// benchOptions are the flags of tiro bench.
type benchOptions struct {
	catalog
	seconds float64
	games   int
	workers int
	backend net.Backend
	scaling bool
	run     string
	set     []string
	json    string
}

func benchCommand(games catalog) *cobra.Command {
	o := benchOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "bench [GAME]",
		Short: "Measure the speed of this machine, and print the signature of play",
		Long: `Bench measures on one core: actions/s of random play (of every game, unless one is named),
positions/s of perft, simulations/s of a search with a trivial evaluator, and evaluations/s
of the configured network. Then it plays the games of a first generation on all cores.

The signatures are digests of fixed, seeded self-play: one of play itself, and one for each
backend that this CPU supports, to the last bit. They change when play changes, and are
the same on all machines.

--scaling measures the gain from more threads: 1, 2, 4, … up to --workers. With each number
of threads it plays, learns and saves one generation, as tiro train does: with the game's
shipped configuration and random weights, or with the settings and the newest network of
--run. The limit is the speed of as many independent generations, each on its own thread.`,
		Example: `  tiro bench
  tiro bench connect4 --seconds 10
  tiro bench coerceo --games 32 --backend avx2
  tiro bench coerceo --scaling --set games_per_generation=128
  tiro bench --scaling --run runs/coerceo --json scaling.json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := unless(!o.scaling || !cmd.Flags().Changed("seconds"), "--seconds has no effect with --scaling"); err != nil {
				return err
			}
			if o.scaling {
				return runScaling(cmd, cmd.Flags().Arg(0), o)
			}
			if err := unless(o.run == "" && o.json == "" && len(o.set) == 0, "--run, --set and --json require --scaling"); err != nil {
				return err
			}
			return runBench(cmd, cmd.Flags().Arg(0), o)
		},
	}
	floatVar(cmd, &o.seconds, "seconds", 3, 3600, "length of each measurement except self-play, in seconds")
	intVar(cmd, &o.games, "games", 0, 1, math.MaxInt, "games of self-play (default the configuration's of a generation)")
	workersVar(cmd, &o.workers, 1)
	cmd.Flags().Lookup("workers").Usage = "goroutines of self-play; with --scaling, the largest number of threads"
	backendVar(cmd, &o.backend)
	cmd.Flags().BoolVar(&o.scaling, "scaling", false, "measure whole generations with 1, 2, 4, … threads, each beside its limit")
	cmd.Flags().StringVar(&o.run, "run", "", "with --scaling: measure the settings and newest network of the run in `FOLDER`")
	setVar(cmd, &o.set)
	cmd.Flags().Lookup("set").Usage = "with --scaling: apply the setting `KEY=VALUE` (repeatable)"
	cmd.Flags().StringVar(&o.json, "json", "", "with --scaling: write the results to this `FILE`")
	return cmd
}

// runBench measures the game of a game string, or the first one of the table and random
// play of all if it is empty.
func runBench(cmd *cobra.Command, name string, o benchOptions) error {
	names := []string{name}
	if name == "" {
		names = o.Names()
	}
	config, err := recipe.Shipped(names[0])
	if err != nil {
		return usage(err)
	}
	b := bench.Bench{
		Find: o.Table.New, Net: config.Net, Selfplay: config.Selfplay, Games: cmp.Or(o.games, config.GamesPerGeneration),
		Workers: o.workers, Backend: o.backend, Length: time.Duration(o.seconds * float64(time.Second)), Out: cmd.OutOrStdout(), Clock: time.Now,
	}
	for _, n := range names {
		game, err := o.newGame(n)
		if err != nil {
			return err
		}
		b.Random = append(b.Random, game)
	}
	b.Game = b.Random[0]
	meter := newMeter(cmd.ErrOrStderr())
	b.Begin = func() (played func(games, actions int), end func()) {
		meter.begin("self-play", "games", 0, b.Games)
		return meter.add, meter.end
	}
	if err := b.Run(cmd.Context()); err != nil || cmd.Flags().Changed("backend") {
		return err
	}
	card, err := compareDevice(cmd.Context(), b.Game, b.Net)
	if err != nil {
		card = fmt.Sprintf("a graphics card cannot be used: %v", err)
	}
	if card != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", card)
	}
	return context.Cause(cmd.Context())
}

// scalingReport is the file of tiro bench --scaling --json.
type scalingReport struct {
	Game        string         `json:"game"`
	Games       int            `json:"games"` // of a generation
	Simulations int            `json:"simulations"`
	Backend     string         `json:"backend"`
	Scaling     []bench.Scaled `json:"scaling"`
}

// runScaling measures how generations of a game, or of a run, scale with threads.
func runScaling(cmd *cobra.Command, name string, o benchOptions) (err error) {
	s := bench.Scaling{Find: o.Table.New, Backend: o.backend, Threads: o.workers, Clock: time.Now}
	if err := o.scalingOf(&s, name); err != nil {
		return err
	}
	t, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer t.close()
	if s.Dir, err = os.MkdirTemp("", "tiro-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.Dir)) }()
	report := scalingReport{Game: s.Game.Spec().Name, Games: s.Config.Games(1), Simulations: s.Config.Selfplay.Simulations(1), Backend: o.backend.Name()}
	fmt.Fprintf(cmd.OutOrStdout(), "%s, generations of %d games with %d simulations, %s %s/%s, backend %s\n\n",
		report.Game, report.Games, report.Simulations, runtime.Version(), runtime.GOOS, runtime.GOARCH, report.Backend)
	meter := newMeter(cmd.ErrOrStderr())
	s.Finished = func() { meter.add(1, 0) }
	meter.begin("scaling", "generations", 0, s.Generations())
	report.Scaling, err = s.Run(cmd.Context())
	if meter.end(); err != nil {
		return err
	}
	return cmp.Or(bench.WriteTable(cmd.OutOrStdout(), report.Scaling), t.saveJSON(report))
}

// scalingOf sets the generation to measure: the first one of a game with its shipped
// configuration, or the next one of a run.
func (o *benchOptions) scalingOf(s *bench.Scaling, name string) (err error) {
	if err := unless(name == "" || o.run == "", "a game and --run exclude each other"); err != nil {
		return err
	}
	generation := 1
	if o.run == "" {
		s.Config, err = recipe.Shipped(cmp.Or(name, o.Names()[0]))
		err = usage(err)
	} else if s.Config, err = recipe.Read(rundir.At(disk.OS{}, o.run)); err == nil {
		var info models.Info
		s.Network, info, err = rundir.OpenNetwork(disk.OS{}, o.run, o.Table.New)
		generation = info.Generation + 1
	}
	if err != nil {
		return err
	}
	s.Config.SetGeneration(generation)
	if o.games > 0 {
		s.Config.GamesPerGeneration = o.games
	}
	if err := configs.Set(&s.Config, o.set...); err != nil {
		return usage(err)
	}
	s.Game, err = o.newGame(s.Config.Game)
	return err
}
