package graph

import "tiro/net/kernel"

// stem is the first layer, from observations to the trunk.
type stem struct {
	*conv
	x    []float32 // the observations as games write them, [rows, planes, cells]
	in   []float32 // laid out for the kernels
	y    []float32
	grad []float32 // by y
}

func (n *network) stem(board *kernel.Grid, x []float32) *stem {
	c, rows := n.conv(board, "stem", "stem.bias", true), n.workers.rows
	return &stem{conv: c, x: x, in: c.in.make(rows), y: c.out.make(rows), grad: n.trunkGrad}
}

func (l *stem) forward(w *worker, s shard) {
	f := l.conv.in
	numbers := f.channels * f.cells
	in := f.of(l.in, s)
	f.pack(in, l.x[s.first*numbers:], s.rows, numbers)
	w.Conv(&l.conv.forward, &kernel.Call{Rows: s.rows, Src: in, Dst: l.out.of(l.y, s)})
}

func (l *stem) backward(w *worker, s shard) {
	l.learn(w, s, l.conv.in.of(l.in, s), l.out.of(l.grad, s))
}

// block is a residual block.
type block struct {
	first, second *conv
	pool          *conv     // or nil
	x, branch, y  []float32 // in, inside and out
	grad          []float32 // by y, then by x

	rows           layout    // of numbers of a row that are the same for all cells
	mean, rowBias  []float32 // of x over the cells, and what the pool makes of it
	meanGrad, sums []float32 // their gradients
}

func (n *network) block(name string, board *kernel.Grid, x []float32, pool bool) *block {
	l := &block{x: x, grad: n.trunkGrad}
	bias, rows := name+"conv1.bias", n.workers.rows
	if pool {
		l.pool = n.conv(kernel.NewGrid(1, 1, 1), name+"pool", bias, false) // which adds the bias in place of conv1
		bias, l.rows = "", l.pool.out
		for _, buffer := range []*[]float32{&l.mean, &l.rowBias, &l.meanGrad, &l.sums} {
			*buffer = l.rows.make(rows)
		}
	}
	l.first = n.conv(board, name+"conv1", bias, true)
	l.second = n.conv(board, name+"conv2", name+"conv2.bias", true)
	l.branch, l.y = l.first.out.make(rows), l.first.out.make(rows)
	return l
}

func (l *block) convs() []*conv {
	if l.pool == nil {
		return []*conv{l.first, l.second}
	}
	return []*conv{l.first, l.second, l.pool}
}

func (l *block) forward(w *worker, s shard) {
	f := l.first.out
	x, branch := f.of(l.x, s), f.of(l.branch, s)
	first := kernel.Call{Rows: s.rows, Src: x, Dst: branch}
	if l.pool != nil {
		mean := l.rows.of(l.mean, s)
		first.RowBias = l.rows.of(l.rowBias, s)
		w.SumCells(mean, x, f.cells, 1/float32(f.cells))
		w.Conv(&l.pool.forward, &kernel.Call{Rows: s.rows, Src: mean, Dst: first.RowBias})
	}
	w.Conv(&l.first.forward, &first)
	w.Conv(&l.second.forward, &kernel.Call{Rows: s.rows, Src: branch, Dst: f.of(l.y, s), Residual: x})
}

func (l *block) backward(w *worker, s shard) {
	f := l.first.out
	x, branch, grad := f.of(l.x, s), f.of(l.branch, s), f.of(l.grad, s)
	branchGrad := w.scratch[:f.size(s.rows)]
	l.second.learn(w, s, branch, grad)
	w.Conv(&l.second.backward, &kernel.Call{Rows: s.rows, Src: grad, Dst: branchGrad, Mask: branch})
	l.first.learn(w, s, x, branchGrad)
	byX := kernel.Call{Rows: s.rows, Src: branchGrad, Dst: grad, Residual: grad, Mask: x}
	if l.pool != nil {
		byX.RowBias = l.poolBackward(w, s, branchGrad)
	}
	w.Conv(&l.first.backward, &byX)
}

// poolBackward returns what the pool adds to the gradient by each cell of x.
func (l *block) poolBackward(w *worker, s shard, branchGrad []float32) []float32 {
	sums, meanGrad := l.rows.of(l.sums, s), l.rows.of(l.meanGrad, s)
	w.SumCells(sums, branchGrad, l.first.out.cells, 1)
	l.pool.learn(w, s, l.rows.of(l.mean, s), sums)
	w.Conv(&l.pool.backward, &kernel.Call{Rows: s.rows, Src: sums, Dst: meanGrad})
	for i := range meanGrad {
		meanGrad[i] /= float32(l.first.out.cells)
	}
	return meanGrad
}
