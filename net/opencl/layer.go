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
	keeping      = 16
	withMean     = 32
)

const (
	lanes     = 16  // numbers of channels are multiples of lanes
	columns   = 64  // the columns of weights are padded to a multiple of columns
	blockRows = 128 // the rows of arrays are padded to a multiple of blockRows
	group     = 128 // work items of a work group, except in products
)

func padded(n, unit int) int { return (n + unit - 1) / unit * unit }

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
	*kernel.Board
	product  product
	pool     *product // of the means over the board, to rowBias; nil without pooling
	toPoints *cl.Kernel
	fromSums *cl.Kernel // to activations
	through  *cl.Kernel // to points of the next convolution, if the board is one tile and there is one
	bias     *cl.Buffer
	flags    int32
}

// input transforms the activations x to w.points, and computes their means for pooling.
func (c *conv) input(q *cl.Queue, w *workspace, rows int, x *cl.Buffer, means *cl.Kernel) error {
	in := c.product.in
	if c.pool != nil {
		if err := run(q, means, rows*in, x, w.mean, int32(c.Cells()), int32(in), int32(rows*in)); err != nil {
			return err
		}
	}
	rows *= c.Tiles
	return run(q, c.toPoints, rows*in, x, w.points, int32(c.Height), int32(c.Width), int32(in), int32(c.TilesX), int32(c.Tiles), int32(rows*in),
		uint64(padded(rows, blockRows)*in))
}

// run computes the convolution of w.points. If there is a next one on a board of one tile, the
// result is in w.points, too, and kept in y if the flags request it. Otherwise it is in y. The
// flags determine whether the activations y are added.
func (c *conv) run(q *cl.Queue, w *workspace, rows int, y *cl.Buffer) error {
	if c.pool != nil {
		if err := c.pool.run(q, w.mean, w.rowBias, rows); err != nil {
			return err
		}
	}
	tiles, out := rows*c.Tiles, c.product.out
	if err := c.product.run(q, w.points, w.sums, tiles); err != nil {
		return err
	}
	stride := uint64(padded(tiles, blockRows) * out)
	if c.through != nil {
		return run(q, c.through, rows*out, w.sums, y, c.bias, w.rowBias, y, w.points, w.mean,
			int32(c.Height), int32(c.Width), int32(out), int32(rows*out), stride, c.flags)
	}
	return run(q, c.fromSums, tiles*out, w.sums, y, c.bias, w.rowBias, y,
		int32(c.Height), int32(c.Width), int32(out), int32(c.TilesX), int32(c.Tiles), int32(tiles*out), stride, c.flags)
}

// run runs a kernel with n work items, one for each number of its result.
func run(q *cl.Queue, k *cl.Kernel, n int, args ...any) error {
	return q.Run(k, []int{padded(n, group)}, []int{group}, args...)
}
