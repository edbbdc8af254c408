package cli

import (
	"cmp"
	"math"
	"time"

	"github.com/spf13/cobra"

	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/study/bench"
)

// benchOptions are the flags of tiro bench.
type benchOptions struct {
	catalog
	seconds float64
	games   int
	workers int
	backend kernel.Backend
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
the same on all machines.`,
		Example: `  tiro bench
  tiro bench connect4 --seconds 10
  tiro bench coerceo --games 32 --backend avx2`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runBench(cmd, cmd.Flags().Arg(0), o) },
	}
	floatVar(cmd, &o.seconds, "seconds", 3, 0, 3600, "length of each measurement but self-play's")
	intVar(cmd, &o.games, "games", 0, 1, math.MaxInt, "games of self-play (default the configuration's of a generation)")
	workersVar(cmd, &o.workers, 1)
	backendVar(cmd, &o.backend)
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
	return b.Run(cmd.Context())
}
