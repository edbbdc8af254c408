package bench

import (
	"context"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/opencl"
	"tiro/net/opencl/learner"
)

// reference is a reference network of docs/PERFORMANCE.md.
type reference struct {
	name           string
	side           int // of the board
	policy         int // planes
	width, residue int // channels and blocks
}

var references = []reference{
	{"ref5", 5, 42, 64, 4},
	{"ref9", 9, 71, 64, 4},
	{"big9", 9, 71, 128, 10},
}

// weights returns the weights of a new network.
func (r reference) weights() *net.Weights {
	spec := env.Spec{Name: r.name, Players: 2, Planes: 16, Height: r.side, Width: r.side, PolicyPlanes: r.policy, MaxPlies: 1, Version: 1}
	return net.NewWeights(spec, net.Config{Channels: r.width, Blocks: r.residue, OutcomeChannels: 4}, env.NewRand(1))
}

// slowest is the duration in seconds above which a batch is not measured.
const slowest = 3

// references measures the reference networks on a device: inference without the positions' way
// to the device and back, and training with batches that are sent while a step runs.
func (b *Bench) references(ctx context.Context) error {
	device, ok := b.Backend.(*opencl.Backend)
	if !ok {
		return nil
	}
	for _, r := range references {
		network := device.Load(r.weights())
		if err := b.sizes(ctx, []int{256, 2048, 8192}, r.name, "network", "evals/s", network.Compute); err != nil {
			return err
		}
	}
	for _, r := range references {
		var trainer *learner.Trainer
		err := b.sizes(ctx, []int{256, 2048}, r.name, "training", "samples/s", func(rows int) (err error) {
			if trainer == nil || len(trainer.Batch().Weight) != rows {
				if trainer != nil {
					trainer.Close()
				}
				if trainer, err = newTrainer(device, r, rows); err != nil {
					return err
				}
			}
			_, err = trainer.Step(1e-3, func() {})
			return err
		})
		if trainer != nil {
			trainer.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newTrainer returns a trainer with a batch of random samples.
func newTrainer(device *opencl.Backend, r reference, rows int) (*learner.Trainer, error) {
	trainer, err := learner.New(device.Context(), r.weights(), graph.Default(), learner.Options{Rows: rows})
	if err != nil {
		return nil, err
	}
	rng, batch := env.NewRand(3), trainer.Batch()
	for i := range batch.X {
		batch.X[i] = float32(rng.IntN(2))
	}
	for _, target := range [][]float32{batch.Policy, batch.Outcome} { // about 1 per row
		for i := range target {
			target[i] = 2 * rng.Float32() * float32(rows) / float32(len(target))
		}
	}
	for i := range batch.Weight {
		batch.Weight[i] = 1
	}
	return trainer, nil
}

// sizes measures work on batches of several sizes, except sizes that would take too long.
func (b *Bench) sizes(ctx context.Context, sizes []int, of, name, unit string, work func(rows int) error) error {
	const trial = 16
	began := b.Clock()
	if err := work(trial); err != nil {
		return err
	}
	rate := trial / b.Clock().Sub(began).Seconds()
	for _, size := range sizes {
		if float64(size) > slowest*rate {
			break
		}
		if err := work(size); err != nil { // allocates
			return err
		}
		var err error
		if rate, err = b.repeat(ctx, func() (int, error) { return size, work(size) }); err != nil {
			return err
		}
		b.print(name, rate, unit, "%s, batch %d", of, size)
	}
	return nil
}
