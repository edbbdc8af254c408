// Package kernel computes convolutions in single precision, and their gradients, near
// the peak speed of a core: in AVX-512 or AVX2 assembly, and in pure Go on every other
// CPU. A fully connected layer is a convolution of size 1 on a board of one cell.
//
// # First use
//
//	backend := kernel.Best()
//	board := kernel.NewGrid(5, 5, 3)
//	weights := backend.NewWeights(board, 16, 64)
//	weights.Pack(0, w, bias) // [64, 16, 3, 3], [64]
//	worker := kernel.NewWorker(backend)
//	conv := kernel.Conv{Grid: board, Weights: weights, ReLU: true}
//	worker.Conv(&conv, &kernel.Call{Rows: rows, Src: src, Dst: dst})
//
// A Call can add a residual and a bias of its own for every row, rectify, and apply the
// mask of a rectifier's gradient in the same pass. For the gradient by the input, use
// Conv with weights filled by PackTransposed; for the gradient by weights and bias,
// WeightGradient into a Gradient for each part of the batch, then Sum.
//
// # Activations
//
// Activations are [cells, rows, Pad(channels)]: cell by cell, in each cell the rows of
// the batch, and in each row the channels, with zeros up to a multiple of Lanes.
// Pack and Unpack convert from and to [rows, channels, cells].
//
//	cell 0                          cell 1
//	row 0      row 1      row 2     row 0      row 1 ...
//	c0 c1 .. 0 c0 c1 .. 0 c0 ..     c0 c1 .. 0 c0 ..
//
// Thus what a tap of the filter reads is at the same distance for all rows of a cell,
// and for all neighbouring cells whose taps are on the board. A tap outside the board is
// left out instead of multiplied by zeros, which saves a quarter of the work on 5x5 and a
// seventh on 9x9. Nothing is copied, and no table of addresses is needed.
//
// # The tile kernels
//
// All products are sums of products of small matrices in the same registers, the
// batch-reduce product of Georganas et al. 2020 ("Harnessing deep learning via a single
// building block"): see tile. Up to 12 rows by 32 columns are summed in 24 of the 32
// registers of AVX-512 (6 by 16 in 12 of 16 of AVX2):
//
//	           b: k of a panel, 16 columns, and of the next
//	               │ │ │ │        │ │ │ │
//	a: row 0  ─ k ─┼─┼─┼─┼── ── ──┼─┼─┼─┼─   each k: 2 loads, 12 broadcasts,
//	   row 1  ─ k ─┼─┼─┼─┼── ── ──┼─┼─┼─┼─   24 fused multiply-adds
//	   ...
//	   row 11 ─ k ─┼─┼─┼─┼── ── ──┼─┼─┼─┼─
//
// As in Goto and van de Geijn 2008 ("Anatomy of high-performance matrix
// multiplication") weights are packed so that a panel is read from end to end,
//
//	[panels of 16 output channels, taps, input channels, 16]
//
// and the parts of the other operand are small enough for the caches; unlike there it is
// read in place. A second kernel, accumulate, sums over rows and cells for the gradient
// by weights, and reads both operands in place.
//
// # Tiles of the board
//
// Convolutions of size 3 with enough channels are computed by tiles of 3x3, 4x4 or 5x5
// cells after Lavin and Gray 2016: see tiling. One transform takes each tile and the
// filters to points, a product for each point replaces the sum over taps, and another
// transform takes the sums back:
//
//	cells [cells, rows, in] ─input→ points [points, tiles, rows, in]
//	                                   × weights [points, in, out] ←filter─ [9, in, out]
//	cells [cells, rows, out] ←output─ sums [points, tiles, rows, out]
//
// A 5x5 board is one tile of 49 points where the definition has 169 taps on the board; 9x9
// is four tiles, 196 points for 625 taps. NewWeights chooses by the board and the channels.
//
// # Bits
//
// Every number is summed in an order that depends on the layer alone: it is the same to
// the last bit in any batch, at any place in it and on any worker. AVX-512 and AVX2 agree
// to the last bit too. Pure Go differs from them by rounding, since it does not fuse a
// multiplication and an addition, on any architecture; nor does the backend of
// WebAssembly's vectors (SIMD), which has its bits.
//
// # Duties of the caller
//
// A Worker belongs to one goroutine; Backends, Grids and packed Weights may be shared.
// Slices must have the sizes in their comments: kernels check them before they run, and
// panic. The assembly is written by the program in gen, a module of its own that uses
// github.com/mmcloughlin/avo; after a change there run go generate.
package kernel
