// Package nettest provides a reference implementation of networks for tests, which favours
// clarity over speed, and weights that exercise every part of a network.
package nettest

import (
	"fmt"
	"math/rand/v2"

	"tiro/env"
	"tiro/internal/portable"
	"tiro/net"
)

// Spec returns the spec of an imaginary game with observations x [planes, height, width].
func Spec(players int, x [3]int, policyPlanes int) env.Spec {
	return env.Spec{
		Name: "nettest", Players: players, Planes: x[0], Height: x[1], Width: x[2],
		PolicyPlanes: policyPlanes, MaxPlies: 100, OwnershipClasses: players + 1, Version: 1,
	}
}

// Weights returns weights without zero tensors, unlike an untrained network's, so that every part
// of the network affects its outputs.
func Weights(spec env.Spec, c net.Config, rng *rand.Rand) *net.Weights {
	w := net.NewWeights(spec, c, rng)
	for _, t := range w.Tensors() {
		if t.Data[0] != 0 {
			continue
		}
		for i := range t.Data {
			t.Data[i] = float32(portable.Normal(rng) * 0.1)
		}
	}
	return w
}

// Fill sets x to pseudorandom numbers between -1 and 1.
func Fill(x []float32, rng *rand.Rand) []float32 {
	for i := range x {
		x[i] = rng.Float32()*2 - 1
	}
	return x
}

// Reference computes the network that package net defines, with plain loops in double precision.
type Reference struct {
	Spec   env.Spec
	Config net.Config
	Params map[string][]float64 // by name of the tensor
}

// New returns the reference for w.
func New(w *net.Weights) *Reference {
	n := &Reference{Spec: w.Spec, Config: w.Config, Params: map[string][]float64{}}
	for _, t := range w.Tensors() {
		data := make([]float64, len(t.Data))
		for i, v := range t.Data {
			data[i] = float64(v)
		}
		n.Params[t.Name] = data
	}
	return n
}

// Run returns the logits of one observation x [planes, height, width].
func (n *Reference) Run(x []float32) (policy, outcome []float64) {
	policy, outcome, _ = n.RunAll(x)
	return policy, outcome
}

// RunAll is Run with the planes [_, height, width] of the ownership head as well.
func (n *Reference) RunAll(x []float32) (policy, outcome, ownership []float64) {
	input := make([]float64, len(x))
	for i, v := range x {
		input[i] = float64(v)
	}
	h := relu(n.conv("stem", input, 3))
	for i := range n.Config.Blocks {
		block := fmt.Sprintf("block.%d.", i)
		y := n.conv(block+"conv1", h, 3)
		if n.Config.Pool {
			n.addPool(y, h, n.Params[block+"pool.weight"])
		}
		y = n.conv(block+"conv2", relu(y), 3)
		for j := range y {
			y[j] += h[j]
		}
		h = relu(y)
	}
	policy = n.conv("policy", h, 1)
	v := relu(n.conv("outcome.conv", h, 1))
	if n.Config.Hidden > 0 {
		v = relu(n.dense("outcome.hidden", v))
	}
	outcome = n.dense("outcome.out", v)
	if len(n.Params["ownership.bias"]) > 0 {
		ownership = n.conv("ownership", h, 1)
	}
	return policy, outcome, ownership
}

// conv computes a convolution with a square filter and zero padding.
func (n *Reference) conv(name string, x []float64, side int) []float64 {
	height, width, cells := n.Spec.Height, n.Spec.Width, n.Spec.Cells()
	weight, bias := n.Params[name+".weight"], n.Params[name+".bias"]
	in, out := len(x)/cells, len(bias)
	y := make([]float64, out*cells)
	for o := range out {
		for row := range height {
			for column := range width {
				sum := bias[o]
				for i := range in {
					for dr := range side {
						for dc := range side {
							r, c := row+dr-side/2, column+dc-side/2
							if r < 0 || r >= height || c < 0 || c >= width {
								continue
							}
							sum += weight[((o*in+i)*side+dr)*side+dc] * x[i*cells+r*width+c]
						}
					}
				}
				y[o*cells+row*width+column] = sum
			}
		}
	}
	return y
}

// addPool adds weighted means of h over the cells to each channel of y.
func (n *Reference) addPool(y, h, weight []float64) {
	cells := n.Spec.Cells()
	channels := len(h) / cells
	for o := range channels {
		sum := 0.0
		for i := range h {
			sum += weight[o*channels+i/cells] * h[i] / float64(cells)
		}
		for cell := range cells {
			y[o*cells+cell] += sum
		}
	}
}

func (n *Reference) dense(name string, x []float64) []float64 {
	weight, bias := n.Params[name+".weight"], n.Params[name+".bias"]
	y := make([]float64, len(bias))
	for o := range y {
		y[o] = bias[o]
		for i, v := range x {
			y[o] += weight[o*len(x)+i] * v
		}
	}
	return y
}

func relu(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = max(v, 0)
	}
	return y
}

// CrossEntropy returns the cross entropy of the softmax of logits and a target, in nats. Classes
// with a negative target are not possible.
func CrossEntropy(logits []float64, target []float32) float64 {
	sum, loss := 0.0, 0.0
	for i, x := range logits {
		if target[i] >= 0 {
			sum += portable.Exp(x)
		}
	}
	for i, x := range logits {
		if target[i] > 0 {
			loss -= float64(target[i]) * (x - portable.Log(sum))
		}
	}
	return loss
}
