package bench

import (
	"context"

	"tiro/env"
	"tiro/net"
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

// references measures the reference networks on a device, without the positions' way to the
// device and back.
func (b *Bench) references(ctx context.Context) error {
	device, ok := b.Backend.(net.Device)
	if !ok {
		return nil
	}
	for _, r := range references {
		network, ok := device.Compile(r.weights()).(interface{ Repeat(rows, times int) error })
		if !ok {
			return nil
		}
		if err := b.sizes(ctx, []int{256, 2048, 8192}, r.name, "network", "evals/s", func(rows int) error { return network.Repeat(rows, 1) }); err != nil {
			return err
		}
	}
	return nil
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
