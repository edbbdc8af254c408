// Package net evaluates positions with a neural network. It contains the network's configuration,
// its weights in memory and on disk, the compiled plan that runs it, and the Evaluator that a
// search calls. It needs no graph library: training is in net/graph, and export in net/onnx.
//
// # First use
//
//	w := net.NewWeights(game.Spec(), net.Default(), env.NewRand(seed))
//	evaluator := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 64)
//	err := search.Run(ctx, evaluator)
//
// # The network
//
// x is [rows, Planes, Height, Width], written by Config.Observe; tensors are named as in the weights file:
//
//	h = relu(conv3x3(x; stem.weight [C, Planes, 3, 3], stem.bias [C]))
//	for each block i
//	    y = conv3x3(h; block.i.conv1.weight [C, C, 3, 3], block.i.conv1.bias [C])
//	    with Pool: y += block.i.pool.weight [C, C] · mean of h over the cells
//	    h = relu(h + conv3x3(relu(y); block.i.conv2.weight [C, C, 3, 3], block.i.conv2.bias [C]))
//
//	policy  = conv1x1(h; policy.weight [PolicyPlanes, C, 1, 1], policy.bias), flat: a logit for each action
//
//	v       = relu(conv1x1(h; outcome.conv.weight [V, C, 1, 1], outcome.conv.bias)), flat
//	with Hidden: v = relu(outcome.hidden.weight [Hidden, V·Height·Width] · v + outcome.hidden.bias)
//	outcome = outcome.out.weight [Players+1, …] · v + outcome.out.bias: a logit for each result
//
// C is the number of channels of the trunk, V the number of channels of the outcome head.
// Convolutions keep the size of the board and pad it with zeros. The results are a win of the
// viewer, a win of each following seat in turn, and a draw.
//
// With Ownership the network has another head, which is used for learning only: its targets shape
// the trunk that the other heads share. Its weights start at zero. Files, models and exports do
// not include it:
//
//	ownership = conv1x1(h; ownership.weight [F, C, 1, 1], ownership.bias [F]): planes side by side, of
//	            a logit for each owner class of each cell
//	            the score of each seat, the viewer's first: the mean over the cells
//
// There is no batch normalisation: the output for a position depends on that position alone, in
// training as in play. Instead, each block starts as the identity.
//
// # Duties of the caller
//
// No goroutine may change Weights while another one reads them. A Model is immutable. A Plan or
// an Evaluator is for one goroutine.
package net
