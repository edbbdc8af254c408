package kernel

import (
	"unsafe"

	"tiro/net/kernel/wasm"
)

// simdRows is the number of rows that are summed at a time, each in two vectors of four columns.
// Their eight sums, two vectors of b, one of a and one of a product fit in the sixteen registers
// of x86.
const simdRows = 4

const (
	vectorBytes = 16
	pairBytes   = 2 * vectorBytes
	panelBytes  = 4 * Lanes
)

// tileWriter writes a kernel of a tile. The variables hold addresses or distances in bytes,
// unless they are counts.
type tileWriter struct {
	*wasm.Func
	of tile // for the offsets of its fields

	tile                     wasm.Local // the parameter
	a, b, c                  wasm.Local // addresses in the current tile of the batch
	lda, ldb, ldc, ldi       wasm.Local
	residual, mask           wasm.Local // distances from c; valid only if the tile has a residual or mask
	products, tiles, panels  wasm.Local // counts of the remaining ones
	pairs, rows, segments, k wasm.Local // likewise
	column                   wasm.Local // distance of the current two vectors in c and init
	bColumn, bPanel          wasm.Local // address of the current two vectors, and of the current panel, in b
	aRow, cRow, initRow      wasm.Local // addresses of the current rows
	segment                  wasm.Local
	bAt                      wasm.Local
	rowAt                    [simdRows]wasm.Local
	sums                     [simdRows][2]wasm.Local
	b0, b1, x                wasm.Local
}

// newTileWriter begins a kernel.
func newTileWriter(m *wasm.Module, name string) *tileWriter {
	w := &tileWriter{Func: m.Func(name, wasm.I32)}
	for _, l := range []*wasm.Local{
		&w.a, &w.b, &w.c, &w.lda, &w.ldb, &w.ldc, &w.ldi, &w.residual, &w.mask, &w.products, &w.tiles, &w.panels, &w.pairs,
		&w.rows, &w.segments, &w.k, &w.column, &w.bColumn, &w.bPanel, &w.aRow, &w.cRow, &w.initRow, &w.segment, &w.bAt,
	} {
		*l = w.Local(wasm.I32)
	}
	for r := range simdRows {
		w.rowAt[r] = w.Local(wasm.I32)
		w.sums[r] = [2]wasm.Local{w.Local(wasm.V128), w.Local(wasm.V128)}
	}
	w.b0, w.b1, w.x = w.Local(wasm.V128), w.Local(wasm.V128), w.Local(wasm.V128)
	return w
}

// field pushes a field of the tile: a number, or the address of a slice's data.
func (w *tileWriter) field(offset uintptr) *wasm.Func {
	return w.Get(w.tile).Load(wasm.I32Load, int(offset))
}

// length pushes the length of a slice of the tile.
func (w *tileWriter) length(offset uintptr) *wasm.Func { return w.field(offset + unsafe.Sizeof(0)) }

// distance pushes a field of the tile that is a number of elements, converted to bytes.
func (w *tileWriter) distance(offset uintptr) *wasm.Func {
	return w.field(offset).Const(4).Op(wasm.I32Mul)
}

// scaled pushes a variable times a constant factor.
func (w *tileWriter) scaled(l wasm.Local, by int) *wasm.Func {
	return w.Get(l).Const(by).Op(wasm.I32Mul)
}

// atLeastOne sets a variable to a field, or to 1 if the field is 0.
func (w *tileWriter) atLeastOne(l wasm.Local, offset uintptr) {
	w.field(offset).Set(l)
	w.Get(l).Op(wasm.I32Eqz).If(func() { w.Const(1).Set(l) })
}

// batch writes the loops over the tiles of a batch. rowA pushes the distance between rows of a in
// bytes. sum writes code that sums the given number of rows, and store writes code that stores
// the results.
func (w *tileWriter) batch(rowA func() *wasm.Func, sum, store func(rows int)) {
	w.field(unsafe.Offsetof(w.of.a)).Set(w.a)
	w.field(unsafe.Offsetof(w.of.b)).Set(w.b)
	w.field(unsafe.Offsetof(w.of.c)).Set(w.c)
	w.distance(unsafe.Offsetof(w.of.lda)).Set(w.lda)
	w.distance(unsafe.Offsetof(w.of.ldb)).Set(w.ldb)
	w.distance(unsafe.Offsetof(w.of.ldc)).Set(w.ldc)
	w.distance(unsafe.Offsetof(w.of.ldi)).Set(w.ldi)
	w.field(unsafe.Offsetof(w.of.residual)).Get(w.c).Op(wasm.I32Sub).Set(w.residual)
	w.field(unsafe.Offsetof(w.of.mask)).Get(w.c).Op(wasm.I32Sub).Set(w.mask)
	w.atLeastOne(w.products, unsafe.Offsetof(w.of.products))
	w.Count(w.products, func() {
		w.atLeastOne(w.tiles, unsafe.Offsetof(w.of.tiles))
		w.Repeat(func() {
			w.columns(rowA, sum, store)
			w.Get(w.tiles).Const(1).Op(wasm.I32Sub).Set(w.tiles)
			w.Get(w.tiles).If(func() {
				w.Move(w.a, func() { w.distance(unsafe.Offsetof(w.of.tileA)) })
				w.Move(w.c, func() { w.distance(unsafe.Offsetof(w.of.tileC)) })
			})
			w.Get(w.tiles)
		})
		w.Move(w.a, func() { w.distance(unsafe.Offsetof(w.of.stepA)) })
		w.Move(w.b, func() { w.distance(unsafe.Offsetof(w.of.stepB)) })
		w.Move(w.c, func() { w.distance(unsafe.Offsetof(w.of.stepC)) })
	})
}

// columns writes the loops over panels and over the pairs of vectors in each panel.
func (w *tileWriter) columns(rowA func() *wasm.Func, sum, store func(rows int)) {
	w.Const(0).Set(w.column)
	w.Get(w.b).Set(w.bPanel)
	w.field(unsafe.Offsetof(w.of.n)).Set(w.panels)
	w.Count(w.panels, func() {
		w.Get(w.bPanel).Set(w.bColumn)
		w.Const(panelBytes / pairBytes).Set(w.pairs)
		w.Count(w.pairs, func() {
			w.allRows(rowA, sum, store)
			w.Move(w.column, func() { w.Const(pairBytes) })
			w.Move(w.bColumn, func() { w.Const(pairBytes) })
		})
		w.Move(w.bPanel, func() { w.distance(unsafe.Offsetof(w.of.panel)) })
	})
}

// allRows writes the loop over rows: simdRows at a time, then the remaining rows.
func (w *tileWriter) allRows(rowA func() *wasm.Func, sum, store func(rows int)) {
	w.Get(w.a).Set(w.aRow)
	w.Get(w.c).Get(w.column).Op(wasm.I32Add).Set(w.cRow)
	w.field(unsafe.Offsetof(w.of.init)).Get(w.column).Op(wasm.I32Add).Set(w.initRow)
	w.field(unsafe.Offsetof(w.of.m)).Set(w.rows)
	for n := simdRows; n > 0; n /= 2 {
		atLeast := func() { w.Get(w.rows).Const(n).Op(wasm.I32GeS) }
		atLeast()
		w.If(func() {
			w.Repeat(func() {
				w.begin(n)
				sum(n)
				store(n)
				w.Move(w.aRow, func() { rowA().Const(n).Op(wasm.I32Mul) })
				w.Move(w.cRow, func() { w.scaled(w.ldc, n) })
				w.Move(w.initRow, func() { w.scaled(w.ldi, n) })
				w.Move(w.rows, func() { w.Const(-n) })
				atLeast()
			})
		})
	}
}

// begin writes the loads of the initial sums.
func (w *tileWriter) begin(rows int) {
	w.along(w.initRow, w.ldi, rows)
	for r := range rows {
		w.Get(w.rowAt[r]).Load(wasm.V128Load, 0).Set(w.sums[r][0])
		w.Get(w.rowAt[r]).Load(wasm.V128Load, vectorBytes).Set(w.sums[r][1])
	}
}

// along sets rowAt to the addresses of rows, of which the first is at first and the distance is
// ld.
func (w *tileWriter) along(first, ld wasm.Local, rows int) {
	w.Get(first).Set(w.rowAt[0])
	for r := range rows - 1 {
		w.Get(w.rowAt[r]).Get(ld).Op(wasm.I32Add).Set(w.rowAt[r+1])
	}
}

// eachSegment writes the loop over segments. It sets bAt to the segment's part of b and calls
// body with a function that pushes the segment's offset in a.
func (w *tileWriter) eachSegment(body func(offsetA func())) {
	var of segment
	w.field(unsafe.Offsetof(w.of.segments)).Set(w.segment)
	w.length(unsafe.Offsetof(w.of.segments)).Set(w.segments)
	w.Count(w.segments, func() {
		offset := func(field uintptr) { w.Get(w.segment).Load(wasm.I32Load, int(field)).Const(4).Op(wasm.I32Mul) }
		w.Get(w.bColumn)
		offset(unsafe.Offsetof(of.b))
		w.Op(wasm.I32Add).Set(w.bAt)
		body(func() { offset(unsafe.Offsetof(of.a)) })
		w.Move(w.segment, func() { w.Const(int(unsafe.Sizeof(of))) })
	})
}

// addProducts multiplies a number of each row with eight of b and adds the products to the sums.
// The multiplication and the addition are rounded separately, as in pure Go.
func (w *tileWriter) addProducts(rows, atB int, number func(row int)) {
	w.Get(w.bAt).Load(wasm.V128Load, atB).Set(w.b0)
	w.Get(w.bAt).Load(wasm.V128Load, atB+vectorBytes).Set(w.b1)
	for r := range rows {
		number(r)
		w.Set(w.x)
		for i, b := range []wasm.Local{w.b0, w.b1} {
			w.Get(w.sums[r][i]).Get(w.x).Get(b).Op(wasm.F32x4Mul, wasm.F32x4Add).Set(w.sums[r][i])
		}
	}
}

// eachSum applies an instruction with a second operand to all sums of the rows.
func (w *tileWriter) eachSum(rows int, op wasm.Op, operand func(row, offset int)) {
	for r := range rows {
		for i, sum := range w.sums[r] {
			w.Get(sum)
			operand(r, i*vectorBytes)
			w.Op(op).Set(sum)
		}
	}
}

// keep writes the stores of the sums.
func (w *tileWriter) keep(rows int) {
	for r := range rows {
		w.Get(w.rowAt[r]).Get(w.sums[r][0]).Store(wasm.V128Store, 0)
		w.Get(w.rowAt[r]).Get(w.sums[r][1]).Store(wasm.V128Store, vectorBytes)
	}
}

// writeMultiply writes the counterpart of multiplyGo.
func writeMultiply(m *wasm.Module) {
	const unrolled = 4 // t.k is a multiple of it
	w := newTileWriter(m, "multiply")
	sum := func(rows int) {
		w.eachSegment(func(offsetA func()) {
			w.along(w.aRow, w.lda, rows)
			for r := range rows {
				w.Move(w.rowAt[r], offsetA)
			}
			w.field(unsafe.Offsetof(w.of.k)).Set(w.k)
			w.Repeat(func() {
				for k := range unrolled {
					w.addProducts(rows, k*panelBytes, func(r int) { w.Get(w.rowAt[r]).Load(wasm.V128Load32Splat, 4*k) })
				}
				for r := range rows {
					w.Move(w.rowAt[r], func() { w.Const(4 * unrolled) })
				}
				w.Move(w.bAt, func() { w.Const(unrolled * panelBytes) })
				w.Get(w.k).Const(unrolled).Op(wasm.I32Sub).Tee(w.k)
			})
		})
	}
	store := func(rows int) {
		w.along(w.cRow, w.ldc, rows)
		beside := func(distance wasm.Local) func(row, offset int) {
			return func(row, offset int) {
				w.Get(w.rowAt[row]).Get(distance).Op(wasm.I32Add).Load(wasm.V128Load, offset)
			}
		}
		w.field(unsafe.Offsetof(w.of.residual)).If(func() { w.eachSum(rows, wasm.F32x4Add, beside(w.residual)) })
		w.field(unsafe.Offsetof(w.of.relu)).If(func() {
			w.eachSum(rows, wasm.F32x4PMax, func(int, int) { w.Floats(0) })
		})
		w.field(unsafe.Offsetof(w.of.mask)).If(func() {
			w.eachSum(rows, wasm.V128And, func(row, offset int) {
				beside(w.mask)(row, offset)
				w.Floats(0).Op(wasm.F32x4Gt)
			})
		})
		w.keep(rows)
	}
	w.batch(func() *wasm.Func { return w.Get(w.lda) }, sum, store)
}

// writeAccumulate writes the counterpart of accumulateGo.
func writeAccumulate(m *wasm.Module) {
	w := newTileWriter(m, "accumulate")
	sum := func(rows int) {
		w.eachSegment(func(offsetA func()) {
			w.Get(w.aRow)
			offsetA()
			w.Op(wasm.I32Add).Set(w.rowAt[0])
			w.field(unsafe.Offsetof(w.of.k)).Set(w.k)
			w.Count(w.k, func() {
				w.addProducts(rows, 0, func(r int) { w.Get(w.rowAt[0]).Load(wasm.V128Load32Splat, 4*r) })
				w.Move(w.rowAt[0], func() { w.Get(w.lda) })
				w.Move(w.bAt, func() { w.Get(w.ldb) })
			})
		})
	}
	store := func(rows int) {
		w.along(w.cRow, w.ldc, rows)
		w.keep(rows)
	}
	w.batch(func() *wasm.Func { return w.Const(4) }, sum, store)
}
