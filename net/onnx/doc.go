// Package onnx writes networks for other programs, in the format of https://onnx.ai (opset
// 17, IR version 8), which ONNX Runtime and many others run.
//
// # First use
//
//	err := onnx.Write(file, weights, nil)
//
// # The model
//
//	input  observation [batch, planes, height, width]  float, the mover's view; batch is free
//	output policy      [batch, actions]                float, a logit for each action
//	output outcome     [batch, players+1]              float, logits: win of the viewer, of the next seats, draw
//
// Priors are the softmax of policy over the legal actions, and the probabilities of the
// results the softmax of outcome. The model's metadata says which game it plays, in which
// version of the rules, and how actions are numbered; see Write.
package onnx
