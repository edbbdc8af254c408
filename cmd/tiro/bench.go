package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
	"tiro/study"
)

func benchCommand() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench [GAME]",
		Short: "Measure this machine, and print the signature of play",
		Long: `Bench measures, on one core each: actions/s of random play (of every game, unless
one is named), positions/s of perft, simulations/s of a search whose positions
cost nothing to judge, evaluations/s of the configured network.
Then it plays the games of a first generation on all cores, as tiro train does,
and says how much longer that takes than the network alone and where the CPU
time goes. The signature is a digest of a fixed, seeded run for each backend. It
changes when play changes. Processors of the same architecture have the same
signature; others may round differently.`,
		Example: `  tiro bench
  tiro bench connect4 --seconds 10
  tiro bench coerceo --games 32 --backend avx2`,
		Args:              args("[GAME]"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return runBench(cmd, args[0], false, o)
			}
			return runBench(cmd, "coerceo", true, o)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&o.seconds, "seconds", 3, "length of each measurement but self-play's")
	f.IntVar(&o.games, "games", 0, "games of self-play (default the configuration's of a generation)")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "goroutines that play them")
	backendVar(cmd, &o.backend)
	return cmd
}

// benchOptions are the flags of tiro bench.
type benchOptions struct {
	seconds float64
	games   int
	workers int
	backend kernel.Backend
}

// check reports flags that make no sense.
func (o *benchOptions) check(cmd *cobra.Command) error {
	switch {
	case !(o.seconds > 0 && o.seconds <= 3600):
		return usage(fmt.Errorf("--seconds %v; want more than 0, at most 3600", o.seconds))
	case cmd.Flags().Changed("games") && o.games < 1:
		return usage(fmt.Errorf("--games %d; want 1 or more", o.games))
	case o.workers < 1 || o.workers > maxThreads:
		return usage(fmt.Errorf("--workers %d; want 1 to %d", o.workers, maxThreads))
	}
	return nil
}

// bench measures one game.
type bench struct {
	ctx     context.Context
	out     io.Writer
	errOut  io.Writer
	game    env.Game
	all     bool // measure the rules of every game
	backend kernel.Backend
	net     net.Config
	self    selfplay.Config
	games   int
	workers int
	each    time.Duration // length of a measurement
}

func runBench(cmd *cobra.Command, name string, all bool, o benchOptions) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	game, err := newGame(name)
	if err != nil {
		return err
	}
	config, err := shippedConfig(name)
	if err != nil {
		return err
	}
	b := &bench{
		ctx: cmd.Context(), out: cmd.OutOrStdout(), errOut: cmd.ErrOrStderr(),
		game: game, all: all, backend: o.backend, net: config.Net, self: config.Selfplay,
		games: cmp.Or(o.games, config.GamesPerGeneration), workers: o.workers,
		each: time.Duration(o.seconds * float64(time.Second)),
	}
	fmt.Fprintf(b.out, "%s, %s %s/%s, backend %s\n\n", game.Spec().Name, runtime.Version(), runtime.GOOS, runtime.GOARCH, o.backend.Name())
	for _, measure := range []func() error{b.randomPlay, b.positions, b.simulations, b.evaluations, b.generation, b.signature} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// repeat calls work, which returns what it got done, until the time is up.
// It returns the amount done by second.
func (b *bench) repeat(work func() (int, error)) (rate float64, err error) {
	done := 0
	begun := time.Now()
	for done == 0 || time.Since(begun) < b.each {
		if err := context.Cause(b.ctx); err != nil {
			return 0, err
		}
		n, err := work()
		if err != nil {
			return 0, err
		}
		done += n
	}
	return float64(done) / time.Since(begun).Seconds(), nil
}

func (b *bench) print(what string, rate float64, unit, note string, values ...any) {
	fmt.Fprintf(b.out, "%-12s %14.0f %-12s %s\n", what, rate, unit, fmt.Sprintf(note, values...))
}

// positions measures perft from the start.
func (b *bench) positions() error {
	depth, note := 4, "perft 4, by its actions"
	if _, ok := b.game.New().(env.TurnCounter); ok {
		note = "perft 4, by its own turns"
	}
	rate, err := b.repeat(func() (int, error) {
		n, _, err := perft(b.ctx, turnCounter(b.game, b.game.New()), depth, 1)
		return int(n), err
	})
	if err == nil {
		b.print("perft", rate, "positions/s", "%s", note)
	}
	return err
}

// simulations measures a search from the start whose evaluator does nothing.
func (b *bench) simulations() error {
	config := b.self.Search
	config.Simulations = 800
	search, err := mcts.New(b.game, config)
	if err != nil {
		return err
	}
	start := b.game.New()
	rng := env.NewRand(1)
	rate, err := b.repeat(func() (int, error) {
		search.Start(start, rng)
		return config.Simulations, search.Run(b.ctx, mcts.Uniform{})
	})
	if err == nil {
		b.print("search", rate, "sims/s", "%d simulations, %s root, Uniform evaluator", config.Simulations, config.Root)
	}
	return err
}

// evaluations measures the network by batch size.
func (b *bench) evaluations() error {
	model := net.Compile(b.backend, net.NewWeights(b.game.Spec(), b.net, env.NewRand(1)))
	sizes := []int{1, 8, 64, 256}
	leaves := b.leaves(slices.Max(sizes))
	for _, size := range sizes {
		evaluator := net.NewEvaluator(b.game, model, size)
		rate, err := b.repeat(func() (int, error) { return size, evaluator.Evaluate(b.ctx, leaves[:size]) })
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
		at := b.game.New()
		at.CopyFrom(s)
		leaves = append(leaves, &mcts.Leaf{State: at, Legal: legal, Prior: make([]float32, len(legal))})
		s.Play(legal[rng.IntN(len(legal))])
	}
	return leaves
}

// signature prints digests of play: for every backend that this CPU can run, and
// for play as such.
func (b *bench) signature() error {
	fmt.Fprintln(b.out)
	for _, name := range kernel.Names() {
		backend, err := kernel.Named(name)
		if err != nil {
			return err
		}
		digest, err := study.BackendSignature(b.ctx, b.game, backend)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "signature of backend %-6s %016x\n", name, digest)
	}
	digest, err := study.Signature(b.ctx, b.game)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "signature %016x\n", digest)
	return nil
}
