// Package onnx writes networks for other programs, in the format of https://onnx.ai (opset
// 13, IR version 7), which ONNX Runtime since 1.7 and many others run.
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
// Priors are the softmax of policy over the legal actions, and the probabilities of the
// results the softmax of outcome. The model's metadata says which game it plays, in which
// version of the rules, and how actions are numbered; see Write. An Encoding says all of it,
// down to the names of cells and actions, and docs/EXPORT.md has programs that use models.
//
// # Precision
//
// A model may store its weights in fewer bits. They are turned into 32-bit floats by the
// model itself, so that every runtime computes the same, the network that Round returns.
// docs/EXPORT.md says how much weaker that plays. Models that also compute in 16 or 8 bits
// would need kernels that runtimes for CPUs mostly lack, and for 8 bits the ranges of all
// layers on sample positions.
package onnx
