package bench

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"tiro/mcts"
	"tiro/net"
	"tiro/selfplay"
)

// selfplayCost is what a generation of self-play took.
type selfplayCost struct {
	selfplay.Stats
	batches int // of the network
	wall    time.Duration
}

// generation measures the self-play of a whole generation: how much longer it
// takes than the network alone.
func (b *Bench) generation(ctx context.Context) error {
	model := b.model()
	c, err := b.playGeneration(ctx, model)
	if err != nil {
		return err
	}
	evaluations := float64(c.Evaluations)
	mean := evaluations / float64(max(1, c.batches))
	batch := max(1, int(math.Round(mean)))
	each, err := b.evaluationTime(ctx, model, batch)
	if err != nil {
		return err
	}
	network := time.Duration(float64(each) * evaluations / float64(b.Workers))
	b.print("self-play", evaluations/c.wall.Seconds(), "evals/s", "a generation: %d games, %d plies, %d workers", c.Games, c.Plies, b.Workers)
	row := func(what, format string, values ...any) {
		fmt.Fprintf(b.Out, "  %-16s %s\n", what, fmt.Sprintf(format, values...))
	}
	row("evaluations", "%d, %.1f at a time; the cache had %.1f%% of the positions", c.Evaluations, mean, 100*(1-evaluations/float64(max(1, c.Leaves))))
	row("wall time", "%.1f s, %.2f times the network's", c.wall.Seconds(), c.wall.Seconds()/network.Seconds())
	row("network", "%.1f s: an evaluation takes %.1f µs, %d at a time on %d workers", network.Seconds(), float64(each.Nanoseconds())/1e3, batch, b.Workers)
	t := c.Time
	all := t.Gather + t.Evaluate + t.Apply + t.Other
	row("workers' time", "evaluate %s, gather %s, apply %s, other %s",
		percent(t.Evaluate, all), percent(t.Gather, all), percent(t.Apply, all), percent(t.Other, all))
	return nil
}

// playGeneration plays a generation.
func (b *Bench) playGeneration(ctx context.Context, model *net.Model) (c selfplayCost, err error) {
	game, err := b.Selfplay.Game(1, b.Game, b.Find)
	if err != nil {
		return c, err
	}
	var batches atomic.Int64
	played, end := b.Progress()
	defer end()
	start := b.Clock()
	_, c.Stats, err = selfplay.Play(ctx, selfplay.Job{
		Game: game, Config: b.Selfplay, Seed: 1, Generation: 1, Games: b.Games, Workers: b.Workers,
		Evaluator: func() mcts.Evaluator { return &counter{net.NewEvaluator(game, model, maxBatch), &batches} },
		Finished: func(selfplay.Episode) error {
			played(1, 0)
			return nil
		},
		Played: func(actions int) { played(0, actions) },
		Clock:  b.Clock,
	})
	c.wall = b.Clock().Sub(start)
	c.batches = int(batches.Load())
	return c, err
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

// evaluationTime returns how long the network alone takes a worker for a
// position, without observation and softmax, while all workers evaluate batches
// of that size.
func (b *Bench) evaluationTime(ctx context.Context, model *net.Model, batch int) (time.Duration, error) {
	spec := b.Game.Spec()
	x := make([]float32, batch*spec.Inputs())
	for i, leaf := range b.leaves(batch) {
		leaf.State.Observe(x[i*spec.Inputs():])
	}
	var positions atomic.Int64
	var wait sync.WaitGroup
	start := b.Clock()
	for range b.Workers {
		wait.Go(func() {
			plan := model.NewPlan(maxBatch)
			policy, outcome := make([]float32, batch*spec.Actions()), make([]float32, batch*spec.Outcomes())
			for done := false; !done; done = ctx.Err() != nil || b.Clock().Sub(start) >= b.Length {
				plan.Run(batch, x, policy, outcome)
				positions.Add(int64(batch))
			}
		})
	}
	wait.Wait()
	return b.Clock().Sub(start) * time.Duration(b.Workers) / time.Duration(positions.Load()), context.Cause(ctx)
}

// percent writes a part of a whole in percent.
func percent(part, whole time.Duration) string {
	return fmt.Sprintf("%.1f%%", 100*part.Seconds()/max(whole.Seconds(), 1e-9))
}
