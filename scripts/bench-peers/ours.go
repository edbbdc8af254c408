package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/net/nettest"
	"tiro/net/onnx"
)

// warmUp is the number of samples that every contender computes before it is ready.
const warmUp = 2048

// network returns the weights of the job's network, which are always the same, and sets its shape
// in the job.
func (j *job) network() (*net.Weights, error) {
	side, policy := 5, 42
	switch j.Net {
	case "ref5":
	case "ref9":
		side, policy = 9, 71
	default:
		return nil, fmt.Errorf("unknown network %q (ref5, ref9)", j.Net)
	}
	spec, c := nettest.Spec(2, [3]int{16, side, side}, policy), net.Config{Channels: 64, Blocks: 4, OutcomeChannels: 4}
	j.Planes, j.Side, j.Policy, j.Outcome = spec.Planes, side, policy, spec.Outcomes()
	j.Width, j.Blocks, j.Heads = c.Channels, c.Blocks, c.OutcomeChannels
	return net.NewWeights(spec, c, env.NewRand(1)), nil
}

// export writes the job's network to its model file and sets its shape in the job.
func (j *job) export() error {
	w, err := j.network()
	if err != nil {
		return err
	}
	file, err := os.Create(j.Model)
	if err != nil {
		return err
	}
	if err := onnx.Write(file, w, onnx.Options{}); err != nil {
		return err
	}
	return file.Close()
}

// contend runs the job.
func (j *job) contend() error {
	batch, err := j.prepare()
	if err != nil {
		return err
	}
	for done := 0; done < warmUp && err == nil; done += j.Batch {
		err = batch()
	}
	runtime.GC()
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); err == nil && in.Scan(); {
		var seconds float64
		if _, err := fmt.Sscan(in.Text(), &seconds); err != nil {
			return err
		}
		start, samples := time.Now(), 0
		for err == nil && time.Since(start).Seconds() < seconds {
			err = batch()
			samples += j.Batch
		}
		fmt.Println(samples, time.Since(start).Seconds())
	}
	return err
}

// prepare returns a function that computes one batch.
func (j *job) prepare() (func() error, error) {
	w, err := j.network()
	if err != nil {
		return nil, err
	}
	backend := kernel.Best()
	if j.Mode == "train" {
		return j.training(backend, w)
	}
	return j.inference(w.Spec, net.Compile(backend, w)), nil
}

// inference splits the batch into equal parts, each with its own goroutine and plan.
func (j *job) inference(spec env.Spec, m *net.Model) func() error {
	parts := make([]func(), j.Threads)
	for i := range parts {
		rows := (i+1)*j.Batch/j.Threads - i*j.Batch/j.Threads
		plan, x := m.NewPlan(rows), nettest.Fill(make([]float32, rows*spec.Inputs()), env.NewRand(2))
		policy, outcome := make([]float32, rows*spec.Actions()), make([]float32, rows*spec.Outcomes())
		parts[i] = func() { plan.Run(rows, x, policy, outcome) }
	}
	return func() error {
		var group sync.WaitGroup
		for _, part := range parts[1:] {
			group.Go(part)
		}
		parts[0]()
		group.Wait()
		return nil
	}
}

// training runs whole steps on one random batch: forward, backward and Adam.
func (j *job) training(backend kernel.Backend, w *net.Weights) (func() error, error) {
	trainer, err := graph.New(w, graph.Default(), graph.Options{Backend: backend, Rows: j.Batch})
	if err != nil {
		return nil, err
	}
	rng, b := env.NewRand(3), trainer.Batch()
	nettest.Fill(b.X, rng)
	for _, target := range [][]float32{b.Policy, b.Outcome} { // about 1 per row
		for i := range target {
			target[i] = 2 * rng.Float32() * float32(j.Batch) / float32(len(target))
		}
	}
	for r := range b.Weight {
		b.Weight[r] = 1
	}
	return func() error {
		_, err := trainer.Step(1e-3)
		return err
	}, nil
}
