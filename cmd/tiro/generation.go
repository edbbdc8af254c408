package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/selfplay"
)

// played is what a generation of self-play took.
type played struct {
	selfplay.Stats
	calls int // of the network
	wall  time.Duration
	cpu   map[string]time.Duration // by package
}

// generation measures the self-play of a whole generation: what it costs above
// the network, and where the CPU time goes.
func (b *bench) generation() error {
	model := net.Compile(b.backend, net.NewWeights(b.game.Spec(), b.net, env.NewRand(1)))
	p, err := b.play(model)
	if err != nil {
		return err
	}
	batch := max(1, int(math.Round(float64(p.Evaluations)/float64(max(1, p.calls)))))
	cost, err := b.cost(model, batch)
	if err != nil {
		return err
	}
	network := time.Duration(float64(cost) * float64(p.Evaluations) / float64(b.workers))
	b.print("self-play", float64(p.Evaluations)/p.wall.Seconds(), "evals/s",
		"a generation: %d games, %d plies, %d workers", p.Games, p.Plies, b.workers)
	row := func(what, format string, values ...any) {
		fmt.Fprintf(b.out, "  %-16s %s\n", what, fmt.Sprintf(format, values...))
	}
	row("evaluations", "%d, %.1f at a time; the cache knew %.1f%% of the positions", p.Evaluations,
		float64(p.Evaluations)/float64(max(1, p.calls)), 100*(1-float64(p.Evaluations)/float64(max(1, p.Leaves))))
	row("wall time", "%.1f s, %.2f times the network's", p.wall.Seconds(), p.wall.Seconds()/network.Seconds())
	row("network", "%.1f s: an evaluation takes %.1f µs, %d at a time on %d workers", network.Seconds(), float64(cost.Nanoseconds())/1e3, batch, b.workers)
	t := p.Time
	all := t.Gather + t.Evaluate + t.Apply + t.Other
	row("workers' time", "evaluate %s, gather %s, apply %s, other %s",
		percent(t.Evaluate, all), percent(t.Gather, all), percent(t.Apply, all), percent(t.Other, all))
	cpu, packages := p.shares()
	row("CPU time", "%.1f s, %s of %d cores: %s", cpu.Seconds(), percent(cpu, time.Duration(b.workers)*p.wall), b.workers, packages)
	return nil
}

// play plays a generation.
func (b *bench) play(model *net.Model) (p played, err error) {
	var evaluations, calls atomic.Int64
	games := b.games
	meter := newMeter(b.errOut)
	meter.beginFine("self-play", amount{total: games, unit: "games"}, amount{unit: "positions"})
	defer meter.end()
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		return p, err
	}
	begun := time.Now()
	_, p.Stats, err = selfplay.Play(b.ctx, selfplay.Job{
		Game: b.game, Config: b.self, Seed: 1, Generation: 1, Games: games, Workers: b.workers,
		Evaluator: func() mcts.Evaluator {
			return &counted{net.NewEvaluator(b.game, model, maxBatch), &evaluations, &calls}
		},
		Finished: func(selfplay.Episode) error {
			meter.add(1, 0)
			return nil
		},
		Played: func(actions int) { meter.add(0, actions) },
		Clock:  time.Now,
	})
	p.wall = time.Since(begun)
	pprof.StopCPUProfile()
	p.calls = int(calls.Load())
	if err == nil {
		p.cpu, err = timeByPackage(profile.Bytes())
	}
	return p, err
}

// counted counts what its evaluator is asked.
type counted struct {
	mcts.Evaluator
	n, calls *atomic.Int64
}

func (c *counted) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	c.n.Add(int64(len(leaves)))
	c.calls.Add(1)
	return c.Evaluator.Evaluate(ctx, leaves)
}

// cost returns how long the network alone takes a worker for a position, the
// observation made before and the softmax left out, while all workers are at
// it with batches of that size.
func (b *bench) cost(model *net.Model, batch int) (time.Duration, error) {
	spec := b.game.Spec()
	x := make([]float32, batch*spec.Inputs())
	for i, leaf := range b.leaves(batch) {
		leaf.State.Observe(x[i*spec.Inputs():])
	}
	var positions atomic.Int64
	var wait sync.WaitGroup
	begun := time.Now()
	for range b.workers {
		wait.Go(func() {
			plan := model.NewPlan(maxBatch)
			policy, outcome := make([]float32, batch*spec.Actions()), make([]float32, batch*spec.Outcomes())
			for done := false; !done; done = b.ctx.Err() != nil || time.Since(begun) >= b.each {
				plan.Run(batch, x, policy, outcome)
				positions.Add(int64(batch))
			}
		})
	}
	wait.Wait()
	return time.Since(begun) * time.Duration(b.workers) / time.Duration(positions.Load()), context.Cause(b.ctx)
}

// shares returns the CPU time, and says in which packages it was spent.
func (p *played) shares() (all time.Duration, packages string) {
	for _, t := range p.cpu {
		all += t
	}
	names := slices.SortedFunc(maps.Keys(p.cpu), func(x, y string) int {
		return cmp.Or(cmp.Compare(p.cpu[y], p.cpu[x]), cmp.Compare(x, y))
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, name+" "+percent(p.cpu[name], all))
	}
	return all, strings.Join(parts, ", ")
}

// percent is a part of the whole in percent.
func percent(part, whole time.Duration) string {
	return fmt.Sprintf("%.1f%%", 100*part.Seconds()/max(whole.Seconds(), 1e-9))
}
