// Package onnx writes networks for other programs in the ONNX format (https://onnx.ai; opset 13,
// IR version 7), which ONNX Runtime since 1.7 and many other runtimes run.
//
// # First use
//
//	err := onnx.Write(file, weights, onnx.Options{})
//
// # The model
//
//	input  observation [batch, planes, height, width]  float, the mover's view; batch is free
//	output policy      [batch, actions]                float, a logit for each action
//	output outcome     [batch, players+1]              float, logits: win of the viewer, of the next seats, draw
//
// Priors are the softmax of policy over the legal actions. The softmax of outcome is the
// probability of each result. The model's metadata lists the game, the version of its rules and
// the numbering of actions; see Write. An Encoding adds all other details, including the names of
// cells and actions. docs/EXPORT.md has example programs.
package onnx
