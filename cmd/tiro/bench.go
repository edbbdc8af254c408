package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/env/coerceo"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

func benchCommand() *cobra.Command {
	var seconds float64
	cmd := &cobra.Command{
		Use:   "bench [GAME]",
		Short: "Measure this machine, and print the signature of play",
		Long: `Bench measures, on one core each: positions/s of perft, simulations/s of a search
whose positions cost nothing to judge, evaluations/s of the configured network,
and where the time of self-play goes. The signature is a digest of a fixed,
seeded run; it is the same on every machine and changes when play changes.`,
		Example: `  tiro bench
  tiro bench connect4 --seconds 10`,
		Args:              args("[GAME]"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(seconds > 0 && seconds <= 3600) {
				return usage(fmt.Errorf("--seconds %v; want more than 0, at most 3600", seconds))
			}
			name := "coerceo"
			if len(args) > 0 {
				name = args[0]
			}
			return runBench(cmd, name, time.Duration(seconds*float64(time.Second)))
		},
	}
	cmd.Flags().Float64Var(&seconds, "seconds", 3, "length of each measurement")
	return cmd
}

// bench measures one game.
type bench struct {
	ctx  context.Context
	out  io.Writer
	game env.Game
	net  net.Config
	self selfplay.Config
	each time.Duration // length of a measurement
}

func runBench(cmd *cobra.Command, name string, each time.Duration) error {
	game, err := newGame(name)
	if err != nil {
		return err
	}
	config, err := shippedConfig(name)
	if err != nil {
		return err
	}
	b := &bench{cmd.Context(), cmd.OutOrStdout(), game, config.Net, config.Selfplay, each}
	fmt.Fprintf(b.out, "%s, %s %s/%s, kernel %s\n\n", game.Spec().Name, runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel.Best().Name())
	for _, measure := range []func() error{b.positions, b.simulations, b.evaluations, b.shares, b.signature} {
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

func (b *bench) print(what string, rate float64, unit, note string) {
	fmt.Fprintf(b.out, "%-12s %14.0f %-12s %s\n", what, rate, unit, note)
}

// positions measures perft from the start.
func (b *bench) positions() error {
	depth, note := 4, "perft 4, by its actions"
	if _, ok := b.game.New().(*coerceo.State); ok {
		note = "perft 4, the last ply counted, not played"
	}
	rate, err := b.repeat(func() (int, error) {
		n, _, err := perft(b.ctx, b.game, b.game.New(), depth, 1)
		return int(n), err
	})
	if err == nil {
		b.print("perft", rate, "positions/s", note)
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
		b.print("search", rate, "sims/s", fmt.Sprintf("%d simulations, %s root, Uniform evaluator", config.Simulations, config.Root))
	}
	return err
}

// evaluations measures the network by batch size.
func (b *bench) evaluations() error {
	model := net.Compile(net.NewWeights(b.game.Spec(), b.net, env.NewRand(1)))
	sizes := []int{1, 8, 64, 256}
	leaves := b.leaves(slices.Max(sizes))
	for _, size := range sizes {
		evaluator := net.NewEvaluator(b.game, model, size)
		rate, err := b.repeat(func() (int, error) { return size, evaluator.Evaluate(b.ctx, leaves[:size]) })
		if err != nil {
			return err
		}
		b.print("network", rate, "evals/s", fmt.Sprintf("batch %d, %d channels, %d blocks", size, b.net.Channels, b.net.Blocks))
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

// shares measures self-play with a random network on one worker.
func (b *bench) shares() error {
	model := net.Compile(net.NewWeights(b.game.Spec(), b.net, env.NewRand(1)))
	ctx, stop := context.WithTimeout(b.ctx, 2*b.each)
	defer stop()
	evaluations := 0
	begun := time.Now()
	_, stats, err := selfplay.Play(ctx, selfplay.Job{
		Game: b.game, Config: b.self, Seed: 1, Games: 1 << 20, Workers: 1,
		Evaluator: func() mcts.Evaluator {
			return &counted{net.NewEvaluator(b.game, model, maxRows), &evaluations}
		},
		Clock: time.Now,
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	took := time.Since(begun)
	b.print("self-play", float64(evaluations)/took.Seconds(), "evals/s", fmt.Sprintf("%d games at a time, %.2f evaluations a leaf, the rest from the cache",
		b.self.Games, float64(evaluations)/float64(max(1, stats.Leaves))))
	t := stats.Time
	all := (t.Gather + t.Evaluate + t.Apply + t.Other).Seconds()
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / max(all, 1e-9) }
	fmt.Fprintf(b.out, "%-12s gather %.0f%%, evaluate %.0f%%, apply %.0f%%, other %.0f%%\n", "",
		share(t.Gather), share(t.Evaluate), share(t.Apply), share(t.Other))
	return nil
}

// counted counts the positions that its evaluator judges.
type counted struct {
	mcts.Evaluator
	n *int
}

func (c *counted) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	*c.n += len(leaves)
	return c.Evaluator.Evaluate(ctx, leaves)
}

// signature prints a digest of a few games of self-play by a small random
// network on the pure Go kernel, which computes the same everywhere.
func (b *bench) signature() error {
	weights := net.NewWeights(b.game.Spec(), net.Config{Channels: 8, Blocks: 1, Pool: true, OutcomeChannels: 2}, env.NewRand(1))
	model := net.CompileFor(kernel.Set{}, weights)
	config := selfplay.Default()
	config.Search.Simulations = 8
	episodes, _, err := selfplay.Play(b.ctx, selfplay.Job{
		Game: b.game, Config: config, Seed: 1, Games: 4, Workers: 1,
		Evaluator: func() mcts.Evaluator { return net.NewEvaluator(b.game, model, maxRows) },
	})
	if err != nil {
		return err
	}
	digest := fnv.New64a()
	if err := json.NewEncoder(digest).Encode(episodes); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\nsignature %016x\n", digest.Sum64())
	return nil
}
