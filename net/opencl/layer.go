package opencl

import (
	"tiro/net/kernel"
	"tiro/net/opencl/cl"
)

// Flags of kernels.cl.
const (
	withReLU     = 1
	withBias     = 2
	withRowBias  = 4
	withResidual = 8
)

const (
	lanes     = 16  // numbers of channels are multiples of lanes
	columns   = 64  // the columns of weights are padded to a multiple of columns
	blockRows = 128 // the rows of arrays are padded to a multiple of blockRows
	group     = 128 // work items of a work group, except in products
)

func padded(n, unit int) int { return (n + unit - 1) / unit * unit }

// board is the shape of activations, and the tiles of the board.
type board struct {
	height, width int
	tiling        kernel.Tiling
	tilesX, tiles int // tiles in a row of the board, and in total
}

// newBoard returns a board with the tiling that needs the fewest products.
func newBoard(height, width int) board {
	var best board
	for _, t := range kernel.Tilings() {
		tilesX := (width + t.Size - 1) / t.Size
		b := board{height, width, t, tilesX, tilesX * ((height + t.Size - 1) / t.Size)}
		if best.tiles == 0 || b.products() < best.products() {
			best = b
		}
	}
	return best
}

func (b *board) cells() int    { return b.height * b.width }
func (b *board) products() int { return b.tiles * b.points() }
func (b *board) points() int   { return b.tiling.Points * b.tiling.Points }

// product is a layer that multiplies [rows, in] by weights [batch, in, out].
type product struct {
	kernel        *cl.Kernel
	weights, bias *cl.Buffer // bias is any buffer without withBias
	batch         int
	in, out       int // padded to lanes
	flags         int32
	cpu           bool // whether the kernel is the one for CPUs
}

// run multiplies a by the weights. Both arrays have memory for padded(rows, blockRows) rows of
// each product.
func (p *product) run(q *cl.Queue, a, c *cl.Buffer, rows int) error {
	ldb, all := padded(p.out, columns), padded(rows, blockRows)
	global, local := []int{all / blockRows * 256, ldb / columns, p.batch}, []int{256, 1, 1}
	if p.cpu {
		global, local = []int{padded(rows, 32) / 4, ldb / lanes, p.batch}, []int{8, 1, 1}
	}
	return q.Run(p.kernel, global, local, a, p.weights, c, p.bias, int32(p.in), int32(ldb), int32(p.out),
		uint64(all*p.in), uint64(all*p.out), p.flags)
}

// conv is a convolution of 3x3 with the board's tiling.
type conv struct {
	*board
	product            product
	toPoints, fromSums *cl.Kernel
	bias               *cl.Buffer
	flags              int32
}

// run computes the convolution of x. The layer's flags determine whether rowBias and residual are
// used.
func (c *conv) run(q *cl.Queue, w *workspace, rows int, x, y, rowBias, residual *cl.Buffer) error {
	rows *= c.tiles
	height, width, tilesX, tiles := int32(c.height), int32(c.width), int32(c.tilesX), int32(c.tiles)
	in, out := c.product.in, c.product.out
	stride := uint64(padded(rows, blockRows))
	if err := run(q, c.toPoints, rows*in, x, w.points, height, width, int32(in), tilesX, tiles, int32(rows*in), stride*uint64(in)); err != nil {
		return err
	}
	if err := c.product.run(q, w.points, w.sums, rows); err != nil {
		return err
	}
	return run(q, c.fromSums, rows*out, w.sums, y, c.bias, rowBias, residual, height, width, int32(out), tilesX, tiles, int32(rows*out), stride*uint64(out), c.flags)
}

// run runs a kernel with n work items, one for each number of its result.
func run(q *cl.Queue, k *cl.Kernel, n int, args ...any) error {
	return q.Run(k, []int{padded(n, group)}, []int{group}, args...)
}
