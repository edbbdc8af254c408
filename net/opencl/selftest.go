package opencl

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/opencl/cl"
)

// ErrWrong is the cause of the error if a device computes wrong results.
var ErrWrong = errors.New("the device computes wrong results, so its driver or its memory is faulty")

// Failed reports whether err means that a device is missing or has failed.
func Failed(err error) bool {
	for _, cause := range []error{ErrWrong, cl.ErrLost, cl.ErrMemory, cl.ErrNoDevice, cl.ErrNoLibrary, cl.ErrNotInBuild} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

const (
	testRows  = 17   // positions of the test
	tolerance = 1e-2 // largest error, relative to 1 plus the largest logit
)

// test compares the network with pure Go on two positions, and their copies in the batch with
// each other.
func (n *Network) test(w *net.Weights) error {
	const different = 2
	inputs, actions, outcomes := n.spec.Inputs(), n.spec.Actions(), n.spec.Outcomes()
	x, rng := make([]float32, testRows*inputs), env.NewRand(1)
	for i := range x {
		if i < different*inputs {
			x[i] = float32(rng.IntN(2))
		} else {
			x[i] = x[i-different*inputs]
		}
	}
	policy, outcome := make([]float32, testRows*actions), make([]float32, testRows*outcomes)
	if err := n.run(testRows, x, policy, outcome); err != nil {
		return err
	}
	wantPolicy, wantOutcome := make([]float32, different*actions), make([]float32, different*outcomes)
	net.Compile(kernel.Backend{}, w).NewPlan(different).Run(different, x, wantPolicy, wantOutcome)
	return errors.Join(check("policy", policy, wantPolicy), check("outcome", outcome, wantOutcome))
}

// check compares got, copies of want, with it. Weights that lead to infinite numbers are not the
// device's fault.
func check(head string, got, want []float32) error {
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(float64(v)))
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return nil
	}
	for i, v := range want {
		if !(math.Abs(float64(got[i]-v)) <= tolerance*(1+largest)) {
			return fmt.Errorf("%w: a logit of the %s is %g instead of %g", ErrWrong, head, got[i], v)
		}
	}
	for copied := got[len(want):]; len(copied) > 0; copied = copied[min(len(want), len(copied)):] {
		n := min(len(want), len(copied))
		if !slices.Equal(copied[:n], got[:n]) {
			return fmt.Errorf("%w: equal positions have different logits of the %s", ErrWrong, head)
		}
	}
	return nil
}
