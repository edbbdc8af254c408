package onnx

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tiro/format"
	"tiro/net"
)

const (
	irVersion = 8
	opset     = 17
)

// fileHeader is the kind of ONNX model written: what its metadata, inputs and outputs
// mean.
var fileHeader = format.Header{Format: 1, What: "tiro network"}

// Write writes w as an ONNX model. Its metadata holds, besides what the caller
// adds,
//
//	format, what    the mark of Tiro's files
//	game            the game string, with every option that is not the default
//	game_version    version of the game's rules, planes and actions; also as rules_version
//	players, planes, height, width, policy_planes
//	action_layout   how the number of an action is made
//	observation, policy, outcome    what input and outputs mean
//	net             the network's configuration
//
// The caller's metadata may not name these again.
func Write(to io.Writer, w *net.Weights, metadata map[string]string) error {
	all := describe(w)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if _, taken := all[key]; taken {
			return fmt.Errorf("onnx: metadata key %q is taken by the model's own", key)
		}
		all[key] = metadata[key]
	}

	var m, operators message
	m.integer(1, irVersion)     // ir_version
	m.text(2, "tiro")           // producer_name
	m.bytes(7, graph(w))        // graph
	operators.integer(2, opset) // version, of the default domain
	m.bytes(8, operators)       // opset_import
	for _, key := range slices.Sorted(maps.Keys(all)) {
		var entry message
		entry.text(1, key)      // key
		entry.text(2, all[key]) // value
		m.bytes(14, entry)      // metadata_props
	}
	if _, err := to.Write(m); err != nil {
		return fmt.Errorf("onnx: write: %w", err)
	}
	return nil
}

// describe returns the model's own metadata.
func describe(w *net.Weights) map[string]string {
	all, spec := w.Metadata(), w.Spec
	fileHeader.Put(all)
	all["rules_version"] = strconv.Itoa(spec.Version)
	all["players"] = strconv.Itoa(spec.Players)
	all["planes"] = strconv.Itoa(spec.Planes)
	all["height"] = strconv.Itoa(spec.Height)
	all["width"] = strconv.Itoa(spec.Width)
	all["policy_planes"] = strconv.Itoa(spec.PolicyPlanes)
	all["action_layout"] = "action = (policy_plane*height + row)*width + column, in the mover's frame"
	all["observation"] = "[batch, planes, height, width] as the player on turn sees the position"
	all["policy"] = "logits by action; take the softmax over the legal ones"
	all["outcome"] = "logits; softmax gives the chances that the viewer wins, that each next seat round the table wins, and last of a draw"
	return all
}

// network collects a graph's nodes and initializers.
type network struct {
	nodes, tensors []message
}

// graph returns the GraphProto of the network that package net defines.
func graph(w *net.Weights) message {
	n, spec := &network{}, w.Spec
	for _, t := range w.Inference().Tensors() {
		shape := t.Shape
		if strings.HasSuffix(t.Name, ".pool.weight") {
			shape = []int{shape[0], shape[1], 1, 1} // applied as a convolution of the means
		}
		n.tensors = append(n.tensors, tensor(t.Name, shape, t.Data))
	}
	n.heads(w, n.trunk(w))

	var m message
	for _, node := range n.nodes {
		m.bytes(1, node) // node
	}
	m.text(2, "tiro") // name
	for _, tensor := range n.tensors {
		m.bytes(5, tensor) // initializer
	}
	m.bytes(11, value("observation", spec.Planes, spec.Height, spec.Width)) // input
	m.bytes(12, value("policy", spec.Actions()))                            // output
	m.bytes(12, value("outcome", spec.Outcomes()))                          // output
	return m
}

// trunk adds the stem and the blocks and returns the name of their output.
func (n *network) trunk(w *net.Weights) string {
	h := n.relu(n.conv("stem", "observation", 3))
	for i := range w.Config.Blocks {
		block := fmt.Sprintf("block.%d.", i)
		y := n.conv(block+"conv1", h, 3)
		if w.Config.Pool {
			mean := n.add("GlobalAveragePool", block+"mean", []string{h})
			pooled := n.add("Conv", block+"pool", []string{mean, block + "pool.weight"})
			y = n.add("Add", block+"pooled", []string{y, pooled})
		}
		y = n.conv(block+"conv2", n.relu(y), 3)
		h = n.relu(n.add("Add", block+"sum", []string{h, y}))
	}
	return h
}

// heads adds the policy and the outcome over the trunk h.
func (n *network) heads(w *net.Weights, h string) {
	flat := attribute{name: "axis", ints: []int{1}}
	n.add("Flatten", "policy", []string{n.conv("policy", h, 1)}, flat)
	v := n.add("Flatten", "outcome.flat", []string{n.relu(n.conv("outcome.conv", h, 1))}, flat)
	if w.Config.Hidden > 0 {
		v = n.relu(n.dense("outcome.hidden", "outcome.hidden.dense", v))
	}
	n.dense("outcome.out", "outcome", v)
}

// add appends a node and returns its output's name.
func (n *network) add(op, output string, inputs []string, attributes ...attribute) string {
	n.nodes = append(n.nodes, node(op, output, inputs, attributes...))
	return output
}

func (n *network) relu(x string) string { return n.add("Relu", x+".relu", []string{x}) }

// conv adds the convolution whose tensors begin with name, padded to keep the
// board's size.
func (n *network) conv(name, x string, side int) string {
	pad := side / 2
	return n.add("Conv", name+".conv", []string{x, name + ".weight", name + ".bias"},
		attribute{name: "kernel_shape", ints: []int{side, side}, list: true},
		attribute{name: "pads", ints: []int{pad, pad, pad, pad}, list: true})
}

// dense adds the fully connected layer whose tensors begin with name.
func (n *network) dense(name, output, x string) string {
	return n.add("Gemm", output, []string{x, name + ".weight", name + ".bias"}, attribute{name: "transB", ints: []int{1}})
}
