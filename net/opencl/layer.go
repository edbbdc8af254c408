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
func (p *product) run(c *commands, a, y *cl.Buffer, rows int) {
	ldb, all := padded(p.out, columns), padded(rows, blockRows)
	global, local := []int{all / blockRows * 256, ldb / columns, p.batch}, []int{256, 1, 1}
	if p.cpu {
		global, local = []int{padded(rows, 32) / 4, ldb / lanes, p.batch}, []int{8, 1, 1}
	}
	c.start(p.kernel, global, local, a, p.weights, y, p.bias, int32(p.in), int32(ldb), int32(p.out),
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
func (l *conv) input(c *commands, w *workspace, rows int, x *cl.Buffer, means *cl.Kernel) {
	in := l.product.in
	if l.pool != nil {
		c.run(means, rows*in, x, w.mean, int32(l.Cells()), int32(in), int32(rows*in))
	}
	rows *= l.Tiles
	c.run(l.toPoints, rows*in, x, w.points, int32(l.Height), int32(l.Width), int32(in), int32(l.TilesX), int32(l.Tiles), int32(rows*in),
		uint64(padded(rows, blockRows)*in))
}

// run computes the convolution of w.points. If there is a next one on a board of one tile, the
// result is in w.points, too, and kept in y if the flags request it. Otherwise it is in y. The
// flags determine whether the activations y are added.
func (l *conv) run(c *commands, w *workspace, rows int, y *cl.Buffer) {
	if l.pool != nil {
		l.pool.run(c, w.mean, w.rowBias, rows)
	}
	tiles, out := rows*l.Tiles, l.product.out
	l.product.run(c, w.points, w.sums, tiles)
	stride := uint64(padded(tiles, blockRows) * out)
	if l.through != nil {
		c.run(l.through, rows*out, w.sums, y, l.bias, w.rowBias, y, w.points, w.mean,
			int32(l.Height), int32(l.Width), int32(out), int32(rows*out), stride, l.flags)
		return
	}
	c.run(l.fromSums, tiles*out, w.sums, y, l.bias, w.rowBias, y,
		int32(l.Height), int32(l.Width), int32(out), int32(l.TilesX), int32(l.Tiles), int32(tiles*out), stride, l.flags)
}
