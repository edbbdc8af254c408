// Package opencl computes networks on graphics cards and other devices of OpenCL:
//
//	library, err := cl.Load()
//	devices, err := library.Devices()
//	backend, err := opencl.Open(devices[0], cacheFolder)
//	evaluator := backend.Compile(weights).NewEvaluator(game, 2048, 1)
//	err = evaluator.Evaluate(ctx, leaves)
//
// Weights and activations stay on the device. A position's planes go up, packed as bits if each
// plane has a single number besides 0, and the logits of legal actions and the outcome come down.
// The evaluators of a network, one per goroutine, share batches: while the device computes one, the
// positions of the next gather.
//
// Convolutions of 3x3 are computed in tiles, as kernel.Tiling describes: a kernel transforms
// tiles to points, one matrix product per point multiplies them by the weights, and another kernel
// transforms the sums back. If the board is one tile, a single kernel transforms sums back and then
// to points of the next convolution, so that most activations are never stored. All other layers
// are matrix products too. On devices that are not CPUs, a work group computes a block of 128x64
// sums from local memory, 8x4 per work item.
//
// The result for a position does not depend on its batch, to the bit. The same device and driver
// compute the same bits; others differ in the last bits. Every compiled network is tested before
// its first use: see ErrWrong.
package opencl
