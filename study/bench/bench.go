// Package bench measures the speed of a machine: of the rules, searches, networks and
// self-play.
package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"tiro/env"
	"tiro/env/perft"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
	"tiro/study"
)

// maxBatch is the maximum number of positions that a network evaluates at a time.
const maxBatch = 64

// maxTrees is the memory for search trees of self-play on a device, in bytes.
const maxTrees = 4 << 30

// Bench measures one game.
type Bench struct {
	Game     env.Game
	Find     env.Lookup // finds its variants
	Random   []env.Game // games for random play
	Net      net.Config
	Selfplay selfplay.Config
	Games    int // of self-play
	Workers  int
	Backend  net.Backend
	Length   time.Duration // of each measurement but self-play's
	Out      io.Writer
	Clock    func() time.Time

	// Begin is called when self-play begins. It returns two functions: played is called with
	// the games and actions since the last call, end at the end of self-play.
	Begin func() (played func(games, actions int), end func())
}

// Run prints all measurements, and the signatures of play.
func (b *Bench) Run(ctx context.Context) error {
	fmt.Fprintf(b.Out, "%s, %s %s/%s, backend %s\n\n", b.Game.Spec().Name, runtime.Version(), runtime.GOOS, runtime.GOARCH, b.Backend.Name())
	for _, measure := range []func(context.Context) error{b.randomPlay, b.perft, b.search, b.evaluations, b.references, b.generation, b.signatures} {
		if err := measure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// repeat calls work, which returns how much it did, until the time is up. It
// returns the amount done per second.
func (b *Bench) repeat(ctx context.Context, work func() (int, error)) (rate float64, err error) {
	done := 0
	start := b.Clock()
	for first := true; first || b.Clock().Sub(start) < b.Length; first = false {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		n, err := work()
		if err != nil {
			return 0, err
		}
		done += n
	}
	return float64(done) / b.Clock().Sub(start).Seconds(), nil
}

func (b *Bench) print(name string, rate float64, unit, note string, values ...any) {
	fmt.Fprintf(b.Out, "%-12s %14.0f %-12s %s\n", name, rate, unit, fmt.Sprintf(note, values...))
}

// randomPlay measures random play, which uses only the rules.
func (b *Bench) randomPlay(ctx context.Context) error {
	for _, game := range b.Random {
		const batch = 10_000 // actions between two readings of the clock
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
			game.Spec().Name, rate*float64(turns)/float64(actions), (after.Mallocs-before.Mallocs)/uint64(actions))
	}
	return nil
}

// perft measures perft from the start.
func (b *Bench) perft(ctx context.Context) error {
	depth, note := 4, "perft 4, counting actions"
	if _, ok := b.Game.New().(env.TurnCounter); ok {
		note = "perft 4, counting turns"
	}
	rate, err := b.repeat(ctx, func() (int, error) {
		n, _, err := perft.Count(ctx, perft.Of(b.Game, b.Game.New()), depth, 1)
		return int(n), err
	})
	if err == nil {
		b.print("perft", rate, "positions/s", "%s", note)
	}
	return err
}

// search measures a search from the start with a trivial evaluator.
func (b *Bench) search(ctx context.Context) error {
	config := b.Selfplay.Search
	config.Simulations = 800
	search, err := mcts.New(b.Game, config)
	if err != nil {
		return err
	}
	start := b.Game.New()
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
func (b *Bench) model() net.Network {
	return net.CompileFor(b.Backend, net.NewWeights(b.Game.Spec(), b.Net, env.NewRand(1)))
}

// evaluations measures the network by batch size.
func (b *Bench) evaluations(ctx context.Context) error {
	model := b.model()
	sizes := []int{1, 8, 64, 256}
	if batch := net.Batch(b.Backend); batch > 256 {
		sizes = append(sizes, batch)
	}
	for _, size := range sizes {
		evaluator, leaves := model.NewEvaluator(b.Game, size, 1), b.leaves(size)
		rate, err := b.repeat(ctx, func() (int, error) { return size, evaluator.Evaluate(ctx, leaves) })
		if err != nil {
			return err
		}
		b.print("network", rate, "evals/s", "batch %d, %d channels, %d blocks", size, b.Net.Channels, b.Net.Blocks)
	}
	return nil
}

// leaves returns positions of random games.
func (b *Bench) leaves(n int) []*mcts.Leaf {
	rng := env.NewRand(2)
	s := b.Game.New()
	var leaves []*mcts.Leaf
	for len(leaves) < n {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			s = b.Game.New()
			continue
		}
		leaves = append(leaves, &mcts.Leaf{State: env.After(b.Game, s), Legal: legal, Prior: make([]float32, len(legal))})
		s.Play(legal[rng.IntN(len(legal))])
	}
	return leaves
}

// generation measures the self-play of a whole generation.
func (b *Bench) generation(ctx context.Context) error {
	game, err := b.Selfplay.Game(1, b.Game, b.Find)
	if err != nil {
		return err
	}
	model, batch := b.model(), net.Batch(b.Backend)
	config, workers := b.Selfplay.OnDevice(game, b.Workers, batch, maxTrees)
	var batches atomic.Int64
	played, end := b.Begin()
	defer end()
	start := b.Clock()
	_, c, err := selfplay.Play(ctx, selfplay.Job{
		Game: game, Config: config, Seed: 1, Generation: 1, Games: b.Games, Workers: workers,
		Evaluator: func() mcts.Evaluator { return &counter{model.NewEvaluator(game, max(maxBatch, batch), 1), &batches} },
		Finished: func(selfplay.Episode, selfplay.Encoded) error {
			played(1, 0)
			return nil
		},
		Played: func(actions int) { played(0, actions) },
		Clock:  b.Clock,
	})
	if device, ok := model.(interface{ Batches() int }); ok { // of several workers
		batches.Store(int64(device.Batches()))
	}
	if err == nil {
		b.print("self-play", float64(c.Evaluations)/b.Clock().Sub(start).Seconds(), "evals/s", "a generation: %d games, %d plies, %d workers, %.1f evaluations at a time",
			c.Games, c.Plies, b.Workers, float64(c.Evaluations)/float64(max(1, batches.Load())))
	}
	return err
}

// counter counts the batches of its evaluator.
type counter struct {
	mcts.Evaluator
	batches *atomic.Int64
}

func (c *counter) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	c.batches.Add(1)
	return c.Evaluator.Evaluate(ctx, leaves)
}

// signatures prints digests of play.
func (b *Bench) signatures(ctx context.Context) error {
	fmt.Fprintln(b.Out)
	var backends []net.Backend
	for _, name := range kernel.Names() {
		backend, err := kernel.Named(name)
		if err != nil {
			return err
		}
		backends = append(backends, backend)
	}
	if _, ok := b.Backend.(net.Device); ok {
		backends = append(backends, b.Backend)
	}
	for _, backend := range backends {
		digest, err := study.BackendSignature(ctx, b.Game, backend)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.Out, "signature with %-6s %016x\n", backend.Name(), digest)
	}
	digest, err := study.Signature(ctx, b.Game)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.Out, "signature %016x\n", digest)
	return nil
}
