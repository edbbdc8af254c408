package learner

import (
	"fmt"
	"math"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/net/opencl"
	"tiro/net/opencl/cl"
)

const (
	testRows  = 5
	tolerance = 1e-3 // largest error of a loss, or of a gradient relative to the norm of all gradients
)

// test returns opencl.ErrWrong if the device and the CPU compute different gradients of a small
// network of the game. The kernels are the same for larger networks.
func test(ctx *cl.Context, spec env.Spec, ownership bool) error {
	small := net.Config{Channels: 24, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 8, Ownership: ownership}
	c := graph.Default()
	c.Beta1, c.ClipNorm = 0, 0 // the mean of the gradients is the gradient
	w, rng := net.NewWeights(spec, small, env.NewRand(1)), env.NewRand(2)
	for i := range w.Flat() {
		w.Flat()[i] += float32(rng.Float64()-0.5) / 10
	}
	onCPU, err := graph.New(w.Clone(), c, graph.Options{Backend: kernel.Best(), Rows: testRows, Threads: 1})
	if err != nil {
		return err
	}
	onDevice, err := newTrainer(ctx, w, c, Options{Rows: testRows}, kindOf(&ctx.Device))
	if err != nil {
		return err
	}
	defer onDevice.Close()
	fillTest(onCPU.Batch())
	fillTest(onDevice.Batch())
	want, err := onCPU.Step(0)
	if err != nil {
		return err
	}
	got, err := onDevice.Step(0, nil)
	if opencl.Failed(err) {
		return err
	}
	if err == nil {
		err = onDevice.Sync()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", opencl.ErrWrong, err)
	}
	wrong := func(x, y, scale float64) bool { return !(math.Abs(x-y) <= tolerance*scale) }
	if wrong(want.Policy, got.Policy, 1) || wrong(want.Outcome, got.Outcome, 1) || wrong(want.Ownership, got.Ownership, 1) || wrong(want.Score, got.Score, 1) {
		return fmt.Errorf("%w: losses %+v instead of %+v", opencl.ErrWrong, got, want)
	}
	state := onDevice.OptimizerState()
	for i, t := range onCPU.OptimizerState() {
		for j, x := range t.Data {
			if y := state[i].Data[j]; wrong(float64(x), float64(y), want.GradNorm) {
				return fmt.Errorf("%w: %s: %v instead of %v", opencl.ErrWrong, t.Name, y, x)
			}
		}
	}
	return nil
}

// fillTest fills a batch with planes of zeros and ones and with all kinds of targets.
func fillTest(b *graph.Batch) {
	rng := env.NewRand(3)
	for i := range b.X {
		b.X[i] = float32(rng.IntN(2))
	}
	for _, targets := range [][]float32{b.Policy, b.Outcome} {
		for i := range targets {
			targets[i] = float32(rng.IntN(3)) / float32(len(targets)/testRows)
		}
	}
	for i := range b.Ownership {
		b.Ownership[i] = int8(i % 2)
	}
	for i := range b.Score {
		b.Score[i] = float32(i % 2)
	}
	for i := range b.Weight {
		b.Weight[i] = 1
	}
}
