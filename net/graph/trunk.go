package graph

import "tiro/net/kernel"

// stem is the first layer, from observations to the trunk.
type stem struct {
	*conv
	x []float32 // the observations in the games' layout, [rows, planes, cells]
	y []float32
}

func (n *network) stem(board *kernel.Grid, x []float32) *stem {
	c := n.conv(board, "stem", "stem.bias", true)
	c.x, c.d = c.in.make(n.workers.rows), c.out.make(n.workers.rows)
	return &stem{conv: c, x: x, y: c.out.make(n.workers.rows)}
}

func (l *stem) forward(w *worker, v window) {
	f := l.conv.in
	numbers := f.channels * f.cells
	in := f.of(l.conv.x, v.shard)
	f.pack(in, rowsOf(l.x, v, numbers), v, numbers)
	l.apply(w, v, &l.conv.forward, kernel.Call{Src: in, Dst: l.out.of(l.y, v.shard)})
}

// backward does nothing: the gradient with respect to the observations is not needed.
func (l *stem) backward(*worker, window) {}

// block is a residual block.
type block struct {
	first, second *conv
	pool          *conv     // nil without pooling
	x, branch, y  []float32 // input, intermediate result and output
	byX           []float32 // gradient with respect to x

	rows           layout    // layout of elements that are shared by all cells of a row
	mean, rowBias  []float32 // mean of x over the cells, and the pool's output
	meanGrad, sums []float32 // gradients with respect to mean and rowBias
}

// block returns a block that reads x and writes the gradient with respect to x to byX.
func (n *network) block(name string, board *kernel.Grid, x, byX []float32, pool bool) *block {
	l := &block{x: x, byX: byX}
	bias, rows := name+"conv1.bias", n.workers.rows
	if pool {
		l.pool = n.conv(kernel.NewGrid(1, 1, 1), name+"pool", bias, false) // adds the bias instead of conv1
		bias, l.rows = "", l.pool.out
		for _, buffer := range []*[]float32{&l.mean, &l.rowBias, &l.meanGrad, &l.sums} {
			*buffer = l.rows.make(rows)
		}
		l.pool.x, l.pool.d = l.mean, l.sums
	}
	l.first = n.conv(board, name+"conv1", bias, true)
	l.second = n.conv(board, name+"conv2", name+"conv2.bias", true)
	l.branch, l.y = l.first.out.make(rows), l.first.out.make(rows)
	l.first.x, l.first.d = x, l.first.out.make(rows)
	l.second.x, l.second.d = l.branch, l.first.out.make(rows)
	return l
}

func (l *block) convs() []*conv {
	if l.pool == nil {
		return []*conv{l.first, l.second}
	}
	return []*conv{l.first, l.second, l.pool}
}

func (l *block) forward(w *worker, v window) {
	f, s := l.first.out, v.shard
	x, branch := f.of(l.x, s), f.of(l.branch, s)
	first := kernel.Call{Src: x, Dst: branch}
	if l.pool != nil {
		first.RowBias = l.rows.of(l.rowBias, s)
		l.sumCells(w, v, l.mean, x, 1/float32(f.cells))
		l.pool.apply(w, v, &l.pool.forward, kernel.Call{Src: l.rows.of(l.mean, s), Dst: first.RowBias})
	}
	l.first.apply(w, v, &l.first.forward, first)
	l.second.apply(w, v, &l.second.forward, kernel.Call{Src: branch, Dst: f.of(l.y, s), Residual: x})
}

func (l *block) backward(w *worker, v window) {
	f, s := l.first.out, v.shard
	x, branch, grad, branchGrad := f.of(l.x, s), f.of(l.branch, s), f.of(l.second.d, s), f.of(l.first.d, s)
	l.second.apply(w, v, &l.second.backward, kernel.Call{Src: grad, Dst: branchGrad, Mask: branch})
	byX := kernel.Call{Src: branchGrad, Dst: f.of(l.byX, s), Residual: grad, Mask: x}
	if l.pool != nil {
		byX.RowBias = l.poolBackward(w, v, branchGrad)
	}
	l.first.apply(w, v, &l.first.backward, byX)
}

// poolBackward returns the pool's part of the gradient with respect to each cell of x.
func (l *block) poolBackward(w *worker, v window, branchGrad []float32) []float32 {
	l.sumCells(w, v, l.sums, branchGrad, 1)
	all := l.rows.of(l.meanGrad, v.shard)
	l.pool.apply(w, v, &l.pool.backward, kernel.Call{Src: l.rows.of(l.sums, v.shard), Dst: all})
	meanGrad := rowsOf(l.meanGrad, v, l.rows.width())
	for i := range meanGrad {
		meanGrad[i] /= float32(l.first.out.cells)
	}
	return all
}

// sumCells writes scale times the sums over the cells of a shard of the trunk to sums, for the
// rows of a window.
func (l *block) sumCells(w *worker, v window, sums, shard []float32, scale float32) {
	width := l.rows.width()
	w.SumCells(rowsOf(sums, v, width), shard[v.from*width:], l.first.out.cells, v.rows*width, scale)
}
