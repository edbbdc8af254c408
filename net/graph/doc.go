// Package graph trains the networks of package net, with Gorgonia for the graph,
// its differentiation and the machine that runs it.
//
// # First use
//
//	trainer, err := graph.New(weights, graph.Default(), 256)
//	b := trainer.Batch()
//	// fill b.X, b.Policy, b.Outcome and b.Weight
//	loss, err := trainer.Step(1e-3)
//
// Step computes the loss, its gradient by every tensor, clips it by its global
// norm and lets the solver move the weights, which are the ones that New was
// given. Measure computes the loss only.
//
// # Loss
//
//	loss = Σ_r w_r (H(policy target_r, network_r) + outcome_weight·H(outcome target_r, network_r)) / Σ_r w_r
//
// with H the cross-entropy against the softmax of the head's logits. The
// policy's softmax runs over the legal actions, as it does in play; Batch says
// how to mark the others. Weight decay is no part of the loss: the solvers
// shrink the weights themselves.
//
// # What is Gorgonia's and what is ours
//
// Gorgonia holds the graph, differentiates it and runs it. The operators are
// ours: convolutions with what is fused with them, their gradients, pooling and
// the loss, all on the kernels of net/kernel, in memory that stays from step to
// step. Gorgonia's own take about ten times as long and fresh memory each step.
// The two solvers are ours because Gorgonia's cannot save their state.
//
// A batch is cut into shards of a fixed number of rows, which all cores
// compute; sums over the batch are made shard by shard, in order.
//
// # Duties of the caller
//
// A Trainer belongs to one goroutine, and while it steps, nobody may read the
// weights. The same weights, solver state and batches give the same bits again,
// on the same instruction set, however many cores there are.
package graph
