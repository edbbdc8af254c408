package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"time"
	"tiro/recipe"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/env/perft"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
	"tiro/study"
)

// bench measures one game. Its upper fields are the flags of tiro bench.
type bench struct {
	catalog
	seconds float64
	games   int
	workers int
	backend kernel.Backend

	out, errOut io.Writer
	game        env.Game
	all         bool // measure random play of every game
	net         net.Config
	selfplay    selfplay.Config
}

func benchCommand(games catalog) *cobra.Command {
	b := bench{catalog: games}
	cmd := &cobra.Command{
		Use:   "bench [GAME]",
		Short: "Measure this machine, and print the signature of play",
		Long: `Bench measures, on one core each: actions/s of random play (of every game, unless
one is named), positions/s of perft, simulations/s of a search whose evaluator
does nothing, and evaluations/s of the configured network.

Then it plays the games of a first generation on all cores, as tiro train does,
and says how much longer that takes than the network alone.

The signatures are digests of fixed, seeded self-play: the last one of play as
such, the others with each backend that this CPU can run, to the last bit. They
change when play changes, and are the same on all machines.`,
		Example: `  tiro bench
  tiro bench connect4 --seconds 10
  tiro bench coerceo --games 32 --backend avx2`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			b.out, b.errOut = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if b.all = len(args) == 0; b.all {
				args = []string{b.Table[0].Name}
			}
			return b.run(cmd.Context(), args[0])
		},
	}
	floatVar(cmd, &b.seconds, "seconds", 3, 0, 3600, "length of each measurement but self-play's")
	intVar(cmd, &b.games, "games", 0, 1, math.MaxInt, "games of self-play (default the configuration's of a generation)")
	workersVar(cmd, &b.workers, 1)
	backendVar(cmd, &b.backend)
	return cmd
}

// run measures the game of a game string.
func (b *bench) run(ctx context.Context, name string) (err error) {
	if b.game, err = b.newGame(name); err != nil {
		return err
	}
	config, err := recipe.Shipped(name)
	if err != nil {
		return err
	}
	b.net, b.selfplay, b.games = config.Net, config.Selfplay, cmp.Or(b.games, config.GamesPerGeneration)
	fmt.Fprintf(b.out, "%s, %s %s/%s, backend %s\n\n", b.game.Spec().Name, runtime.Version(), runtime.GOOS, runtime.GOARCH, b.backend.Name())
	for _, measure := range []func(context.Context) error{b.randomPlay, b.perft, b.search, b.evaluations, b.generation, b.signatures} {
		if err := measure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// length returns how long a measurement is.
func (b *bench) length() time.Duration { return time.Duration(b.seconds * float64(time.Second)) }

// repeat calls work, which returns how much it did, until the time is up. It
// returns the amount done per second.
func (b *bench) repeat(ctx context.Context, work func() (int, error)) (rate float64, err error) {
	done := 0
	start := time.Now()
	for done == 0 || time.Since(start) < b.length() {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		n, err := work()
		if err != nil {
			return 0, err
		}
		done += n
	}
	return float64(done) / time.Since(start).Seconds(), nil
}

func (b *bench) print(what string, rate float64, unit, note string, values ...any) {
	fmt.Fprintf(b.out, "%-12s %14.0f %-12s %s\n", what, rate, unit, fmt.Sprintf(note, values...))
}

// randomPlay measures random play by the rules alone: of the game named, or of
// every game if none is.
func (b *bench) randomPlay(ctx context.Context) error {
	names := []string{b.game.Spec().Name}
	if b.all {
		names = b.Names()
	}
	for _, name := range names {
		game, err := b.newGame(name)
		if err != nil {
			return err
		}
		const batch = 10_000 // actions between two looks at the clock
		actions, turns := 0, 0
		rng, start, s := env.NewRand(1), game.New(), game.New()
		legal := s.Legal(make([]env.Action, 0, game.Spec().Actions()))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rate, err := b.repeat(ctx, func() (int, error) {
			for range batch {
				mover := s.Turn()
				s.Play(legal[rng.IntN(len(legal))])
				legal = s.Legal(legal[:0])
				if len(legal) == 0 || s.Turn() != mover {
					turns++
				}
				if len(legal) == 0 {
					s.CopyFrom(start)
					legal = s.Legal(legal)
				}
			}
			actions += batch
			return batch, nil
		})
		if err != nil {
			return err
		}
		runtime.ReadMemStats(&after)
		b.print("random play", rate, "actions/s", "%s, %.0f complete turns/s, %d allocations an action",
			name, rate*float64(turns)/float64(actions), (after.Mallocs-before.Mallocs)/uint64(actions))
	}
	return nil
}

// perft measures perft from the start.
func (b *bench) perft(ctx context.Context) error {
	depth, note := 4, "perft 4, by its actions"
	if _, ok := b.game.New().(env.TurnCounter); ok {
		note = "perft 4, by its own turns"
	}
	rate, err := b.repeat(ctx, func() (int, error) {
		n, _, err := perft.Count(ctx, perft.Of(b.game, b.game.New()), depth, 1)
		return int(n), err
	})
	if err == nil {
		b.print("perft", rate, "positions/s", "%s", note)
	}
	return err
}

// search measures a search from the start whose evaluator does nothing.
func (b *bench) search(ctx context.Context) error {
	config := b.selfplay.Search
	config.Simulations = 800
	search, err := mcts.New(b.game, config)
	if err != nil {
		return err
	}
	start := b.game.New()
	rng := env.NewRand(1)
	rate, err := b.repeat(ctx, func() (int, error) {
		search.Start(start, rng)
		return config.Simulations, search.Run(ctx, mcts.Uniform{})
	})
	if err == nil {
		b.print("search", rate, "sims/s", "%d simulations, %s root, Uniform evaluator", config.Simulations, config.Root)
	}
	return err
}

// model returns the configured network with new weights.
func (b *bench) model() *net.Model {
	return net.Compile(b.backend, net.NewWeights(b.game.Spec(), b.net, env.NewRand(1)))
}

// evaluations measures the network by batch size.
func (b *bench) evaluations(ctx context.Context) error {
	model := b.model()
	for _, size := range []int{1, 8, 64, 256} {
		evaluator, leaves := net.NewEvaluator(b.game, model, size), b.leaves(size)
		rate, err := b.repeat(ctx, func() (int, error) { return size, evaluator.Evaluate(ctx, leaves) })
		if err != nil {
			return err
		}
		b.print("network", rate, "evals/s", "batch %d, %d channels, %d blocks", size, b.net.Channels, b.net.Blocks)
	}
	return nil
}

// leaves returns positions of random games.
func (b *bench) leaves(n int) []*mcts.Leaf {
	rng := env.NewRand(2)
	s := b.game.New()
	var leaves []*mcts.Leaf
	for len(leaves) < n {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			s = b.game.New()
			continue
		}
		leaves = append(leaves, &mcts.Leaf{State: env.After(b.game, s), Legal: legal, Prior: make([]float32, len(legal))})
		s.Play(legal[rng.IntN(len(legal))])
	}
	return leaves
}

// signatures prints digests of play.
func (b *bench) signatures(ctx context.Context) error {
	fmt.Fprintln(b.out)
	for _, name := range kernel.Names() {
		backend, err := kernel.Named(name)
		if err != nil {
			return err
		}
		digest, err := study.BackendSignature(ctx, b.game, backend)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "signature with %-6s %016x\n", name, digest)
	}
	digest, err := study.Signature(ctx, b.game)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "signature %016x\n", digest)
	return nil
}
