package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/opencl"
	"tiro/net/opencl/cl"
)

// Device compares a graphics card of this machine with its CPU.
type Device struct {
	Game    env.Game
	Net     net.Config // of the network that both evaluate
	Threads int        // of the CPU
	Cache   string     // folder for compiled kernels, see opencl.Open
	Clock   func() time.Time
}

// deviceTime is the length of each of the two measurements.
const deviceTime = 400 * time.Millisecond

// Compare measures the network on the first graphics card and on the CPU, in about a second. It
// returns a sentence with the result, or "" if there is no card.
func (d Device) Compare(ctx context.Context) (string, error) {
	library, err := cl.Load()
	if err != nil {
		return "", nil
	}
	devices, err := library.Devices()
	if err != nil || devices[0].Kind != cl.GPU {
		return "", nil
	}
	return d.compare(ctx, devices)
}

func (d Device) compare(ctx context.Context, devices []cl.Device) (string, error) {
	card, err := opencl.Open(devices, 0, d.Cache)
	if err != nil {
		return "", err
	}
	defer card.Close()
	gpu, err := d.speed(ctx, card, 2*d.Threads, max(1, card.Batch()/d.Threads))
	if err != nil {
		return "", err
	}
	best := kernel.Best()
	cpu, err := d.speed(ctx, best, d.Threads, maxBatch)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("a graphics card, %s, evaluates %.0f positions/s of this network, %.1f times as many as %s with %d threads: --backend %s",
		card.Device.Name, gpu, gpu/cpu, best.Name(), d.Threads, opencl.Name), nil
}

// speed returns the evaluations per second of goroutines that each evaluate the given number of
// positions at a time.
func (d Device) speed(ctx context.Context, backend net.Backend, goroutines, positions int) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := Bench{Game: d.Game, Net: d.Net, Backend: backend, Length: deviceTime, Clock: d.Clock}
	network := b.model()
	warm := network.NewEvaluator(d.Game, positions, 1)
	if err := warm.Evaluate(ctx, b.leaves(positions)); err != nil {
		return 0, err
	}
	var group sync.WaitGroup
	var sum atomic.Int64
	began := d.Clock()
	for range goroutines {
		group.Go(func() {
			evaluator, leaves := network.NewEvaluator(d.Game, positions, 1), b.leaves(positions)
			_, err := b.repeat(ctx, func() (int, error) {
				sum.Add(int64(positions))
				return positions, evaluator.Evaluate(ctx, leaves)
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return float64(sum.Load()) / d.Clock().Sub(began).Seconds(), context.Cause(ctx)
}
