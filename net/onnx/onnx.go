package onnx

import (
	"encoding/json"
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
	irVersion = 7
	opset     = 13
)

// fileHeader identifies the format of the models that Write writes: the meaning of their
// metadata, inputs and outputs.
var fileHeader = format.Header{Format: 1, What: "tiro network"}

// Options are options for Write.
type Options struct {
	Encoding *Encoding         // nil for none
	Metadata map[string]string // additional entries, with keys that the model does not use itself
}

// Write writes w as an ONNX model with the following metadata, to which Options.Metadata is
// added:
//
//	format, what    the header of Tiro's files
//	game            the game string, with every option that is not the default
//	game_version    version of the game's rules, planes and actions
//	players, planes, height, width, policy_planes
//	action_layout   the numbering of actions
//	observation, policy, outcome    the meaning of the input and the outputs
//	net             the network's configuration
//	encoding        Encoding.Brief as JSON, if there is one
func Write(to io.Writer, w *net.Weights, o Options) error {
	all, err := describe(w, o)
	if err != nil {
		return err
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

// describe returns the metadata.
func describe(w *net.Weights, o Options) (map[string]string, error) {
	all, spec := w.Metadata(), w.Spec
	fileHeader.Put(all)
	for key, n := range map[string]int{
		"players": spec.Players, "planes": spec.Planes,
		"height": spec.Height, "width": spec.Width, "policy_planes": spec.PolicyPlanes,
	} {
		all[key] = strconv.Itoa(n)
	}
	all["action_layout"] = actionLayout
	all["observation"] = "[batch, planes, height, width] from the view of the player to move"
	all["policy"] = "logits by action; the softmax over the legal actions is the probability of each"
	all["outcome"] = "logits; the softmax is the probability that the player to move wins, that each following seat wins, and of a draw"
	if o.Encoding != nil {
		text, err := json.Marshal(o.Encoding.Brief())
		if err != nil {
			return nil, fmt.Errorf("onnx: encoding: %w", err)
		}
		all["encoding"] = string(text)
	}
	for _, key := range slices.Sorted(maps.Keys(o.Metadata)) {
		if _, taken := all[key]; taken {
			return nil, fmt.Errorf("onnx: metadata key %q is used by the model itself", key)
		}
		all[key] = o.Metadata[key]
	}
	return all, nil
}

// builder collects the nodes and initializers of a graph.
type builder struct {
	nodes, tensors []message
}

// graph returns the GraphProto of the network that package net defines.
func graph(w *net.Weights) message {
	b, spec := &builder{}, w.Spec
	for _, t := range w.Inference().Tensors() {
		shape := t.Shape
		if strings.HasSuffix(t.Name, ".pool.weight") {
			shape = []int{shape[0], shape[1], 1, 1} // applied to the means as a convolution
		}
		b.tensors = append(b.tensors, tensor(t.Name, shape, t.Data))
	}
	b.heads(w, b.trunk(w))

	var m message
	for _, node := range b.nodes {
		m.bytes(1, node) // node
	}
	m.text(2, "tiro") // name
	for _, tensor := range b.tensors {
		m.bytes(5, tensor) // initializer
	}
	m.bytes(11, value("observation", spec.Planes, spec.Height, spec.Width)) // input
	m.bytes(12, value("policy", spec.Actions()))                            // output
	m.bytes(12, value("outcome", spec.Outcomes()))                          // output
	return m
}

// trunk adds the stem and the blocks and returns the name of their output.
func (b *builder) trunk(w *net.Weights) string {
	h := b.relu(b.conv("stem", "observation", 3))
	for i := range w.Config.Blocks {
		block := fmt.Sprintf("block.%d.", i)
		y := b.conv(block+"conv1", h, 3)
		if w.Config.Pool {
			mean := b.add("GlobalAveragePool", block+"mean", []string{h})
			pooled := b.add("Conv", block+"pool", []string{mean, block + "pool.weight"})
			y = b.add("Add", block+"pooled", []string{y, pooled})
		}
		y = b.conv(block+"conv2", b.relu(y), 3)
		h = b.relu(b.add("Add", block+"sum", []string{h, y}))
	}
	return h
}

// heads adds the policy and outcome heads on top of the trunk h.
func (b *builder) heads(w *net.Weights, h string) {
	flat := attribute{name: "axis", ints: []int{1}}
	b.add("Flatten", "policy", []string{b.conv("policy", h, 1)}, flat)
	v := b.add("Flatten", "outcome.flat", []string{b.relu(b.conv("outcome.conv", h, 1))}, flat)
	if w.Config.Hidden > 0 {
		v = b.relu(b.dense("outcome.hidden", "outcome.hidden.dense", v))
	}
	b.dense("outcome.out", "outcome", v)
}

// add appends a node and returns the name of its output.
func (b *builder) add(op, output string, inputs []string, attributes ...attribute) string {
	b.nodes = append(b.nodes, node(op, output, inputs, attributes...))
	return output
}

func (b *builder) relu(x string) string { return b.add("Relu", x+".relu", []string{x}) }

// conv adds the convolution whose tensors' names begin with name. It is padded to keep the
// board's size.
func (b *builder) conv(name, x string, side int) string {
	pad := side / 2
	return b.add("Conv", name+".conv", []string{x, name + ".weight", name + ".bias"},
		attribute{name: "kernel_shape", ints: []int{side, side}, list: true},
		attribute{name: "pads", ints: []int{pad, pad, pad, pad}, list: true})
}

// dense adds the fully connected layer whose tensors' names begin with name.
func (b *builder) dense(name, output, x string) string {
	return b.add("Gemm", output, []string{x, name + ".weight", name + ".bias"}, attribute{name: "transB", ints: []int{1}})
}
